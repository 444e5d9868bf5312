/* Collecting records up to the limit, and handing them out again in order. */
#include "operators/sort/sorter.h"

#include <string.h>

#include "base/alloc.h"
#include "operators/sort/sorter_private.h"
#include "platform/memory.h"
#include "rask/runtime.h"
#include "state/key_order.h"

enum {
    BLOCK = 64, /* records whose selector keys are made at once */
    CHUNK_BYTES_MIN = 4 * 1024,
    CHUNK_BYTES_FIRST = 64 * 1024,
    CHUNK_BYTES = 2 * 1024 * 1024,
    ENTRIES_FIRST = 256,
    FAN_IN = 128,
    AHEAD = 12, /* entries whose items are fetched while others are copied */
};

typedef struct sort_chunk {
    char *bytes;
    size_t size;
} sort_chunk;

struct raski_sorter {
    raski_sort_shape shape;
    const raski_key_definition *key;
    const rask_type *scalar; /* the key is one number of this type; NULL: bytes of its own */
    uint32_t scalar_offset;
    void *keys; /* of the selector; owned */
    unsigned char *key_bytes;
    size_t key_capacity;
    size_t memory_bytes, chunk_bytes;
    char *directory;
    uint32_t fan_in;

    RASKI_VEC(sort_chunk) chunks;
    size_t chunk;      /* that is filled now */
    char *free, *end;  /* its free bytes */
    size_t used_bytes; /* of chunks and entries */
    raski_sort_entry *entries, *scratch;
    size_t count, capacity;
    int64_t latest; /* timestamp of the record before */
    bool by_time;   /* some record is older than the one before */

    raski_sort_file file;
    raski_sort_merge *merge; /* NULL: all is in memory */
    size_t position;         /* in entries */
    bool has_head;
    raski_sorted_head head;
    raski_batch_arena strings;   /* of records taken from runs */
    unsigned char *current_tail; /* of the key that is taken from runs */
    size_t current_capacity;
    raski_sorter_counters counters;
};

static rask_status no_memory(const raski_sorter *s, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                      "no memory to sort the input (%zu bytes are in use, "
                      "execution.sorted-inputs.memory allows %zu)",
                      s->used_bytes, s->memory_bytes);
}

/* ---------------------------------------------------------------- making */
static void make_shape(raski_sort_shape *shape, const rask_type *type) {
    shape->layout = raski_layout_create(type);
    shape->align = _Alignof(raski_sort_item);
    if (shape->layout->align > shape->align) shape->align = shape->layout->align;
    if (shape->layout->extra_align > shape->align) shape->align = shape->layout->extra_align;
    shape->record_offset =
        (uint32_t)raski_sort_align(sizeof(raski_sort_item), shape->layout->align);
    shape->tail_offset = shape->record_offset + type->size;
}

static void choose_key(raski_sorter *s) {
    if (s->key == NULL) return;
    const raski_key_spec *fields = &s->key->fields;
    const rask_type *type = fields->parts[0].type;
    bool is_scalar = fields->part_count == 1;
    switch (type->kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_SHORT:
        case RASK_KIND_INT:
        case RASK_KIND_LONG:
        case RASK_KIND_TIMESTAMP:
        case RASK_KIND_FLOAT:
        case RASK_KIND_DOUBLE:
        case RASK_KIND_BOOLEAN:
            break;
        default:
            is_scalar = false;
    }
    s->scalar = is_scalar ? type : NULL;
    s->scalar_offset = fields->parts[0].offset;
    s->shape.long_keys = !is_scalar;
}

