/* doorbell.h - how one thread sleeps until any of several others has something for it.
 *
 *     for (;;) {
 *         uint32_t seen = raski_doorbell_sequence(bell);
 *         if (find_work()) continue;                      // looked after the sequence was read
 *         raski_doorbell_wait(bell, seen, RASKI_FOREVER); // returns at once if rung since
 *     }
 * Whoever makes work visible rings afterwards. Ringing is one atomic operation while the owner is
 * awake, and one system call (futex, eventfd) when it sleeps; a ring is never lost.
 *
 * Memory order: what was written before a ring is visible to the owner after it has read a
 * sequence that includes the ring. Threads: one owner waits; any thread rings. Counted, because
 * the ones who ring may outlive the owner. Flink: MailboxProcessor's and InputGate's futures. */
#ifndef RASKI_PLATFORM_DOORBELL_H
#define RASKI_PLATFORM_DOORBELL_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct raski_doorbell raski_doorbell;

/* One reference for the caller. RASK_E_NOMEM without memory. */
RASKI_NODISCARD rask_status raski_doorbell_create(raski_doorbell **ret_bell, raski_error *err);
raski_doorbell *raski_doorbell_ref(raski_doorbell *bell); /* returns bell */
void raski_doorbell_unref(raski_doorbell *bell_take);     /* NULL is fine */

/* Wakes the owner, or makes its next wait return at once. @thread any @blocks never */
void raski_doorbell_ring(raski_doorbell *bell);

/* True while the owner sleeps in a wait. A hint: work published before this returned false may be
 * missed by an owner that is about to sleep, so follow it by a real ring sooner or later. */
bool raski_doorbell_is_waited_on(raski_doorbell *bell);

/* @thread owner. Changes with every ring. */
uint32_t raski_doorbell_sequence(raski_doorbell *bell);

/* @thread owner. Returns true when rung since seen, false at deadline_ns (raski_now_ns's clock;
 * RASKI_FOREVER: never; in the past: only asks). */
bool raski_doorbell_wait(raski_doorbell *bell, uint32_t seen, int64_t deadline_ns);

typedef enum raski_doorbell_reason {
    RASKI_DOORBELL_TIMEOUT,
    RASKI_DOORBELL_RUNG,
    RASKI_DOORBELL_FD, /* the file descriptor is ready (readable, closed or broken) */
} raski_doorbell_reason;
/* @thread owner. The same, but also ends when fd becomes readable (or, with for_write, writable).
 */
raski_doorbell_reason raski_doorbell_wait_fd(raski_doorbell *bell, uint32_t seen, int fd,
                                             bool for_write, int64_t deadline_ns);
#endif
