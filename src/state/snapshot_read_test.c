/* What a reader makes of damaged snapshots, of other programs' ones, and of states whose types have
 * changed meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "state/snapshot_test_util.h"

static rask_status read_status(const void *bytes, size_t size, const raski_snapshot_info *info,
                               test_operator *op, raski_error *err) {
    raski_snapshot_input input = {"test", bytes, size};
    raski_operator_snapshot_reader *reader = NULL;
    RASKI_TRY(raski_snapshot_reader_create(&input, 1, info, &reader, err));
    rask_status status =
        raski_snapshot_reader_keyed(reader, "keyed", op->table, op->queues[0], op->queues[1], err);
    raski_snapshot_reader_destroy(reader);
    return status;
}

static void assert_has(const raski_error *err, const char *text) {
    if (!strstr(err->message, text)) print_error("'%s' is not in: %s\n", text, err->message);
    assert_non_null(strstr(err->message, text));
}

static raski_byte_writer small_snapshot(size_t changes) {
    random_state = 5;
    test_operator op = make_operator(&test_backends[0]);
    for (size_t i = 0; i < changes; i++) change(&op, 20);
    raski_snapshot_info info = info_of(1, 0);
    raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
    must(raski_snapshot_writer_add_keyed(writer, "keyed", op.table, op.queues[0], op.queues[1],
                                         NULL));
    must(raski_snapshot_writer_add_bytes(writer, "note", 3, "hello", 5, NULL));
    raski_byte_writer bytes = {0};
    must(raski_snapshot_write_all(writer, &bytes, NULL));
    raski_snapshot_writer_destroy(writer);
    destroy_operator(&op);
    return bytes;
}

/* ---------------------------------------------------------------- damage */
static void damage_is_noticed(void **unused) {
    (void)unused;
    raski_byte_writer whole = small_snapshot(10);
    test_operator op = make_operator(&test_backends[0]);
    raski_snapshot_info info = info_of(1, 0);
    raski_error err = {0};
    must(read_status(whole.bytes, whole.size, &info, &op, &err));
    for (size_t size = 0; size < whole.size; size++) {
        char *cut = raski_memdup(whole.bytes, size); /* of exact size, for the sanitizer */
        err = (raski_error){0};
        assert_int_equal(read_status(cut, size, &info, &op, &err), RASK_E_CORRUPT);
        assert_has(&err, "cut off");
        raski_free(cut);
    }
    for (size_t i = 0; i < whole.size; i++) {
        char before = whole.bytes[i];
        whole.bytes[i] = (char)(before ^ (1 << random_below(8)));
        err = (raski_error){0};
        assert_int_not_equal(read_status(whole.bytes, whole.size, &info, &op, &err), RASK_OK);
        assert_true(err.message[0] != 0);
        whole.bytes[i] = before;
    }
    raski_write_bytes(&whole, "x", 1);
    err = (raski_error){0};
    assert_int_equal(read_status(whole.bytes, whole.size, &info, &op, &err), RASK_E_CORRUPT);
    assert_has(&err, "something follows its end");
    destroy_operator(&op);
    raski_byte_writer_fini(&whole);
}

