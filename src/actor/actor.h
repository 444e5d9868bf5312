/* actor.h - objects that own their state and talk by messages only.
 * An actor lives on one executor and runs one message at a time there, so its state needs no lock.
 * Flink: RpcEndpoint and FencedRpcEndpoint with their main thread executor.
 *
 * Life: init -> (receive)* -> close. close may be called from the actor's own receive function; the
 * memory may be given back once close has returned and receive is not running any more (so: not by
 * the actor itself, but by whoever made it).
 * Fencing: when an actor has an epoch, messages written for another epoch are cancelled instead of
 * run: they are late messages of, or to, an earlier life (a leader that lost its office, a job
 * master that was replaced). Epoch 0 in the message or the actor fences nothing.
 * Threads: everything here but raski_post runs on the executor (or before it starts, or after it
 * stopped). */
#ifndef RASKI_ACTOR_ACTOR_H
#define RASKI_ACTOR_ACTOR_H
#include <stdbool.h>
#include <stdint.h>

#include "actor/message.h"
#include "base/status.h"

/* Runs one message. Borrows it; may move things out of its payload. Never blocks. */
typedef void (*raski_receive_fn)(void *self, raski_message *message);

typedef struct raski_actor {
    const char *name; /* borrowed, for logs */
    raski_executor *executor;
    raski_receive_fn receive;
    void *self;
    uint64_t id;    /* never 0, never used again; 0: not open */
    uint64_t epoch; /* 0: no fencing */
} raski_actor;

/* Opens an actor on executor. Borrows self and name until close. */
void raski_actor_init(raski_actor *actor, raski_executor *executor, const char *name,
                      raski_receive_fn receive, void *self);
/* Refuses what arrives from now on; its timers and what waits for it are cancelled. Idempotent, and
 * fine on a zeroed actor. */
void raski_actor_close(raski_actor *actor);
static inline bool raski_actor_is_open(const raski_actor *actor) {
    return actor->id != 0;
}
raski_address raski_actor_address(const raski_actor *actor);
static inline bool raski_address_equals(raski_address a, raski_address b) {
    return a.executor == b.executor && a.actor == b.actor;
}

/* Stops the process when the caller is not running as this actor. For functions that touch an
 * actor's state. */
void raski_actor_assert_self(const raski_actor *actor);

/* Sends message to an address, with this actor as the one to answer. Takes the message. A receiver
 * that is gone cancels it, silently: whoever needs an answer sets a timer. */
void raski_actor_send(raski_actor *actor, raski_address to, raski_message *message_take);
/* The same from any thread (tasks, the program's thread): no reply address, stream as set in the
 * message. Never blocks, takes no lock and allocates nothing, so it may be called in a signal
 * handler with a message made before. Returns RASK_E_CLOSED (the message is cancelled) when the
 * executor has stopped or `to` is nowhere. */
rask_status raski_post(raski_address to, raski_message *message_take);

/* Sends message to the actor itself, delay_ms (>= 0) from now; 0 is still later than now. Returns
 * a timer id, never 0. */
uint64_t raski_actor_schedule(raski_actor *actor, int64_t delay_ms, raski_message *message_take);
/* Cancels a timer and its message; false when it has run, was cancelled, or timer is 0. */
bool raski_actor_cancel_timer(raski_actor *actor, uint64_t timer);
/* Milliseconds of the executor's clock: monotonic, from an arbitrary origin. */
int64_t raski_actor_now_ms(const raski_actor *actor);
#endif
