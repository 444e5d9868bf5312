/* Writing a snapshot: parts that were added, one after another, as frames. */
#include <string.h>

#include "state/keyed_snapshot.h"
#include "state/snapshot.h"
#include "types/key_group.h"

/* What was added: frames that are whole already, or a table that is written piece by piece. */
typedef struct snapshot_part {
    raski_frame_header header;
    raski_byte_writer payload;
    raski_keyed_snapshot *keyed;   /* rows and timers follow; or the row of operator states */
    raski_operator_states *states; /* their items follow */
    bool described;                /* payload was written */
} snapshot_part;

struct raski_operator_snapshot_writer {
    raski_snapshot_info info; /* the name is owned */
    raski_key_group_range range;
    RASKI_VEC(snapshot_part) parts;
    size_t next_part;
    uint32_t next_id; /* of tables and operator states */
    raski_frame_stream stream;
    bool done;
};

static rask_status no_memory(raski_error *err) {
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a snapshot");
}

static snapshot_part *add_part(raski_operator_snapshot_writer *writer, raski_frame_kind kind,
                               uint32_t id) {
    raski_frame_header header = {.kind = (uint16_t)kind, .key_group = RASKI_NO_KEY_GROUP, .id = id};
    raski_vec_push(&writer->parts, (snapshot_part){.header = header});
    return &writer->parts.items[writer->parts.count - 1];
}

raski_operator_snapshot_writer *raski_snapshot_writer_create(const raski_snapshot_info *info) {
    raski_operator_snapshot_writer *writer = RASKI_NEW(raski_operator_snapshot_writer);
    writer->info = *info;
    writer->info.operator_name = raski_strdup(info->operator_name);
    RASKI_ASSERT(
        raski_key_group_range_of_subtask((int32_t)info->max_parallelism, (int32_t)info->parallelism,
                                         (int32_t)info->subtask, &writer->range, NULL) == RASK_OK);
    raski_byte_writer *head = &add_part(writer, RASKI_FRAME_HEAD, 0)->payload;
    raski_write_bytes(head, info->operator_id.bytes, sizeof info->operator_id.bytes);
    raski_put_name(head, info->operator_name);
    raski_write_u32(head, info->max_parallelism);
    raski_write_u32(head, info->parallelism);
    raski_write_u32(head, info->subtask);
    return writer;
}

void raski_snapshot_writer_destroy(raski_operator_snapshot_writer *writer_take_or_null) {
    raski_operator_snapshot_writer *writer = writer_take_or_null;
    if (!writer) return;
    for (size_t i = 0; i < writer->parts.count; i++) {
        raski_keyed_snapshot_end(writer->parts.items[i].keyed);
        raski_byte_writer_fini(&writer->parts.items[i].payload);
    }
    raski_vec_free(&writer->parts);
    raski_free((char *)(uintptr_t)writer->info.operator_name);
    raski_free(writer);
}

/* ---------------------------------------------------------------- adding */
static void describe_table(const raski_keyed_table *table, const char *name,
                           raski_byte_writer *out) {
    raski_put_name(out, name);
    raski_write_u32(out, table->key.part_count);
    raski_write_u32(out, table->namespace_parts);
    for (uint32_t i = 0; i < table->key.part_count; i++)
        raski_type_describe(table->key.parts[i].type, 0, out);
    raski_write_u32(out, (uint32_t)table->state_count);
    for (size_t i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        raski_put_name(out, state->name ? state->name : "");
        raski_write_u8(out, (uint8_t)state->kind);
        raski_write_u8(out, state->ttl.time_ms != 0);
        raski_type_describe(state->type, state->item_size, out);
        if (state->kind == RASKI_STATE_MAP)
            raski_type_describe(state->map_key.parts[0].type, 0, out);
    }
}