static void other_snapshots_are_refused(void **unused) {
    (void)unused;
    raski_byte_writer whole = small_snapshot(50);
    test_operator op = make_operator(&test_backends[0]);
    raski_error err = {0};
    raski_snapshot_info info = info_of(1, 0);
    assert_int_equal(read_status("no snapshot, but long enough for a header", 41, &info, &op, &err),
                     RASK_E_ARGUMENT);
    assert_string_equal(err.message, "test is no snapshot");

    err = (raski_error){0};
    whole.bytes[4] = 2;
    assert_int_equal(read_status(whole.bytes, whole.size, &info, &op, &err), RASK_E_ARGUMENT);
    assert_has(&err, "has version 2; this build reads version 1");
    whole.bytes[4] = 1;

    err = (raski_error){0};
    info.operator_id.bytes[0] = 9;
    assert_int_equal(read_status(whole.bytes, whole.size, &info, &op, &err), RASK_E_ARGUMENT);
    assert_has(&err, "is of operator \"op\"");
    info = info_of(1, 0);

    err = (raski_error){0};
    info.max_parallelism = 64;
    assert_int_equal(read_status(whole.bytes, whole.size, &info, &op, &err), RASK_E_ARGUMENT);
    assert_has(&err, "written with max parallelism 128 and cannot be restored with 64");
    info = info_of(1, 0);

    err = (raski_error){0};
    raski_snapshot_input twice[] = {{"a", whole.bytes, whole.size}, {"b", whole.bytes, whole.size}};
    raski_operator_snapshot_reader *reader = NULL;
    assert_int_equal(raski_snapshot_reader_create(twice, 2, &info, &reader, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.message, "a and b are both of subtask 0");
    destroy_operator(&op);
    raski_byte_writer_fini(&whole);
}

static void bytes_keep_their_version(void **unused) {
    (void)unused;
    raski_byte_writer whole = small_snapshot(1);
    raski_snapshot_info info = info_of(1, 0);
    raski_snapshot_input input = {"test", whole.bytes, whole.size};
    raski_operator_snapshot_reader *reader = NULL;
    must(raski_snapshot_reader_create(&input, 1, &info, &reader, NULL));
    size_t position = 0, size = 0;
    uint32_t subtask = 9, version = 0;
    const void *bytes = NULL;
    assert_true(
        raski_snapshot_reader_bytes(reader, "note", &position, &subtask, &version, &bytes, &size));
    assert_int_equal(version, 3);
    assert_int_equal(subtask, 0);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "hello", 5);
    assert_false(
        raski_snapshot_reader_bytes(reader, "note", &position, &subtask, &version, &bytes, &size));
    raski_snapshot_reader_destroy(reader);
    raski_byte_writer_fini(&whole);
}

/* ---------------------------------------------------------------- other types */
static const raski_key_spec LONG_KEY = {1, {{0, &rask_type_int64_t}}};

static raski_keyed_table *make_table(const raski_key_spec *key, const raski_state_spec *states,
                                     size_t count) {
    raski_keyed_table *table = NULL;
    must(raski_keyed_table_create(
        &(raski_keyed_table_options){.key = key, .states = states, .state_count = count}, &table,
        NULL));
    return table;
}
static char *row_of(raski_keyed_table *table, int64_t key) {
    char *row = NULL;
    must(raski_keyed_table_lookup(table, &LONG_KEY, &key, sizeof key, 1, &row, NULL, NULL));
    return row;
}
static raski_byte_writer snapshot_of(raski_keyed_table *table) {
    raski_snapshot_info info = info_of(1, 0);
    raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
    must(raski_snapshot_writer_add_keyed(writer, "keyed", table, NULL, NULL, NULL));
    raski_byte_writer bytes = {0};
    must(raski_snapshot_write_all(writer, &bytes, NULL));
    raski_snapshot_writer_destroy(writer);
    return bytes;
}
static rask_status restore_into(const raski_byte_writer *bytes, raski_keyed_table *table,
                                raski_error *err) {
    test_operator op = {.table = table};
    raski_snapshot_info info = info_of(1, 0);
    return read_status(bytes->bytes, bytes->size, &info, &op, err);
}

/* The person of the utility without "active", with the others in another order, and a new field. */
typedef struct new_person {
    int16_t marks[3];
    rask_string email;
    int64_t age;
    rask_string name;
} new_person;
static const rask_field NEW_FIELDS[] = {
    {"marks", offsetof(new_person, marks), 6, &rask_type_int16_t, 3},
    {"email", offsetof(new_person, email), 16, &rask_type_rask_string, 0},
    {"age", offsetof(new_person, age), 8, &rask_type_int64_t, 0},
    {"name", offsetof(new_person, name), 16, &rask_type_rask_string, 0}};
