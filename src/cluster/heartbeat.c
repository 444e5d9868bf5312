#include "cluster/heartbeat.h"

#include "base/alloc.h"
#include "cluster/messages.h"

void raski_heartbeat_init(raski_heartbeat *heartbeat, raski_actor *actor, int64_t interval_ms,
                          int64_t timeout_ms) {
    *heartbeat =
        (raski_heartbeat){.actor = actor, .interval_ms = interval_ms, .timeout_ms = timeout_ms};
}

void raski_heartbeat_fini(raski_heartbeat *heartbeat) {
    raski_vec_free(&heartbeat->targets);
}

static raski_heartbeat_target *find(const raski_heartbeat *heartbeat, uint64_t number) {
    for (size_t i = 0; i < heartbeat->targets.count; i++)
        if (heartbeat->targets.items[i].number == number) return &heartbeat->targets.items[i];
    return NULL;
}

/* Ticks only while there is somebody to watch, so that an idle cluster has no timers. */
static void schedule_tick(raski_heartbeat *heartbeat) {
    if (heartbeat->timer == 0 && heartbeat->targets.count > 0)
        heartbeat->timer =
            raski_actor_schedule(heartbeat->actor, heartbeat->interval_ms,
                                 raski_message_create(&raski_message_heartbeat_tick));
}

void raski_heartbeat_watch(raski_heartbeat *heartbeat, uint64_t number, raski_address address) {
    raski_heartbeat_target *target = find(heartbeat, number);
    if (target == NULL) {
        raski_heartbeat_target fresh = {.number = number};
        raski_vec_push(&heartbeat->targets, fresh);
        target = &heartbeat->targets.items[heartbeat->targets.count - 1];
    }
    target->address = address;
    target->unanswered = 0;
    schedule_tick(heartbeat);
}

void raski_heartbeat_unwatch(raski_heartbeat *heartbeat, uint64_t number) {
    raski_heartbeat_target *target = find(heartbeat, number);
    if (target == NULL) return;
    *target = heartbeat->targets.items[--heartbeat->targets.count];
    if (heartbeat->targets.count > 0) return;
    (void)raski_actor_cancel_timer(heartbeat->actor, heartbeat->timer);
    heartbeat->timer = 0;
}

void raski_heartbeat_heard(raski_heartbeat *heartbeat, uint64_t number) {
    raski_heartbeat_target *target = find(heartbeat, number);
    if (target != NULL) target->unanswered = 0;
}

uint64_t raski_heartbeat_take_lost(raski_heartbeat *heartbeat) {
    for (size_t i = 0; i < heartbeat->targets.count; i++) {
        uint64_t number = heartbeat->targets.items[i].number;
        if (heartbeat->targets.items[i].unanswered * heartbeat->interval_ms < heartbeat->timeout_ms)
            continue;
        raski_heartbeat_unwatch(heartbeat, number);
        return number;
    }
    return 0;
}

void raski_heartbeat_ask_all(raski_heartbeat *heartbeat) {
    heartbeat->timer = 0;
    for (size_t i = 0; i < heartbeat->targets.count; i++) {
        raski_message *message = raski_message_create(&raski_message_ask_heartbeat);
        heartbeat->targets.items[i].unanswered++;
        raski_actor_send(heartbeat->actor, heartbeat->targets.items[i].address, message);
    }
    schedule_tick(heartbeat);
}
