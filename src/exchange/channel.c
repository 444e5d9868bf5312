#include "exchange/channel.h"

#include <string.h>

#include "base/alloc.h"

void raski_channel_init(raski_channel *channel, uint32_t slot_count) {
    RASKI_ASSERT(slot_count > 0 && (slot_count & (slot_count - 1)) == 0);
    memset(channel, 0, sizeof *channel);
    atomic_init(&channel->head, 0);
    atomic_init(&channel->tail, 0);
    atomic_init(&channel->wake_at, 0);
    atomic_init(&channel->is_producer_gone, false);
    atomic_init(&channel->is_consumer_gone, false);
    atomic_init(&channel->consumer_bell, NULL);
    channel->slots = RASKI_NEW_ARRAY(raski_buffer *, slot_count);
    channel->slot_count = slot_count;
}

void raski_channel_fini(raski_channel *channel) {
    raski_doorbell_unref(atomic_load_explicit(&channel->consumer_bell, memory_order_relaxed));
    raski_free(channel->slots);
}

bool raski_channel_attach(raski_channel *channel, raski_doorbell *bell) {
    raski_doorbell *none = NULL;
    raski_doorbell *mine = raski_doorbell_ref(bell);
    if (!atomic_compare_exchange_strong(&channel->consumer_bell, &none, mine)) {
        raski_doorbell_unref(mine);
        return false;
    }
    /* A producer that saw no doorbell pushed before this: with this read, later ones see it. */
    (void)atomic_load_explicit(&channel->head, memory_order_seq_cst);
    return true;
}

void raski_channel_grow(raski_channel *channel) {
    uint32_t old_mask = channel->slot_count - 1, mask = channel->slot_count * 2 - 1;
    raski_buffer **slots = RASKI_NEW_ARRAY(raski_buffer *, (size_t)mask + 1);
    uint32_t head = atomic_load_explicit(&channel->head, memory_order_relaxed);
    for (uint32_t i = channel->reclaimed; i != head; i++) {
        slots[i & mask] = channel->slots[i & old_mask];
    }
    raski_free(channel->slots);
    channel->slots = slots;
    channel->slot_count = mask + 1;
}

uint32_t raski_channel_load_tail(raski_channel *channel) {
    channel->tail_seen = atomic_load_explicit(&channel->tail, memory_order_seq_cst);
    if (atomic_load_explicit(&channel->is_consumer_gone, memory_order_acquire)) {
        channel->tail_seen = atomic_load_explicit(&channel->head, memory_order_relaxed);
    }
    return channel->tail_seen;
}

bool raski_channel_signal(raski_channel *channel) {
    channel->is_signal_due = false;
    /* An addition of nothing: orders what was published before the look at the doorbell. */
    (void)atomic_fetch_add_explicit(&channel->head, 0, memory_order_seq_cst);
    raski_doorbell *bell = atomic_load_explicit(&channel->consumer_bell, memory_order_seq_cst);
    if (bell == NULL) return false;
    bool slept = raski_doorbell_is_waited_on(bell);
    raski_doorbell_ring(bell);
    return slept;
}

void raski_channel_arm(raski_channel *channel, uint32_t count) {
    uint32_t at = channel->reclaimed + count;
    atomic_store_explicit(&channel->wake_at, RASKI_WAKE_ARMED | at, memory_order_seq_cst);
}

void raski_channel_disarm(raski_channel *channel) {
    atomic_store_explicit(&channel->wake_at, 0, memory_order_relaxed);
}

void raski_channel_leave(raski_channel *channel, raski_doorbell *producer_bell_or_null) {
    atomic_store_explicit(&channel->is_consumer_gone, true, memory_order_seq_cst);
    if (producer_bell_or_null != NULL) raski_doorbell_ring(producer_bell_or_null);
}
