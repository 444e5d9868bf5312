/* Mappers against their definitions; the facts of the real Flink are replayed by rask-golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "types/key_group.h"
#include "types/subtask_state_mapper.h"

enum { PARALLELISM_MAX = 20 };

static void range_readers_cover_the_owners_of_each_key_group(void **state) {
    (void)state;
    for (int32_t before = 1; before <= PARALLELISM_MAX; before++) {
        for (int32_t after = 1; after <= PARALLELISM_MAX; after++) {
            for (int32_t group = 0; group < 128; group++) {
                int32_t writer = raski_subtask_of_key_group(128, before, group);
                int32_t reader = raski_subtask_of_key_group(128, after, group);
                raski_subtask_sequence s;
                assert_int_equal(raski_subtask_state_mapper_old_subtasks(RASKI_MAPPER_RANGE, reader,
                                                                         before, after, &s, NULL),
                                 RASK_OK);
                assert_true(writer >= s.first && writer < s.first + s.count && s.step == 1);
            }
        }
    }
}

static void every_old_subtask_is_read(void **state) {
    (void)state;
    for (int m = RASKI_MAPPER_ARBITRARY; m < RASKI_MAPPER_UNSUPPORTED; m++) {
        raski_subtask_state_mapper mapper = (raski_subtask_state_mapper)m;
        for (int32_t before = 1; before <= PARALLELISM_MAX; before++) {
            for (int32_t after = 1; after <= PARALLELISM_MAX; after++) {
                raski_rescale_mappings new_to_old;
                raski_rescale_mappings old_to_new;
                assert_int_equal(
                    raski_subtask_state_mapper_new_to_old(mapper, before, after, &new_to_old, NULL),
                    RASK_OK);
                raski_rescale_mappings_invert(&new_to_old, &old_to_new);
                for (int32_t old = 0; old < before; old++) {
                    uint32_t count = 0;
                    assert_non_null(raski_rescale_mappings_get(&old_to_new, old, &count));
                    assert_true(count >= 1);
                    assert_int_equal(raski_rescale_mappings_is_ambiguous(&new_to_old, old),
                                     count > 1);
                    if (count > 1) assert_true(raski_subtask_state_mapper_is_ambiguous(mapper));
                }
                uint32_t none = 1;
                assert_null(raski_rescale_mappings_get(&new_to_old, after, &none));
                assert_int_equal(none, 0);
                if (before == after && mapper == RASKI_MAPPER_RANGE)
                    assert_true(new_to_old.is_identity && old_to_new.is_identity);
                raski_rescale_mappings_free(&new_to_old);
                raski_rescale_mappings_free(&old_to_new);
            }
        }
    }
}

static void unsupported_says_what_to_do(void **state) {
    (void)state;
    raski_error err = {0};
    raski_rescale_mappings mappings = {0};
    assert_int_equal(
        raski_subtask_state_mapper_new_to_old(RASKI_MAPPER_UNSUPPORTED, 2, 3, &mappings, &err),
        RASK_E_ARGUMENT);
    assert_string_equal(err.exception, "UnsupportedOperationException");
    assert_non_null(strstr(err.message, "explicit shuffle()"));
    assert_null(mappings.targets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(range_readers_cover_the_owners_of_each_key_group),
        cmocka_unit_test(every_old_subtask_is_read),
        cmocka_unit_test(unsupported_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
