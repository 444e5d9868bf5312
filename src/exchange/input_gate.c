/* input_gate.c - channels in turn, a piece of a buffer at a time. A piece is the records up to the
 * next mark or to what is published, or one mark. The two kinds of channels differ only in where
 * the next buffer comes from: the ring, or the file. */
#include "exchange/input_gate.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "exchange/result_partition_private.h"

typedef struct channel_reader {
    raski_result_partition *partition; /* a reference; NULL once given back */
    raski_channel *channel;
    uint32_t subpartition, input;
    bool is_file, is_blocked, is_ended;
    raski_buffer *buffer;      /* being read; NULL: none */
    raski_buffer *file_buffer; /* owned, reused for each entry; NULL for rings */
    size_t next;               /* index of the next buffer in ring (wraps at 32 bits) or file */
    uint32_t head_seen;        /* ring: entries known to be there */
    uint32_t records_read, marks_read;
    const raski_mark *last_mark; /* the last one read in buffer */
} channel_reader;

struct raski_input_gate {
    raski_doorbell *doorbell;
    RASKI_VEC(channel_reader) readers;
    size_t turn; /* who is asked first */
    size_t ended_count;
    uint64_t records, buffers;
};

raski_input_gate *raski_input_gate_create(raski_doorbell *doorbell) {
    raski_input_gate *gate = RASKI_NEW(raski_input_gate);
    gate->doorbell = raski_doorbell_ref(doorbell);
    return gate;
}

static void leave(channel_reader *reader) {
    if (reader->partition == NULL) return;
    if (!reader->is_file) {
        raski_channel_leave(reader->channel, raski_partition_producer_bell(reader->partition));
    }
    raski_buffer_free(reader->file_buffer);
    reader->file_buffer = NULL;
    reader->buffer = NULL;
    raski_result_partition_unref(reader->partition);
    reader->partition = NULL;
}

void raski_input_gate_destroy(raski_input_gate *gate) {
    if (gate == NULL) return;
    for (size_t i = 0; i < gate->readers.count; i++) leave(&gate->readers.items[i]);
    raski_vec_free(&gate->readers);
    raski_doorbell_unref(gate->doorbell);
    raski_free(gate);
}

rask_status raski_input_gate_add(raski_input_gate *gate, raski_result_partition *partition,
                                 uint32_t subpartition, uint32_t input, raski_error *err) {
    if (subpartition >= partition->subpartition_count) {
        return RASKI_FAIL(err, RASK_E_ARGUMENT, INTERNAL,
                          "result partition \"%s\" has %u subpartitions, not a number %u",
                          partition->name, partition->subpartition_count, subpartition);
    }
    channel_reader reader = {
        .channel = &partition->channels[subpartition],
        .subpartition = subpartition,
        .input = input,
        .is_file = partition->spill != NULL,
    };
    bool is_first = raski_channel_attach(reader.channel, gate->doorbell);
    if (!is_first && !reader.is_file) {
        return RASKI_FAIL(err, RASK_E_ARGUMENT, INTERNAL,
                          "subpartition %u of result partition \"%s\" has a consumer already",
                          subpartition, partition->name);
    }
    reader.partition = raski_result_partition_ref(partition);
    raski_vec_push(&gate->readers, reader);
    return RASK_OK;
}

uint32_t raski_input_gate_channel_count(const raski_input_gate *gate) {
    return (uint32_t)gate->readers.count;
}

/* ---- where the next buffer comes from */
static void start_buffer(channel_reader *reader, raski_buffer *buffer) {
    reader->buffer = buffer;
    reader->records_read = reader->marks_read = 0;
    reader->last_mark = NULL;
}

/* The next of the ring, if there is one. */
static bool next_of_ring(channel_reader *reader) {
    raski_channel *channel = reader->channel;
    uint32_t index = (uint32_t)reader->next;
    if (index == reader->head_seen) {
        reader->head_seen = atomic_load_explicit(&channel->head, memory_order_acquire);
        if (index == reader->head_seen) return false;
    }
    start_buffer(reader, channel->slots[index & (channel->slot_count - 1)]);
    return true;
}

/* The producer left in the middle of the stream. What it had published before is seen by whoever
 * looks after this. */
static bool is_abandoned(const channel_reader *reader) {
    return atomic_load_explicit(&reader->channel->is_producer_gone, memory_order_acquire);
}

static rask_status next_of_file(channel_reader *reader, raski_error *err) {
    const raski_spill_file *file = reader->partition->spill;
    if (!raski_result_partition_is_finished(reader->partition) ||
        reader->next == raski_spill_file_entry_count(file, reader->subpartition)) {
        return RASK_OK;
    }
    RASKI_TRY(raski_spill_file_read(file, &reader->partition->format, reader->subpartition,
                                    reader->next, &reader->file_buffer, err));
    start_buffer(reader, reader->file_buffer);
    return RASK_OK;
}

static void end_buffer(raski_input_gate *gate, channel_reader *reader) {
    reader->buffer = NULL;
    reader->next++;
    gate->buffers++;
    if (!reader->is_file) {
        raski_channel_release(reader->channel, raski_partition_producer_bell(reader->partition));
    }
}

/* ---- the next piece */
static const raski_mark *next_mark(const channel_reader *reader) {
    return reader->last_mark ? reader->last_mark->next : reader->buffer->first_mark;
}

