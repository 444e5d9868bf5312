/* executor_private.h - what the two executors share: the register of actors, timers, delivery. */
#ifndef RASKI_ACTOR_EXECUTOR_PRIVATE_H
#define RASKI_ACTOR_EXECUTOR_PRIVATE_H
#include "actor/actor.h"
#include "actor/executor.h"
#include "base/map.h"
#include "base/vec.h"

/* Slots run on the executor's thread unless noted. */
typedef struct raski_executor_ops {
    size_t size; /* sizeof this struct */
    const char *name;
    uint32_t version;
    /* Any thread, never blocks; false: refused, the message stays the caller's. */
    bool (*enqueue)(raski_executor *executor, raski_message *message);
    int64_t (*now_ms)(const raski_executor *executor); /* any thread */
    bool (*on_thread)(const raski_executor *executor); /* any thread */
    void (*timers_changed)(raski_executor *executor);  /* the earliest deadline may be another */
    rask_status (*start)(raski_executor *executor, raski_error *err); /* owner */
    void (*stop)(raski_executor *executor);                           /* owner; blocks */
    void (*destroy)(raski_executor *executor);         /* owner; after stop; frees the executor */
    size_t (*waiting)(const raski_executor *executor); /* messages accepted and not run */
} raski_executor_ops;

/* A message for later. Ordered by (deadline, tie, sequence). */
typedef struct raski_timer_entry {
    int64_t deadline_ms;
    uint64_t tie;      /* simulation: random, so that order at one instant is too; loop: 0 */
    uint64_t sequence; /* also the timer's id */
    bool is_timer;     /* false: a message on its way (simulation) */
    raski_message *message;
} raski_timer_entry;

typedef struct raski_timer_heap {
    raski_timer_entry *items;
    size_t count, capacity;
} raski_timer_heap;

struct raski_executor {
    const raski_executor_ops *ops;
    raski_map actors; /* id -> raski_actor * */
    uint64_t last_actor_id;
    uint64_t last_sequence;
    raski_timer_heap timers;
    const raski_actor *running; /* whose message runs now */
    uint64_t delivered, cancelled;
    bool started, stopped;
};

void raski_executor_init(raski_executor *executor, const raski_executor_ops *ops);
void raski_executor_fini(raski_executor *executor);

/* Runs or cancels a message; takes it. */
void raski_executor_deliver(raski_executor *executor, raski_message *message_take);

void raski_timer_heap_push(raski_timer_heap *heap, raski_timer_entry entry);
/* Removes the first entry; the heap must not be empty. */
raski_timer_entry raski_timer_heap_pop(raski_timer_heap *heap);
/* Removes entry `place` of items, wherever it is. */
raski_timer_entry raski_timer_heap_remove(raski_timer_heap *heap, size_t place);
#endif
