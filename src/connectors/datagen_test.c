/* Generated records: the same for every parallelism, all of them, and no faster than asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

#include "connectors/rate.h"

typedef struct {
    int64_t id, user;
    double amount;
    rask_string token;
} click;
RASK_TYPE(click, id, user, amount, token);

RASK_GENERATOR(make_click, click, index, random) {
    return (click){.id = index,
                   .user = rask_random_between(random, -5, 5),
                   .amount = rask_random_double(random),
                   .token = rask_random_hex(random, (size_t)index % 40)};
}

typedef struct found {
    bool is_there;
    int64_t user;
    double amount;
    char token[48];
} found;
enum { ROWS = 5000 };

static void generate(int parallelism, uint64_t seed, found *ret) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    rask_iterator(click) it = rask_execute_and_collect(
        rask_datagen(env, make_click, .datagen = {.rows = ROWS, .seed = seed}), "clicks");
    size_t count = 0;
    for (click c; rask_next(&it, &c); count++) {
        assert_in_range(c.id, 0, ROWS - 1);
        assert_false(ret[c.id].is_there);
        assert_int_equal(c.token.len, c.id % 40);
        ret[c.id] = (found){.is_there = true, .user = c.user, .amount = c.amount};
        memcpy(ret[c.id].token, rask_string_data(&c.token), c.token.len);
        assert_int_equal(strspn(ret[c.id].token, "0123456789abcdef"), c.token.len);
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    assert_int_equal(count, ROWS);
}

static void the_same_for_every_parallelism(void **state) {
    (void)state;
    static found one[ROWS];
    static found three[ROWS];
    static found other[ROWS];
    generate(1, 7, one);
    generate(3, 7, three);
    generate(1, 8, other);
    int same_users = 0;
    int users[11] = {0};
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(one[i].user, three[i].user);
        assert_true(one[i].amount == three[i].amount);
        assert_string_equal(one[i].token, three[i].token);
        same_users += one[i].user == other[i].user;
        assert_in_range(one[i].user + 5, 0, 10);
        users[one[i].user + 5]++;
        assert_true(one[i].amount >= 0 && one[i].amount < 1);
    }
    assert_in_range(same_users, ROWS / 22, ROWS / 5); /* another seed, other numbers */
    for (int i = 0; i < 11; i++) assert_in_range(users[i], ROWS / 22, ROWS / 5);
}

static void random_numbers_of_all_ranges(void **state) {
    (void)state;
    rask_random random = rask_random_of(1, 2);
    bool seen[2] = {false, false};
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rask_random_between(&random, 5, 5), 5);
        int64_t n = rask_random_between(&random, INT64_MAX - 1, INT64_MAX);
        assert_true(n >= INT64_MAX - 1);
        seen[n == INT64_MAX] = true;
        (void)rask_random_between(&random, INT64_MIN, INT64_MAX);
        assert_true(rask_random_between(&random, INT64_MIN, -1) < 0);
        assert_true(rask_random_chance(&random, 1));
        assert_false(rask_random_chance(&random, 0));
    }
    assert_true(seen[0] && seen[1]);
}

/* Without end, and slow: the first record comes at once, and the job can be cancelled. */
static void without_end(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 2);
    rask_iterator(click) it = rask_execute_and_collect(
        rask_datagen(env, make_click, .datagen = {.rows_per_second = 0.001}), "clicks");
    click c;
    assert_true(rask_next(&it, &c));
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    env = rask_env_create(NULL, NULL);
    it = rask_execute_and_collect(
        rask_datagen(env, make_click, .datagen = {.rows_per_second = 1e7}), "clicks");
    for (int i = 0; i < 10000; i++) {
        assert_true(rask_next(&it, &c));
        assert_int_equal(c.id, i);
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

RASK_GENERATOR(fails_at_1234, int64_t, index, random) {
    if (index == 1234) (void)rask_fail("not this one");
    if (index == 7) (void)rask_random_hex(random, 8);
    return index;
}
RASK_GENERATOR(large_text, rask_string, index, random) {
    return rask_random_hex(random, (size_t)2 << 20);
}

static void check_failure(rask_env *env, const char *expected) {
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "clicks", &result), RASK_EXIT_FAILED);
    if (strstr(result.message, expected) == NULL) fail_msg("%s", result.message);
    rask_env_destroy(env);
}

static void mistakes(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_discard(rask_datagen(env, fails_at_1234, .parallelism = 1));
    check_failure(env, "not this one");
    env = rask_env_create(NULL, NULL);
    rask_discard(rask_datagen(env, large_text));
    check_failure(env, "a random text of 2097152 digits was asked for");
    env = rask_env_create(NULL, NULL);
    rask_discard(rask_datagen(env, make_click, .datagen = {.rows = -1}));
    check_failure(env, "rask_datagen needs .rows of at least 0, got -1");
    env = rask_env_create(NULL, NULL);
    rask_discard(rask_datagen(env, make_click, .datagen = {.rows_per_second = NAN}));
    check_failure(env, "rask_datagen needs .rows_per_second of at least 0, got");
}

/* ---------------------------------------------------------------- the rate, with a clock of its
 * own */
static const int64_t MS = 1000000;

static void rates(void **state) {
    (void)state;
    int64_t wait = -1;
    raski_rate none = {0};
    assert_int_equal(raski_rate_take(&none, 5, 77, &wait), 77);
    raski_rate rate = {.per_second = 10};
    int64_t now = 12345;
    assert_int_equal(raski_rate_take(&rate, now, 100, &wait), 1); /* the first at once */
    assert_int_equal(raski_rate_take(&rate, now, 100, &wait), 0);
    assert_in_range(wait, 100 * MS, 100 * MS + 2);
    now += wait;
    assert_int_equal(raski_rate_take(&rate, now, 100, &wait), 1);
    now += 450 * MS;
    assert_int_equal(raski_rate_take(&rate, now, 3, &wait), 3); /* as many as wanted */
    assert_int_equal(raski_rate_take(&rate, now, 3, &wait), 1); /* what was left */
    assert_int_equal(raski_rate_take(&rate, now, 3, &wait), 0);
    now += 3600000 * MS; /* held up for an hour: a second of it is made up for */
    assert_int_equal(raski_rate_take(&rate, now, 100000, &wait), 11);
    assert_int_equal(raski_rate_take(&rate, now, 100000, &wait), 0);
    assert_in_range(wait, 99 * MS, 101 * MS);
}

/* Whatever the rate, waiting as long as it says gives exactly that many in the long run. */
static void rates_in_the_long_run(void **state) {
    (void)state;
    static const double rates[] = {0.5, 3, 999.9, 12345, 1e7};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        raski_rate rate = {.per_second = rates[i]};
        int64_t now = 0;
        int64_t made = 0;
        int64_t looks = 0;
        const int64_t end = 100 * 1000 * MS;
        while (now <= end) {
            int64_t wait = 0;
            made += raski_rate_take(&rate, now, 1000000, &wait);
            assert_true((double)made <= (double)now / 1e9 * rates[i] + 1.001);
            assert_true(wait == 0 || wait >= MS);
            now += wait;
            looks++;
        }
        assert_true((double)made >= 99.9 * rates[i]);
        assert_true(looks <= 2 * 100 * 1000 + 2); /* never more often than twice a millisecond */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_for_every_parallelism),
        cmocka_unit_test(random_numbers_of_all_ranges),
        cmocka_unit_test(without_end),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(rates),
        cmocka_unit_test(rates_in_the_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
