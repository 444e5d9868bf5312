#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "state/timer_queue.h"

/* A small generator: the same numbers in every run. */
static uint64_t random_state = 1;
static uint64_t random_u64(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static size_t random_below(size_t limit) {
    return (size_t)(random_u64() % limit);
}

enum { ROWS = 64 * 1024 };
static char rows[ROWS]; /* their addresses are all that counts here */

static bool add(raski_timer_queue *queue, int64_t time_ms, size_t row) {
    bool added = false;
    assert_int_equal(raski_timer_queue_register(queue, time_ms, &rows[row], &added, NULL), RASK_OK);
    return added;
}

/* ---------------------------------------------------------------- the model: a list, searched */
typedef struct model {
    struct {
        int64_t time_ms;
        size_t row;
    } * items;
    size_t count, capacity;
} model;

static size_t model_find(const model *m, int64_t time_ms, size_t row) {
    for (size_t i = 0; i < m->count; i++)
        if (m->items[i].time_ms == time_ms && m->items[i].row == row) return i;
    return SIZE_MAX;
}
static bool model_add(model *m, int64_t time_ms, size_t row) {
    if (model_find(m, time_ms, row) != SIZE_MAX) return false;
    raski_vec_reserve(m, m->count + 1);
    m->items[m->count].time_ms = time_ms;
    m->items[m->count++].row = row;
    return true;
}
static void model_remove(model *m, size_t at) {
    m->count--;
    memmove(m->items + at, m->items + at + 1, (m->count - at) * sizeof *m->items);
}
static bool model_delete(model *m, int64_t time_ms, size_t row) {
    size_t at = model_find(m, time_ms, row);
    if (at == SIZE_MAX) return false;
    model_remove(m, at);
    return true;
}
/* The first (oldest) of the smallest time. */
static size_t model_first(const model *m) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < m->count; i++)
        if (first == SIZE_MAX || m->items[i].time_ms < m->items[first].time_ms) first = i;
    return first;
}

static void check_next(const raski_timer_queue *queue, const model *m) {
    int64_t next = 0;
    size_t first = model_first(m);
    assert_int_equal(raski_timer_queue_count(queue), m->count);
    assert_int_equal(raski_timer_queue_next_time(queue, &next), first != SIZE_MAX);
    if (first != SIZE_MAX) assert_true(next == m->items[first].time_ms);
}

static void pop_some(raski_timer_queue *queue, model *m, int64_t until_ms, size_t rows_max) {
    char *popped[100];
    int64_t time_ms = 0;
    size_t n = raski_timer_queue_pop(queue, until_ms, popped, rows_max, &time_ms);
    size_t first = model_first(m);
    if (first == SIZE_MAX || m->items[first].time_ms > until_ms) {
        assert_int_equal(n, 0);
        return;
    }
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        first = model_first(m);
        assert_true(time_ms == m->items[first].time_ms);
        assert_ptr_equal(popped[i], &rows[m->items[first].row]);
        model_remove(m, first);
    }
    /* fewer than asked for: the time has no more */
    if (n < rows_max && m->count) assert_true(m->items[model_first(m)].time_ms > time_ms);
}

typedef struct seen {
    const model *m;
    size_t count;
} seen;
static bool visit(void *context, int64_t time_ms, char *row) {
    seen *s = context;
    assert_true(model_find(s->m, time_ms, (size_t)(row - rows)) != SIZE_MAX);
    s->count++;
    return true;
}

/* times, row_count: how many different ones there are. */
static void run_random(size_t steps, size_t times, size_t row_count, bool moving) {
    raski_timer_queue *queue = raski_timer_queue_create(NULL);
    model m = {0};
    int64_t base = moving ? 1000 : INT64_MIN;
    for (size_t step = 0; step < steps; step++) {
        int64_t time_ms = base + (int64_t)random_below(times);
        size_t row = random_below(row_count);
        size_t what = random_below(100);
        if (what < 45) {
            assert_int_equal(add(queue, time_ms, row), model_add(&m, time_ms, row));
        } else if (what < 55) {
            if (model_add(&m, time_ms, row))
                assert_int_equal(raski_timer_queue_register_new(queue, time_ms, &rows[row], NULL),
                                 RASK_OK);
        } else if (what < 75) {
            assert_int_equal(raski_timer_queue_delete(queue, time_ms, &rows[row]),
                             model_delete(&m, time_ms, row));
        } else if (what < 85 && m.count) { /* one that is there */
            size_t at = random_below(m.count);
            time_ms = m.items[at].time_ms;
            row = m.items[at].row;
            assert_true(raski_timer_queue_is_registered(queue, time_ms, &rows[row]));
            assert_true(raski_timer_queue_delete(queue, time_ms, &rows[row]));
            assert_false(raski_timer_queue_is_registered(queue, time_ms, &rows[row]));
            model_remove(&m, at);
        } else if (what < 92) {
            assert_int_equal(raski_timer_queue_is_registered(queue, time_ms, &rows[row]),
                             model_find(&m, time_ms, row) != SIZE_MAX);
        } else {
            pop_some(queue, &m, time_ms, 1 + random_below(100));
        }
        if (moving && step % 4 == 0) base++;
        check_next(queue, &m);
    }
    seen all = {&m, 0};
    raski_timer_queue_visit(queue, visit, &all);
    assert_int_equal(all.count, m.count);
    while (m.count) pop_some(queue, &m, INT64_MAX, 64);
    check_next(queue, &m);
    raski_timer_queue_destroy(queue);
    raski_free(m.items);
}

