/* channel.h - the queue of one pipelined subpartition: a single-producer single-consumer ring of
 * buffer pointers. Private to exchange.
 *
 *     reclaimed <= tail <= head <= reclaimed + slot_count          (32-bit counts, wrapping)
 * The producer puts buffers at head. The consumer moves tail behind those it is done with; what
 * lies between reclaimed and tail is the producer's again: the ring is its own way back.
 *
 * Wake-ups. Consumer: raski_channel_signal rings its doorbell. Producer: when it must wait, it
 * stores in wake_at the tail it wants to see; the consumer that moves tail there rings. Both sides
 * store their own word and then read the other's, sequentially consistent, so one of them always
 * sees the other. */
#ifndef RASKI_EXCHANGE_CHANNEL_H
#define RASKI_EXCHANGE_CHANNEL_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "exchange/buffer.h"
#include "platform/doorbell.h"

#define RASKI_WAKE_ARMED ((uint64_t)1 << 32) /* set in wake_at; the low 32 bits are the tail */

typedef struct raski_channel {
    /* written by the producer */
    _Alignas(64) _Atomic uint32_t head;
    _Atomic uint64_t wake_at;      /* also cleared by the consumer that rings */
    _Atomic bool is_producer_gone; /* without END_OF_PARTITION */
    /* written by the consumer */
    _Alignas(64) _Atomic uint32_t tail;
    _Atomic bool is_consumer_gone; /* its tail counts as head from then on */
    /* constant but for a growing ring, which only exists in one thread */
    _Alignas(64) raski_buffer **slots;
    uint32_t slot_count;                     /* a power of two */
    _Atomic(raski_doorbell *) consumer_bell; /* a reference; NULL until a consumer is there */
    /* the producer's own */
    _Alignas(64) uint32_t reclaimed;
    uint32_t tail_seen;
    bool is_signal_due; /* something was published without telling */
} raski_channel;

void raski_channel_init(raski_channel *channel, uint32_t slot_count);
/* The ring must be empty of buffers. */
void raski_channel_fini(raski_channel *channel);

/* True when somebody (the first) became its consumer; takes a reference of bell then. */
bool raski_channel_attach(raski_channel *channel, raski_doorbell *bell);

/* ---- producer */
static inline bool raski_channel_is_full(const raski_channel *channel) {
    return atomic_load_explicit(&channel->head, memory_order_relaxed) - channel->reclaimed ==
           channel->slot_count;
}
/* Must not be full. Does not tell the consumer. */
static inline void raski_channel_push(raski_channel *channel, raski_buffer *buffer) {
    uint32_t head = atomic_load_explicit(&channel->head, memory_order_relaxed);
    channel->slots[head & (channel->slot_count - 1)] = buffer;
    atomic_store_explicit(&channel->head, head + 1, memory_order_release);
    channel->is_signal_due = true;
}
/* Doubles the ring: only while producer and consumer are one thread. */
void raski_channel_grow(raski_channel *channel);
/* The tail, or head when the consumer is gone. */
uint32_t raski_channel_load_tail(raski_channel *channel);
/* The next buffer that came back, or NULL; tail: from raski_channel_load_tail. */
static inline raski_buffer *raski_channel_reclaim(raski_channel *channel, uint32_t tail) {
    if (channel->reclaimed == tail) return NULL;
    return channel->slots[channel->reclaimed++ & (channel->slot_count - 1)];
}
/* Tells the consumer, if there is one, that there is something. True when it slept. */
bool raski_channel_signal(raski_channel *channel);
/* Asks for a ring once `count` more buffers (at least 1) have come back. */
void raski_channel_arm(raski_channel *channel, uint32_t count);
void raski_channel_disarm(raski_channel *channel);

/* ---- consumer */
/* Moves tail on by one; rings producer_bell if that is what the producer waits for. */
static inline void raski_channel_release(raski_channel *channel, raski_doorbell *producer_bell) {
    uint32_t tail = atomic_load_explicit(&channel->tail, memory_order_relaxed) + 1;
    atomic_store_explicit(&channel->tail, tail, memory_order_seq_cst);
    uint64_t wake_at = atomic_load_explicit(&channel->wake_at, memory_order_seq_cst);
    if (__builtin_expect((wake_at & RASKI_WAKE_ARMED) != 0, 0) &&
        (int32_t)(tail - (uint32_t)wake_at) >= 0) {
        atomic_store_explicit(&channel->wake_at, 0, memory_order_relaxed);
        raski_doorbell_ring(producer_bell);
    }
}
/* The consumer stops: everything in the ring and to come is the producer's. */
void raski_channel_leave(raski_channel *channel, raski_doorbell *producer_bell_or_null);
#endif
