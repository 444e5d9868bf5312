/* Rows of a keyed table in the form of snapshots. */
#include "state/keyed_snapshot.h"

void raski_row_codec_init(raski_row_codec *codec, const raski_keyed_table *table) {
    *codec = (raski_row_codec){.table = table};
    for (uint32_t i = 0; i < table->key.part_count; i++)
        codec->key[i] = raski_value_codec_create(table->key.parts[i].type, 0);
    for (size_t i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        codec->value[i] = raski_value_codec_create(state->type, state->item_size);
        if (state->kind == RASKI_STATE_MAP)
            codec->map_key[i] =
                raski_value_codec_create(state->map_key.parts[0].type, state->key_size);
    }
}

void raski_row_codec_fini(raski_row_codec *codec) {
    for (size_t i = 0; i < RASKI_KEY_PARTS_MAX; i++) raski_value_codec_destroy(codec->key[i]);
    for (size_t i = 0; i < RASKI_STATES_MAX; i++) {
        raski_value_codec_destroy(codec->value[i]);
        raski_value_codec_destroy(codec->map_key[i]);
    }
    *codec = (raski_row_codec){0};
}

void raski_row_codec_write_key(const raski_row_codec *codec, const char *row,
                               raski_byte_writer *out) {
    const raski_key_spec *key = &codec->table->key_in_row;
    for (uint32_t i = 0; i < key->part_count; i++)
        raski_value_write(codec->key[i], row + key->parts[i].offset, out);
}

static void write_list(const raski_row_codec *codec, const raski_state_slot *slot, unsigned state,
                       raski_byte_writer *out) {
    const table_state *spec = &codec->table->states[state];
    const int64_t *times = raski_table_list_times(codec->table, slot, state);
    raski_write_u32(out, slot->count);
    for (uint32_t i = 0; i < slot->count; i++) {
        if (times) raski_write_u64(out, (uint64_t)times[i]);
        raski_value_write(codec->value[state],
                          (const char *)slot->memory + (size_t)i * spec->item_size, out);
    }
}

static void write_map(const raski_row_codec *codec, const raski_state_slot *slot, unsigned state,
                      raski_byte_writer *out) {
    const table_state *spec = &codec->table->states[state];
    raski_write_u32(out, slot->count);
    uint32_t position = 0, count = 0;
    for (const char *entry;
         (entry = raski_table_map_entry(codec->table, slot, state, &position)) != NULL; count++) {
        if (spec->ttl.time_ms) raski_write_bytes(out, entry + spec->time_offset, sizeof(int64_t));
        raski_value_write(codec->map_key[state], entry + spec->key_offset, out);
        raski_value_write(codec->value[state], entry + spec->value_offset, out);
    }
    RASKI_ASSERT(count == slot->count);
}

void raski_row_codec_write_container(const raski_row_codec *codec, const char *row, unsigned state,
                                     raski_byte_writer *out) {
    const table_state *spec = &codec->table->states[state];
    const raski_state_slot *slot = (const raski_state_slot *)(const void *)(row + spec->offset);
    if (spec->kind == RASKI_STATE_LIST)
        write_list(codec, slot, state, out);
    else
        write_map(codec, slot, state, out);
}

void raski_row_codec_write_row(const raski_row_codec *codec, const char *row,
                               raski_byte_writer *out) {
    const raski_keyed_table *table = codec->table;
    uint32_t present = table->permanent ? 1 : *(const uint32_t *)(const void *)row;
    raski_row_codec_write_key(codec, row, out);
    raski_write_u32(out, present);
    for (; present; present &= present - 1) {
        unsigned i = (unsigned)__builtin_ctz(present);
        const table_state *state = &table->states[i];
        if (state->kind != RASKI_STATE_VALUE) {
            raski_row_codec_write_container(codec, row, i, out);
            continue;
        }
        if (state->ttl.time_ms) raski_write_bytes(out, row + state->ttl_offset, sizeof(int64_t));
        raski_value_write(codec->value[i], row + state->offset, out);
    }
}
