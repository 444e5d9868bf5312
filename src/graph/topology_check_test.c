/* Types and ranges in topology files: what is wrong, what was expected, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/topology.h"

typedef struct check_case {
    const char *text;  /* with ' for " */
    const char *field; /* of the place; NULL: the whole value */
    const char *message;
} check_case;

static const check_case cases[] = {
    {"[]", NULL, "the topology is a list (expected an object with \"steps\")"},
    {"{}", NULL, "there are no steps (expected a list \"steps\")"},
    {"{'steps': {}}", "steps", "steps is an object (expected a list)"},
    {"{'steps': [null]}", NULL, "a step is null (expected an object with \"op\")"},
    {"{'job': 5, 'steps': []}", "job", "job is a number (expected a text)"},
    {"{'env': [], 'steps': []}", "env", "env is a list (expected an object)"},
    {"{'env': {'parallelism': true}, 'steps': []}", "parallelism",
     "parallelism is true or false (expected a whole number from -2147483648 to 2147483647)"},
    {"{'config': {'a': {}}, 'steps': []}", "a",
     "a is an object (expected the value of the option, as a text)"},
    {"{'steps': [{'op': 'map', 'parallelism': 2.5}]}", "parallelism",
     "parallelism is a number with a fraction (expected a whole number from -2147483648 to "
     "2147483647)"},
    {"{'steps': [{'op': 'map', 'maxParallelism': -2147483649}]}", "maxParallelism",
     "maxParallelism is -2147483649 (expected a whole number from -2147483648 to 2147483647)"},
    {"{'steps': [{'op': 'map', 'of': 3}]}", "of",
     "of is a number (expected a label or a list of labels)"},
    {"{'steps': [{'op': 'map', 'of': ['a', 3]}]}", NULL, "a label is a number (expected a text)"},
    {"{'steps': [{'op': 'map', 'uid': null}]}", "uid", "uid is null (expected a text)"},
    {"{'steps': [{'op': 'map', 'disableChaining': 'yes'}]}", "disableChaining",
     "disableChaining is a text (expected true or false)"},
    {"{'steps': [{'op': 'map', 'bufferTimeout': '1'}]}", "bufferTimeout",
     "bufferTimeout is a text (expected a whole number)"},
    {"{'steps': [{'op': 'map', 'slotSharingGroup': {'name': 'g', 'cpu': 'x'}}]}", "cpu",
     "cpu is a text (expected a number)"},
    {"{'steps': [{'op': 'map', 'resources': {'managed': []}}]}", "managed",
     "managed is a list (expected a size such as \"64mb\")"},
    {"{'steps': [{'op': 'map', 'resources': {'memory': 1}}]}", "memory",
     "resources: unknown field 'memory'"},
    {"{'steps': [{'op': 'map', 'managedMemory': {'OPERATOR': 'x'}}]}", "OPERATOR",
     "OPERATOR is a text (expected a whole number from -2147483648 to 2147483647)"},
    {"{'steps': [{'op': 'sink', 'preWrite': [{'op': 'map', 'name': 1}]}]}", "name",
     "name is a number (expected a text)"},
    {"{'steps': [{'op': 'sink', 'uidHashes': {'reader': 'x'}}]}", "reader",
     "uidHashes: unknown field 'reader'"},
    {"{'slotSharingGroups': [5], 'steps': []}", NULL,
     "a slot sharing group is a number (expected a name or an object)"},
};

static json_t *parse(const char *text) {
    char *quoted = raski_strdup(text);
    for (char *c = quoted; *c != '\0'; c++)
        if (*c == '\'') *c = '"';
    json_t *document = json_loads(quoted, 0, NULL);
    if (document == NULL) fail_msg("not JSON: %s", quoted);
    raski_free(quoted);
    return document;
}

static void wrong_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *document = parse(cases[i].text);
        raski_topology_place place = {0};
        raski_error err = {0};
        if (raski_topology_check(document, &place, &err) == RASK_OK)
            fail_msg("accepted: %s", cases[i].text);
        assert_string_equal(err.exception, "Bad");
        assert_string_equal(err.message, cases[i].message);
        assert_non_null(place.object);
        if (cases[i].field != NULL)
            assert_string_equal(place.field, cases[i].field);
        else
            assert_null(place.field);
        json_decref(document);
    }
}

static void right_values(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{'job': 'x', 'comment': 5, 'config': {'a': 1, 'b': true, 'c': 'x'}, 'env': "
        "{'parallelism': "
        "2}, 'steps': [{'op': 'anything', 'comment': {}, 'unknown': []}]}",
        "{'steps': [{'op': 'map', 'of': ['a', 'b'], 'resources': 'UNKNOWN', 'slotSharingGroup': {"
        "'name': 'g', 'cpu': 1.5, 'taskHeap': '1mb', 'managed': 5, 'external': {'gpu': 1}}}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *document = parse(texts[i]);
        raski_topology_place place = {0};
        raski_error err = {0};
        if (raski_topology_check(document, &place, &err) != RASK_OK)
            fail_msg("%s: %s", texts[i], err.message);
        json_decref(document);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(right_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
