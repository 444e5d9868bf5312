/* Operator states of snapshots: which parts of them a subtask gets, and reading those. */
#include <stdio.h>
#include <string.h>

#include "state/snapshot_reader_private.h"

/* ---------------------------------------------------------------- finding them */
static rask_status read_state(raski_operator_snapshot_reader *reader, size_t input,
                              const raski_frame *frame, stored_state *ret, raski_error *err) {
    raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, reader->arena};
    uint8_t mode = 0, is_map = 0;
    *ret = (stored_state){.input = input, .id = frame->header.id};
    if (!raski_take_name(&in, &ret->name) || !raski_read_u8(&in, &mode) ||
        !raski_read_u8(&in, &is_map) || !raski_read_u32(&in, &ret->version) ||
        mode > RASKI_OPERATOR_STATE_BROADCAST || is_map != (mode == RASKI_OPERATOR_STATE_BROADCAST))
        return raski_snapshot_damaged(&reader->inputs[input], err);
    ret->mode = (raski_operator_state_mode)mode;
    RASKI_TRY(raski_type_read_description(&in, &ret->type, err));
    if (is_map) RASKI_TRY(raski_type_read_description(&in, &ret->map_key, err));
    return in.at == in.end ? RASK_OK : raski_snapshot_damaged(&reader->inputs[input], err);
}

static uint64_t count_items(const input_frames *input, uint32_t id) {
    uint64_t count = 0;
    for (size_t i = 0; i < input->frames.count; i++) {
        const raski_frame_header *header = &input->frames.items[i].header;
        if (header->kind == RASKI_FRAME_ITEMS && header->id == id) count += header->count;
    }
    return count;
}

rask_status raski_snapshot_assign_states(raski_operator_snapshot_reader *reader, raski_error *err) {
    for (size_t i = 0; i < reader->input_count; i++) {
        const input_frames *input = &reader->inputs[i];
        for (size_t k = 0; k < input->frames.count; k++) {
            const raski_frame *frame = &input->frames.items[k];
            if (frame->header.kind != RASKI_FRAME_OPERATOR) continue;
            stored_state state;
            RASKI_TRY(read_state(reader, i, frame, &state, err));
            raski_vec_push(&reader->states, state);
            raski_vec_push(&reader->parts,
                           (raski_operator_state_part){.subtask = input->info.subtask,
                                                       .handle = (uint32_t)i,
                                                       .name = state.name,
                                                       .mode = state.mode,
                                                       .count = count_items(input, state.id)});
        }
    }
    reader->pieces = raski_operator_state_assign(reader->parts.items, reader->parts.count,
                                                 reader->old_parallelism,
                                                 reader->target.parallelism, &reader->piece_count);
    return RASK_OK;
}

/* ---------------------------------------------------------------- items of operator states */
typedef rask_status item_reader(void *context, raski_byte_reader *in, raski_error *err);

/* Reads the items of a piece: passes over those before it. */
static rask_status read_piece(raski_operator_snapshot_reader *reader,
                              const raski_operator_state_piece *piece, const stored_state *state,
                              const raski_value_codec *skip_key,
                              const raski_value_codec *skip_value, item_reader *read, void *context,
                              raski_error *err) {
    const input_frames *input = &reader->inputs[state->input];
    uint64_t number = 0, end = piece->from + piece->count;
    raski_arena *arena = raski_arena_create(0);
    rask_status status = RASK_OK;
    for (size_t i = 0; i < input->frames.count && number < end && status == RASK_OK; i++) {
        const raski_frame *frame = &input->frames.items[i];
        if (frame->header.kind != RASKI_FRAME_ITEMS || frame->header.id != state->id) continue;
        raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, arena};
        if (number + frame->header.count <= piece->from) {
            number += frame->header.count;
            continue;
        }
        for (uint32_t k = 0; k < frame->header.count && number < end && status == RASK_OK;
             k++, number++) {
            if (number >= piece->from)
                status = read(context, &in, err);
            else if ((skip_key && !raski_value_read(skip_key, &in, NULL)) ||
                     !raski_value_read(skip_value, &in, NULL))
                status = raski_snapshot_damaged(input, err);
            raski_arena_reset(arena);
        }
    }
    raski_arena_destroy(arena);
    return status;
}

static rask_status each_piece(raski_operator_snapshot_reader *reader, const char *name,
                              rask_status (*visit)(void *context, const stored_state *state,
                                                   const raski_operator_state_piece *piece,
                                                   raski_error *err),
                              void *context, raski_error *err) {
    for (size_t i = 0; i < reader->piece_count; i++) {
        const raski_operator_state_piece *piece = &reader->pieces[i];
        const stored_state *state = &reader->states.items[piece->part];
        if (piece->subtask != reader->target.subtask || strcmp(state->name, name) != 0) continue;
        RASKI_TRY(visit(context, state, piece, err));
    }
    return RASK_OK;
}

