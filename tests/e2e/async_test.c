/* Asynchronous I/O in whole jobs: requests that a few threads of the program complete in any order,
 * and what becomes of those that are late, fail or give nothing. */
#include "e2e_test_util.h"

#include <stdatomic.h>

#include <rask/testing.h>

typedef struct {
    int64_t id;
    rask_string text;
} answer;
RASK_TYPE(answer, id, text);

/* ---------------------------------------------------------------- the program's own threads */
typedef struct job {
    struct job *next;
    void *request;
    int64_t id;
} job;
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t threads[3];
    job *jobs; /* the newest first: completed in another order than begun */
    bool stop;
} pool;
static pool the_pool;
static _Atomic int under_way, most_under_way;

static void answer_request(job *j) {
    answer results[2] = {{j->id, long_text(j->id)}, {-j->id, rask_string_from("short")}};
    atomic_fetch_sub(&under_way, 1);
    rask_async_complete(rask_async_kept(answer, j->request), results, (size_t)(j->id % 3));
    free(j);
}

static void *serve(void *unused) {
    (void)unused;
    pthread_mutex_lock(&the_pool.lock);
    while (!the_pool.stop || the_pool.jobs != NULL) {
        job *j = the_pool.jobs;
        if (j == NULL) {
            pthread_cond_wait(&the_pool.changed, &the_pool.lock);
            continue;
        }
        the_pool.jobs = j->next;
        pthread_mutex_unlock(&the_pool.lock);
        answer_request(j);
        pthread_mutex_lock(&the_pool.lock);
    }
    pthread_mutex_unlock(&the_pool.lock);
    return NULL;
}

static void pool_start(void) {
    memset(&the_pool, 0, sizeof the_pool);
    pthread_mutex_init(&the_pool.lock, NULL);
    pthread_cond_init(&the_pool.changed, NULL);
    for (int i = 0; i < 3; i++) pthread_create(&the_pool.threads[i], NULL, serve, NULL);
    atomic_store(&under_way, 0);
    atomic_store(&most_under_way, 0);
}

static void pool_stop(void) {
    pthread_mutex_lock(&the_pool.lock);
    the_pool.stop = true;
    pthread_cond_broadcast(&the_pool.changed);
    pthread_mutex_unlock(&the_pool.lock);
    for (int i = 0; i < 3; i++) pthread_join(the_pool.threads[i], NULL);
    pthread_mutex_destroy(&the_pool.lock);
    pthread_cond_destroy(&the_pool.changed);
}

static void submit(void *request, int64_t id) {
    job *j = malloc(sizeof *j);
    *j = (job){.request = request, .id = id};
    int now = atomic_fetch_add(&under_way, 1) + 1;
    int most = atomic_load(&most_under_way);
    while (now > most && !atomic_compare_exchange_weak(&most_under_way, &most, now)) {
    }
    pthread_mutex_lock(&the_pool.lock);
    j->next = the_pool.jobs;
    the_pool.jobs = j;
    pthread_cond_signal(&the_pool.changed);
    pthread_mutex_unlock(&the_pool.lock);
}

/* ---------------------------------------------------------------- results */
typedef struct {
    int64_t calls;
} client;
RASK_INSTANCE(client);
RASK_ASYNC(look_up, client, self, int64_t, id, answer, request) {
    self->calls++;
    submit(rask_async_keep(request), id);
}

enum { IDS = 2000 };

static void add_answers(lines *want, int64_t id) {
    if (id % 3 >= 1) ADD(answer, want, ((answer){id, long_text(id)}));
    if (id % 3 == 2) ADD(answer, want, ((answer){-id, rask_string_from("short")}));
}

