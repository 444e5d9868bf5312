/* What RASK_TYPE makes of a struct is what this module expects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "rask/record.h"
#include "types/compare.h"
#include "types/java_hash.h"
#include "types/layout.h"
#include "types/print.h"
#include "types/type_info.h"

typedef struct {
    int8_t level;
    double lat, lon;
} place;
RASK_TYPE(place, level, lat, lon);

typedef struct {
    bool moving;
    rask_timestamp at;
    rask_string name;
    int16_t codes[3];
    place where;
    rask_optional(place) before;
    rask_optional(rask_string) note;
    rask_list(place) path;
    rask_list(rask_string) tags;
    place corners[2];
    rask_bytes raw;
    float speed;
} move;
/* The macro divides the size of an array by that of its type, which is what is meant.
 * NOLINTNEXTLINE(bugprone-sizeof-expression) */
RASK_TYPE(move, moving, (at, rask_timestamp), name, codes, (where, place),
          (before, rask_optional(place)), note, (path, rask_list(place)), tags, (corners, place),
          raw, speed);

static const place places[] = {{1, 0.5, 2}, {2, 1e10, -0.0}};
static const char long_name[] = "a name of more than twelve bytes";

static move example(const rask_string *tags) {
    return (move){.moving = true,
                  .at = 1234,
                  .name = rask_string_from(long_name),
                  .codes = {1, 2, 3},
                  .where = places[0],
                  .before = rask_some(place, {3, 4, 5}),
                  .path = {.count = 2, .items = places},
                  .tags = {.count = 2, .items = tags},
                  .corners = {places[1], places[0]},
                  .raw = rask_bytes_of("\xff", 1),
                  .speed = 0.1F};
}

static void macros_make_valid_descriptions(void **state) {
    (void)state;
    raski_error err = {0};
    if (raski_type_validate(&rask_type_move, &err) != RASK_OK) fail_msg("%s", err.message);
    char *text = raski_type_text(&rask_type_move);
    assert_string_equal(
        text,
        "move{moving: BOOLEAN, at: TIMESTAMP, name: STRING, codes: SHORT[3], "
        "where: place{level: BYTE, lat: DOUBLE, lon: DOUBLE}, "
        "before: OPTIONAL<place{level: BYTE, lat: DOUBLE, lon: DOUBLE}>, "
        "note: OPTIONAL<STRING>, path: LIST<place{level: BYTE, lat: DOUBLE, lon: DOUBLE}>, "
        "tags: LIST<STRING>, corners: place{level: BYTE, lat: DOUBLE, lon: DOUBLE}[2], "
        "raw: BYTES, speed: FLOAT}");
    raski_free(text);
    assert_true(raski_type_is_key(&rask_type_place));
    assert_false(raski_type_is_key(&rask_type_move));
}

static void described_records_travel_and_print(void **state) {
    (void)state;
    const rask_string tags[] = {rask_string_from("short"), rask_string_from(long_name)};
    move record = example(tags);
    raski_layout *layout = raski_layout_create(&rask_type_move);
    size_t size = sizeof record + raski_record_extra_size(layout, &record);
    char *buffer = raski_try_alloc(size, 16);
    assert_non_null(buffer);
    memcpy(buffer, &record, sizeof record);
    assert_int_equal(raski_record_write_extra(layout, buffer, buffer, sizeof record), size);
    size_t end = 0;
    assert_int_equal(raski_record_fix(layout, buffer, buffer, sizeof record, size, &end, NULL),
                     RASK_OK);
    assert_true(raski_value_equal(&rask_type_move, buffer, &record));
    raski_str text = {0};
    assert_int_equal(raski_value_print(&text, &rask_type_move, buffer, NULL), RASK_OK);
    assert_string_equal(text.data,
                        "(true,1234,a name of more than twelve bytes,[1, 2, 3],(1,0.5,2.0),"
                        "(3,4.0,5.0),null,[(1,0.5,2.0), (2,1.0E10,-0.0)],"
                        "[short, a name of more than twelve bytes],"
                        "[(2,1.0E10,-0.0), (1,0.5,2.0)],[-1],0.1)");
    raski_str_free(&text);
    raski_free(buffer);
    raski_layout_destroy(layout);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros_make_valid_descriptions),
        cmocka_unit_test(described_records_travel_and_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