static void like_a_list_that_is_searched(void **unused) {
    (void)unused;
    for (random_state = 1; random_state < 20; random_state++) {
        uint64_t seed = random_state;
        run_random(1000, 1, 30, false);
        run_random(2000, 3, 200, false);
        run_random(2000, 50, 40, true);
        run_random(2000, 2000, 3, true);
        run_random(3000, 10, 2000, false);
        random_state = seed;
    }
}

static void extreme_times_are_times(void **unused) {
    (void)unused;
    raski_timer_queue *queue = raski_timer_queue_create(NULL);
    int64_t time_ms = 0;
    char *row = NULL;
    assert_false(raski_timer_queue_next_time(queue, &time_ms));
    assert_int_equal(raski_timer_queue_pop(queue, INT64_MAX, &row, 1, &time_ms), 0);
    assert_true(add(queue, INT64_MAX, 1));
    assert_true(add(queue, INT64_MIN, 2));
    assert_true(add(queue, -1, 3));
    assert_int_equal(raski_timer_queue_pop(queue, INT64_MIN, &row, 1, &time_ms), 1);
    assert_ptr_equal(row, &rows[2]);
    assert_int_equal(raski_timer_queue_pop(queue, INT64_MAX - 1, &row, 1, &time_ms), 1);
    assert_ptr_equal(row, &rows[3]);
    assert_int_equal(raski_timer_queue_pop(queue, INT64_MAX - 1, &row, 1, &time_ms), 0);
    assert_int_equal(raski_timer_queue_pop(queue, INT64_MAX, &row, 1, &time_ms), 1);
    assert_true(time_ms == INT64_MAX);
    raski_timer_queue_destroy(queue);
}

/* Registering the time that is firing gives another firing, as in Flink. */
static void a_firing_timer_may_register_itself(void **unused) {
    (void)unused;
    raski_timer_queue *queue = raski_timer_queue_create(NULL);
    for (size_t i = 0; i < 100; i++) assert_true(add(queue, 5, i));
    char *popped[64];
    int64_t time_ms = 0;
    assert_int_equal(raski_timer_queue_pop(queue, 5, popped, 64, &time_ms), 64);
    assert_true(add(queue, 5, 0));
    assert_false(add(queue, 5, 0));
    assert_false(add(queue, 5, 99));
    assert_true(raski_timer_queue_delete(queue, 5, &rows[98]));
    assert_false(raski_timer_queue_delete(queue, 5, &rows[1]));
    assert_int_equal(raski_timer_queue_pop(queue, 5, popped, 64, &time_ms), 36);
    assert_ptr_equal(popped[34], &rows[99]);
    assert_ptr_equal(popped[35], &rows[0]);
    assert_int_equal(raski_timer_queue_count(queue), 0);
    raski_timer_queue_destroy(queue);
}

/* Moving a timer ahead again and again must not collect times. */
static void deleted_times_take_no_memory(void **unused) {
    (void)unused;
    raski_timer_queue *queue = raski_timer_queue_create(NULL);
    assert_true(add(queue, 0, 0)); /* keeps the top of the heap */
    size_t after_warm_up = 0;
    for (int64_t i = 1; i < 100000; i++) {
        assert_true(add(queue, i, 1));
        if (i > 1) assert_true(raski_timer_queue_delete(queue, i - 1, &rows[1]));
        if (i == 1000) after_warm_up = raski_timer_queue_bytes_used(queue);
    }
    assert_int_equal(raski_timer_queue_bytes_used(queue), after_warm_up);
    raski_timer_queue_destroy(queue);
}

/* One time with many rows: constant time for each operation (this would take minutes otherwise),
 * and deleted places are used again. */
static void one_time_with_many_rows(void **unused) {
    (void)unused;
    raski_timer_queue *queue = raski_timer_queue_create(NULL);
    for (size_t i = 0; i < ROWS; i++) assert_true(add(queue, 7, i));
    size_t bytes = raski_timer_queue_bytes_used(queue);
    for (size_t round = 0; round < 10; round++) {
        for (size_t i = 0; i < ROWS; i += 2)
            assert_true(raski_timer_queue_delete(queue, 7, &rows[i]));
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(add(queue, 7, i), i % 2 == 0);
    }
    assert_true(raski_timer_queue_bytes_used(queue) <= bytes * 3);
    assert_int_equal(raski_timer_queue_count(queue), ROWS);
    raski_timer_queue_destroy(queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_list_that_is_searched),
        cmocka_unit_test(extreme_times_are_times),
        cmocka_unit_test(a_firing_timer_may_register_itself),
        cmocka_unit_test(deleted_times_take_no_memory),
        cmocka_unit_test(one_time_with_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
