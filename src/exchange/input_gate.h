/* input_gate.h - the consuming end: merges the subpartitions that one subtask reads.
 *
 *     for (;;) {
 *         uint32_t seen = raski_doorbell_sequence(bell);
 *         raski_gate_item item;
 *         RASKI_TRY(raski_input_gate_poll(gate, &item, err));     // never blocks
 *         if (item.kind == RASKI_GATE_NONE) { raski_doorbell_wait(bell, seen, deadline); continue;
 * }
 *         ... use item ...
 *         raski_input_gate_release(gate, &item);                  // before the next poll
 *     }
 * Channels are served in turn, a buffer at a time; a batch lies in the producer's buffer and is not
 * copied. Threads: the consuming task only. Flink: SingleInputGate, UnionInputGate,
 * LocalInputChannel. */
#ifndef RASKI_EXCHANGE_INPUT_GATE_H
#define RASKI_EXCHANGE_INPUT_GATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "exchange/event.h"
#include "exchange/result_partition.h"
#include "platform/doorbell.h"

typedef struct raski_input_gate raski_input_gate;

/* doorbell: the consuming task's, rung when there is something after a NONE; the gate takes a
 * reference of its own. */
raski_input_gate *raski_input_gate_create(raski_doorbell *doorbell);
/* Gives everything back; producers of channels that were not read to the end then write into the
 * void. NULL is fine. */
void raski_input_gate_destroy(raski_input_gate *gate_take);

/* Adds a channel (numbered from 0 in this order); takes a reference of partition. input: number of
 * the operator's input that it belongs to (two-input operators, unions); given back in the items.
 * A subpartition of a PIPELINED partition may be added to one gate, once (RASK_E_ARGUMENT else). */
RASKI_NODISCARD rask_status raski_input_gate_add(raski_input_gate *gate,
                                                 raski_result_partition *partition,
                                                 uint32_t subpartition, uint32_t input,
                                                 raski_error *err);
uint32_t raski_input_gate_channel_count(const raski_input_gate *gate);

typedef enum raski_gate_item_kind {
    RASKI_GATE_NONE,        /* nothing right now */
    RASKI_GATE_BATCH,       /* records */
    RASKI_GATE_EVENT,       /* an event of one channel */
    RASKI_GATE_CHANNEL_END, /* the channel has given its last item */
    RASKI_GATE_END,         /* every channel has ended */
} raski_gate_item_kind;

typedef struct raski_gate_item {
    raski_gate_item_kind kind;
    uint32_t channel; /* BATCH, EVENT, CHANNEL_END */
    uint32_t input;   /* of that channel */
    /* BATCH: count > 0 records one behind the other; strings and lists point into the buffer.
     * Valid until the release. */
    bool exclusive; /* nobody else reads this memory: it may be changed in place */
    void *records;
    size_t count;
    int64_t *timestamps; /* NULL when the partition has none */
    int32_t *hashes;     /* NULL when the partition has none */
    raski_event event;   /* EVENT: options are valid until the release */
} raski_gate_item;

/* Fails with RASK_E_CANCELLED when a producer ended without finishing (it failed or was cancelled:
 * not this task's fault), RASK_E_IO or RASK_E_CORRUPT for a file: ret_item->channel says which
 * channel. @blocks never, but for files */
RASKI_NODISCARD rask_status raski_input_gate_poll(raski_input_gate *gate, raski_gate_item *ret_item,
                                                  raski_error *err);
/* Ends the use of an item; for NONE and END it does nothing. */
void raski_input_gate_release(raski_input_gate *gate, raski_gate_item *item);
/* True when a poll would give something (END included). */
bool raski_input_gate_is_available(raski_input_gate *gate);

/* A blocked channel is left alone until unblocked (aligned barriers). */
void raski_input_gate_block(raski_input_gate *gate, uint32_t channel, bool blocked);

/* Records given out and buffers used up so far. */
void raski_input_gate_get_counters(const raski_input_gate *gate, uint64_t *ret_records,
                                   uint64_t *ret_buffers);
#endif
