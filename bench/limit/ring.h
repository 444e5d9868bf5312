/* ring.h - single-producer single-consumer ring of 32 KiB buffers, for the limit programs.
 *
 * The producer fills the buffer at the head in place and publishes it; the consumer reads the one
 * at the tail in place and gives it back. Nothing is copied or allocated after the start. One
 * thread writes, one reads; both sides may be the same thread. A full ring is back-pressure: the
 * producer does its own consuming meanwhile. */
#ifndef LIMIT_RING_H
#define LIMIT_RING_H
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RING_BUFFER_BYTES = 32768, RING_BUFFERS = 16, RING_CACHE_LINE = 64 };

typedef struct ring_buffer {
    uint32_t len; /* bytes used */
    uint32_t reserved;
    alignas(8) char bytes[RING_BUFFER_BYTES];
} ring_buffer;

typedef struct ring {
    alignas(RING_CACHE_LINE) _Atomic uint64_t head; /* buffers published; written by the producer */
    alignas(
        RING_CACHE_LINE) _Atomic uint64_t tail;  /* buffers given back; written by the consumer */
    alignas(RING_CACHE_LINE) atomic_bool closed; /* nothing more will be published */
    ring_buffer *buffers;
} ring;

static inline void ring_init(ring *r) {
    size_t size = (sizeof(ring_buffer) * RING_BUFFERS + 4095) / 4096 * 4096;
    r->buffers = aligned_alloc(4096, size);
    if (r->buffers == NULL) {
        fprintf(stderr, "no memory for a ring\n");
        exit(1);
    }
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
    atomic_init(&r->closed, false);
}
static inline void ring_fini(ring *r) {
    free(r->buffers);
}

/* The empty buffer to fill next, or NULL when the ring is full. The same one until published. */
static inline ring_buffer *ring_to_fill(ring *r) {
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&r->tail, memory_order_acquire) >= RING_BUFFERS) return NULL;
    return &r->buffers[head % RING_BUFFERS];
}
static inline void ring_publish(ring *r) {
    atomic_store_explicit(&r->head, atomic_load_explicit(&r->head, memory_order_relaxed) + 1,
                          memory_order_release);
}
/* The oldest published buffer, or NULL when there is none. The same one until given back. */
static inline ring_buffer *ring_to_read(ring *r) {
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&r->head, memory_order_acquire)) return NULL;
    return &r->buffers[tail % RING_BUFFERS];
}
static inline void ring_give_back(ring *r) {
    atomic_store_explicit(&r->tail, atomic_load_explicit(&r->tail, memory_order_relaxed) + 1,
                          memory_order_release);
}
static inline void ring_close(ring *r) {
    atomic_store_explicit(&r->closed, true, memory_order_release);
}
/* What a thread does that can go on neither way: giving the core up for about the time in which the
 * other side works off some buffers costs less than asking again and again. */
static inline void ring_pause(void) {
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}
/* Closed and read to the end. */
static inline bool ring_is_done(ring *r) {
    return atomic_load_explicit(&r->closed, memory_order_acquire) &&
           atomic_load_explicit(&r->tail, memory_order_relaxed) ==
               atomic_load_explicit(&r->head, memory_order_acquire);
}
#endif