/* What can be read of the current buffer: fills item; false when nothing. */
static bool piece_of_buffer(channel_reader *reader, raski_gate_item *item) {
    raski_buffer *buffer = reader->buffer;
    uint64_t published = atomic_load_explicit(&buffer->published, memory_order_acquire);
    uint32_t limit = raski_published_records(published);
    const raski_mark *mark = NULL;
    if (reader->marks_read < raski_published_marks(published)) {
        mark = next_mark(reader);
        limit = mark->position;
    }
    if (reader->records_read < limit) {
        const raski_result_partition *partition = reader->partition;
        uint32_t from = reader->records_read;
        item->kind = RASKI_GATE_BATCH;
        item->exclusive = !partition->is_shared;
        item->records = raski_buffer_record(buffer, &partition->format, from);
        item->count = limit - from;
        item->timestamps = buffer->timestamps ? buffer->timestamps + from : NULL;
        item->hashes = buffer->hashes ? buffer->hashes + from : NULL;
        return true;
    }
    if (mark == NULL) return false;
    bool is_end = mark->event.kind == RASKI_EVENT_END_OF_PARTITION;
    item->kind = is_end ? RASKI_GATE_CHANNEL_END : RASKI_GATE_EVENT;
    item->event = mark->event;
    return true;
}

/* True when the whole buffer was read and nothing will be added to it. */
static bool is_used_up(const channel_reader *reader) {
    uint64_t published = atomic_load_explicit(&reader->buffer->published, memory_order_acquire);
    return (published & RASKI_BUFFER_CLOSED) != 0 &&
           raski_published_records(published) == reader->records_read &&
           raski_published_marks(published) == reader->marks_read;
}

static rask_status poll_channel(raski_input_gate *gate, channel_reader *reader,
                                raski_gate_item *item, raski_error *err) {
    bool will_stay_empty = is_abandoned(reader);
    for (;;) {
        if (reader->buffer == NULL) {
            if (reader->is_file) {
                RASKI_TRY(next_of_file(reader, err));
            } else {
                (void)next_of_ring(reader);
            }
            if (reader->buffer == NULL) break;
        }
        if (piece_of_buffer(reader, item)) return RASK_OK;
        if (!is_used_up(reader)) break;
        end_buffer(gate, reader);
    }
    if (!will_stay_empty) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_CANCELLED, CANCELLED,
                      "the producer \"%s\" ended before its end of data", reader->partition->name);
}

rask_status raski_input_gate_poll(raski_input_gate *gate, raski_gate_item *ret_item,
                                  raski_error *err) {
    *ret_item = (raski_gate_item){.kind = RASKI_GATE_NONE};
    size_t count = gate->readers.count;
    if (gate->ended_count == count) {
        ret_item->kind = RASKI_GATE_END;
        return RASK_OK;
    }
    for (size_t i = 0; i < count; i++) {
        size_t index = gate->turn + i < count ? gate->turn + i : gate->turn + i - count;
        channel_reader *reader = &gate->readers.items[index];
        if (reader->is_ended || reader->is_blocked) continue;
        ret_item->channel = (uint32_t)index;
        RASKI_TRY(poll_channel(gate, reader, ret_item, err));
        if (ret_item->kind == RASKI_GATE_NONE) continue;
        ret_item->input = reader->input;
        gate->turn = index;
        return RASK_OK;
    }
    return RASK_OK;
}

void raski_input_gate_release(raski_input_gate *gate, raski_gate_item *item) {
    if (item->kind == RASKI_GATE_NONE || item->kind == RASKI_GATE_END) return;
    channel_reader *reader = &gate->readers.items[item->channel];
    if (item->kind == RASKI_GATE_BATCH) {
        reader->records_read += (uint32_t)item->count;
        gate->records += item->count;
    } else {
        reader->last_mark = next_mark(reader);
        reader->marks_read++;
    }
    bool is_end = item->kind == RASKI_GATE_CHANNEL_END;
    if (is_end || is_used_up(reader)) {
        end_buffer(gate, reader);
        /* the next buffer comes from the next channel */
        gate->turn = gate->turn + 1 < gate->readers.count ? gate->turn + 1 : 0;
    }
    if (is_end) {
        reader->is_ended = true;
        gate->ended_count++;
        leave(reader);
    }
    item->kind = RASKI_GATE_NONE;
}

static bool has_something(channel_reader *reader) {
    if (is_abandoned(reader)) return true;
    if (reader->is_file) {
        return reader->buffer != NULL || raski_result_partition_is_finished(reader->partition);
    }
    if (reader->buffer == NULL && !next_of_ring(reader)) return false;
    uint64_t published = atomic_load_explicit(&reader->buffer->published, memory_order_acquire);
    if (raski_published_records(published) != reader->records_read ||
        raski_published_marks(published) != reader->marks_read) {
        return true;
    }
    /* all read: closed, and another behind it, of which something is published */
    return (published & RASKI_BUFFER_CLOSED) != 0 &&
           (uint32_t)reader->next + 1 !=
               atomic_load_explicit(&reader->channel->head, memory_order_acquire);
}

bool raski_input_gate_is_available(raski_input_gate *gate) {
    if (gate->ended_count == gate->readers.count) return true;
    for (size_t i = 0; i < gate->readers.count; i++) {
        channel_reader *reader = &gate->readers.items[i];
        if (!reader->is_ended && !reader->is_blocked && has_something(reader)) return true;
    }
    return false;
}

void raski_input_gate_block(raski_input_gate *gate, uint32_t channel, bool blocked) {
    gate->readers.items[channel].is_blocked = blocked;
}

void raski_input_gate_get_counters(const raski_input_gate *gate, uint64_t *ret_records,
                                   uint64_t *ret_buffers) {
    *ret_records = gate->records;
    *ret_buffers = gate->buffers;
}
