/* Sorted runs in files: written item by item through one block of memory, read through one for each
 * run, merged by a heap of their heads. */
#include <string.h>

#include "base/alloc.h"
#include "operators/sort/sorter_private.h"
#include "platform/file.h"

enum { WRITE_BYTES = 256 * 1024, READ_BYTES_MIN = 16 * 1024, READ_BYTES_MAX = 1024 * 1024 };

static rask_status no_memory(raski_error *err) {
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory to sort the input");
}

void raski_sort_file_close(raski_sort_file *file) {
    if (file->fd >= 0) raski_file_close_quietly(file->fd);
    raski_free(file->label);
    raski_vec_free(&file->runs);
    *file = (raski_sort_file){.fd = -1};
}

/* ---------------------------------------------------------------- writing */
typedef struct run_writer {
    const raski_sort_shape *shape;
    raski_sort_file *file;
    char *block;
    size_t capacity, filled;
} run_writer;

static rask_status open_file(raski_sort_file *file, const char *path, raski_error *err) {
    if (file->fd >= 0) return RASK_OK;
    RASKI_TRY(raski_file_open_temporary(path, &file->fd, err));
    file->end = 0;
    file->label = raski_format("%s (a sorted run)", path);
    return RASK_OK;
}

static rask_status writer_open(run_writer *w, const raski_sort_shape *shape, raski_sort_file *file,
                               const char *path, raski_error *err) {
    *w = (run_writer){.shape = shape, .file = file, .capacity = WRITE_BYTES};
    RASKI_TRY(open_file(file, path, err));
    w->block = raski_try_alloc(w->capacity, shape->align < 64 ? 64 : shape->align);
    if (w->block == NULL) return no_memory(err);
    raski_vec_push(&file->runs, ((raski_sort_run){.start = file->end, .end = file->end}));
    return RASK_OK;
}

static rask_status write_block(run_writer *w, raski_error *err) {
    RASKI_TRY(
        raski_file_pwrite_all(w->file->fd, w->file->label, w->block, w->filled, w->file->end, err));
    w->file->end += (int64_t)w->filled;
    w->filled = 0;
    return RASK_OK;
}

static rask_status writer_add(run_writer *w, raski_sort_item *item, raski_error *err) {
    const raski_sort_shape *shape = w->shape;
    if (item->size > w->capacity - w->filled) RASKI_TRY(write_block(w, err));
    if (item->size > w->capacity) {
        raski_free(w->block);
        w->capacity = item->size;
        w->block = raski_try_alloc(w->capacity, shape->align < 64 ? 64 : shape->align);
        if (w->block == NULL) return no_memory(err);
    }
    char *to = w->block + w->filled;
    memset(to + item->size - shape->align, 0, shape->align); /* the gap at the end */
    const size_t extra = raski_sort_extra_offset(shape, item->key_size);
    memcpy(to, item, extra);
    raski_sort_item *copy = (void *)to;
    (void)raski_record_write_extra(shape->layout, raski_sort_record(shape, copy), to, extra);
    w->filled += item->size;
    return RASK_OK;
}

static rask_status writer_close(run_writer *w, rask_status status, raski_error *err) {
    if (status == RASK_OK && w->filled > 0) status = write_block(w, err);
    if (status == RASK_OK) w->file->runs.items[w->file->runs.count - 1].end = w->file->end;
    raski_free(w->block);
    return status;
}

rask_status raski_sort_write_run(const raski_sort_shape *shape, raski_sort_file *file,
                                 const char *path, const raski_sort_entry *entries, size_t n,
                                 raski_error *err) {
    enum { AHEAD = 8 };
    run_writer w;
    rask_status status = writer_open(&w, shape, file, path, err);
    for (size_t i = 0; i < n && status == RASK_OK; i++) {
        if (i + AHEAD < n) __builtin_prefetch(entries[i + AHEAD].item);
        status = writer_add(&w, entries[i].item, err);
    }
    return writer_close(&w, status, err);
}

