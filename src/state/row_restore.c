#include "state/row_restore.h"

#include <stdio.h>

enum { NAME_ROOM = 512 };

static rask_status damaged(const raski_row_restore *restore, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                      "the snapshot %s is damaged: keyed state that is not what it says it is",
                      restore->snapshot);
}

/* ---------------------------------------------------------------- descriptions */
static rask_status key_changed(const raski_stored_type *stored, const rask_type *type,
                               uint32_t part, const char *operator_name, raski_error *err) {
    char *before = raski_stored_type_text(stored);
    rask_status status = RASKI_FAIL(
        err, RASK_E_ARGUMENT, USER,
        "the keyed state of operator \"%s\" cannot be restored: field %u of its key was written as "
        "%s and is now %s",
        operator_name, part + 1, before, type->name ? type->name : "of another type");
    raski_free(before);
    return status;
}

static rask_status read_key(raski_row_restore *restore, raski_byte_reader *in,
                            const char *operator_name, raski_error *err) {
    const raski_keyed_table *table = restore->table;
    uint32_t parts = 0, namespace_parts = 0;
    if (!raski_read_u32(in, &parts) || !raski_read_u32(in, &namespace_parts))
        return damaged(restore, err);
    if (parts != table->key.part_count || namespace_parts != table->namespace_parts)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "the keyed state of operator \"%s\" cannot be restored: its key had %u "
                          "fields (%u of them of a window or other namespace) and has now %u (%u)",
                          operator_name, parts, namespace_parts, table->key.part_count,
                          table->namespace_parts);
    for (uint32_t i = 0; i < parts; i++) {
        const raski_stored_type *stored = NULL;
        const rask_type *type = table->key.parts[i].type;
        RASKI_TRY(raski_type_read_description(in, &stored, err));
        if (!raski_stored_type_is(stored, type, 0))
            return key_changed(stored, type, i, operator_name, err);
        restore->key[i] = raski_value_codec_create(type, 0);
    }
    return RASK_OK;
}

static int find_state(const raski_keyed_table *table, const char *name) {
    for (size_t i = 0; i < table->state_count; i++)
        if (table->states[i].name && strcmp(table->states[i].name, name) == 0) return (int)i;
    return -1;
}

static const char *state_kind_name(raski_state_kind kind) {
    static const char *const names[] = {"a value", "a list", "a map"};
    return names[kind];
}

/* Makes the codecs of one state. */
static rask_status convert_state(raski_row_restore *restore, raski_stored_state *state,
                                 const raski_stored_type *value, const raski_stored_type *map_key,
                                 const char *operator_name, raski_error *err) {
    if (state->target < 0) {
        state->value = raski_value_codec_skip(value);
        if (map_key) state->map_key = raski_value_codec_skip(map_key);
        return RASK_OK;
    }
    const table_state *target = &restore->table->states[state->target];
    if (target->kind != state->kind)
        return RASKI_FAIL(
            err, RASK_E_ARGUMENT, USER,
            "keyed state \"%s\" of operator \"%s\" cannot be restored: it was written "
            "as %s and is now %s",
            state->name, operator_name, state_kind_name(state->kind),
            state_kind_name(target->kind));
    char what[NAME_ROOM];
    snprintf(what, sizeof what, "keyed state \"%.200s\" of operator \"%.200s\"", state->name,
             operator_name);
    RASKI_TRY(raski_value_codec_convert(value, target->type, target->item_size, what, &state->value,
                                        err));
    if (!map_key) return RASK_OK;
    const rask_type *key_type = target->map_key.parts[0].type;
    if (raski_stored_type_is(map_key, key_type, 0)) {
        state->map_key = raski_value_codec_create(key_type, 0);
        return RASK_OK;
    }
    char *before = raski_stored_type_text(map_key);
    rask_status status =
        RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                   "%s cannot be restored: the keys of the map were written as %s and are now %s",
                   what, before, key_type->name ? key_type->name : "of another type");
    raski_free(before);
    return status;
}

static rask_status read_state(raski_row_restore *restore, uint32_t i, raski_byte_reader *in,
                              const char *operator_name, raski_error *err) {
    raski_stored_state *state = &restore->states[i];
    uint8_t kind = 0, has_time = 0;
    if (!raski_take_name(in, &state->name) || !raski_read_u8(in, &kind) ||
        !raski_read_u8(in, &has_time) || kind > RASKI_STATE_MAP || has_time > 1)
        return damaged(restore, err);
    state->kind = (raski_state_kind)kind;
    state->has_time = has_time;
    state->target = find_state(restore->table, state->name);
    const raski_stored_type *value = NULL, *map_key = NULL;
    RASKI_TRY(raski_type_read_description(in, &value, err));
    restore->skip_value[i] = raski_value_codec_skip(value);
    if (kind == RASKI_STATE_MAP) {
        RASKI_TRY(raski_type_read_description(in, &map_key, err));
        restore->skip_key[i] = raski_value_codec_skip(map_key);
    }
    return convert_state(restore, state, value, map_key, operator_name, err);
}