static const rask_type NEW_PERSON = {
    "new_person", RASK_KIND_RECORD, sizeof(new_person), 8, 4, NEW_FIELDS, NULL, 0, NULL};

static raski_byte_writer persons(void) {
    const raski_state_spec states[] = {{.name = "person", .type = &PERSON},
                                       {.name = "gone", .type = &rask_type_rask_string},
                                       {.name = "list", .type = &PERSON, .kind = RASKI_STATE_LIST}};
    raski_keyed_table *table = make_table(&LONG_KEY, states, 3);
    for (int64_t key = 0; key < 100; key++) {
        test_person person = {rask_string_from("somebody with a long name"), true, key, {1, 2, 3}};
        must(raski_keyed_table_store(table, row_of(table, key), 0, &person, NULL));
        must(raski_keyed_table_store(table, row_of(table, key), 1, &person.name, NULL));
        must(raski_keyed_table_list_add(table, row_of(table, key), 2, &person, 1, NULL));
    }
    raski_byte_writer bytes = snapshot_of(table);
    raski_keyed_table_destroy(table);
    return bytes;
}

static void records_are_matched_by_field(void **unused) {
    (void)unused;
    raski_byte_writer bytes = persons();
    const raski_state_spec states[] = {
        {.name = "added", .type = &rask_type_int64_t},
        {.name = "list", .type = &NEW_PERSON, .kind = RASKI_STATE_LIST},
        {.name = "person", .type = &NEW_PERSON},
    };
    raski_keyed_table *table = make_table(&LONG_KEY, states, 3);
    raski_error err = {0};
    must_say(restore_into(&bytes, table, &err), &err);
    assert_int_equal(raski_keyed_table_count(table), 100);
    for (int64_t key = 0; key < 100; key++) {
        char *row = row_of(table, key);
        assert_false(raski_row_has(row, 0));
        raski_list_view list;
        must(raski_keyed_table_list(table, row, 1, &list, NULL));
        assert_int_equal(list.count, 1);
        const new_person *both[] = {list.items,
                                    (const void *)(row + raski_keyed_table_state_offset(table, 2))};
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(both[i]->age, key);
            assert_int_equal(both[i]->marks[2], 3);
            assert_int_equal(both[i]->email.len, 0);
            assert_true(
                rask_string_equal(both[i]->name, rask_string_from("somebody with a long name")));
        }
    }
    raski_keyed_table_destroy(table);
    raski_byte_writer_fini(&bytes);
}