rask_status raski_sorter_create(const raski_sorter_options *options, raski_sorter **ret_sorter,
                                raski_error *err) {
    raski_sorter *s = RASKI_NEW(raski_sorter);
    make_shape(&s->shape, options->type);
    s->key = options->key;
    choose_key(s);
    s->memory_bytes = options->memory_bytes != 0 ? options->memory_bytes : SIZE_MAX;
    s->chunk_bytes = s->memory_bytes / 8;
    if (s->chunk_bytes > CHUNK_BYTES) s->chunk_bytes = CHUNK_BYTES;
    if (s->chunk_bytes < CHUNK_BYTES_MIN) s->chunk_bytes = CHUNK_BYTES_MIN;
    s->directory = raski_strdup(options->directory ? options->directory : "/tmp");
    s->fan_in = options->fan_in != 0 ? options->fan_in : FAN_IN;
    RASKI_ASSERT(s->fan_in >= 2);
    s->file.fd = -1;
    s->latest = INT64_MIN;
    raski_batch_arena_init(&s->strings, 0);
    if (s->key != NULL && s->key->selector != NULL) {
        s->keys = raski_try_alloc(BLOCK * s->key->selector->out->size, 64);
        if (s->keys == NULL) {
            raski_sorter_destroy(s);
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keys");
        }
    }
    *ret_sorter = s;
    return RASK_OK;
}

static void free_memory(raski_sorter *s) {
    for (size_t i = 0; i < s->chunks.count; i++) raski_free(s->chunks.items[i].bytes);
    raski_vec_free(&s->chunks);
    raski_free(s->entries);
    raski_free(s->scratch);
    s->entries = s->scratch = NULL;
    s->capacity = s->count = s->chunk = s->used_bytes = 0;
    s->free = s->end = NULL;
}

void raski_sorter_destroy(raski_sorter *s) {
    if (s == NULL) return;
    raski_sort_merge_destroy(s->merge);
    raski_sort_file_close(&s->file);
    free_memory(s);
    raski_batch_arena_fini(&s->strings);
    raski_layout_destroy(s->shape.layout);
    raski_free(s->keys);
    raski_free(s->key_bytes);
    raski_free(s->current_tail);
    raski_free(s->directory);
    raski_free(s);
}

/* ---------------------------------------------------------------- spilling */
static void forget_all(raski_sorter *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->chunks.count; i++) {
        sort_chunk *chunk = &s->chunks.items[i];
        if (chunk->size <= s->chunk_bytes) {
            s->chunks.items[kept++] = *chunk;
        } else { /* of one large record */
            s->used_bytes -= chunk->size;
            raski_free(chunk->bytes);
        }
    }
    s->chunks.count = kept;
    s->chunk = 0;
    s->free = kept > 0 ? s->chunks.items[0].bytes : NULL;
    s->end = kept > 0 ? s->free + s->chunks.items[0].size : NULL;
    s->count = 0;
    s->latest = INT64_MIN;
    s->by_time = false;
}

static void *alloc_large(size_t bytes) {
    const bool huge = bytes >= RASKI_HUGE_PAGE;
    void *memory = raski_try_alloc(bytes, huge ? RASKI_HUGE_PAGE : 64);
    if (huge && memory != NULL)
        raski_memory_want_huge_pages(memory, bytes & ~(size_t)(RASKI_HUGE_PAGE - 1));
    return memory;
}

static rask_status sort_memory(raski_sorter *s, raski_error *err) {
    if (s->count < 2) return RASK_OK;
    if (s->scratch == NULL) s->scratch = alloc_large(s->capacity * sizeof *s->scratch);
    if (s->scratch == NULL) return no_memory(s, err);
    raski_sort_entries(&s->shape, s->entries, s->scratch, s->count, s->by_time);
    return RASK_OK;
}

static rask_status spill(raski_sorter *s, raski_error *err) {
    RASKI_TRY(sort_memory(s, err));
    const int64_t before = s->file.end;
    RASKI_TRY(raski_sort_write_run(&s->shape, &s->file, s->directory, s->entries, s->count, err));
    s->counters.spilled_bytes += (uint64_t)(s->file.end - before);
    s->counters.runs++;
    forget_all(s);
    return RASK_OK;
}

/* ---------------------------------------------------------------- collecting */
static void use(raski_sorter *s, size_t bytes) {
    s->used_bytes += bytes;
    if (s->used_bytes > s->counters.memory_peak_bytes)
        s->counters.memory_peak_bytes = s->used_bytes;
}

static bool may_use(const raski_sorter *s, size_t bytes) {
    return s->used_bytes < s->memory_bytes && bytes <= s->memory_bytes - s->used_bytes;
}

