/* heartbeat.h - who is still there. An actor asks its targets now and then; one that has left as
 * many questions in a row unanswered as fit into the timeout is lost. Questions are counted, not
 * time: a process that was stopped for an hour (Ctrl-Z) and goes on has lost nobody.
 * Flink: runtime.heartbeat.HeartbeatManager. Threads: the actor's. */
#ifndef RASKI_CLUSTER_HEARTBEAT_H
#define RASKI_CLUSTER_HEARTBEAT_H
#include "actor/actor.h"
#include "base/vec.h"

typedef struct raski_heartbeat_target {
    uint64_t number;
    raski_address address;
    int64_t unanswered; /* questions since it was last heard of */
} raski_heartbeat_target;

typedef struct raski_heartbeat {
    raski_actor *actor; /* gets a raski_message_heartbeat_tick each interval */
    int64_t interval_ms, timeout_ms;
    RASKI_VEC(raski_heartbeat_target) targets;
    uint64_t timer;
} raski_heartbeat;

void raski_heartbeat_init(raski_heartbeat *heartbeat, raski_actor *actor, int64_t interval_ms,
                          int64_t timeout_ms);
void raski_heartbeat_fini(raski_heartbeat *heartbeat);
/* Watches a target, or notes where it is now. */
void raski_heartbeat_watch(raski_heartbeat *heartbeat, uint64_t number, raski_address address);
void raski_heartbeat_unwatch(raski_heartbeat *heartbeat, uint64_t number);
/* It was heard of. */
void raski_heartbeat_heard(raski_heartbeat *heartbeat, uint64_t number);
/* At each tick: asks all. Returns the number of one target that is lost, and does not watch it any
 * more; 0: no other is. */
uint64_t raski_heartbeat_take_lost(raski_heartbeat *heartbeat);
void raski_heartbeat_ask_all(raski_heartbeat *heartbeat);
#endif