rask_status raski_row_restore_init(raski_row_restore *restore, raski_keyed_table *table,
                                   raski_byte_reader *description, const char *operator_name,
                                   const char *snapshot, uint32_t max_parallelism,
                                   raski_error *err) {
    *restore = (raski_row_restore){
        .table = table, .snapshot = snapshot, .max_parallelism = max_parallelism};
    restore->arena = raski_arena_create(0);
    restore->records = raski_try_alloc((size_t)RASKI_LOOKUP_MAX * table->row_size, ROW_ALIGN_MAX);
    size_t value = 1, map_key = 1;
    for (size_t i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        if (state->item_size > value) value = state->item_size;
        if (state->key_size > map_key) map_key = state->key_size;
    }
    restore->value = raski_try_alloc(value, ROW_ALIGN_MAX);
    restore->map_key = raski_try_alloc(map_key, ROW_ALIGN_MAX);
    if (!restore->records || !restore->value || !restore->map_key)
        return raski_table_no_memory(table, err);
    RASKI_TRY(read_key(restore, description, operator_name, err));
    if (!raski_read_u32(description, &restore->state_count) ||
        restore->state_count > RASKI_STATES_MAX) {
        restore->state_count = 0;
        return damaged(restore, err);
    }
    for (uint32_t i = 0; i < restore->state_count; i++)
        RASKI_TRY(read_state(restore, i, description, operator_name, err));
    return description->at == description->end ? RASK_OK : damaged(restore, err);
}

void raski_row_restore_fini(raski_row_restore *restore) {
    for (size_t i = 0; i < RASKI_KEY_PARTS_MAX; i++) raski_value_codec_destroy(restore->key[i]);
    for (size_t i = 0; i < RASKI_STATES_MAX; i++) {
        raski_value_codec_destroy(restore->states[i].value);
        raski_value_codec_destroy(restore->states[i].map_key);
        raski_value_codec_destroy(restore->skip_value[i]);
        raski_value_codec_destroy(restore->skip_key[i]);
    }
    raski_arena_destroy(restore->arena);
    raski_free(restore->records);
    raski_free(restore->value);
    raski_free(restore->map_key);
    *restore = (raski_row_restore){0};
}

/* ---------------------------------------------------------------- keys */
static bool read_row_key(raski_row_restore *restore, raski_byte_reader *in, char *record) {
    const raski_key_spec *key = &restore->table->key_in_row;
    memset(record, 0, restore->table->row_size);
    for (uint32_t i = 0; i < key->part_count; i++)
        if (!raski_value_read(restore->key[i], in, record + key->parts[i].offset)) return false;
    return true;
}

/* Looks up n keys that were read; they must be of the frame's key group. */
static rask_status find_rows(raski_row_restore *restore, const raski_frame *frame, size_t n,
                             char **ret_rows, uint64_t *ret_made, raski_error *err) {
    raski_keyed_table *table = restore->table;
    for (size_t i = 0; i < n; i++) {
        uint32_t group = raski_keyed_table_key_group(table, restore->records + i * table->row_size,
                                                     restore->max_parallelism);
        if (group != frame->header.key_group)
            return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                              "the snapshot %s is damaged: a key of key group %u is among those of "
                              "group %u",
                              restore->snapshot, group, frame->header.key_group);
    }
    return raski_keyed_table_lookup(table, &table->key_in_row, restore->records, table->row_size, n,
                                    ret_rows, ret_made, err);
}

/* ---------------------------------------------------------------- states */
/* Passes over the states of a row. */
static bool skip_states(const raski_row_restore *restore, raski_byte_reader *in) {
    uint32_t present = 0;
    if (!raski_read_u32(in, &present)) return false;
    if (restore->state_count < 32 && present >> restore->state_count != 0) return false;
    for (; present; present &= present - 1) {
        unsigned i = (unsigned)__builtin_ctz(present);
        const raski_stored_state *state = &restore->states[i];
        uint32_t count = 1;
        if (state->kind != RASKI_STATE_VALUE && (!raski_read_u32(in, &count) || count == 0))
            return false;
        if (count > raski_bytes_left(in)) return false;
        for (; count > 0; count--) {
            uint64_t time = 0;
            if (state->has_time && !raski_read_u64(in, &time)) return false;
            if (state->kind == RASKI_STATE_MAP && !raski_value_read(restore->skip_key[i], in, NULL))
                return false;
            if (!raski_value_read(restore->skip_value[i], in, NULL)) return false;
        }
    }
    return true;
}

