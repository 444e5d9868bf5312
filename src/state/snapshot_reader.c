/* Reading snapshots: all frames of all inputs are checked at once; what they hold is read when it
 * is asked for. */
#include <string.h>

#include "state/row_restore.h"
#include "state/snapshot_reader_private.h"

rask_status raski_snapshot_damaged(const input_frames *input, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                      "the snapshot %s is damaged: frames that do not fit together", input->name);
}

/* ---------------------------------------------------------------- inputs */
static rask_status read_head(raski_operator_snapshot_reader *reader, input_frames *input,
                             raski_error *err) {
    const raski_frame *frame = &input->frames.items[0];
    raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, reader->arena};
    raski_snapshot_info *info = &input->info;
    if (frame->header.kind != RASKI_FRAME_HEAD ||
        !raski_read_bytes(&in, info->operator_id.bytes, sizeof info->operator_id.bytes) ||
        !raski_take_name(&in, &info->operator_name) ||
        !raski_read_u32(&in, &info->max_parallelism) || !raski_read_u32(&in, &info->parallelism) ||
        !raski_read_u32(&in, &info->subtask) || info->max_parallelism == 0 ||
        info->max_parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND || info->parallelism == 0 ||
        info->parallelism > info->max_parallelism || info->subtask >= info->parallelism)
        return raski_snapshot_damaged(input, err);
    return raski_key_group_range_of_subtask((int32_t)info->max_parallelism,
                                            (int32_t)info->parallelism, (int32_t)info->subtask,
                                            &input->range, err);
}

static rask_status check_frame(const input_frames *input, const raski_frame *frame, size_t number,
                               raski_error *err) {
    raski_frame_header header = frame->header;
    switch (header.kind) {
        case RASKI_FRAME_HEAD:
            return number == 0 ? RASK_OK : raski_snapshot_damaged(input, err);
        case RASKI_FRAME_ROWS:
        case RASKI_FRAME_EVENT_TIMERS:
        case RASKI_FRAME_PROCESSING_TIMERS:
            if (header.key_group < INT32_MAX &&
                raski_key_group_range_contains(input->range, (int32_t)header.key_group))
                return RASK_OK;
            return RASKI_FAIL(
                err, RASK_E_CORRUPT, EXTERNAL,
                "the snapshot %s is damaged: it has state of key group %u; it is of subtask %u of "
                "%u, which has the groups %d to %d",
                input->name, header.key_group, input->info.subtask, input->info.parallelism,
                input->range.start, input->range.end);
        case RASKI_FRAME_KEYED:
        case RASKI_FRAME_OPERATOR:
        case RASKI_FRAME_ITEMS:
        case RASKI_FRAME_BYTES:
            return RASK_OK;
        default:
            return raski_snapshot_damaged(input, err);
    }
}

static rask_status read_input(raski_operator_snapshot_reader *reader,
                              const raski_snapshot_input *from, input_frames *input,
                              raski_error *err) {
    input->name = from->name;
    raski_frame_stream stream = {0};
    size_t position = 0;
    for (;;) {
        raski_frame frame;
        RASKI_TRY(
            raski_frame_read(&stream, from->bytes, from->size, from->name, &position, &frame, err));
        if (frame.header.kind == RASKI_FRAME_END) break;
        raski_vec_push(&input->frames, frame);
        if (input->frames.count == 1) RASKI_TRY(read_head(reader, input, err));
        RASKI_TRY(check_frame(input, &frame, input->frames.count - 1, err));
    }
    if (position != from->size)
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                          "the snapshot %s is damaged: something follows its end at byte %zu",
                          from->name, position);
    return input->frames.count ? RASK_OK : raski_snapshot_damaged(input, err);
}

static bool has_keyed_state(const input_frames *input) {
    for (size_t i = 0; i < input->frames.count; i++) {
        uint16_t kind = input->frames.items[i].header.kind;
        if (kind >= RASKI_FRAME_ROWS && kind <= RASKI_FRAME_PROCESSING_TIMERS) return true;
    }
    return false;
}

