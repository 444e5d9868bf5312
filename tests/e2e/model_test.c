/* Interval joins and timers against slow, obvious models: a list of records that is scanned. Random
 * programs on both state backends with snapshots in between, and whole jobs at parallelism 1 and 3.
 *
 *   RASK_SEED=n RASK_CASES=m test_e2e_model      other or more cases */
#include "e2e_test_util.h"

#include <rask/testing.h>

typedef struct {
    rask_string key;
    int64_t id;
    rask_timestamp at;
} item;
RASK_TYPE(item, key, id, (at, rask_timestamp));
typedef struct {
    rask_string key;
    int64_t left, right;
} pair;
RASK_TYPE(pair, key, left, right);
RASK_SIDE_OUTPUT(left_late, item);
RASK_SIDE_OUTPUT(right_late, item);
RASK_INTERVAL_JOIN(make_pair, item, l, item, r, pair, out) {
    rask_emit(out, (pair){l.key, l.id, r.id});
}

static uint64_t state;
static int64_t below(int64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}
static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}
static const char *const keys[] = {"a", "b", "a key of more than twelve bytes"};

static void add_text(lines *l, const char *text) {
    char *copy = strdup(text), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        lines_add(l, "%s", line);
    free(copy);
}

static void assert_same(uint64_t seed, const char *what, const char *have_text, lines *want) {
    lines have = {0};
    add_text(&have, have_text);
    lines_sort(&have);
    lines_sort(want);
    bool same = have.count == want->count;
    for (size_t i = 0; same && i < have.count; i++)
        same = strcmp(have.items[i], want->items[i]) == 0;
    if (!same) {
        for (size_t i = 0; i < have.count; i++) fprintf(stderr, "have %s\n", have.items[i]);
        for (size_t i = 0; i < want->count; i++) fprintf(stderr, "want %s\n", want->items[i]);
        fail_msg("RASK_SEED=%llu RASK_CASES=1 at %s", (unsigned long long)seed, what);
    }
    lines_free(&have);
    lines_free(want);
}

static rask_harness *go_on_from_snapshot(rask_harness *h, raski_stream *stream) {
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(rask_harness_snapshot(h, &bytes, &size), RASK_OK);
    rask_harness_destroy(h);
    const void *const snapshots[] = {bytes};
    const rask_harness_options options = {0};
    h = raski_harness_restore(stream, snapshots, &size, 1, &options, sizeof options);
    assert_string_equal(rask_harness_message(h), "");
    free(bytes);
    return h;
}

/* ---------------------------------------------------------------- interval joins */
enum { RECORDS_MAX = 400 };
typedef struct {
    int64_t lower, upper; /* both included */
    int64_t watermark;
    struct {
        unsigned side;
        const char *key;
        int64_t id, at;
    } records[RECORDS_MAX];
    size_t count;
} join_model;

static bool is_gone(const join_model *m, size_t i) {
    const int64_t reach = m->records[i].side == 0 ? m->upper : -m->lower;
    return m->watermark >= m->records[i].at + (reach > 0 ? reach : 0);
}

static void model_record(join_model *m, unsigned side, const char *key, int64_t id, int64_t at,
                         lines *want) {
    if (at < m->watermark) {
        lines_add(want, "%s: (%s,%lld,%lld) @ %lld", side == 0 ? "left_late" : "right_late", key,
                  (long long)id, (long long)at, (long long)at);
        return;
    }
    for (size_t i = 0; i < m->count; i++) {
        if (m->records[i].side == side || strcmp(m->records[i].key, key) != 0) continue;
        const int64_t other = m->records[i].at;
        const int64_t distance = side == 0 ? other - at : at - other; /* right minus left */
        if (distance < m->lower || distance > m->upper) continue;
        lines_add(
            want, "(%s,%lld,%lld) @ %lld", key, (long long)(side == 0 ? id : m->records[i].id),
            (long long)(side == 0 ? m->records[i].id : id), (long long)(other > at ? other : at));
    }
    assert_in_range(m->count, 0, RECORDS_MAX - 1);
    m->records[m->count].side = side;
    m->records[m->count].key = key;
    m->records[m->count].id = id;
    m->records[m->count++].at = at;
}

