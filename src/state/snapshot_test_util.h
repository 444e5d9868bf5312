/* What tests of snapshots share: an operator with all kinds of state, random changes to it, and all
 * that it has as text, which stands for the model: what was restored must read the same. */
#ifndef RASKI_STATE_SNAPSHOT_TEST_UTIL_H
#define RASKI_STATE_SNAPSHOT_TEST_UTIL_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "platform/thread.h"
#include "state/keyed_table_test_util.h"
#include "state/rocksdb_store.h"
#include "state/snapshot.h"

enum { TEST_GROUPS = 128, STATE_COUNT = 6 };

typedef struct test_person {
    rask_string name;
    bool active;
    int64_t age;
    int16_t marks[3];
} test_person;
static const rask_field PERSON_FIELDS[] = {
    {"name", offsetof(test_person, name), 16, &rask_type_rask_string, 0},
    {"active", offsetof(test_person, active), 1, &rask_type_rask_bool, 0},
    {"age", offsetof(test_person, age), 8, &rask_type_int64_t, 0},
    {"marks", offsetof(test_person, marks), 6, &rask_type_int16_t, 3}};
static const rask_type PERSON = {
    "person", RASK_KIND_RECORD, sizeof(test_person), 8, 4, PERSON_FIELDS, NULL, 0, NULL};

/* The key is a text, the namespace a window's end. */
typedef struct test_key {
    rask_string key;
    int64_t end;
} test_key;
static const raski_key_spec TEST_KEY = {2,
                                        {{offsetof(test_key, key), &rask_type_rask_string},
                                         {offsetof(test_key, end), &rask_type_int64_t}}};
static const raski_state_spec TEST_STATES[STATE_COUNT] = {
    {.name = "count", .type = &rask_type_int64_t},
    {.name = "person", .type = &PERSON},
    {.name = "list", .type = &rask_type_rask_string, .kind = RASKI_STATE_LIST},
    {.name = "map", .type = &PERSON, .kind = RASKI_STATE_MAP, .map_key = &rask_type_rask_string},
    {.name = "seen", .type = &rask_type_rask_string, .ttl = {.time_ms = 1000000}},
    {.name = "last",
     .type = &rask_type_int32_t,
     .kind = RASKI_STATE_LIST,
     .ttl = {.time_ms = 1000000}},
};

typedef struct test_operator {
    raski_keyed_table *table;
    raski_timer_queue *queues[2];
} test_operator;

static test_operator make_operator(const test_backend *backend) {
    raski_keyed_table_options options = {.key = &TEST_KEY,
                                         .states = TEST_STATES,
                                         .state_count = STATE_COUNT,
                                         .namespace_parts = 1,
                                         .max_parallelism = TEST_GROUPS,
                                         .timers = true,
                                         .name = "op"};
    test_operator op = {.table = make_test_table(backend, &options)};
    for (int i = 0; i < 2; i++) op.queues[i] = raski_timer_queue_create(op.table);
    return op;
}
static void destroy_operator(test_operator *op) {
    raski_timer_queue_destroy(op->queues[0]);
    raski_timer_queue_destroy(op->queues[1]);
    raski_keyed_table_destroy(op->table);
}

/* ---------------------------------------------------------------- changes */
static rask_string random_text(char room[64]) {
    size_t length = random_below(40);
    for (size_t i = 0; i < length; i++) room[i] = (char)('a' + random_below(26));
    return rask_string_of(room, length);
}
static test_person random_person(char room[64]) {
    return (test_person){.name = random_text(room),
                         .active = random_below(2),
                         .age = (int64_t)random_u64(),
                         .marks = {(int16_t)random_u64(), -1, 7}};
}

#define must(status) assert_int_equal((status), RASK_OK)

static void must_say(rask_status status, const raski_error *err) {
    assert_string_equal(err->message, "");
    assert_int_equal(status, RASK_OK);
}

