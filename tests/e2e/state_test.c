/* Keyed state of every kind in whole jobs, on both backends, compared with a plain C model; what is
 * said when state does not fit or a backend cannot start. */
#include "e2e_test_util.h"

enum { KEYS = 3000, RECORDS = 30000, PAGES = 7 };

typedef struct {
    int64_t key, number;
    rask_string page;
} visit;
RASK_TYPE(visit, key, number, page);
typedef struct {
    int64_t visits, last;
    rask_string text;
} page_state;
RASK_TYPE(page_state, visits, last, text);
typedef struct {
    int64_t key, count, largest, listed, pages, page_visits;
    rask_string first, text;
} summary;
RASK_TYPE(summary, key, count, largest, listed, pages, page_visits, first, text);

static char pages[PAGES][40];
static void make_pages(void) {
    for (int p = 0; p < PAGES; p++)
        (void)snprintf(pages[p], sizeof pages[p],
                       p % 2 ? "a page with a long name, number %d" : "p%d", p);
}
static visit visit_of(int64_t i) {
    uint64_t z = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    return (visit){(int64_t)(z >> 40) % KEYS, i % 1000, rask_string_from(pages[(z >> 20) % PAGES])};
}
RASK_MAP(make_visit, int64_t, i, visit) {
    return visit_of(i);
}

static inline int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}
typedef struct {
    rask_value(int64_t) count;
    rask_value(rask_string) first;
    rask_list_state(visit) last;
    rask_map_state(rask_string, page_state) pages;
    rask_map_state(int64_t, int64_t) numbers;
    rask_reducing_state(int64_t, larger) largest;
} visitor;
RASK_STATE(visitor, count, first, (last, visit), (pages, rask_string, page_state), numbers,
           largest);

/* Forgets a key at each 20th visit; keeps the last 5 visits. */
RASK_KEYED_PROCESS(summarize, visitor, self, visit, v, summary, out) {
    int64_t count = ++*rask_ref(self->count);
    if (rask_get(self->first) == NULL) rask_set(self->first, v.page);
    rask_list_add(self->last, v);
    if (rask_list_count(self->last) > 5) rask_list_remove(self->last, 0, 1);
    page_state *page = rask_map_ref(self->pages, v.page);
    page->visits++;
    page->last = v.number;
    page->text = rask_string_format("visit %lld of this page", (long long)page->visits);
    rask_map_put(self->numbers, v.number % 3, v.number);
    if (v.number % 11 == 0) (void)rask_map_remove(self->numbers, v.number % 3);
    rask_add(self->largest, larger, v.number);
    summary s = {.key = v.key, .count = count, .largest = *rask_get(self->largest)};
    for (uint32_t i = 0; i < rask_list_count(self->last); i++)
        s.listed += rask_list_items(self->last)[i].number;
    rask_map_each(self->pages, e) {
        s.pages++;
        s.page_visits += e.value->visits * (int64_t)e.key->len;
    }
    s.pages += 100 * rask_map_count(self->numbers) +
               1000 * rask_map_contains(self->pages, rask_string_from("p0"));
    s.first = rask_get_or(self->first, v.page);
    s.text = rask_map_get(self->pages, v.page)->text;
    rask_emit(out, s);
    if (count < 20) return;
    rask_clear(self->count);
    rask_clear(self->first);
    rask_clear(self->last);
    rask_clear(self->pages);
    rask_clear(self->numbers);
    rask_clear(self->largest);
}

typedef struct {
    int64_t count, largest, last[6], last_count;
    rask_string first;
    int64_t visits[PAGES], numbers[3];
} model_state;

