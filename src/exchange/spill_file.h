/* spill_file.h - the file of a blocking partition: images of buffers one behind the other, in a
 * file without a name, and an index in memory of what belongs to which subpartition. Written by
 * one producer; after it has finished, read by any number of readers at once (they share nothing
 * that changes). Private to exchange. Flink: BoundedData, PartitionedFile. */
#ifndef RASKI_EXCHANGE_SPILL_FILE_H
#define RASKI_EXCHANGE_SPILL_FILE_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "exchange/buffer.h"

typedef struct raski_spill_file raski_spill_file;

/* directory NULL: $TMPDIR or /tmp. */
RASKI_NODISCARD rask_status raski_spill_file_create(const char *directory_or_null,
                                                    uint32_t subpartition_count,
                                                    raski_spill_file **ret_file, raski_error *err);
void raski_spill_file_destroy(raski_spill_file *file_take);

/* Writes buffer once and adds it to subpartitions first..first+count-1. @thread producer */
RASKI_NODISCARD rask_status raski_spill_file_append(raski_spill_file *file,
                                                    const raski_buffer *buffer,
                                                    const raski_buffer_format *format,
                                                    uint32_t first, uint32_t count,
                                                    raski_error *err);
size_t raski_spill_file_entry_count(const raski_spill_file *file, uint32_t subpartition);
uint64_t raski_spill_file_bytes(const raski_spill_file *file, uint32_t subpartition);

/* Reads an entry into a buffer: *buffer when it is large enough, else another in its place (the
 * caller's to free). */
RASKI_NODISCARD rask_status raski_spill_file_read(const raski_spill_file *file,
                                                  const raski_buffer_format *format,
                                                  uint32_t subpartition, size_t entry,
                                                  raski_buffer **buffer, raski_error *err);
#endif