static void change_state(raski_keyed_table *table, char *row) {
    char room[64], other[64];
    int64_t number = (int64_t)random_u64();
    int32_t small = (int32_t)random_u64();
    test_person person = random_person(room);
    rask_string text = random_text(other);
    const raski_state_slot *slots[STATE_COUNT];
    for (unsigned i = 0; i < STATE_COUNT; i++)
        slots[i] = (const void *)(row + raski_keyed_table_state_offset(table, i));
    switch (random_below(14)) {
        case 0:
        case 1:
            must(raski_keyed_table_store(table, row, 0, &number, NULL));
            break;
        case 2:
            must(raski_keyed_table_store(table, row, 1, &person, NULL));
            break;
        case 3:
        case 4:
            must(raski_keyed_table_list_add(table, row, 2, &text, 1, NULL));
            break;
        case 5:
            if (slots[2]->count)
                must(raski_keyed_table_list_remove(
                    table, row, 2, (uint32_t)random_below(slots[2]->count), 1, NULL));
            break;
        case 6:
        case 7:
            room[0] = (char)('a' + random_below(12));
            text = rask_string_of(room, 1);
            must(raski_keyed_table_map_put(table, row, 3, &text, &person, NULL));
            break;
        case 8:
            room[0] = (char)('a' + random_below(12));
            text = rask_string_of(room, 1);
            must(raski_keyed_table_map_remove(table, row, 3, &text, NULL, NULL));
            break;
        case 9:
            must(raski_keyed_table_touch(table, row, 4, NULL));
            must(raski_keyed_table_store(table, row, 4, &text, NULL));
            break;
        case 10:
            must(raski_keyed_table_list_add(table, row, 5, &small, 1, NULL));
            break;
        default:
            for (unsigned i = 0; i < STATE_COUNT; i++)
                if (random_below(3) == 0) must(raski_keyed_table_clear(table, row, i, NULL));
    }
}

/* One batch: some keys change, timers come, go and fire. */
static void change(test_operator *op, size_t keys) {
    char *rows[8];
    char room[8][64];
    test_key key[8];
    size_t n = 1 + random_below(8);
    raski_keyed_table_set_now(op->table, (int64_t)random_below(1000));
    for (size_t i = 0; i < n; i++) {
        int length = snprintf(room[i], sizeof room[i], "key%s%zu",
                              random_below(2) ? "" : "-of-many-", random_below(keys));
        key[i] = (test_key){rask_string_of(room[i], (size_t)length), (int64_t)random_below(3)};
    }
    must(raski_keyed_table_lookup(op->table, &TEST_KEY, key, sizeof *key, n, rows, NULL, NULL));
    for (size_t i = 0; i < n; i++) {
        change_state(op->table, rows[i]);
        raski_timer_queue *queue = op->queues[random_below(2)];
        int64_t time = (int64_t)random_below(50);
        if (random_below(3))
            must(raski_timer_queue_register(queue, time, rows[i], NULL, NULL));
        else
            (void)raski_timer_queue_delete(queue, time, rows[i]);
    }
    raski_keyed_table_sweep(op->table, rows, n);
    raski_keyed_table_end_batch(op->table);
    int64_t fired = 0;
    if (random_below(20) == 0 &&
        (n = raski_timer_queue_pop(op->queues[random_below(2)], (int64_t)random_below(50), rows, 8,
                                   &fired)) != 0) {
        for (size_t i = 0; i < n; i++) change_state(op->table, rows[i]);
        raski_keyed_table_sweep(op->table, rows, n);
        raski_keyed_table_end_batch(op->table);
    }
}

/* ---------------------------------------------------------------- all of it, as lines */
typedef RASKI_VEC(char *) test_lines;

typedef struct dump_context {
    raski_keyed_table *table;
    test_lines *lines;
    const char *what;
} dump_context;

static void append(rask_text *text, const char *bytes) {
    must(rask_text_append(text, bytes, strlen(bytes)));
}
static void append_value(rask_text *text, const rask_type *type, const void *value) {
    append(text, " ");
    must(rask_text_append_record(text, type, value));
}
static void append_key(rask_text *text, const raski_keyed_table *table, const char *row) {
    const raski_key_spec *key = raski_keyed_table_key_in_row(table);
    for (uint32_t i = 0; i < key->part_count; i++)
        append_value(text, key->parts[i].type, row + key->parts[i].offset);
}
static void end_line(rask_text *text, test_lines *lines) {
    must(rask_text_append(text, "", 1));
    raski_vec_push(lines, raski_strdup(text->data));
    free(text->data);
}

