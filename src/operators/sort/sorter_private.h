/* sorter_private.h - the insides of a sorter, shared by its files: sorter.c collects and hands out,
 * sort_entries.c sorts what is in memory, sort_runs.c writes runs and merges them. */
#ifndef RASKI_OPERATORS_SORT_SORTER_PRIVATE_H
#define RASKI_OPERATORS_SORT_SORTER_PRIVATE_H
#include "base/vec.h"
#include "operators/sort/sorter.h"
#include "types/batch_arena.h"
#include "types/layout.h"

/* A record with what it is sorted by; the same bytes in memory and in a run, but that pointers of
 * records are offsets (from the start of the item) in a run:
 *     item | record | tail of the key | extra bytes of the record      each at its alignment
 */
typedef struct raski_sort_item {
    uint64_t prefix;
    int64_t timestamp;
    uint32_t key_size; /* bytes of the key; those beyond 8 follow the record */
    uint32_t size;     /* bytes of all, a multiple of the alignment of items */
} raski_sort_item;

typedef struct raski_sort_entry {
    uint64_t prefix;
    raski_sort_item *item;
} raski_sort_entry;

/* Where things lie in an item. */
typedef struct raski_sort_shape {
    raski_layout *layout;
    uint32_t align;         /* of items */
    uint32_t record_offset; /* of the record */
    uint32_t tail_offset;   /* of the tail: behind the record */
    bool long_keys;         /* keys may have more than 8 bytes */
} raski_sort_shape;

static inline char *raski_sort_record(const raski_sort_shape *shape, raski_sort_item *item) {
    return (char *)item + shape->record_offset;
}
static inline unsigned char *raski_sort_tail(const raski_sort_shape *shape, raski_sort_item *item) {
    return (unsigned char *)item + shape->tail_offset;
}
static inline size_t raski_sort_align(size_t at, size_t align) {
    return (at + align - 1) & ~(align - 1);
}
/* Where the extra bytes start. */
static inline size_t raski_sort_extra_offset(const raski_sort_shape *shape, uint32_t key_size) {
    size_t tail = key_size > sizeof(uint64_t) ? key_size - sizeof(uint64_t) : 0;
    return raski_sort_align(shape->tail_offset + tail, shape->layout->extra_align);
}
static inline raski_sorted_head raski_sort_head_of(const raski_sort_shape *shape,
                                                   raski_sort_item *item) {
    return (raski_sorted_head){.prefix = item->prefix,
                               .key_size = item->key_size,
                               .tail = raski_sort_tail(shape, item),
                               .timestamp = item->timestamp};
}

/* Sorts n entries; scratch has room for as many. by_time: timestamps differ. */
void raski_sort_entries(const raski_sort_shape *shape, raski_sort_entry *entries,
                        raski_sort_entry *scratch, size_t n, bool by_time);

/* ---- runs */
typedef struct raski_sort_run {
    int64_t start, end; /* in the file */
} raski_sort_run;

/* A file of sorted runs. */
typedef struct raski_sort_file {
    int fd; /* -1: none yet */
    int64_t end;
    char *label; /* for messages: the file has no name; owned */
    RASKI_VEC(raski_sort_run) runs;
} raski_sort_file;

typedef struct raski_sort_merge raski_sort_merge;

void raski_sort_file_close(raski_sort_file *file);
/* Writes n sorted entries as a run at the end of the file, which is made in the folder path if
 * there is none. */
RASKI_NODISCARD rask_status raski_sort_write_run(const raski_sort_shape *shape,
                                                 raski_sort_file *file, const char *path,
                                                 const raski_sort_entry *entries, size_t n,
                                                 raski_error *err);
/* Merges runs until at most fan_in are left: *file is replaced by files of longer runs. Adds what
 * is written to *bytes. */
RASKI_NODISCARD rask_status raski_sort_reduce_runs(const raski_sort_shape *shape,
                                                   raski_sort_file *file, const char *path,
                                                   uint32_t fan_in, size_t memory_bytes,
                                                   uint64_t *bytes, raski_error *err);
/* Reads all runs of the file (borrowed) as one sequence. memory_bytes: for read buffers. */
RASKI_NODISCARD rask_status raski_sort_merge_create(const raski_sort_shape *shape,
                                                    const raski_sort_file *file, size_t first_run,
                                                    size_t run_count, size_t memory_bytes,
                                                    raski_sort_merge **ret, raski_error *err);
void raski_sort_merge_destroy(raski_sort_merge *merge_take_or_null);
/* The next item, its record usable in place until the next advance; NULL at the end. */
raski_sort_item *raski_sort_merge_item(const raski_sort_merge *merge);
RASKI_NODISCARD rask_status raski_sort_merge_advance(raski_sort_merge *merge, raski_error *err);
#endif