/* ---- into operator states */
typedef struct states_restore {
    raski_operator_snapshot_reader *reader;
    raski_operator_states *states;
    unsigned state;
    raski_value_codec *key, *value;
    const input_frames *input;
    char *key_room, *value_room;
} states_restore;

static rask_status restore_item(void *context, raski_byte_reader *in, raski_error *err) {
    states_restore *to = context;
    raski_keyed_table *table = raski_operator_states_table(to->states);
    char *row = raski_operator_states_row(to->states);
    const raski_operator_state_spec *spec = raski_operator_states_spec(to->states, to->state);
    if (to->key) {
        memset(to->key_room, 0, spec->map_key->size);
        if (!raski_value_read(to->key, in, to->key_room))
            return raski_snapshot_damaged(to->input, err);
    }
    memset(to->value_room, 0, spec->type->size);
    if (!raski_value_read(to->value, in, to->value_room))
        return raski_snapshot_damaged(to->input, err);
    return to->key
               ? raski_keyed_table_map_put(table, row, to->state, to->key_room, to->value_room, err)
               : raski_keyed_table_list_add(table, row, to->state, to->value_room, 1, err);
}

static const char *mode_name(raski_operator_state_mode mode) {
    static const char *const names[] = {"a list", "a union list", "broadcast"};
    return names[mode];
}

static rask_status restore_piece(void *context, const stored_state *stored,
                                 const raski_operator_state_piece *piece, raski_error *err) {
    states_restore *to = context;
    const raski_operator_state_spec *spec = raski_operator_states_spec(to->states, to->state);
    char what[512];
    snprintf(what, sizeof what, "operator state \"%.200s\" of operator \"%.200s\"", spec->name,
             to->reader->target.operator_name);
    if (stored->mode != spec->mode)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s cannot be restored: it was written as %s and is now %s", what,
                          mode_name(stored->mode), mode_name(spec->mode));
    to->input = &to->reader->inputs[stored->input];
    raski_value_codec *skip_key = NULL, *skip_value = raski_value_codec_skip(stored->type);
    to->key = to->value = NULL;
    to->value_room = raski_calloc(1, spec->type->size);
    to->key_room = raski_calloc(1, spec->map_key ? spec->map_key->size : 1);
    rask_status status =
        raski_value_codec_convert(stored->type, spec->type, 0, what, &to->value, err);
    if (status == RASK_OK && stored->map_key) {
        skip_key = raski_value_codec_skip(stored->map_key);
        status = raski_value_codec_convert(stored->map_key, spec->map_key, 0, what, &to->key, err);
    }
    if (status == RASK_OK)
        status = read_piece(to->reader, piece, stored, skip_key, skip_value, restore_item, to, err);
    raski_value_codec_destroy(skip_key);
    raski_value_codec_destroy(skip_value);
    raski_value_codec_destroy(to->key);
    raski_value_codec_destroy(to->value);
    raski_free(to->value_room);
    raski_free(to->key_room);
    return status;
}

rask_status raski_snapshot_reader_operator_states(raski_operator_snapshot_reader *reader,
                                                  raski_operator_states *states, raski_error *err) {
    states_restore to = {.reader = reader, .states = states};
    for (; to.state < raski_operator_states_count(states); to.state++)
        RASKI_TRY(each_piece(reader, raski_operator_states_spec(states, to.state)->name,
                             restore_piece, &to, err));
    raski_keyed_table_end_batch(raski_operator_states_table(states));
    return RASK_OK;
}

/* ---- opaque items */
typedef struct items_visit {
    raski_operator_snapshot_reader *reader;
    raski_snapshot_item_visitor *visit;
    void *context;
    const stored_state *state;
} items_visit;

static rask_status visit_item(void *context, raski_byte_reader *in, raski_error *err) {
    items_visit *visit = context;
    uint32_t size = 0;
    if (!raski_read_u32(in, &size) || size > raski_bytes_left(in))
        return raski_snapshot_damaged(&visit->reader->inputs[visit->state->input], err);
    const char *bytes = in->at;
    in->at += size;
    return visit->visit(visit->context, visit->state->version, bytes, size, err);
}

static rask_status visit_piece(void *context, const stored_state *stored,
                               const raski_operator_state_piece *piece, raski_error *err) {
    items_visit *visit = context;
    visit->state = stored;
    if (stored->type->kind != RASK_KIND_BYTES || stored->map_key)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "operator state \"%s\" of operator \"%s\" cannot be restored: it was not "
                          "written as opaque bytes",
                          stored->name, visit->reader->target.operator_name);
    raski_value_codec *skip = raski_value_codec_skip(stored->type);
    rask_status status =
        read_piece(visit->reader, piece, stored, NULL, skip, visit_item, visit, err);
    raski_value_codec_destroy(skip);
    return status;
}

rask_status raski_snapshot_reader_items(raski_operator_snapshot_reader *reader, const char *name,
                                        raski_snapshot_item_visitor *visit, void *context,
                                        raski_error *err) {
    items_visit all = {.reader = reader, .visit = visit, .context = context};
    return each_piece(reader, name, visit_piece, &all, err);
}