rask_status raski_snapshot_writer_add_keyed(raski_operator_snapshot_writer *writer,
                                            const char *name, raski_keyed_table *table,
                                            raski_timer_queue *event_timers,
                                            raski_timer_queue *processing_timers,
                                            raski_error *err) {
    raski_keyed_snapshot *keyed = NULL;
    RASKI_TRY(raski_keyed_snapshot_begin(table, event_timers, processing_timers, &keyed, err));
    uint32_t id = writer->next_id++;
    raski_keyed_snapshot_set_groups(keyed, id, writer->info.max_parallelism,
                                    (uint32_t)writer->range.start,
                                    (uint32_t)raski_key_group_range_count(writer->range));
    snapshot_part *part = add_part(writer, RASKI_FRAME_KEYED, id);
    part->keyed = keyed;
    describe_table(table, name, &part->payload);
    return RASK_OK;
}

static void describe_state(const char *name, raski_operator_state_mode mode, uint32_t version,
                           const rask_type *type, const rask_type *map_key,
                           raski_byte_writer *out) {
    raski_put_name(out, name);
    raski_write_u8(out, (uint8_t)mode);
    raski_write_u8(out, map_key != NULL);
    raski_write_u32(out, version);
    raski_type_describe(type, 0, out);
    if (map_key) raski_type_describe(map_key, 0, out);
}

rask_status raski_snapshot_writer_add_operator_states(raski_operator_snapshot_writer *writer,
                                                      raski_operator_states *states,
                                                      raski_error *err) {
    raski_keyed_snapshot *keyed = NULL;
    RASKI_TRY(
        raski_keyed_snapshot_begin(raski_operator_states_table(states), NULL, NULL, &keyed, err));
    (void)raski_operator_states_row(states); /* copied now: there are no other rows */
    for (size_t i = 0; i < raski_operator_states_count(states); i++) {
        const raski_operator_state_spec *spec = raski_operator_states_spec(states, i);
        describe_state(
            spec->name, spec->mode, 0, spec->type, spec->map_key,
            &add_part(writer, RASKI_FRAME_OPERATOR, writer->next_id + (uint32_t)i)->payload);
    }
    snapshot_part *part = add_part(writer, RASKI_FRAME_ITEMS, writer->next_id);
    part->keyed = keyed;
    part->states = states;
    writer->next_id += (uint32_t)raski_operator_states_count(states);
    return RASK_OK;
}

rask_status raski_snapshot_writer_add_items(raski_operator_snapshot_writer *writer,
                                            const char *name, raski_operator_state_mode mode,
                                            uint32_t version, const rask_bytes *items, size_t count,
                                            raski_error *err) {
    RASKI_ASSERT(mode != RASKI_OPERATOR_STATE_BROADCAST && count <= UINT32_MAX);
    uint32_t id = writer->next_id++;
    describe_state(name, mode, version, &rask_type_rask_bytes, NULL,
                   &add_part(writer, RASKI_FRAME_OPERATOR, id)->payload);
    snapshot_part *part = add_part(writer, RASKI_FRAME_ITEMS, id);
    part->header.count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        raski_write_u32(&part->payload, items[i].len);
        raski_write_bytes(&part->payload, rask_bytes_data(&items[i]), items[i].len);
    }
    return part->payload.failed ? no_memory(err) : RASK_OK;
}

rask_status raski_snapshot_writer_add_bytes(raski_operator_snapshot_writer *writer,
                                            const char *name, uint32_t version, const void *bytes,
                                            size_t size, raski_error *err) {
    raski_byte_writer *out = &add_part(writer, RASKI_FRAME_BYTES, 0)->payload;
    raski_put_name(out, name);
    raski_write_u32(out, version);
    raski_write_bytes(out, bytes, size);
    return out->failed ? no_memory(err) : RASK_OK;
}

/* ---------------------------------------------------------------- writing */
enum { ITEMS_BYTES = 64 * 1024 };

/* Writes the items of one operator state, in a few frames. */
typedef struct item_frames {
    raski_operator_snapshot_writer *writer;
    const raski_snapshot_sink *sink;
    raski_frame_header header;
    raski_byte_writer bytes;
} item_frames;

static rask_status flush_items(item_frames *frames, size_t least, raski_error *err) {
    if (frames->bytes.failed) return no_memory(err);
    if (frames->header.count == 0 || frames->bytes.size < least) return RASK_OK;
    RASKI_TRY(raski_frame_write(&frames->writer->stream, frames->header, frames->bytes.bytes,
                                frames->bytes.size, frames->sink, err));
    frames->header.count = 0;
    frames->bytes.size = 0;
    return RASK_OK;
}