/* All inputs are of one operator, of one snapshot of it, and each of another subtask. */
static rask_status check_inputs(raski_operator_snapshot_reader *reader, raski_error *err) {
    for (size_t i = 0; i < reader->input_count; i++) {
        const input_frames *input = &reader->inputs[i];
        const raski_snapshot_info *info = &input->info, *target = &reader->target;
        if (!raski_id_equals(info->operator_id, target->operator_id)) {
            char id[RASKI_ID_HEX_SIZE], wanted[RASKI_ID_HEX_SIZE];
            return RASKI_FAIL(
                err, RASK_E_ARGUMENT, USER,
                "the snapshot %s is of operator \"%s\" (%s), not of operator \"%s\" (%s)",
                input->name, info->operator_name, raski_id_to_hex(info->operator_id, id),
                target->operator_name, raski_id_to_hex(target->operator_id, wanted));
        }
        if (info->max_parallelism != target->max_parallelism && has_keyed_state(input))
            return RASKI_FAIL(
                err, RASK_E_ARGUMENT, USER,
                "the keyed state of operator \"%s\" was written with max parallelism %u and cannot "
                "be restored with %u: set max parallelism %u",
                target->operator_name, info->max_parallelism, target->max_parallelism,
                info->max_parallelism);
        if (info->parallelism != reader->inputs[0].info.parallelism)
            return RASKI_FAIL(
                err, RASK_E_ARGUMENT, USER,
                "%s and %s are of different snapshots: the operator's parallelism was "
                "%u and %u",
                reader->inputs[0].name, input->name, reader->inputs[0].info.parallelism,
                info->parallelism);
        for (size_t k = 0; k < i; k++)
            if (reader->inputs[k].info.subtask == info->subtask)
                return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s and %s are both of subtask %u",
                                  reader->inputs[k].name, input->name, info->subtask);
    }
    return RASK_OK;
}

static int by_subtask(const raski_operator_snapshot_reader *reader, size_t a, size_t b) {
    uint32_t x = reader->inputs[a].info.subtask, y = reader->inputs[b].info.subtask;
    return x < y ? -1 : x > y;
}

/* Inputs in the order of their subtasks. */
static void order_inputs(raski_operator_snapshot_reader *reader) {
    for (size_t i = 1; i < reader->input_count; i++)
        for (size_t k = i; k > 0 && by_subtask(reader, k - 1, k) > 0; k--) {
            input_frames swapped = reader->inputs[k];
            reader->inputs[k] = reader->inputs[k - 1];
            reader->inputs[k - 1] = swapped;
        }
}

rask_status raski_snapshot_reader_create(const raski_snapshot_input *inputs, size_t count,
                                         const raski_snapshot_info *target,
                                         raski_operator_snapshot_reader **ret_reader,
                                         raski_error *err) {
    raski_operator_snapshot_reader *reader = RASKI_NEW(raski_operator_snapshot_reader);
    reader->arena = raski_arena_create(0);
    reader->target = *target;
    reader->target.operator_name = raski_arena_strdup(reader->arena, target->operator_name);
    reader->inputs = RASKI_NEW_ARRAY(input_frames, count);
    reader->input_count = count;
    rask_status status = raski_key_group_range_of_subtask(
        (int32_t)target->max_parallelism, (int32_t)target->parallelism, (int32_t)target->subtask,
        &reader->range, err);
    for (size_t i = 0; i < count && status == RASK_OK; i++)
        status = read_input(reader, &inputs[i], &reader->inputs[i], err);
    if (status == RASK_OK) status = check_inputs(reader, err);
    if (status == RASK_OK) {
        order_inputs(reader);
        reader->old_parallelism = count ? reader->inputs[0].info.parallelism : target->parallelism;
        status = raski_snapshot_assign_states(reader, err);
    }
    if (status == RASK_OK)
        *ret_reader = reader;
    else
        raski_snapshot_reader_destroy(reader);
    return status;
}

void raski_snapshot_reader_destroy(raski_operator_snapshot_reader *reader_take_or_null) {
    raski_operator_snapshot_reader *reader = reader_take_or_null;
    if (!reader) return;
    for (size_t i = 0; i < reader->input_count; i++) raski_vec_free(&reader->inputs[i].frames);
    raski_free(reader->inputs);
    raski_vec_free(&reader->states);
    raski_vec_free(&reader->parts);
    raski_free(reader->pieces);
    raski_arena_destroy(reader->arena);
    raski_free(reader);
}

/* ---------------------------------------------------------------- keyed state */
static rask_status restore_frame(raski_row_restore *restore, raski_timer_queue *const *queues,
                                 const raski_frame *frame, raski_error *err) {
    if (frame->header.kind == RASKI_FRAME_ROWS) return raski_row_restore_rows(restore, frame, err);
    raski_timer_queue *queue = queues[frame->header.kind - RASKI_FRAME_EVENT_TIMERS];
    return queue ? raski_row_restore_timers(restore, queue, frame, err) : RASK_OK;
}