static void run_join_case(uint64_t seed, const char *backend) {
    state = seed;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_option(env, "state.backend.type", backend);
    const bool exclusive[2] = {below(3) == 0, below(3) == 0};
    const int64_t lower = below(21) - 10, upper = lower + below(12);
    join_model m = {
        .lower = lower + exclusive[0], .upper = upper - exclusive[1], .watermark = INT64_MIN};
    rask_stream(pair) out = rask_interval_join(
        rask_key_by(rask_test_input(env, item), key), rask_key_by(rask_test_input(env, item), key),
        make_pair, .lower_ms = lower, .upper_ms = upper, .lower_exclusive = exclusive[0],
        .upper_exclusive = exclusive[1], .left_late = rask_late(left_late),
        .right_late = rask_late(right_late));
    rask_harness *h = rask_harness_create(out);
    int64_t now = 0;
    const int64_t steps = 20 + below(150);
    for (int64_t step = 0; step < steps; step++) {
        lines want = {0};
        const int64_t what = below(20);
        if (what < 15) {
            const unsigned side = (unsigned)below(2);
            const char *key = keys[below(3)];
            const int64_t at = now + below(25) - 12;
            model_record(&m, side, key, step, at, &want);
            assert_int_equal(
                rask_harness_push_to(h, side, item, at, {rask_string_from(key), step, at}),
                RASK_OK);
        } else if (what < 19) {
            now += below(12);
            if (now - 8 > m.watermark) m.watermark = now - 8;
            /* Nothing is removed between watermarks, also when it comes with the last one's time.
             */
            for (size_t i = m.count; i-- > 0;)
                if (is_gone(&m, i)) m.records[i] = m.records[--m.count];
            lines_add(&want, "watermark %lld", (long long)m.watermark);
            assert_int_equal(rask_harness_watermark_of(h, 0, m.watermark), RASK_OK);
            assert_string_equal(rask_harness_text(h), "");
            assert_int_equal(rask_harness_watermark_of(h, 1, m.watermark), RASK_OK);
            now++; /* the next one is higher */
        } else {
            h = go_on_from_snapshot(h, out.node);
            m.watermark = INT64_MIN; /* event time begins anew */
        }
        assert_string_equal(rask_harness_message(h), "");
        assert_same(seed, "a join's step", rask_harness_text(h), &want);
    }
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void interval_joins_equal_the_model(void **unused) {
    (void)unused;
    const uint64_t first = number_of("RASK_SEED", 1), cases = number_of("RASK_CASES", 1000);
    for (uint64_t seed = first; seed < first + cases; seed++) {
        run_join_case(seed, "hashmap");
        if (seed % 50 == 0) run_join_case(seed, "rocksdb");
    }
}

/* ---------------------------------------------------------------- timers */
typedef struct {
    rask_string key;
    int64_t what, time; /* 0: register event, 1: delete event, 2: register processing, 3: delete */
} command;
RASK_TYPE(command, key, what, time);
typedef struct {
    rask_list_state(int64_t) fired;
} clockwork;
RASK_STATE(clockwork, fired);
RASK_KEYED_PROCESS(tick, clockwork, self, command, c, rask_string, out) {
    (void)self;
    if (c.what == 0) rask_register_event_timer(out, c.time);
    if (c.what == 1) rask_delete_event_timer(out, c.time);
    if (c.what == 2) rask_register_processing_timer(out, c.time);
    if (c.what == 3) rask_delete_processing_timer(out, c.time);
}
/* Every third one registers another, seven later or (each ninth) five earlier. */
static int64_t follows(int64_t time) {
    return time % 9 == 0 ? time - 5 : time % 3 == 0 ? time + 7 : 0;
}
RASK_ON_TIMER(tick, self, timer, out) {
    rask_list_add(self->fired, timer.time_ms);
    const rask_string key = *rask_key(out, rask_string);
    rask_emit(out,
              rask_string_format("%.*s %c %lld #%u", RASK_STR(key), timer.processing ? 'P' : 'E',
                                 (long long)timer.time_ms, rask_list_count(self->fired)));
    const int64_t next = follows(timer.time_ms);
    if (next == 0) return;
    if (timer.processing)
        rask_register_processing_timer(out, next);
    else
        rask_register_event_timer(out, next);
}

enum { TIMERS_MAX = 2000 };
typedef struct {
    struct {
        int key;
        bool processing;
        int64_t time;
    } timers[TIMERS_MAX];
    size_t count;
    unsigned fired[3];
} timer_model;

static size_t find(const timer_model *m, int key, bool processing, int64_t time) {
    for (size_t i = 0; i < m->count; i++)
        if (m->timers[i].key == key && m->timers[i].processing == processing &&
            m->timers[i].time == time)
            return i;
    return m->count;
}
static void set(timer_model *m, int key, bool processing, int64_t time, bool wanted) {
    const size_t i = find(m, key, processing, time);
    if (wanted && i == m->count) {
        assert_in_range(m->count, 0, TIMERS_MAX - 1);
        m->timers[m->count].key = key;
        m->timers[m->count].processing = processing;
        m->timers[m->count++].time = time;
    } else if (!wanted && i < m->count) {
        m->timers[i] = m->timers[--m->count];
    }
}
/* Fires a key's timers in order; other keys' go in between as they like. */
static void fire_until(timer_model *m, bool processing, int64_t until, lines *want) {
    for (;;) {
        size_t least = m->count;
        for (size_t i = 0; i < m->count; i++)
            if (m->timers[i].processing == processing && m->timers[i].time <= until &&
                (least == m->count || m->timers[i].time < m->timers[least].time))
                least = i;
        if (least == m->count) return;
        const int key = m->timers[least].key;
        const int64_t time = m->timers[least].time;
        m->timers[least] = m->timers[--m->count];
        char stamp[32] = "";
        if (!processing) (void)snprintf(stamp, sizeof stamp, " @ %lld", (long long)time);
        lines_add(want, "%s %c %lld #%u%s", keys[key], processing ? 'P' : 'E', (long long)time,
                  ++m->fired[key], stamp);
        if (follows(time) != 0) set(m, key, processing, follows(time), true);
    }
}

static void run_timer_case(uint64_t seed, const char *backend) {
    state = seed;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_option(env, "state.backend.type", backend);
    rask_stream(rask_string) out =
        rask_process(rask_key_by(rask_test_input(env, command), key), tick);
    rask_harness *h = rask_harness_create(out);
    timer_model m = {0};
    int64_t now[2] = {1000, 1000};
    const int64_t steps = 20 + below(200);
    for (int64_t step = 0; step < steps; step++) {
        lines want = {0};
        const int64_t what = below(20);
        if (what < 14) {
            const int key = (int)below(3);
            const int64_t kind = below(4), time = now[kind / 2] + below(40) - 5;
            set(&m, key, kind >= 2, time, kind % 2 == 0);
            assert_int_equal(
                rask_harness_push(h, command, 1, {rask_string_from(keys[key]), kind, time}),
                RASK_OK);
        } else if (what < 17) {
            now[0] += 1 + below(20);
            fire_until(&m, false, now[0], &want);
            lines_add(&want, "watermark %lld", (long long)now[0]);
            assert_int_equal(rask_harness_watermark(h, now[0]), RASK_OK);
        } else if (what < 19) {
            now[1] += 1 + below(20);
            fire_until(&m, true, now[1], &want);
            assert_int_equal(rask_harness_set_time(h, now[1]), RASK_OK);
        } else {
            h = go_on_from_snapshot(h, out.node);
        }
        assert_string_equal(rask_harness_message(h), "");
        assert_same(seed, "a timers' step", rask_harness_text(h), &want);
        size_t events = 0;
        for (size_t i = 0; i < m.count; i++) events += !m.timers[i].processing;
        assert_int_equal(rask_harness_timers(h, false), events);
        assert_int_equal(rask_harness_timers(h, true), m.count - events);
    }
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void timers_equal_the_model(void **unused) {
    (void)unused;
    const uint64_t first = number_of("RASK_SEED", 1), cases = number_of("RASK_CASES", 1000);
    for (uint64_t seed = first; seed < first + cases; seed++) {
        run_timer_case(seed, "hashmap");
        if (seed % 50 == 0) run_timer_case(seed, "rocksdb");
    }
}

/* ---------------------------------------------------------------- whole jobs */
enum { JOB_RECORDS = 900, JOB_LATENESS = 30 };
/* Times run ahead by one a record, out of order. */
static item job_item(int64_t i) {
    return (item){rask_string_from(keys[i * 7 % 3]), i, i + i * 31 % JOB_LATENESS};
}
RASK_MAP(make_item, int64_t, i, item) {
    return job_item(i);
}
RASK_FILTER(is_even, item, i) {
    return i.id % 2 == 0;
}
RASK_FILTER(is_odd, item, i) {
    return i.id % 2 != 0;
}

static void jobs_join_what_the_model_joins(void **unused) {
    (void)unused;
    static const char *const backends[] = {"hashmap", "rocksdb"};
    for (int parallelism = 1; parallelism <= 3; parallelism += 2)
        for (int b = 0; b < 2; b++) {
            const setting s = {
                .parallelism = parallelism, .chaining = true, .buffer_timeout_ms = 0};
            rask_env *env = env_of(&s);
            rask_set_option(env, "state.backend.type", backends[b]);
            rask_set_option(env, "pipeline.auto-watermark-interval", "1 ms");
            lines have = {0}, want = {0};
            rask_stream(item) items = rask_assign_timestamps(
                rask_map(rask_sequence(env, 0, JOB_RECORDS - 1, .parallelism = 1), make_item,
                         .parallelism = 1),
                at, .max_out_of_orderness_ms = JOB_LATENESS, .parallelism = 1);
            COLLECT(pair,
                    rask_interval_join(rask_key_by(rask_filter(items, is_even), key),
                                       rask_key_by(rask_filter(items, is_odd), key), make_pair,
                                       .lower_ms = -4, .upper_ms = 9),
                    &have);
            for (int64_t l = 0; l < JOB_RECORDS; l += 2)
                for (int64_t r = 1; r < JOB_RECORDS; r += 2) {
                    const item a = job_item(l), c = job_item(r);
                    const int64_t distance = c.at - a.at;
                    if (rask_string_equal(a.key, c.key) && distance >= -4 && distance <= 9)
                        ADD(pair, &want, ((pair){a.key, l, r}));
                }
            assert_same_records(&s, &have, &want);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_joins_equal_the_model),
        cmocka_unit_test(timers_equal_the_model),
        cmocka_unit_test(jobs_join_what_the_model_joins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
