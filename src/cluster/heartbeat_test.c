/* Who counts as lost: those that do not answer, not those that could not be asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actor/executor.h"
#include "cluster/heartbeat.h"
#include "cluster/messages.h"

typedef struct watcher {
    raski_actor actor;
    raski_heartbeat heartbeat;
    uint64_t lost[8];
    size_t lost_count;
    int asked;
    bool stops;
} watcher;

static void watch(void *self, raski_message *message) {
    watcher *w = self;
    if (message->type == &raski_message_heartbeat_tick) {
        for (uint64_t lost; (lost = raski_heartbeat_take_lost(&w->heartbeat)) != 0;)
            w->lost[w->lost_count++] = lost;
        raski_heartbeat_ask_all(&w->heartbeat);
    } else if (message->type == &raski_message_heartbeat) {
        raski_heartbeat_heard(&w->heartbeat,
                              RASKI_PAYLOAD(message, raski_heartbeat_message)->task_executor);
    } else {
        w->stops = true;
    }
}

typedef struct watched {
    raski_actor actor;
    uint64_t number;
    bool is_silent;
    int asked;
} watched;

static void answer(void *self, raski_message *message) {
    watched *w = self;
    w->asked++;
    if (w->is_silent) return;
    raski_message *heartbeat = raski_message_create(&raski_message_heartbeat);
    RASKI_PAYLOAD(heartbeat, raski_heartbeat_message)->task_executor = w->number;
    raski_actor_send(&w->actor, message->reply_to, heartbeat);
}

static void run_for(watcher *w, raski_executor *executor, int64_t ms) {
    static const raski_message_type stop = {.name = "stop"};
    w->stops = false;
    (void)raski_actor_schedule(&w->actor, ms, raski_message_create(&stop));
    while (!w->stops && raski_simulation_step(executor)) {
    }
}

static void open_both(watcher *w, watched *targets, raski_executor **ret_executor) {
    raski_executor *executor =
        raski_executor_create_simulation(&(raski_simulation_options){.seed = 1});
    *w = (watcher){0};
    raski_actor_init(&w->actor, executor, "watcher", watch, w);
    raski_heartbeat_init(&w->heartbeat, &w->actor, 10, 50);
    for (size_t i = 0; i < 2; i++) {
        targets[i] = (watched){.number = i + 1};
        raski_actor_init(&targets[i].actor, executor, "watched", answer, &targets[i]);
        raski_heartbeat_watch(&w->heartbeat, i + 1, raski_actor_address(&targets[i].actor));
    }
    assert_int_equal(raski_executor_start(executor, NULL), RASK_OK);
    *ret_executor = executor;
}

static void close_both(watcher *w, watched *targets, raski_executor *executor) {
    raski_actor_close(&w->actor);
    raski_actor_close(&targets[0].actor);
    raski_actor_close(&targets[1].actor);
    raski_heartbeat_fini(&w->heartbeat);
    raski_executor_destroy(executor);
}

static void a_silent_target_is_lost_once(void **state) {
    (void)state;
    raski_executor *executor = NULL;
    watcher w;
    watched targets[2];
    open_both(&w, targets, &executor);
    run_for(&w, executor, 1000);
    assert_int_equal(w.lost_count, 0);
    targets[1].is_silent = true;
    run_for(&w, executor, 45);
    assert_int_equal(w.lost_count, 0);
    run_for(&w, executor, 1000);
    assert_int_equal(w.lost_count, 1);
    assert_int_equal(w.lost[0], 2);
    assert_true(targets[1].asked < targets[0].asked);
    close_both(&w, targets, executor);
}

static void who_was_not_asked_is_not_lost(void **state) {
    (void)state;
    raski_executor *executor = NULL;
    watcher w;
    watched targets[2];
    open_both(&w, targets, &executor);
    raski_heartbeat_ask_all(&w.heartbeat); /* and then nothing runs for a long time */
    assert_int_equal(raski_heartbeat_take_lost(&w.heartbeat), 0);
    close_both(&w, targets, executor);
}

static void without_targets_there_are_no_ticks(void **state) {
    (void)state;
    raski_executor *executor = NULL;
    watcher w;
    watched targets[2];
    open_both(&w, targets, &executor);
    assert_int_equal(raski_executor_count(executor).timers, 1);
    raski_heartbeat_unwatch(&w.heartbeat, 1);
    raski_heartbeat_unwatch(&w.heartbeat, 2);
    assert_int_equal(raski_executor_count(executor).timers, 0);
    close_both(&w, targets, executor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_target_is_lost_once),
        cmocka_unit_test(who_was_not_asked_is_not_lost),
        cmocka_unit_test(without_targets_there_are_no_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