static void every_record_is_answered(void **state) {
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        FOR_EACH_MODE(s) {
            rask_env *env = env_of(s);
            lines have = {0}, want = {0};
            pool_start();
            rask_stream(int64_t) ids = rask_sequence(env, 0, IDS - 1);
            rask_stream(answer) answers =
                ordered ? rask_async_ordered(ids, look_up, .capacity = 7, .uid = "lookup")
                        : rask_async_unordered(ids, look_up, .timeout_ms = 600000);
            COLLECT(answer, answers, &have);
            pool_stop();
            for (int64_t i = 0; i < IDS; i++) add_answers(&want, i);
            assert_same_records(s, &have, &want);
            assert_in_range(atomic_load(&most_under_way), 1, (ordered ? 7 : 100) * s->parallelism);
        }
    }
}

static void ordered_means_the_records_order(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 1);
    pool_start();
    rask_iterator(answer) it = rask_execute_and_collect(
        rask_async_ordered(rask_sequence(env, 0, IDS - 1), look_up), "ids");
    int64_t id = 0;
    for (answer a; rask_next(&it, &a);) {
        if (a.id < 0) {
            assert_int_equal(a.id, -id);
            continue;
        }
        assert_true(a.id > id || a.id == 0);
        assert_true(a.id - id <= 3);
        id = a.id;
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    pool_stop();
}

/* ---------------------------------------------------------------- no answer */
static _Atomic int attempts;
static void *kept[16]; /* requests that are answered too late */
static _Atomic int kept_count;
RASK_ASYNC(forget, client, self, int64_t, id, int64_t, request) {
    (void)self;
    (void)id;
    kept[atomic_fetch_add(&kept_count, 1)] = rask_async_keep(request);
}
RASK_ASYNC(forget_kindly, client, self, int64_t, id, int64_t, request) {
    (void)self;
    (void)id;
    kept[atomic_fetch_add(&kept_count, 1)] = rask_async_keep(request);
}
RASK_ON_TIMEOUT(forget_kindly, self, id, request) {
    int64_t instead = -id;
    rask_async_complete(request, &instead, 1);
}
RASK_ASYNC(third_time, client, self, int64_t, id, int64_t, request) {
    self->calls++;
    int n = atomic_fetch_add(&attempts, 1) + 1;
    if (n == 1)
        rask_async_fail(request, "no connection");
    else
        rask_async_complete(request, &id, n >= 3);
}

static void answer_late(void) {
    const int64_t late = 99;
    for (int i = 0; i < atomic_load(&kept_count); i++)
        rask_async_complete(rask_async_kept(int64_t, kept[i]), &late, 1);
    atomic_store(&kept_count, 0);
}

static void a_timeout_fails_the_job(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 1);
    rask_job_result result;
    rask_discard(rask_async_ordered(rask_sequence(env, 1, 3), forget, .timeout_ms = 1));
    assert_int_equal(rask_execute_job(env, "late", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message,
                           "Could not complete the stream element: Async function "
                           "call has timed out."));
    rask_env_destroy(env);
    answer_late(); /* after the job: ignored */
}

static void a_timeout_may_be_answered(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 1);
    rask_iterator(int64_t) it = rask_execute_and_collect(
        rask_async_unordered(rask_sequence(env, 1, 3), forget_kindly, .timeout_ms = 1), "late");
    int64_t sum = 0;
    for (int64_t n; rask_next(&it, &n);) sum += n;
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    assert_int_equal(sum, -6);
    answer_late();
}

static void attempts_are_repeated(void **state) {
    (void)state;
    static const rask_async_retry retries[] = {
        {.max_attempts = 5, .delay_ms = 1, .on_empty = true, .on_failure = true},
        {.max_attempts = 5,
         .delay_ms = 1,
         .multiplier = 2,
         .max_delay_ms = 3,
         .on_empty = true,
         .on_failure = true},
    };
    for (size_t i = 0; i < 2; i++) {
        rask_env *env = rask_env_create(NULL, NULL);
        rask_set_parallelism(env, 1);
        atomic_store(&attempts, 0);
        rask_iterator(int64_t) it =
            rask_execute_and_collect(rask_async_ordered(rask_values(env, int64_t, 42), third_time,
                                                        .timeout_ms = 600000, .retry = retries[i]),
                                     "retried");
        int64_t got = 0, count = 0;
        for (int64_t n; rask_next(&it, &n); count++) got = n;
        assert_int_equal(rask_close(&it), RASK_EXIT_OK);
        /* At the end of the input a delayed retry is tried at once and then taken as it is. */
        assert_in_range(atomic_load(&attempts), 2, 3);
        if (count == 1) assert_int_equal(got, 42);
    }
}