/* Room for one more entry; spills when there may be none. */
static rask_status make_entry_room(raski_sorter *s, raski_error *err) {
    if (s->count < s->capacity) return RASK_OK;
    const size_t each = 2 * sizeof(raski_sort_entry); /* with its place in the scratch */
    const size_t capacity = s->capacity ? 2 * s->capacity : ENTRIES_FIRST;
    const size_t more = (capacity - s->capacity) * each;
    if (s->count > 0 && !may_use(s, more)) return spill(s, err);
    raski_sort_entry *entries = alloc_large(capacity * sizeof *entries);
    if (entries == NULL) return no_memory(s, err);
    if (s->count > 0) memcpy(entries, s->entries, s->count * sizeof *entries);
    raski_free(s->entries);
    raski_free(s->scratch);
    s->scratch = NULL;
    s->entries = entries;
    s->capacity = capacity;
    use(s, more);
    return RASK_OK;
}

/* The next chunk becomes the one that is filled, with at least size bytes; spills when there may be
 * none. */
static rask_status make_chunk_room(raski_sorter *s, size_t size, raski_error *err) {
    while (s->chunk + 1 < s->chunks.count) { /* left from before the last spill */
        const sort_chunk *next = &s->chunks.items[++s->chunk];
        s->free = next->bytes;
        s->end = next->bytes + next->size;
        if (next->size >= size) return RASK_OK;
    }
    size_t bytes =
        s->chunks.count == 0 ? CHUNK_BYTES_FIRST : 2 * s->chunks.items[s->chunks.count - 1].size;
    if (bytes > s->chunk_bytes) bytes = s->chunk_bytes;
    if (bytes < size) bytes = size;
    if (s->count > 0 && !may_use(s, bytes)) {
        RASKI_TRY(spill(s, err));
        if ((size_t)(s->end - s->free) >= size) return RASK_OK;
        return make_chunk_room(s, size, err); /* nothing to spill any more: ends */
    }
    const sort_chunk chunk = {
        .bytes = bytes == CHUNK_BYTES
                     ? alloc_large(bytes)
                     : raski_try_alloc(bytes, s->shape.align < 64 ? 64 : s->shape.align),
        .size = bytes};
    if (chunk.bytes == NULL) return no_memory(s, err);
    raski_vec_push(&s->chunks, chunk);
    s->chunk = s->chunks.count - 1;
    s->free = chunk.bytes;
    s->end = chunk.bytes + chunk.size;
    use(s, bytes);
    return RASK_OK;
}

/* The serialised key into key_bytes. */
static rask_status write_key(raski_sorter *s, const char *record, size_t *ret_size,
                             raski_error *err) {
    const size_t max = raski_key_bytes_max(&s->key->fields, record);
    if (max > s->key_capacity) {
        raski_free(s->key_bytes);
        s->key_capacity = 2 * max;
        s->key_bytes = raski_try_alloc(s->key_capacity, 0);
        if (s->key_bytes == NULL) {
            s->key_capacity = 0;
            return no_memory(s, err);
        }
    }
    *ret_size = raski_key_bytes(&s->key->fields, record, s->key_bytes);
    return RASK_OK;
}

static uint64_t prefix_of(const unsigned char *bytes, size_t size) {
    uint64_t prefix = 0;
    memcpy(&prefix, bytes, size < sizeof prefix ? size : sizeof prefix);
    const unsigned unused = size < sizeof prefix ? 64 - 8 * (unsigned)size : 0;
    return __builtin_bswap64(prefix) ^ (UINT64_C(0x8080808080808080) >> unused << unused);
}