static void model(lines *want) {
    model_state *states = calloc(KEYS, sizeof *states);
    assert_non_null(states);
    for (int64_t i = 0; i < RECORDS; i++) {
        visit v = visit_of(i);
        model_state *m = &states[v.key];
        int p = 0;
        while (!rask_string_is(v.page, pages[p])) p++;
        if (m->count++ == 0) {
            m->first = v.page;
            m->largest = v.number;
        }
        m->largest = larger(m->largest, v.number);
        m->last[m->last_count++] = v.number;
        if (m->last_count > 5)
            memmove(m->last, m->last + 1, (size_t)--m->last_count * sizeof *m->last);
        m->visits[p]++;
        m->numbers[v.number % 3] = v.number % 11 != 0;
        summary s = {.key = v.key, .count = m->count, .largest = m->largest, .first = m->first};
        for (int64_t k = 0; k < m->last_count; k++) s.listed += m->last[k];
        for (int k = 0; k < PAGES; k++) {
            s.pages += m->visits[k] > 0;
            s.page_visits += m->visits[k] * (int64_t)strlen(pages[k]);
        }
        for (int k = 0; k < 3; k++) s.pages += 100 * m->numbers[k];
        s.pages += 1000 * (m->visits[0] > 0);
        char text[64];
        (void)snprintf(text, sizeof text, "visit %lld of this page", (long long)m->visits[p]);
        s.text = rask_string_from(text);
        ADD(summary, want, s);
        if (m->count == 20) *m = (model_state){0};
    }
    free(states);
}

static const char *const BACKENDS[] = {"hashmap", "rocksdb"};
static rask_env *env_on(const char *backend, int parallelism) {
    rask_env *env = env_with_parallelism(parallelism);
    rask_set_option(env, "state.backend.type", backend);
    /* so little that most keys are on disk most of the time */
    rask_set_option(env, "state.backend.rocksdb.memory.fixed-per-slot", "1mb");
    return env;
}
static rask_stream(visit) visits(rask_env *env) {
    return rask_map(rask_sequence(env, 0, RECORDS - 1, .parallelism = 1), make_visit,
                    .parallelism = 1);
}

static void every_kind_of_state_on_both_backends(void **state) {
    (void)state;
    lines want = {0};
    model(&want);
    for (size_t b = 0; b < 2; b++) {
        for (int parallelism = 1; parallelism <= 3; parallelism += 2) {
            rask_env *env = env_on(BACKENDS[b], parallelism);
            rask_stream(visit) in = visits(env);
            rask_keyed(visit) keyed = rask_key_by(in, key);
            rask_stream(summary) results = rask_process(keyed, summarize);
            lines have = {0}, wanted = lines_copy(&want);
            COLLECT(summary, results, &have);
            setting s = {.parallelism = parallelism};
            assert_same_records(&s, &have, &wanted);
        }
    }
    lines_free(&want);
}

/* ---------------------------------------------------------------- built-in aggregations */
RASK_REDUCE(longest, visit, a, b) {
    return (visit){a.key, a.number + b.number, a.page.len >= b.page.len ? a.page : b.page};
}
static void collect_aggregations(rask_env *env, lines *have) {
    rask_stream(visit) in = visits(env);
    rask_keyed(visit) by_key = rask_key_by(in, key);
    rask_keyed(visit) by_page = rask_key_by(in, page, key);
    rask_stream(visit) all = rask_union(rask_sum(by_key, number), rask_max_by(by_key, number),
                                        rask_reduce(by_page, longest), rask_min(by_page, number));
    COLLECT(visit, all, have);
}
static void aggregations_are_the_same_on_both_backends(void **state) {
    (void)state;
    lines want = {0}, have = {0};
    collect_aggregations(env_on(BACKENDS[0], 1), &want);
    collect_aggregations(env_on(BACKENDS[1], 1), &have);
    assert_int_equal(want.count, 4 * RECORDS);
    setting s = {.parallelism = 1};
    assert_same_records(&s, &have, &want);
}