static void refuse(const raski_byte_writer *bytes, const raski_key_spec *key,
                   raski_state_spec state, const char *message) {
    raski_keyed_table *table = make_table(key, &state, 1);
    raski_error err = {0};
    assert_int_equal(restore_into(bytes, table, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.message, message);
    raski_keyed_table_destroy(table);
}

static void changed_kinds_are_refused(void **unused) {
    (void)unused;
    static const rask_field wide_fields[] = {{"age", 0, 4, &rask_type_int32_t, 0}};
    static const rask_type wide = {"person", RASK_KIND_RECORD, 4, 4, 1, wide_fields, NULL, 0, NULL};
    static const raski_key_spec text_key = {1, {{0, &rask_type_rask_string}}};
    raski_byte_writer bytes = persons();
    refuse(
        &bytes, &LONG_KEY, (raski_state_spec){.name = "person", .type = &wide},
        "keyed state \"person\" of operator \"op\" cannot be restored: the kind of field \"age\" "
        "has changed: it was written as record person { name: string, active: boolean, age: "
        "long, marks: short[3] } and is now record person { age: int }");
    refuse(&bytes, &LONG_KEY, (raski_state_spec){.name = "gone", .type = &rask_type_int64_t},
           "keyed state \"gone\" of operator \"op\" cannot be restored: it was written as string "
           "and is now long");
    refuse(&bytes, &LONG_KEY,
           (raski_state_spec){
               .name = "gone", .type = &rask_type_rask_string, .kind = RASKI_STATE_LIST},
           "keyed state \"gone\" of operator \"op\" cannot be restored: it was written as a value "
           "and is now a list");
    refuse(&bytes, &text_key, (raski_state_spec){.name = "gone", .type = &rask_type_rask_string},
           "the keyed state of operator \"op\" cannot be restored: field 1 of its key was written "
           "as long and is now rask_string");
    raski_byte_writer_fini(&bytes);
}

/* ---------------------------------------------------------------- operator states */
enum { OFFSETS, ALL_OFFSETS, RULES, OPERATOR_STATES };
static const raski_operator_state_spec SPECS[OPERATOR_STATES] = {
    {"offsets", RASKI_OPERATOR_STATE_SPLIT, &rask_type_rask_string, NULL},
    {"all", RASKI_OPERATOR_STATE_UNION, &rask_type_int64_t, NULL},
    {"rules", RASKI_OPERATOR_STATE_BROADCAST, &PERSON, &rask_type_rask_string},
};
static raski_operator_states *make_states(void) {
    raski_operator_states *states = NULL;
    must(raski_operator_states_create(SPECS, OPERATOR_STATES, "op", NULL, &states, NULL));
    return states;
}

static void operator_states_are_dealt_out(void **unused) {
    (void)unused;
    enum { OLD = 3, NEW = 2, ITEMS = 5 };
    raski_byte_writer bytes[OLD] = {{0}};
    raski_snapshot_input inputs[OLD];
    char room[64];
    for (uint32_t subtask = 0; subtask < OLD; subtask++) {
        raski_operator_states *states = make_states();
        raski_keyed_table *table = raski_operator_states_table(states);
        raski_snapshot_info info = info_of(OLD, subtask);
        raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
        for (int64_t i = 0; i < ITEMS; i++) {
            char *row = raski_operator_states_row(states);
            int length =
                snprintf(room, sizeof room, "%u of a partition with a name: %d", subtask, (int)i);
            rask_string text = rask_string_of(room, (size_t)length);
            int64_t number = subtask * 100 + i;
            test_person person = {text, true, i, {0}};
            must(raski_keyed_table_list_add(table, row, OFFSETS, &text, 1, NULL));
            must(raski_keyed_table_list_add(table, row, ALL_OFFSETS, &number, 1, NULL));
            text = rask_string_of(&"abcde"[i], 1);
            must(raski_keyed_table_map_put(table, row, RULES, &text, &person, NULL));
            raski_keyed_table_end_batch(table);
        }
        must(raski_snapshot_writer_add_operator_states(writer, states, NULL));
        rask_bytes position = rask_bytes_of(room, 1);
        must(raski_snapshot_writer_add_items(writer, "positions", RASKI_OPERATOR_STATE_SPLIT, 7,
                                             &position, 1, NULL));
        /* what happens from now on is not in it */
        must(raski_keyed_table_clear(table, raski_operator_states_row(states), OFFSETS, NULL));
        must(raski_keyed_table_clear(table, raski_operator_states_row(states), RULES, NULL));
        raski_keyed_table_end_batch(table);
        must(raski_snapshot_write_all(writer, &bytes[subtask], NULL));
        raski_snapshot_writer_destroy(writer);
        raski_operator_states_destroy(states);
        inputs[OLD - 1 - subtask] =
            (raski_snapshot_input){"test", bytes[subtask].bytes, bytes[subtask].size};
    }
    uint32_t got = 0;
    for (uint32_t subtask = 0; subtask < NEW; subtask++) {
        raski_snapshot_info info = info_of(NEW, subtask);
        raski_operator_snapshot_reader *reader = NULL;
        raski_error err = {0};
        must_say(raski_snapshot_reader_create(inputs, OLD, &info, &reader, &err), &err);
        raski_operator_states *states = make_states();
        must_say(raski_snapshot_reader_operator_states(reader, states, &err), &err);
        raski_keyed_table *table = raski_operator_states_table(states);
        char *row = raski_operator_states_row(states);
        raski_list_view list;
        must(raski_keyed_table_list(table, row, OFFSETS, &list, NULL));
        assert_int_equal(list.count, subtask == 0 ? 8 : 7);
        for (uint32_t i = 0; i < list.count; i++, got++) {
            const rask_string *text = (const rask_string *)list.items + i;
            snprintf(room, sizeof room, "%u of a partition with a name: %u", got / ITEMS,
                     got % ITEMS);
            assert_true(rask_string_equal(*text, rask_string_from(room)));
        }
        must(raski_keyed_table_list(table, row, ALL_OFFSETS, &list, NULL));
        assert_int_equal(list.count, OLD * ITEMS);
        assert_int_equal(((const int64_t *)list.items)[7], 102);
        assert_int_equal(raski_row_count(row, raski_keyed_table_state_offset(table, RULES)), ITEMS);
        rask_string key = rask_string_from("d");
        const void *value = NULL;
        must(raski_keyed_table_map_get(table, row, RULES, &key, &value, NULL));
        assert_int_equal(((const test_person *)value)->age, 3);
        raski_operator_states_destroy(states);
        raski_snapshot_reader_destroy(reader);
    }
    for (size_t i = 0; i < OLD; i++) raski_byte_writer_fini(&bytes[i]);
}

/* ---------------------------------------------------------------- old snapshots */
#define OLD_SNAPSHOT RASK_SOURCE_DIR "/tests/snapshots/version-1"

static char *read_file(const char *path, size_t *ret_size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *ret_size = (size_t)ftell(file);
    rewind(file);
    char *bytes = raski_alloc(*ret_size + 1);
    assert_int_equal(fread(bytes, 1, *ret_size, file), *ret_size);
    assert_int_equal(fclose(file), 0);
    bytes[*ret_size] = 0;
    return bytes;
}
static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* All that a snapshot has, a line for each row and timer. The caller frees it. */
static char *text_of(const raski_byte_writer *snapshot) {
    test_lines lines = {0};
    raski_str text = {0};
    test_operator op = make_operator(&test_backends[0]);
    restore_operator(&op, snapshot, 1, 1, 0);
    dump(&op, &lines);
    destroy_operator(&op);
    qsort(lines.items, lines.count, sizeof(char *), compare_lines);
    for (size_t i = 0; i < lines.count; i++) {
        raski_str_append(&text, lines.items[i]);
        raski_str_append_char(&text, '\n');
    }
    forget_lines(&lines);
    return raski_str_steal(&text);
}

/* tests/snapshots has what the first build wrote that had version 1, and what is in it.
 * SNAP_UPDATE=1 writes both anew. */
static void version_1_is_read(void **unused) {
    (void)unused;
    if (getenv("SNAP_UPDATE")) {
        raski_byte_writer now = small_snapshot(300);
        char *text = text_of(&now);
        write_file(OLD_SNAPSHOT, now.bytes, now.size);
        write_file(OLD_SNAPSHOT ".txt", text, strlen(text));
        raski_free(text);
        raski_byte_writer_fini(&now);
    }
    size_t size = 0;
    char *expected = read_file(OLD_SNAPSHOT ".txt", &size);
    raski_byte_writer old = {0};
    old.bytes = read_file(OLD_SNAPSHOT, &old.size);
    char *got = text_of(&old);
    assert_string_equal(expected, got);
    raski_free(expected);
    raski_free(got);
    raski_byte_writer_fini(&old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(other_snapshots_are_refused),
        cmocka_unit_test(bytes_keep_their_version),
        cmocka_unit_test(records_are_matched_by_field),
        cmocka_unit_test(changed_kinds_are_refused),
        cmocka_unit_test(operator_states_are_dealt_out),
        cmocka_unit_test(version_1_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