static rask_status add_one(raski_sorter *s, const char *record, const char *key, int64_t timestamp,
                           raski_error *err) {
    const raski_sort_shape *shape = &s->shape;
    raski_sort_item header = {.timestamp = timestamp};
    if (s->scalar != NULL) {
        header.prefix = raski_key_scalar_prefix(s->scalar, key + s->scalar_offset);
        header.key_size = s->scalar->size;
    } else if (s->key != NULL) {
        size_t key_size = 0;
        RASKI_TRY(write_key(s, key, &key_size, err));
        header.prefix = prefix_of(s->key_bytes, key_size);
        header.key_size = (uint32_t)key_size;
    }
    const size_t extra = raski_sort_extra_offset(shape, header.key_size);
    const size_t extra_size =
        shape->layout->has_pointers ? raski_record_extra_size(shape->layout, record) : 0;
    const size_t size = raski_sort_align(extra + extra_size, shape->align);
    if (size > UINT32_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "a record of %zu bytes is too large to be sorted", size);
    header.size = (uint32_t)size;
    if (s->count == s->capacity) RASKI_TRY(make_entry_room(s, err));
    if ((size_t)(s->end - s->free) < size) RASKI_TRY(make_chunk_room(s, size, err));
    raski_sort_item *item = (void *)s->free;
    s->free += size;
    *item = header;
    char *copy = raski_sort_record(shape, item);
    memcpy(copy, record, shape->layout->size);
    if (header.key_size > sizeof header.prefix) {
        unsigned char *tail = raski_sort_tail(shape, item);
        const size_t tail_size = header.key_size - sizeof header.prefix;
        for (size_t i = 0; i < tail_size; i++)
            tail[i] = s->key_bytes[sizeof header.prefix + i] ^ 0x80;
    }
    if (extra_size > 0)
        (void)raski_record_write_extra(shape->layout, copy, NULL, (uintptr_t)item + extra);
    if (timestamp < s->latest) s->by_time = true;
    s->latest = timestamp;
    s->entries[s->count++] = (raski_sort_entry){.prefix = header.prefix, .item = item};
    s->counters.records++;
    return RASK_OK;
}

rask_status raski_sorter_add(raski_sorter *s, const void *records, const int64_t *timestamps,
                             size_t n, size_t *ret_index, raski_error *err) {
    const size_t size = s->shape.layout->size;
    const raski_fn *selector = s->key != NULL ? s->key->selector : NULL;
    const char *record = records;
    for (size_t done = 0; done < n; done += BLOCK) {
        const size_t block = n - done < BLOCK ? n - done : BLOCK;
        const char *key = record;
        size_t key_stride = size;
        if (selector != NULL) {
            size_t index = 0;
            const rask_status status =
                raski_select_keys(selector, record, block, s->keys, &index, err);
            *ret_index = done + index;
            RASKI_TRY(status);
            key = s->keys;
            key_stride = selector->out->size;
        }
        for (size_t i = 0; i < block; i++, record += size, key += key_stride) {
            *ret_index = done + i;
            RASKI_TRY(add_one(s, record, key, timestamps ? timestamps[done + i] : INT64_MIN, err));
        }
    }
    return RASK_OK;
}

/* ---------------------------------------------------------------- handing out */
static void set_head(raski_sorter *s) {
    raski_sort_item *item = NULL;
    if (s->merge != NULL)
        item = raski_sort_merge_item(s->merge);
    else if (s->position < s->count)
        item = s->entries[s->position].item;
    s->has_head = item != NULL;
    if (item != NULL) s->head = raski_sort_head_of(&s->shape, item);
}

rask_status raski_sorter_finish(raski_sorter *s, raski_error *err) {
    if (s->counters.runs == 0) {
        RASKI_TRY(sort_memory(s, err));
        raski_free(s->scratch);
        s->scratch = NULL;
        set_head(s);
        return RASK_OK;
    }
    if (s->count > 0) RASKI_TRY(spill(s, err));
    free_memory(s);
    RASKI_TRY(raski_sort_reduce_runs(&s->shape, &s->file, s->directory, s->fan_in, s->memory_bytes,
                                     &s->counters.spilled_bytes, err));
    RASKI_TRY(raski_sort_merge_create(&s->shape, &s->file, 0, s->file.runs.count, s->memory_bytes,
                                      &s->merge, err));
    set_head(s);
    return RASK_OK;
}

const raski_sorted_head *raski_sorter_head(const raski_sorter *s) {
    return s->has_head ? &s->head : NULL;
}