static rask_status write_state_items(const raski_keyed_snapshot *keyed, const char *row,
                                     unsigned state, item_frames *frames, raski_error *err) {
    const table_state *spec = &keyed->table->states[state];
    const raski_value_codec *value = keyed->codec.value[state], *key = keyed->codec.map_key[state];
    const raski_state_slot *slot = (const raski_state_slot *)(const void *)(row + spec->offset);
    uint32_t position = 0;
    for (uint32_t i = 0; i < slot->count; i++) {
        if (key) {
            const char *entry = raski_table_map_entry(keyed->table, slot, state, &position);
            raski_value_write(key, entry + spec->key_offset, &frames->bytes);
            raski_value_write(value, entry + spec->value_offset, &frames->bytes);
        } else {
            raski_value_write(value, (const char *)slot->memory + (size_t)i * spec->item_size,
                              &frames->bytes);
        }
        frames->header.count++;
        RASKI_TRY(flush_items(frames, ITEMS_BYTES, err));
    }
    return flush_items(frames, 0, err);
}

static rask_status write_states(raski_operator_snapshot_writer *writer, const snapshot_part *part,
                                const raski_snapshot_sink *sink, raski_error *err) {
    char *row = NULL;
    /* before_write is not to be called here: this may be another thread */
    RASKI_TRY(
        raski_keyed_snapshot_copy_row(part->keyed, table_row(part->keyed->table, 1), &row, err));
    rask_status status = RASK_OK;
    for (unsigned i = 0; i < part->keyed->table->state_count && status == RASK_OK; i++) {
        item_frames frames = {.writer = writer, .sink = sink, .header = part->header};
        frames.header.id = part->header.id + i;
        status = write_state_items(part->keyed, row, i, &frames, err);
        raski_byte_writer_fini(&frames.bytes);
    }
    raski_free(row);
    return status;
}

static rask_status step_part(raski_operator_snapshot_writer *writer, snapshot_part *part,
                             size_t bytes_wanted, const raski_snapshot_sink *sink, bool *ret_done,
                             raski_error *err) {
    *ret_done = true;
    if (part->states) return write_states(writer, part, sink, err);
    if (!part->described) {
        if (part->payload.failed) return no_memory(err);
        RASKI_TRY(raski_frame_write(&writer->stream, part->header, part->payload.bytes,
                                    part->payload.size, sink, err));
        part->described = true;
    }
    return part->keyed ? raski_keyed_snapshot_step(part->keyed, bytes_wanted, &writer->stream, sink,
                                                   ret_done, err)
                       : RASK_OK;
}

rask_status raski_snapshot_step(raski_operator_snapshot_writer *writer, size_t bytes_wanted,
                                const raski_snapshot_sink *sink, bool *ret_done, raski_error *err) {
    uint64_t end = writer->stream.bytes + (bytes_wanted ? bytes_wanted : 1);
    do {
        if (writer->next_part == writer->parts.count) {
            if (!writer->done) RASKI_TRY(raski_frame_write_end(&writer->stream, sink, err));
            writer->done = true;
            break;
        }
        bool part_done = false;
        RASKI_TRY(step_part(writer, &writer->parts.items[writer->next_part], bytes_wanted, sink,
                            &part_done, err));
        if (part_done)
            writer->next_part++;
        else
            break; /* it has done as much as was wanted */
    } while (writer->stream.bytes < end);
    *ret_done = writer->done;
    return RASK_OK;
}

static rask_status write_to_memory(void *context, const void *bytes, size_t size,
                                   raski_error *err) {
    raski_byte_writer *out = context;
    raski_write_bytes(out, bytes, size);
    return out->failed ? no_memory(err) : RASK_OK;
}

rask_status raski_snapshot_write_all(raski_operator_snapshot_writer *writer, raski_byte_writer *out,
                                     raski_error *err) {
    const raski_snapshot_sink sink = {out, write_to_memory};
    for (bool done = false; !done;)
        RASKI_TRY(raski_snapshot_step(writer, 1024 * 1024, &sink, &done, err));
    return RASK_OK;
}
