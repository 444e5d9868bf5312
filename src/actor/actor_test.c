/* Actors on both executors: order, exactly one end for each message, timers, fencing, closing. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "actor/actor.h"
#include "actor/executor.h"
#include "base/alloc.h"

typedef struct ping {
    int number;
    int *token; /* owned: shows that fini runs exactly once */
} ping;

static _Atomic int live_tokens;

static void ping_fini(void *payload) {
    ping *p = payload;
    if (p->token == NULL) return;
    raski_free(p->token);
    live_tokens--;
}

static const raski_message_type ping_type = {
    .name = "ping", .payload_size = sizeof(ping), .fini = ping_fini};
static const raski_message_type lossy_ping_type = {.name = "lossy ping",
                                                   .payload_size = sizeof(ping),
                                                   .fini = ping_fini,
                                                   .delivery = RASKI_DELIVERY_LOSSY};

static raski_message *ping_create(const raski_message_type *type, int number) {
    raski_message *message = raski_message_create(type);
    ping *p = RASKI_PAYLOAD(message, ping);
    p->number = number;
    p->token = RASKI_NEW(int);
    live_tokens++;
    return message;
}

enum { SEEN_MAX = 4096 };
typedef struct recorder {
    raski_actor actor;
    int seen[SEEN_MAX];
    int count;
    bool answers;
    bool closes_itself;
} recorder;

static void recorder_receive(void *self, raski_message *message) {
    recorder *r = self;
    raski_actor_assert_self(&r->actor);
    const ping *p = RASKI_PAYLOAD(message, ping);
    assert_true(r->count < SEEN_MAX);
    r->seen[r->count++] = p->number;
    if (r->answers) raski_actor_send(&r->actor, message->reply_to, ping_create(&ping_type, -1));
    if (r->closes_itself) raski_actor_close(&r->actor);
}

static void run_all(raski_executor *executor) {
    while (raski_simulation_step(executor)) {
    }
}

static raski_executor *simulation(uint64_t seed, int64_t delay_max_ms, double loss) {
    raski_executor *executor = raski_executor_create_simulation(
        &(raski_simulation_options){.seed = seed, .delay_max_ms = delay_max_ms, .loss = loss});
    assert_int_equal(raski_executor_start(executor, NULL), RASK_OK);
    return executor;
}

static void ordered_messages_keep_their_order_whatever_the_delay(void **state) {
    (void)state;
    bool two_senders_interleave = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        raski_executor *executor = simulation(seed, 50, 0);
        recorder a = {0}, b = {0}, to = {0};
        raski_actor_init(&a.actor, executor, "a", recorder_receive, &a);
        raski_actor_init(&b.actor, executor, "b", recorder_receive, &b);
        raski_actor_init(&to.actor, executor, "to", recorder_receive, &to);
        for (int i = 0; i < 100; i++) {
            raski_actor_send(&a.actor, raski_actor_address(&to.actor), ping_create(&ping_type, i));
            raski_actor_send(&b.actor, raski_actor_address(&to.actor),
                             ping_create(&ping_type, 1000 + i));
        }
        run_all(executor);
        assert_int_equal(to.count, 200);
        int next_a = 0, next_b = 1000;
        for (int i = 0; i < to.count; i++) {
            int *next = to.seen[i] >= 1000 ? &next_b : &next_a;
            assert_int_equal(to.seen[i], (*next)++);
            two_senders_interleave |= i > 0 && to.seen[i] > 1000 && next_a < 50;
        }
        raski_actor_close(&a.actor);
        raski_actor_close(&b.actor);
        raski_actor_close(&to.actor);
        raski_executor_destroy(executor);
        assert_int_equal(live_tokens, 0);
    }
    assert_true(two_senders_interleave);
}

static void lossy_messages_may_be_lost_and_overtaken(void **state) {
    (void)state;
    raski_executor *executor = simulation(7, 50, 0.3);
    recorder to = {0};
    raski_actor_init(&to.actor, executor, "to", recorder_receive, &to);
    for (int i = 0; i < 200; i++)
        raski_actor_send(&to.actor, raski_actor_address(&to.actor),
                         ping_create(&lossy_ping_type, i));
    run_all(executor);
    assert_true(to.count > 100 && to.count < 180);
    bool overtaken = false;
    for (int i = 1; i < to.count; i++) overtaken |= to.seen[i] < to.seen[i - 1];
    assert_true(overtaken);
    raski_actor_close(&to.actor);
    raski_executor_destroy(executor);
    assert_int_equal(live_tokens, 0);
}