static bool is_same_key(const raski_sorter *s, const raski_sort_entry *a,
                        const raski_sort_entry *b) {
    if (a->prefix != b->prefix) return false;
    if (!s->shape.long_keys) return true;
    const raski_sorted_head x = raski_sort_head_of(&s->shape, a->item);
    const raski_sorted_head y = raski_sort_head_of(&s->shape, b->item);
    return raski_sorted_head_compare_keys(&x, &y) == 0;
}

static size_t take_from_memory(raski_sorter *s, int64_t latest, size_t max, char *records,
                               int64_t *timestamps, bool *ret_more) {
    const size_t size = s->shape.layout->size, start = s->position;
    size_t n = 0;
    *ret_more = false;
    for (size_t at = start; at < s->count; at++, n++) {
        const raski_sort_entry *entry = &s->entries[at];
        if (n > 0 && !is_same_key(s, entry - 1, entry)) break;
        if (at + AHEAD < s->count) {
            __builtin_prefetch(s->entries[at + AHEAD].item);
            __builtin_prefetch((char *)s->entries[at + AHEAD].item + 64);
        }
        if (n == max || entry->item->timestamp > latest) {
            *ret_more = true;
            break;
        }
        memcpy(records + n * size, raski_sort_record(&s->shape, entry->item), size);
        if (timestamps != NULL) timestamps[n] = entry->item->timestamp;
    }
    s->position = start + n;
    return n;
}

/* Keeps the key of the head: its run is read on meanwhile. */
static rask_status remember_key(raski_sorter *s, raski_sorted_head *ret_key, raski_error *err) {
    *ret_key = s->head;
    if (s->head.key_size <= sizeof s->head.prefix) return RASK_OK;
    const size_t size = s->head.key_size - sizeof s->head.prefix;
    if (size > s->current_capacity) {
        raski_free(s->current_tail);
        s->current_capacity = 2 * size;
        s->current_tail = raski_try_alloc(s->current_capacity, 0);
        if (s->current_tail == NULL) {
            s->current_capacity = 0;
            return no_memory(s, err);
        }
    }
    memcpy(s->current_tail, s->head.tail, size);
    ret_key->tail = s->current_tail;
    return RASK_OK;
}

static rask_status take_from_runs(raski_sorter *s, int64_t latest, size_t max, char *records,
                                  int64_t *timestamps, size_t *ret_count, bool *ret_more,
                                  raski_error *err) {
    const raski_layout *layout = s->shape.layout;
    raski_sorted_head key;
    RASKI_TRY(remember_key(s, &key, err));
    size_t n = 0;
    *ret_more = false;
    for (raski_sort_item *item; (item = raski_sort_merge_item(s->merge)) != NULL; n++) {
        const raski_sorted_head head = raski_sort_head_of(&s->shape, item);
        if (n > 0 && raski_sorted_head_compare_keys(&key, &head) != 0) break;
        if (n == max || head.timestamp > latest) {
            *ret_more = true;
            break;
        }
        char *record = records + n * layout->size;
        memcpy(record, raski_sort_record(&s->shape, item), layout->size);
        if (layout->has_pointers)
            RASKI_TRY(raski_record_copy_to_arena(layout, record, &s->strings, err));
        if (timestamps != NULL) timestamps[n] = head.timestamp;
        RASKI_TRY(raski_sort_merge_advance(s->merge, err));
    }
    *ret_count = n;
    return RASK_OK;
}

rask_status raski_sorter_take(raski_sorter *s, int64_t latest, size_t max, void *ret_records,
                              int64_t *ret_timestamps, size_t *ret_count, bool *ret_more,
                              raski_error *err) {
    RASKI_ASSERT(s->has_head);
    if (s->merge != NULL)
        RASKI_TRY(
            take_from_runs(s, latest, max, ret_records, ret_timestamps, ret_count, ret_more, err));
    else
        *ret_count = take_from_memory(s, latest, max, ret_records, ret_timestamps, ret_more);
    set_head(s);
    return RASK_OK;
}

void raski_sorter_end_batch(raski_sorter *s) {
    raski_batch_arena_reset(&s->strings);
}

raski_sorter_counters raski_sorter_get_counters(const raski_sorter *s) {
    return s->counters;
}
