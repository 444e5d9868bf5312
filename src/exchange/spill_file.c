#include "exchange/spill_file.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "exchange/buffer_image.h"
#include "exchange/network_pool.h"
#include "platform/file.h"

typedef struct spill_entry {
    int64_t offset;
    uint32_t size, mark_count;
} spill_entry;

typedef struct spill_section {
    RASKI_VEC(spill_entry) entries;
    uint64_t bytes;
} spill_section;

struct raski_spill_file {
    char *directory; /* for messages: the file has no name */
    int fd;
    int64_t end;
    char *image; /* room for one image */
    size_t image_capacity;
    spill_section *sections;
    uint32_t section_count;
};

rask_status raski_spill_file_create(const char *directory_or_null, uint32_t subpartition_count,
                                    raski_spill_file **ret_file, raski_error *err) {
    const char *directory = directory_or_null;
    if (directory == NULL) directory = getenv("TMPDIR");
    if (directory == NULL || *directory == '\0') directory = "/tmp";
    int fd;
    RASKI_TRY(raski_file_open_temporary(directory, &fd, err));
    raski_spill_file *file = RASKI_NEW(raski_spill_file);
    file->directory = raski_format("%s (a spilled result partition)", directory);
    file->fd = fd;
    file->sections = RASKI_NEW_ARRAY(spill_section, subpartition_count);
    file->section_count = subpartition_count;
    *ret_file = file;
    return RASK_OK;
}

void raski_spill_file_destroy(raski_spill_file *file) {
    if (file == NULL) return;
    for (uint32_t i = 0; i < file->section_count; i++) raski_vec_free(&file->sections[i].entries);
    raski_file_close_quietly(file->fd);
    raski_free(file->sections);
    raski_free(file->image);
    raski_free(file->directory);
    raski_free(file);
}

rask_status raski_spill_file_append(raski_spill_file *file, const raski_buffer *buffer,
                                    const raski_buffer_format *format, uint32_t first,
                                    uint32_t count, raski_error *err) {
    size_t size = raski_buffer_image_size(buffer, format);
    if (size > file->image_capacity) {
        raski_free(file->image);
        file->image_capacity = size > 2 * RASKI_BUFFER_SIZE ? size : 2 * RASKI_BUFFER_SIZE;
        file->image = raski_try_alloc(file->image_capacity, 64);
        if (file->image == NULL) {
            file->image_capacity = 0;
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                              "no memory to write %zu bytes of a result partition", size);
        }
    }
    spill_entry entry = {.offset = file->end,
                         .mark_count = buffer->mark_count,
                         .size = (uint32_t)raski_buffer_image_write(buffer, format, file->image)};
    RASKI_TRY(raski_file_pwrite_all(file->fd, file->directory, file->image, entry.size,
                                    entry.offset, err));
    file->end += entry.size;
    for (uint32_t i = first; i < first + count; i++) {
        raski_vec_push(&file->sections[i].entries, entry);
        file->sections[i].bytes += entry.size;
    }
    return RASK_OK;
}

size_t raski_spill_file_entry_count(const raski_spill_file *file, uint32_t subpartition) {
    return file->sections[subpartition].entries.count;
}

uint64_t raski_spill_file_bytes(const raski_spill_file *file, uint32_t subpartition) {
    return file->sections[subpartition].bytes;
}

rask_status raski_spill_file_read(const raski_spill_file *file, const raski_buffer_format *format,
                                  uint32_t subpartition, size_t entry_index, raski_buffer **buffer,
                                  raski_error *err) {
    const spill_entry *entry = &file->sections[subpartition].entries.items[entry_index];
    size_t room = raski_buffer_image_room(entry->size, entry->mark_count);
    if (*buffer == NULL || (*buffer)->size < room) {
        raski_buffer_free(*buffer);
        *buffer = raski_buffer_alloc(room < 2 * RASKI_BUFFER_SIZE ? 2 * RASKI_BUFFER_SIZE : room);
        if (*buffer == NULL) {
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                              "no memory to read %u bytes of a result partition", entry->size);
        }
    }
    size_t got;
    RASKI_TRY(raski_file_pread(file->fd, file->directory, (*buffer)->data, entry->size,
                               entry->offset, &got, err));
    if (got != entry->size) {
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL, "\"%s\" ends in the middle of a buffer",
                          file->directory);
    }
    return raski_buffer_image_open(*buffer, entry->size, format, err);
}