static void same_seed_same_run(void **state) {
    (void)state;
    int first[SEEN_MAX], count = 0;
    for (int round = 0; round < 2; round++) {
        raski_executor *executor = simulation(42, 50, 0.1);
        recorder to = {0};
        raski_actor_init(&to.actor, executor, "to", recorder_receive, &to);
        for (int i = 0; i < 200; i++)
            (void)raski_post(raski_actor_address(&to.actor), ping_create(&lossy_ping_type, i));
        run_all(executor);
        if (round == 0) {
            count = to.count;
            memcpy(first, to.seen, sizeof first);
        } else {
            assert_int_equal(to.count, count);
            assert_memory_equal(first, to.seen, (size_t)count * sizeof(int));
        }
        raski_actor_close(&to.actor);
        raski_executor_destroy(executor);
    }
    assert_int_equal(live_tokens, 0);
}

static void timers_run_in_the_order_of_their_deadlines(void **state) {
    (void)state;
    raski_executor *executor = simulation(1, 0, 0);
    recorder r = {0};
    raski_actor_init(&r.actor, executor, "r", recorder_receive, &r);
    uint64_t cancelled = 0;
    for (int i = 0; i < 50; i++) {
        int delay_ms = i * 37 % 50;
        uint64_t timer =
            raski_actor_schedule(&r.actor, delay_ms, ping_create(&ping_type, delay_ms));
        if (delay_ms == 25) cancelled = timer;
    }
    assert_true(raski_actor_cancel_timer(&r.actor, cancelled));
    assert_false(raski_actor_cancel_timer(&r.actor, cancelled));
    assert_false(raski_actor_cancel_timer(&r.actor, 0));
    run_all(executor);
    assert_int_equal(r.count, 49);
    for (int i = 1; i < r.count; i++) assert_true(r.seen[i - 1] < r.seen[i]);
    assert_int_equal(raski_executor_now_ms(executor), 49);
    /* Timers of a closed actor never run. */
    (void)raski_actor_schedule(&r.actor, 10, ping_create(&ping_type, 1));
    (void)raski_actor_schedule(&r.actor, 20, ping_create(&ping_type, 2));
    raski_actor_close(&r.actor);
    assert_int_equal(raski_executor_count(executor).timers, 0);
    assert_int_equal(live_tokens, 0);
    raski_executor_destroy(executor);
}

static void messages_for_another_epoch_or_a_closed_actor_are_cancelled(void **state) {
    (void)state;
    raski_executor *executor = simulation(1, 0, 0);
    recorder r = {.closes_itself = false};
    raski_actor_init(&r.actor, executor, "r", recorder_receive, &r);
    r.actor.epoch = 2;
    for (uint64_t epoch = 0; epoch < 4; epoch++) {
        raski_message *message = ping_create(&ping_type, (int)epoch);
        message->epoch = epoch;
        (void)raski_post(raski_actor_address(&r.actor), message);
    }
    run_all(executor);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.seen[0], 0);
    assert_int_equal(r.seen[1], 2);
    r.closes_itself = true;
    raski_address address = raski_actor_address(&r.actor);
    (void)raski_post(address, ping_create(&ping_type, 10));
    (void)raski_post(address, ping_create(&ping_type, 11));
    run_all(executor);
    assert_int_equal(r.count, 3);
    assert_int_equal(raski_executor_count(executor).cancelled, 3);
    assert_int_equal(raski_executor_count(executor).actors, 0);
    assert_int_equal(live_tokens, 0);
    raski_executor_destroy(executor);
    assert_int_equal(raski_post((raski_address){0}, ping_create(&ping_type, 12)), RASK_E_CLOSED);
    assert_int_equal(live_tokens, 0);
}

enum { POSTERS = 3, POSTS = 1000 };
typedef struct poster {
    raski_address to;
    int base;
} poster;

static void *post_many(void *argument) {
    const poster *p = argument;
    for (int i = 0; i < POSTS; i++) (void)raski_post(p->to, ping_create(&ping_type, p->base + i));
    return NULL;
}

