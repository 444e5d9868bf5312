/* Places in JSON texts. */
#include "plan/json_position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const char text[] =
    "{ \"a\" : [1, -2.5e3 ,\"x\\\"]\" , { \"b\":null } ],\n"
    "  \"\\u00e4\\n\": true,\n"
    "  \"\xc3\xa4\xc3\xb6\": { \"deep\": [[ ]] } }";

typedef struct place {
    size_t line, column;
} place;

static place find(const json_t *document, const json_t *object, const char *field, bool at_name) {
    size_t offset = 0;
    place p;
    assert_true(raski_json_find(text, sizeof text - 1, document, object, field, at_name, &offset));
    raski_text_position(text, offset, &p.line, &p.column);
    return p;
}

static void assert_place(place p, size_t line, size_t column) {
    assert_int_equal(p.line, line);
    assert_int_equal(p.column, column);
}

static void values_and_names(void **state) {
    (void)state;
    json_t *document = json_loads(text, 0, NULL);
    const json_t *a = json_object_get(document, "a");
    const json_t *umlauts = json_object_get(document, "\xc3\xa4\xc3\xb6");
    assert_place(find(document, document, NULL, false), 1, 1);
    assert_place(find(document, document, "a", true), 1, 3);
    assert_place(find(document, document, "a", false), 1, 9);
    assert_place(find(document, json_array_get(a, 1), NULL, false), 1, 13);
    assert_place(find(document, json_array_get(a, 2), NULL, false), 1, 21);
    assert_place(find(document, json_array_get(a, 3), "b", false), 1, 36);
    assert_place(find(document, document, "\xc3\xa4\n", true), 2, 3);
    assert_place(find(document, document, "\xc3\xa4\xc3\xb6", false), 3, 9); /* characters */
    assert_place(find(document, umlauts, "deep", false), 3, 19);
    json_decref(document);
}

static void absent_fields_are_at_their_object(void **state) {
    (void)state;
    json_t *document = json_loads(text, 0, NULL), *other = json_object();
    size_t offset = 0;
    const json_t *member = json_array_get(json_object_get(document, "a"), 3);
    assert_place(find(document, member, "c", false), 1, 30);
    assert_false(raski_json_find(text, sizeof text - 1, document, other, NULL, false, &offset));
    assert_false(raski_json_find(text, sizeof text - 1, document, NULL, NULL, false, &offset));
    json_decref(other);
    json_decref(document);
}

static void values_are_counted(void **state) {
    (void)state;
    size_t offset = 0;
    assert_true(raski_json_has_few_values(text, sizeof text - 1, 11, &offset));
    assert_false(raski_json_has_few_values(text, sizeof text - 1, 10, &offset));
    assert_int_equal(text[offset], '[');
    assert_true(raski_json_has_few_values("\"[[[,,,\\\"[[[\"", 14, 0, &offset));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_names),
        cmocka_unit_test(absent_fields_are_at_their_object),
        cmocka_unit_test(values_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