/* ---------------------------------------------------------------- reading */
typedef struct run_reader {
    int64_t position, end; /* what is not yet in the block */
    char *block;
    size_t capacity, from, to; /* bytes of the block not yet used up */
    raski_sort_item *item;     /* NULL: at the end */
    raski_sorted_head head;
} run_reader;

struct raski_sort_merge {
    const raski_sort_shape *shape;
    const raski_sort_file *file; /* borrowed */
    run_reader *readers;         /* in the order of the runs, which is that of equal records */
    size_t count;
    run_reader **heap; /* the readers that have an item; the least is first */
    size_t heap_count;
};

/* Makes at least bytes of the run available, or all that is left of it. */
static rask_status fill(const raski_sort_merge *m, run_reader *r, size_t bytes, raski_error *err) {
    const size_t left = r->to - r->from;
    if (left >= bytes || r->position == r->end) return RASK_OK;
    if (bytes > r->capacity) {
        char *larger = raski_try_alloc(bytes, m->shape->align < 64 ? 64 : m->shape->align);
        if (larger == NULL) return no_memory(err);
        memcpy(larger, r->block + r->from, left);
        raski_free(r->block);
        r->block = larger;
        r->capacity = bytes;
    } else {
        memmove(r->block, r->block + r->from, left);
    }
    r->from = 0;
    r->to = left;
    size_t want = r->capacity - left, got = 0;
    if ((int64_t)want > r->end - r->position) want = (size_t)(r->end - r->position);
    RASKI_TRY(raski_file_pread(m->file->fd, m->file->label, r->block + left, want, r->position,
                               &got, err));
    if (got != want)
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL, "\"%s\" ends in the middle",
                          m->file->label);
    r->position += (int64_t)got;
    r->to += got;
    return RASK_OK;
}

static rask_status corrupt(const raski_sort_merge *m, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL, "\"%s\" does not hold what was written to it",
                      m->file->label);
}

static rask_status read_item(const raski_sort_merge *m, run_reader *r, raski_error *err) {
    const raski_sort_shape *shape = m->shape;
    r->item = NULL;
    RASKI_TRY(fill(m, r, shape->tail_offset, err));
    if (r->from == r->to) return RASK_OK;
    if (r->to - r->from < shape->tail_offset) return corrupt(m, err);
    const raski_sort_item *header = (const void *)(r->block + r->from);
    const size_t size = header->size;
    const size_t extra = raski_sort_extra_offset(shape, header->key_size);
    if (size % shape->align != 0 || extra > size) return corrupt(m, err);
    RASKI_TRY(fill(m, r, size, err));
    if (r->to - r->from < size) return corrupt(m, err);
    char *base = r->block + r->from;
    raski_sort_item *item = (void *)base;
    size_t end = 0;
    RASKI_TRY(raski_record_fix(shape->layout, raski_sort_record(shape, item), base, extra, size,
                               &end, err));
    r->from += size;
    r->item = item;
    r->head = raski_sort_head_of(shape, item);
    return RASK_OK;
}

/* ---------------------------------------------------------------- merging */
static bool comes_before(const run_reader *a, const run_reader *b) {
    const int c = raski_sorted_head_compare_keys(&a->head, &b->head);
    if (c != 0) return c < 0;
    if (a->head.timestamp != b->head.timestamp) return a->head.timestamp < b->head.timestamp;
    return a < b;
}

static void sift_down(raski_sort_merge *m, size_t at) {
    run_reader *reader = m->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->heap_count) break;
        if (child + 1 < m->heap_count && comes_before(m->heap[child + 1], m->heap[child])) child++;
        if (!comes_before(m->heap[child], reader)) break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = reader;
}

static rask_status open_readers(raski_sort_merge *m, const raski_sort_run *runs, size_t block_bytes,
                                raski_error *err) {
    for (size_t i = 0; i < m->count; i++) {
        run_reader *r = &m->readers[i];
        r->position = runs[i].start;
        r->end = runs[i].end;
        r->capacity = block_bytes;
        r->block = raski_try_alloc(r->capacity, m->shape->align < 64 ? 64 : m->shape->align);
        if (r->block == NULL) return no_memory(err);
        RASKI_TRY(read_item(m, r, err));
        if (r->item != NULL) m->heap[m->heap_count++] = r;
    }
    for (size_t i = m->heap_count / 2; i-- > 0;) sift_down(m, i);
    return RASK_OK;
}