/* ---------------------------------------------------------------- all keys */
typedef struct {
    rask_value(int64_t) sum;
    int64_t seen;
} adder;
RASK_STATE(adder, sum);
/* At the last record of its subtask, all keys; keys with an odd sum are forgotten on the way. */
RASK_KEYED_PROCESS(sum_all, adder, self, visit, v, int64_t, out) {
    *rask_ref(self->sum) += v.number;
    if (++self->seen != RECORDS && self->seen != RECORDS / 2) return;
    int64_t all = 0, keys = 0;
    rask_each_key(out, self->sum) {
        all += *rask_get(self->sum) * (1 + *rask_key(out, int64_t) % 5);
        keys++;
        if (*rask_get(self->sum) % 2 != 0) rask_clear(self->sum);
    }
    rask_emit(out, all);
    rask_emit(out, keys);
}
static void loops_over_all_keys(void **state) {
    (void)state;
    static int64_t sums[KEYS];
    static bool known[KEYS];
    int64_t all[2] = {0}, keys[2] = {0};
    for (int64_t i = 0; i < RECORDS; i++) {
        visit v = visit_of(i);
        sums[v.key] += v.number;
        known[v.key] = true;
        int half = i + 1 == RECORDS;
        if (!half && i + 1 != RECORDS / 2) continue;
        for (int64_t k = 0; k < KEYS; k++) {
            if (!known[k]) continue;
            all[half] += sums[k] * (1 + k % 5);
            keys[half]++;
            if (sums[k] % 2 == 0) continue;
            sums[k] = 0;
            known[k] = false;
        }
    }
    for (size_t b = 0; b < 2; b++) {
        rask_env *env = env_on(BACKENDS[b], 1);
        rask_stream(visit) in = visits(env);
        rask_keyed(visit) keyed = rask_key_by(in, key);
        lines have = {0}, want = {0};
        COLLECT(int64_t, rask_process(keyed, sum_all), &have);
        for (int half = 0; half < 2; half++) {
            ADD(int64_t, &want, all[half]);
            ADD(int64_t, &want, keys[half]);
        }
        setting s = {.parallelism = 1};
        assert_same_sequence(&s, &have, &want);
    }
}

/* ---------------------------------------------------------------- when it does not fit */
typedef struct {
    rask_list_state(int64_t) all;
} hoarder;
RASK_STATE(hoarder, all);
RASK_KEYED_PROCESS(hoard, hoarder, self, int64_t, n, int64_t, out) {
    (void)out;
    rask_list_add(self->all, n);
}
RASK_KEY(modulo, int64_t, n, int64_t) {
    return n % 1000;
}
static rask_env *hoarding(const char *backend) {
    rask_env *env = env_on(backend, 1);
    rask_stream(int64_t) in = rask_sequence(env, 1, 2000000);
    rask_keyed(int64_t) keyed = rask_key_by_fn(in, modulo);
    rask_discard(rask_process(keyed, hoard, .name = "hoard"));
    return env;
}
static void state_beyond_the_limit_fails_the_job(void **state) {
    (void)state;
    rask_env *env = hoarding("hashmap");
    rask_set_option(env, "taskmanager.memory.task.heap.size", "4mb");
    rask_job_result result;
    assert_int_not_equal(rask_execute_job(env, "test", &result), 0);
    static const char *const parts[] = {"hoard", "\"all\"", "4194304 bytes",
                                        "taskmanager.memory.task.heap.size",
                                        "state.backend.type: rocksdb"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(result.message, parts[i]) == NULL)
            fail_msg("\"%s\" is not in: %s", parts[i], result.message);
    rask_env_destroy(env);
}

static void a_store_that_cannot_start_says_why(void **state) {
    (void)state;
    rask_env *env = hoarding("rocksdb");
    rask_set_option(env, "state.backend.rocksdb.localdir", "/proc/no/such");
    assert_fails(env, "/proc/no");
    env = hoarding("forst");
    assert_fails(env, "forst");
}

int main(void) {
    make_pages();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_state_on_both_backends),
        cmocka_unit_test(aggregations_are_the_same_on_both_backends),
        cmocka_unit_test(loops_over_all_keys),
        cmocka_unit_test(state_beyond_the_limit_fails_the_job),
        cmocka_unit_test(a_store_that_cannot_start_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
