/* Rows of a table with a store: all changed rows are in the store when the snapshot begins, and an
 * iterator shows what it had then. The entries of a row come one behind the other: the row itself,
 * then its lists and maps. */
#include "state/keyed_snapshot.h"
#include "state/keyed_table_cache.h"
#include "state/row_bytes.h"

/* The bytes of a list or map of the row that is being collected. */
typedef struct container_bytes {
    size_t at, size;
} container_bytes;

struct raski_stored_rows {
    raski_state_store *store; /* borrowed */
    raski_store_iterator *iterator;
    raski_arena *lists; /* of the key */
    raski_row_buffer key, states, contents;
    container_bytes containers[RASKI_STATES_MAX]; /* in contents, at multiples of 64 */
    bool collected;                               /* there is a row */
    char *row;                                    /* row_size bytes */
};

rask_status raski_stored_rows_begin(raski_keyed_table *table, struct raski_stored_rows **ret_rows,
                                    raski_error *err) {
    RASKI_TRY(raski_cache_flush(table, err));
    struct raski_stored_rows *rows = RASKI_NEW(struct raski_stored_rows);
    rows->store = raski_cache_store(table);
    rows->lists = raski_arena_create(0);
    rows->row = raski_try_alloc(table->row_size, ROW_ALIGN_MAX);
    rask_status status = rows->row ? rows->store->ops->iterate(rows->store, &rows->iterator, err)
                                   : raski_table_no_memory(table, err);
    if (status == RASK_OK)
        *ret_rows = rows;
    else
        raski_stored_rows_end(rows);
    return status;
}

void raski_stored_rows_end(struct raski_stored_rows *rows_take_or_null) {
    struct raski_stored_rows *rows = rows_take_or_null;
    if (!rows) return;
    if (rows->iterator) rows->store->ops->end(rows->iterator);
    raski_row_buffer_fini(&rows->key);
    raski_row_buffer_fini(&rows->states);
    raski_row_buffer_fini(&rows->contents);
    raski_arena_destroy(rows->lists);
    raski_free(rows->row);
    raski_free(rows);
}

static rask_status damaged(const raski_keyed_table *table, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL, "a row in the state store of %s is damaged",
                      table->name ? table->name : "an operator");
}

/* ---------------------------------------------------------------- collecting */
static bool set_bytes(raski_row_buffer *buffer, raski_store_bytes bytes) {
    buffer->size = 0;
    return raski_row_buffer_append(buffer, bytes.bytes, bytes.size);
}

static rask_status collect(struct raski_stored_rows *rows, const raski_keyed_table *table,
                           raski_store_bytes key, raski_store_bytes value, raski_error *err) {
    static const char PADDING[ROW_ALIGN_MAX];
    unsigned part = raski_row_key_part(key.bytes, key.size);
    bool fits = false;
    if (part == RASKI_ROW_ITSELF) {
        rows->contents.size = 0;
        memset(rows->containers, 0, sizeof rows->containers);
        rows->collected = true;
        fits = set_bytes(&rows->key, key) && set_bytes(&rows->states, value);
    } else if (!rows->collected || part > table->state_count || key.size != rows->key.size ||
               memcmp(key.bytes, rows->key.bytes, key.size - 1) != 0) {
        return damaged(table, err);
    } else {
        size_t padding = (ROW_ALIGN_MAX - rows->contents.size % ROW_ALIGN_MAX) % ROW_ALIGN_MAX;
        fits = padding == 0 || raski_row_buffer_append(&rows->contents, PADDING, padding);
        rows->containers[part - 1] = (container_bytes){rows->contents.size, value.size};
        fits = fits && raski_row_buffer_append(&rows->contents, value.bytes, value.size);
    }
    return fits ? RASK_OK
                : RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a snapshot of one key");
}

/* ---------------------------------------------------------------- writing */
static bool write_container(struct raski_stored_rows *rows, const raski_row_codec *codec,
                            unsigned state, raski_byte_writer *out) {
    const container_bytes *bytes = &rows->containers[state];
    raski_row_items items;
    if (bytes->size == 0 || !raski_row_items_init(&items, codec->table, state,
                                                  rows->contents.bytes + bytes->at, bytes->size))
        return false;
    uint32_t count = items.left;
    raski_write_u32(out, count);
    for (; count > 0; count--) {
        const char *key = NULL, *value = NULL, *time = NULL;
        if (!raski_row_items_next(&items, codec->table, state, &key, &value, &time)) return false;
        if (time) raski_write_bytes(out, time, sizeof(int64_t));
        if (key) raski_value_write(codec->map_key[state], key, out);
        raski_value_write(codec->value[state], value, out);
    }
    return true;
}

static bool write_row(struct raski_stored_rows *rows, const raski_row_codec *codec,
                      raski_byte_writer *out) {
    const raski_keyed_table *table = codec->table;
    raski_row_codec_write_key(codec, rows->row, out);
    uint32_t present = *row_present(rows->row);
    raski_write_u32(out, present);
    for (; present; present &= present - 1) {
        unsigned i = (unsigned)__builtin_ctz(present);
        const table_state *state = &table->states[i];
        if (state->kind != RASKI_STATE_VALUE) {
            if (!write_container(rows, codec, i, out)) return false;
            continue;
        }
        if (state->ttl.time_ms)
            raski_write_bytes(out, rows->row + state->ttl_offset, sizeof(int64_t));
        raski_value_write(codec->value[i], rows->row + state->offset, out);
    }
    return true;
}

/* The collected row, if there is one. */
static rask_status flush_row(raski_keyed_snapshot *snapshot, raski_error *err) {
    struct raski_stored_rows *rows = snapshot->stored_rows;
    const raski_keyed_table *table = snapshot->table;
    if (!rows->collected) return RASK_OK;
    rows->collected = false;
    memset(rows->row, 0, table->row_size);
    raski_arena_reset(rows->lists);
    unsigned part = 0;
    RASKI_TRY(raski_row_read_key(table, rows->key.bytes, rows->key.size, rows->lists, rows->row,
                                 &part, err));
    if (!raski_row_borrow_states(table, rows->states.bytes, rows->states.size, rows->row) ||
        (table->state_count < 32 && *row_present(rows->row) >> table->state_count != 0))
        return damaged(table, err);
    uint32_t group = raski_keyed_table_key_group(table, rows->row, snapshot->max_parallelism);
    raski_group_buffer *buffer = raski_keyed_snapshot_group(snapshot, group, err);
    if (!buffer) return RASK_E_INTERNAL;
    size_t before = buffer->bytes.size;
    if (!write_row(rows, &snapshot->codec, &buffer->bytes)) return damaged(table, err);
    buffer->count++;
    snapshot->buffered += buffer->bytes.size - before;
    return RASK_OK;
}

rask_status raski_stored_rows_step(raski_keyed_snapshot *snapshot, size_t bytes_wanted,
                                   bool *ret_done, raski_error *err) {
    struct raski_stored_rows *rows = snapshot->stored_rows;
    size_t start = snapshot->buffered;
    *ret_done = false;
    while (snapshot->buffered - start < bytes_wanted) {
        raski_store_bytes key, value;
        RASKI_TRY(rows->store->ops->next(rows->iterator, &key, &value, err));
        if (!key.bytes || raski_row_key_part(key.bytes, key.size) == RASKI_ROW_ITSELF)
            RASKI_TRY(flush_row(snapshot, err));
        if (!key.bytes) {
            *ret_done = true;
            break;
        }
        RASKI_TRY(collect(rows, snapshot->table, key, value, err));
    }
    return RASK_OK;
}