static void a_failure_names_its_reason(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_job_result result;
    atomic_store(&attempts, 0);
    rask_discard(rask_async_ordered(rask_values(env, int64_t, 42), third_time));
    assert_int_equal(rask_execute_job(env, "failing", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "Could not complete the stream element: no connection"));
    rask_env_destroy(env);
}

static void expect_mistake(rask_options options, const char *text) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_job_result result;
    rask_discard(rask_async_ordered(rask_values(env, int64_t, 42), third_time,
                                    .timeout_ms = options.timeout_ms, .capacity = options.capacity,
                                    .retry = options.retry));
    assert_int_equal(rask_execute_job(env, "mistaken", &result), RASK_EXIT_FAILED);
    if (strstr(result.message, text) == NULL) fail_msg("%s", result.message);
    rask_env_destroy(env);
}

static void bad_options_are_named(void **state) {
    (void)state;
    expect_mistake((rask_options){.capacity = -1}, ".capacity is -1");
    expect_mistake((rask_options){.timeout_ms = -1}, ".timeout_ms is -1");
    expect_mistake((rask_options){.retry = {.max_attempts = 1, .delay_ms = 1}},
                   "Timeout should be configured when do async with retry.");
    expect_mistake((rask_options){.timeout_ms = 1, .retry = {.max_attempts = 1}},
                   "backoffTimeMillis should be greater than zero.");
}

static void a_cancelled_job_does_not_wait(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 1);
    rask_stream(int64_t) both = rask_union(rask_async_ordered(rask_values(env, int64_t, 1), forget),
                                           rask_values(env, int64_t, 7));
    rask_iterator(int64_t) it = rask_execute_and_collect(both, "waiting");
    int64_t n = 0;
    assert_true(rask_next(&it, &n));
    assert_int_equal(n, 7);
    assert_int_equal(rask_close(&it), RASK_EXIT_OK); /* cancels it */
    answer_late();
}

/* What is under way is asked for again. */
static void records_under_way_are_saved(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(int64_t) ids = rask_test_input(env, int64_t);
    rask_stream(int64_t) answers = rask_async_ordered(ids, forget);
    rask_harness *h = rask_harness_create(answers);
    for (int64_t id = 1; id <= 3; id++)
        assert_int_equal(rask_harness_push(h, int64_t, 10 * id, id), RASK_OK);
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(rask_harness_snapshot(h, &bytes, &size), RASK_OK);
    rask_harness_destroy(h);
    answer_late();
    const void *const snapshots[] = {bytes};
    h = rask_harness_restore(answers, snapshots, &size, 1);
    assert_string_equal(rask_harness_message(h), "");
    assert_int_equal(atomic_load(&kept_count), 3);
    answer_late(); /* in time now */
    assert_int_equal(rask_harness_watermark(h, 5), RASK_OK);
    assert_int_equal(rask_harness_end(h), RASK_OK);
    assert_string_equal(rask_harness_text(h), "99 @ 10\n99 @ 20\n99 @ 30\nwatermark 5\n");
    rask_harness_destroy(h);
    free(bytes);
    rask_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_is_answered),
        cmocka_unit_test(ordered_means_the_records_order),
        cmocka_unit_test(a_timeout_fails_the_job),
        cmocka_unit_test(a_timeout_may_be_answered),
        cmocka_unit_test(attempts_are_repeated),
        cmocka_unit_test(a_failure_names_its_reason),
        cmocka_unit_test(records_under_way_are_saved),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(a_cancelled_job_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
