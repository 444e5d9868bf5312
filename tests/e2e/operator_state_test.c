/* Operator lists of functions: filled in the body or when a snapshot is made, restored before the
 * open hook, at the same and at another parallelism. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

#include "operators/harness/operator_harness.h"

typedef struct {
    rask_string file;
    int64_t at;
} offset;
RASK_TYPE(offset, file, at);

typedef struct {
    rask_list_state(offset) offsets;
    rask_list_state(int64_t) everybody;
    int64_t sum, opened_with;
} reader;
RASK_INSTANCE(reader);

/* Emits how much it has seen so far. */
RASK_RICH_FLAT_MAP(read_some, reader, self, offset, in, int64_t, out) {
    self->sum += in.at;
    rask_list_add(self->offsets, in);
    rask_emit(out, self->sum * 100 + self->opened_with);
}
RASK_OPERATOR_LIST(read_some, (offsets, offset));
RASK_UNION_LIST(read_some, everybody);
RASK_OPEN(read_some, self) {
    self->opened_with = (int64_t)rask_list_count(self->offsets);
    const int64_t *sums = rask_list_items(self->everybody);
    for (uint32_t i = 0; i < rask_list_count(self->everybody); i++) self->sum += sums[i];
    return RASK_OK;
}
RASK_SNAPSHOT(read_some, self) {
    rask_list_replace(self->everybody, &self->sum, 1);
    return RASK_OK;
}

static raski_operator_harness *make(raski_operator_definition *def, int subtask, int parallelism,
                                    const raski_snapshot_input *snapshots, size_t count) {
    raski_operator_harness *h = NULL;
    raski_error error = {0};
    def->fn = &raski_fn_read_some.base;
    def->in = &rask_type_offset;
    def->out = &rask_type_int64_t;
    const raski_operator_harness_options options = {.subtask_index = subtask,
                                                    .parallelism = parallelism};
    assert_int_equal(raski_operator_harness_create(def, &options, &h, &error), RASK_OK);
    if (count > 0)
        assert_int_equal(raski_operator_harness_restore(h, snapshots, count, &error), RASK_OK);
    assert_int_equal(raski_operator_harness_open(h, &error), RASK_OK);
    return h;
}

static void process(raski_operator_harness *h, int64_t at, int64_t expected) {
    raski_error error = {0};
    const offset record = {rask_string_from("a file with a long name"), at};
    raski_operator_harness_clear(h);
    assert_int_equal(raski_operator_harness_process(h, 0, &record, NULL, 1, &error), RASK_OK);
    assert_int_equal(*(const int64_t *)raski_operator_harness_output(h, 0)->record, expected);
}

static void lists_are_restored(void **state) {
    (void)state;
    enum { OLD = 2, NEW = 3 };
    raski_error error = {0};
    raski_byte_writer bytes[OLD] = {{0}};
    raski_snapshot_input inputs[OLD];
    for (int subtask = 0; subtask < OLD; subtask++) {
        raski_operator_definition *def = raski_operator_definition_create();
        raski_operator_harness *h = make(def, subtask, OLD, NULL, 0);
        process(h, 1 + subtask, (1 + subtask) * 100);
        process(h, 10, (11 + subtask) * 100);
        assert_int_equal(raski_operator_harness_snapshot(h, &bytes[subtask], &error), RASK_OK);
        process(h, 1000, (1011 + subtask) * 100); /* not in the snapshot */
        raski_operator_harness_destroy(h);
        raski_operator_definition_destroy(def);
        inputs[subtask] = (raski_snapshot_input){"test", bytes[subtask].bytes, bytes[subtask].size};
    }
    for (int parallelism = OLD; parallelism <= NEW; parallelism++)
        for (int subtask = 0; subtask < parallelism; subtask++) {
            raski_operator_definition *def = raski_operator_definition_create();
            raski_operator_harness *h = make(def, subtask, parallelism, inputs, OLD);
            /* sums of both: 11 and 12; four offsets, two each or 2, 1 and 1 */
            const int64_t offsets = parallelism == OLD || subtask == 0 ? 2 : 1;
            process(h, 5, 28 * 100 + offsets);
            raski_operator_harness_destroy(h);
            raski_operator_definition_destroy(def);
        }
    for (int i = 0; i < OLD; i++) raski_byte_writer_fini(&bytes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_restored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