static void loop_takes_messages_from_any_thread_in_their_order(void **state) {
    (void)state;
    raski_executor *executor = NULL;
    assert_int_equal(raski_executor_create_loop(&executor, NULL), RASK_OK);
    recorder to = {0}, asker = {0};
    to.answers = true;
    raski_actor_init(&to.actor, executor, "to", recorder_receive, &to);
    raski_actor_init(&asker.actor, executor, "asker", recorder_receive, &asker);
    /* Sent before the start: runs after it. */
    raski_actor_send(&asker.actor, raski_actor_address(&to.actor), ping_create(&ping_type, 0));
    assert_int_equal(raski_executor_start(executor, NULL), RASK_OK);
    pthread_t threads[POSTERS];
    poster posters[POSTERS];
    for (int i = 0; i < POSTERS; i++) {
        posters[i] = (poster){raski_actor_address(&to.actor), (i + 1) * 10000};
        assert_int_equal(pthread_create(&threads[i], NULL, post_many, &posters[i]), 0);
    }
    for (int i = 0; i < POSTERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    raski_executor_stop(executor);
    assert_int_equal(to.count, POSTERS * POSTS + 1);
    assert_int_equal(asker.count, 1);
    int next[POSTERS + 1] = {0};
    for (int i = 0; i < to.count; i++)
        assert_int_equal(to.seen[i] % 10000, next[to.seen[i] / 10000]++);
    assert_int_equal(raski_post(raski_actor_address(&to.actor), ping_create(&ping_type, 1)),
                     RASK_E_CLOSED);
    raski_actor_close(&to.actor);
    raski_actor_close(&asker.actor);
    raski_executor_destroy(executor);
    assert_int_equal(live_tokens, 0);
}

static void loop_that_never_started_cancels_everything(void **state) {
    (void)state;
    raski_executor *executor = NULL;
    assert_int_equal(raski_executor_create_loop(&executor, NULL), RASK_OK);
    recorder r = {0};
    raski_actor_init(&r.actor, executor, "r", recorder_receive, &r);
    (void)raski_post(raski_actor_address(&r.actor), ping_create(&ping_type, 1));
    (void)raski_actor_schedule(&r.actor, 0, ping_create(&ping_type, 2));
    raski_executor_stop(executor);
    raski_actor_close(&r.actor);
    raski_executor_destroy(executor);
    assert_int_equal(r.count, 0);
    assert_int_equal(live_tokens, 0);
}

typedef struct ticker {
    raski_actor actor;
    int ticks;
    sem_t done;
} ticker;

static void tick(void *self, raski_message *message) {
    ticker *t = self;
    (void)message;
    if (++t->ticks < 3)
        (void)raski_actor_schedule(&t->actor, 1, ping_create(&ping_type, t->ticks));
    else
        (void)sem_post(&t->done);
}

static void loop_runs_timers(void **state) {
    (void)state;
    raski_executor *executor = NULL;
    assert_int_equal(raski_executor_create_loop(&executor, NULL), RASK_OK);
    ticker t = {0};
    (void)sem_init(&t.done, 0, 0);
    raski_actor_init(&t.actor, executor, "ticker", tick, &t);
    (void)raski_actor_schedule(&t.actor, 0, ping_create(&ping_type, 0));
    int64_t start_ms = raski_executor_now_ms(executor);
    assert_int_equal(raski_executor_start(executor, NULL), RASK_OK);
    while (sem_wait(&t.done) != 0) {
    }
    assert_true(raski_executor_now_ms(executor) >= start_ms + 2);
    raski_executor_stop(executor);
    assert_int_equal(t.ticks, 3);
    raski_actor_close(&t.actor);
    raski_executor_destroy(executor);
    (void)sem_destroy(&t.done);
    assert_int_equal(live_tokens, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordered_messages_keep_their_order_whatever_the_delay),
        cmocka_unit_test(lossy_messages_may_be_lost_and_overtaken),
        cmocka_unit_test(same_seed_same_run),
        cmocka_unit_test(timers_run_in_the_order_of_their_deadlines),
        cmocka_unit_test(messages_for_another_epoch_or_a_closed_actor_are_cancelled),
        cmocka_unit_test(loop_takes_messages_from_any_thread_in_their_order),
        cmocka_unit_test(loop_that_never_started_cancels_everything),
        cmocka_unit_test(loop_runs_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
