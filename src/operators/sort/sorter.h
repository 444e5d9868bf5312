/* sorter.h - sorts the records of one input by key and time, in memory as long as they fit and with
 * files beyond.
 *
 *     create -> add ... -> finish -> { head, take } ... -> destroy
 *
 * The order: by the bytes that the key's serializer writes, compared as signed bytes
 * (state/key_order.h); inside a key by timestamp; records that are equal in both stay in the order
 * in which they were added. Records and what they point to are copied when they are added.
 *
 * What does not fit into memory_bytes is written out as sorted runs, into files without names that
 * are gone however the process ends, and merged while it is read. Flink: ExternalSorter,
 * SortingDataInput. Threads: the task's. */
#ifndef RASKI_OPERATORS_SORT_SORTER_H
#define RASKI_OPERATORS_SORT_SORTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "operators/definition.h"

typedef struct raski_sorter raski_sorter;

typedef struct raski_sorter_options {
    const rask_type *type;           /* of the records; borrowed */
    const raski_key_definition *key; /* borrowed; NULL: all records have one key */
    size_t memory_bytes;             /* of everything that grows; 0: no limit. A few are always
                                        taken, however small it is */
    const char *directory;           /* for files; borrowed; NULL: /tmp */
    uint32_t fan_in;                 /* runs that are merged at a time, at least 2; 0: 128 */
} raski_sorter_options;

/* RASK_E_NOMEM. Nothing large is allocated before records come. */
RASKI_NODISCARD rask_status raski_sorter_create(const raski_sorter_options *options,
                                                raski_sorter **ret_sorter, raski_error *err);
/* Frees memory and files; at any time. NULL is fine. */
void raski_sorter_destroy(raski_sorter *sorter_take_or_null);

/* Takes copies of n records. timestamps: one for each, or NULL (none has one). Errors:
 * RASK_E_NOMEM, RASK_E_IO for the files (with the directory), and what a key selector says: then
 * *ret_index is the record. @blocks on files */
RASKI_NODISCARD rask_status raski_sorter_add(raski_sorter *sorter, const void *records,
                                             const int64_t *timestamps, size_t n, size_t *ret_index,
                                             raski_error *err);
/* All records were added: sorts what is in memory, opens the runs. @blocks on files */
RASKI_NODISCARD rask_status raski_sorter_finish(raski_sorter *sorter, raski_error *err);

/* The next record, to be compared with that of another sorter of the same kind of key. */
typedef struct raski_sorted_head {
    uint64_t prefix;           /* the first 8 bytes of the key, as a number in the order of keys */
    uint32_t key_size;         /* bytes of the whole key */
    const unsigned char *tail; /* the bytes from the ninth on, each with its upper bit flipped:
                                  unsigned bytes in the order of keys */
    int64_t timestamp;
} raski_sorted_head;
/* After finish; NULL at the end. Good until the next take. */
const raski_sorted_head *raski_sorter_head(const raski_sorter *sorter);
/* Negative, 0, positive; timestamps do not count. */
int raski_sorted_head_compare_keys(const raski_sorted_head *a, const raski_sorted_head *b);

/* Copies the next records of the key of the head: at most max (at least 1), and none whose
 * timestamp is beyond latest. Gives how many; *ret_more: the next record has the same key. The
 * strings of the records are good until raski_sorter_end_batch. ret_timestamps may be NULL.
 * RASK_E_IO, RASK_E_CORRUPT or RASK_E_NOMEM for runs in files. @blocks on files */
RASKI_NODISCARD rask_status raski_sorter_take(raski_sorter *sorter, int64_t latest, size_t max,
                                              void *ret_records, int64_t *ret_timestamps,
                                              size_t *ret_count, bool *ret_more, raski_error *err);
/* Nobody reads what was taken any more. */
void raski_sorter_end_batch(raski_sorter *sorter);

/* What it has done; for tests, logs and metrics. */
typedef struct raski_sorter_counters {
    uint64_t records, runs, spilled_bytes;
    size_t memory_peak_bytes;
} raski_sorter_counters;
raski_sorter_counters raski_sorter_get_counters(const raski_sorter *sorter);
#endif