static rask_status dump_rows(void *context, char *const *rows, size_t n, raski_error *err) {
    dump_context *dump = context;
    for (size_t k = 0; k < n; k++) {
        rask_text text = {0};
        append_key(&text, dump->table, rows[k]);
        for (unsigned i = 0; i < STATE_COUNT; i++) {
            if (!raski_row_has(rows[k], i)) continue;
            append(&text, "; ");
            append(&text, TEST_STATES[i].name);
            if (TEST_STATES[i].kind == RASKI_STATE_VALUE) {
                append_value(&text, TEST_STATES[i].type,
                             rows[k] + raski_keyed_table_state_offset(dump->table, i));
            } else if (TEST_STATES[i].kind == RASKI_STATE_LIST) {
                raski_list_view view;
                RASKI_TRY(raski_keyed_table_list(dump->table, rows[k], i, &view, err));
                for (uint32_t item = 0; item < view.count; item++)
                    append_value(&text, TEST_STATES[i].type,
                                 (const char *)view.items + item * TEST_STATES[i].type->size);
            } else {
                uint32_t position = 0;
                for (const void *key = NULL, *value = NULL;;) {
                    RASKI_TRY(raski_keyed_table_map_next(dump->table, rows[k], i, &position, &key,
                                                         &value, err));
                    if (!key) break;
                    append_value(&text, TEST_STATES[i].map_key, key);
                    append_value(&text, TEST_STATES[i].type, value);
                }
            }
        }
        end_line(&text, dump->lines);
    }
    raski_keyed_table_end_batch(dump->table);
    return RASK_OK;
}

static bool dump_timer(void *context, int64_t time_ms, char *row) {
    dump_context *dump = context;
    rask_text text = {0};
    char number[64];
    snprintf(number, sizeof number, "timer %s %lld", dump->what, (long long)time_ms);
    append(&text, number);
    append_key(&text, dump->table, row);
    end_line(&text, dump->lines);
    return true;
}

/* Adds what an operator has. */
static void dump(const test_operator *op, test_lines *lines) {
    raski_error err = {0};
    dump_context context = {op->table, lines, "event"};
    raski_timer_queue_visit(op->queues[0], dump_timer, &context);
    context.what = "processing";
    raski_timer_queue_visit(op->queues[1], dump_timer, &context);
    must_say(raski_keyed_table_visit(op->table, dump_rows, &context, &err), &err);
}
static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static void forget_lines(test_lines *lines) {
    for (size_t i = 0; i < lines->count; i++) raski_free(lines->items[i]);
    raski_vec_free(lines);
}
/* ---------------------------------------------------------------- snapshots */
static raski_snapshot_info info_of(uint32_t parallelism, uint32_t subtask) {
    return (raski_snapshot_info){.operator_id = {{1, 2, 3}},
                                 .operator_name = "op",
                                 .max_parallelism = TEST_GROUPS,
                                 .parallelism = parallelism,
                                 .subtask = subtask};
}
static void restore_operator(test_operator *op, const raski_byte_writer *snapshots, size_t count,
                             uint32_t parallelism, uint32_t subtask) {
    raski_snapshot_input inputs[8];
    raski_error err = {0};
    for (size_t i = 0; i < count; i++)
        inputs[i] = (raski_snapshot_input){"test", snapshots[i].bytes, snapshots[i].size};
    raski_snapshot_info info = info_of(parallelism, subtask);
    raski_operator_snapshot_reader *reader = NULL;
    must_say(raski_snapshot_reader_create(inputs, count, &info, &reader, &err), &err);
    must_say(
        raski_snapshot_reader_keyed(reader, "keyed", op->table, op->queues[0], op->queues[1], &err),
        &err);
    raski_snapshot_reader_destroy(reader);
}
#endif