/* The rows, or the timers, of one table of one input. */
static rask_status restore_table(raski_operator_snapshot_reader *reader, const input_frames *input,
                                 raski_row_restore *restore, uint32_t id,
                                 raski_timer_queue *const *queues, bool timers, raski_error *err) {
    for (size_t i = 0; i < input->frames.count; i++) {
        const raski_frame *frame = &input->frames.items[i];
        const raski_frame_header *header = &frame->header;
        if (header->kind < RASKI_FRAME_ROWS || header->kind > RASKI_FRAME_PROCESSING_TIMERS)
            continue;
        if (header->id != id || (header->kind != RASKI_FRAME_ROWS) != timers) continue;
        if (!raski_key_group_range_contains(reader->range, (int32_t)header->key_group)) continue;
        RASKI_TRY(restore_frame(restore, queues, frame, err));
    }
    return RASK_OK;
}

static rask_status restore_input(raski_operator_snapshot_reader *reader, const input_frames *input,
                                 const char *name, raski_keyed_table *table,
                                 raski_timer_queue *const *queues, raski_error *err) {
    for (size_t i = 0; i < input->frames.count; i++) {
        const raski_frame *frame = &input->frames.items[i];
        if (frame->header.kind != RASKI_FRAME_KEYED) continue;
        raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, reader->arena};
        const char *stored_name = NULL;
        if (!raski_take_name(&in, &stored_name)) return raski_snapshot_damaged(input, err);
        if (strcmp(stored_name, name) != 0) continue;
        raski_row_restore restore;
        rask_status status =
            raski_row_restore_init(&restore, table, &in, reader->target.operator_name, input->name,
                                   reader->target.max_parallelism, err);
        /* Rows first: with timers alone a row would have no state yet. */
        for (int timers = 0; timers < 2 && status == RASK_OK; timers++)
            status = restore_table(reader, input, &restore, frame->header.id, queues, timers, err);
        raski_row_restore_fini(&restore);
        RASKI_TRY(status);
    }
    return RASK_OK;
}

rask_status raski_snapshot_reader_keyed(raski_operator_snapshot_reader *reader, const char *name,
                                        raski_keyed_table *table, raski_timer_queue *event_timers,
                                        raski_timer_queue *processing_timers, raski_error *err) {
    raski_timer_queue *const queues[] = {event_timers, processing_timers};
    for (size_t i = 0; i < reader->input_count; i++) {
        const input_frames *input = &reader->inputs[i];
        if (input->info.max_parallelism == reader->target.max_parallelism &&
            raski_key_group_range_count(
                raski_key_group_range_intersect(input->range, reader->range)) <= 0)
            continue;
        RASKI_TRY(restore_input(reader, input, name, table, queues, err));
    }
    return RASK_OK;
}

bool raski_snapshot_reads_subtask(uint32_t max_parallelism, uint32_t new_parallelism,
                                  uint32_t new_subtask, uint32_t old_parallelism,
                                  uint32_t old_subtask) {
    raski_key_group_range of_new, of_old;
    if (raski_key_group_range_of_subtask((int32_t)max_parallelism, (int32_t)new_parallelism,
                                         (int32_t)new_subtask, &of_new, NULL) != RASK_OK ||
        raski_key_group_range_of_subtask((int32_t)max_parallelism, (int32_t)old_parallelism,
                                         (int32_t)old_subtask, &of_old, NULL) != RASK_OK)
        return false;
    return raski_key_group_range_count(raski_key_group_range_intersect(of_new, of_old)) > 0;
}

/* ---------------------------------------------------------------- bytes */
bool raski_snapshot_reader_bytes(const raski_operator_snapshot_reader *reader, const char *name,
                                 size_t *position, uint32_t *ret_old_subtask, uint32_t *ret_version,
                                 const void **ret_bytes, size_t *ret_size) {
    size_t number = 0;
    for (size_t i = 0; i < reader->input_count; i++) {
        const input_frames *input = &reader->inputs[i];
        for (size_t k = 0; k < input->frames.count; k++) {
            const raski_frame *frame = &input->frames.items[k];
            if (frame->header.kind != RASKI_FRAME_BYTES || number++ < *position) continue;
            *position = number;
            raski_byte_reader in = {frame->payload, frame->payload + frame->header.size, NULL};
            uint32_t length = 0;
            size_t wanted = strlen(name);
            if (!raski_read_u32(&in, &length) || length != wanted ||
                wanted > raski_bytes_left(&in) || memcmp(in.at, name, wanted) != 0)
                continue;
            in.at += wanted;
            if (!raski_read_u32(&in, ret_version)) continue;
            *ret_old_subtask = input->info.subtask;
            *ret_bytes = in.at;
            *ret_size = raski_bytes_left(&in);
            return true;
        }
    }
    return false;
}