rask_status raski_sort_merge_create(const raski_sort_shape *shape, const raski_sort_file *file,
                                    size_t first_run, size_t run_count, size_t memory_bytes,
                                    raski_sort_merge **ret, raski_error *err) {
    raski_sort_merge *m = RASKI_NEW(raski_sort_merge);
    m->shape = shape;
    m->file = file;
    m->count = run_count;
    m->readers = RASKI_NEW_ARRAY(run_reader, run_count);
    m->heap = RASKI_NEW_ARRAY(run_reader *, run_count);
    size_t block_bytes = memory_bytes / (run_count > 0 ? run_count : 1);
    if (block_bytes > READ_BYTES_MAX) block_bytes = READ_BYTES_MAX;
    if (block_bytes < READ_BYTES_MIN) block_bytes = READ_BYTES_MIN;
    block_bytes = raski_sort_align(block_bytes, 4096);
    const rask_status status = open_readers(m, file->runs.items + first_run, block_bytes, err);
    if (status != RASK_OK) {
        raski_sort_merge_destroy(m);
        return status;
    }
    *ret = m;
    return RASK_OK;
}

void raski_sort_merge_destroy(raski_sort_merge *m) {
    if (m == NULL) return;
    for (size_t i = 0; i < m->count; i++) raski_free(m->readers[i].block);
    raski_free(m->readers);
    raski_free(m->heap);
    raski_free(m);
}

raski_sort_item *raski_sort_merge_item(const raski_sort_merge *m) {
    return m->heap_count > 0 ? m->heap[0]->item : NULL;
}

rask_status raski_sort_merge_advance(raski_sort_merge *m, raski_error *err) {
    run_reader *r = m->heap[0];
    RASKI_TRY(read_item(m, r, err));
    if (r->item == NULL) {
        m->heap[0] = m->heap[--m->heap_count];
        if (m->heap_count == 0) return RASK_OK;
    }
    sift_down(m, 0);
    return RASK_OK;
}

/* ---------------------------------------------------------------- fewer runs */
static rask_status merge_runs(const raski_sort_shape *shape, const raski_sort_file *from,
                              size_t first, size_t count, raski_sort_file *to, const char *path,
                              size_t memory_bytes, raski_error *err) {
    raski_sort_merge *m = NULL;
    RASKI_TRY(raski_sort_merge_create(shape, from, first, count, memory_bytes, &m, err));
    run_writer w;
    rask_status status = writer_open(&w, shape, to, path, err);
    for (raski_sort_item *item; status == RASK_OK && (item = raski_sort_merge_item(m)) != NULL;) {
        status = writer_add(&w, item, err);
        if (status == RASK_OK) status = raski_sort_merge_advance(m, err);
    }
    status = writer_close(&w, status, err);
    raski_sort_merge_destroy(m);
    return status;
}

rask_status raski_sort_reduce_runs(const raski_sort_shape *shape, raski_sort_file *file,
                                   const char *path, uint32_t fan_in, size_t memory_bytes,
                                   uint64_t *bytes, raski_error *err) {
    while (file->runs.count > fan_in) {
        /* Neighbours only: the order of runs is the order of records that are equal. */
        raski_sort_file merged = {.fd = -1};
        rask_status status = RASK_OK;
        for (size_t at = 0; at < file->runs.count && status == RASK_OK; at += fan_in) {
            const size_t left = file->runs.count - at;
            status = merge_runs(shape, file, at, left < fan_in ? left : fan_in, &merged, path,
                                memory_bytes, err);
        }
        *bytes += (uint64_t)merged.end;
        raski_sort_file_close(file);
        *file = merged;
        RASKI_TRY(status);
    }
    return RASK_OK;
}