/* One value, item or entry of a state. A time that was not stored is now. */
static rask_status restore_value(raski_row_restore *restore, const raski_stored_state *state,
                                 raski_byte_reader *in, char *row, int64_t now_ms,
                                 raski_error *err) {
    raski_keyed_table *table = restore->table;
    unsigned target = (unsigned)state->target;
    const table_state *spec = &table->states[target];
    uint64_t time = (uint64_t)now_ms;
    if (state->has_time && !raski_read_u64(in, &time)) return damaged(restore, err);
    memset(restore->map_key, 0, spec->key_size);
    if (state->map_key && !raski_value_read(state->map_key, in, restore->map_key))
        return damaged(restore, err);
    memset(restore->value, 0, spec->item_size);
    if (!raski_value_read(state->value, in, restore->value)) return damaged(restore, err);
    table->now_ms = (int64_t)time; /* what is written is stamped with it */
    switch (state->kind) {
        case RASKI_STATE_VALUE:
            if (spec->ttl.time_ms) memcpy(row + spec->ttl_offset, &time, sizeof time);
            return raski_keyed_table_store(table, row, target, restore->value, err);
        case RASKI_STATE_LIST:
            return raski_keyed_table_list_add(table, row, target, restore->value, 1, err);
        case RASKI_STATE_MAP:
            return raski_keyed_table_map_put(table, row, target, restore->map_key, restore->value,
                                             err);
    }
    return RASK_OK;
}

static bool skip_value(const raski_stored_state *state, raski_byte_reader *in) {
    uint64_t time = 0;
    return (!state->has_time || raski_read_u64(in, &time)) &&
           (!state->map_key || raski_value_read(state->map_key, in, NULL)) &&
           raski_value_read(state->value, in, NULL);
}

static rask_status restore_states(raski_row_restore *restore, raski_byte_reader *in, char *row,
                                  raski_error *err) {
    uint32_t present = 0;
    if (!raski_read_u32(in, &present)) return damaged(restore, err);
    int64_t now_ms = restore->table->now_ms;
    rask_status status = RASK_OK;
    for (; present && status == RASK_OK; present &= present - 1) {
        const raski_stored_state *state = &restore->states[__builtin_ctz(present)];
        uint32_t count = 1;
        if (state->kind != RASKI_STATE_VALUE && !raski_read_u32(in, &count))
            status = damaged(restore, err);
        for (; count > 0 && status == RASK_OK; count--) {
            if (state->target >= 0)
                status = restore_value(restore, state, in, row, now_ms, err);
            else if (!skip_value(state, in))
                status = damaged(restore, err);
        }
    }
    restore->table->now_ms = now_ms;
    return status;
}

/* ---------------------------------------------------------------- frames */
/* Up to RASKI_LOOKUP_MAX rows: first all keys, so that one lookup finds their rows. */
static rask_status restore_block(raski_row_restore *restore, const raski_frame *frame,
                                 raski_byte_reader *in, size_t n, raski_error *err) {
    raski_keyed_table *table = restore->table;
    raski_byte_reader states[RASKI_LOOKUP_MAX];
    char *rows[RASKI_LOOKUP_MAX];
    uint64_t made = 0;
    for (size_t i = 0; i < n; i++) {
        if (!read_row_key(restore, in, restore->records + i * table->row_size))
            return damaged(restore, err);
        states[i] = *in;
        if (!skip_states(restore, in)) return damaged(restore, err);
    }
    RASKI_TRY(find_rows(restore, frame, n, rows, &made, err));
    for (size_t i = 0; i < n; i++) {
        bool is_new = table->permanent ? (made >> i & 1U) != 0 : *row_present(rows[i]) == 0;
        if (!is_new)
            return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                              "the snapshot %s is damaged: a key is there twice",
                              restore->snapshot);
        RASKI_TRY(restore_states(restore, &states[i], rows[i], err));
    }
    if (!table->permanent) raski_keyed_table_sweep(table, rows, n); /* states that are no more */
    raski_keyed_table_end_batch(table);
    raski_arena_reset(restore->arena);
    return RASK_OK;
}

rask_status raski_row_restore_rows(raski_row_restore *restore, const raski_frame *frame,
                                   raski_error *err) {
    raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, restore->arena};
    for (uint32_t left = frame->header.count; left > 0;) {
        size_t n = left < RASKI_LOOKUP_MAX ? left : RASKI_LOOKUP_MAX;
        RASKI_TRY(restore_block(restore, frame, &in, n, err));
        left -= (uint32_t)n;
    }
    return in.at == in.end ? RASK_OK : damaged(restore, err);
}

rask_status raski_row_restore_timers(raski_row_restore *restore, raski_timer_queue *queue,
                                     const raski_frame *frame, raski_error *err) {
    raski_keyed_table *table = restore->table;
    raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, restore->arena};
    for (uint32_t left = frame->header.count; left > 0;) {
        size_t n = left < RASKI_LOOKUP_MAX ? left : RASKI_LOOKUP_MAX;
        int64_t times[RASKI_LOOKUP_MAX];
        char *rows[RASKI_LOOKUP_MAX];
        for (size_t i = 0; i < n; i++)
            if (!raski_read_bytes(&in, &times[i], sizeof times[i]) ||
                !read_row_key(restore, &in, restore->records + i * table->row_size))
                return damaged(restore, err);
        RASKI_TRY(find_rows(restore, frame, n, rows, NULL, err));
        RASKI_TRY(raski_timer_queue_register_all(queue, times, rows, n, err));
        raski_keyed_table_end_batch(table);
        raski_arena_reset(restore->arena);
        left -= (uint32_t)n;
    }
    return in.at == in.end ? RASK_OK : damaged(restore, err);
}
