/* kind_plan.c - plan/cases and plan/random: topologies with the plans that Flink made of them. */
#include <string.h>

#include "golden/golden.h"
#include "plan/plan_facts.h"

/* The message of a ClassCastException is the virtual machine's own: left out of the expected facts.
 */
static json_t *expectation(const json_t *facts) {
    json_t *expected = json_deep_copy(facts), *error = json_object_get(expected, "error");
    const char *exception = json_string_value(json_object_get(error, "exception"));
    if (exception && strcmp(exception, "ClassCastException") == 0)
        json_object_del(error, "message");
    return expected;
}

/* What Flink takes, a person may write: the strict reader has nothing against it. */
static void check_strictly(golden_case *c, const json_t *topology) {
    raski_topology_place place;
    raski_error err = {0};
    json_t *expected = json_string("");
    (void)!raski_topology_check(topology, &place, &err);
    json_t *got = json_string(err.message);
    golden_equal(c, "check", expected, got);
    json_decref(expected);
    json_decref(got);
}

void golden_check_plan(golden_case *c) {
    const char *name = json_string_value(json_object_get(c->json, "case"));
    if (name) snprintf(c->name, sizeof c->name, "%s", name);
    raski_error err = {0};
    json_t *got = raski_plan_facts_of_topology(json_object_get(c->json, "topology"), &err);
    json_t *expected = expectation(json_object_get(c->json, "facts"));
    json_t *error = json_object_get(expected, "error");
    if (error && !json_object_get(error, "message"))
        json_object_del(json_object_get(got, "error"), "message");
    golden_equal(c, "facts", expected, got);
    if (error == NULL) check_strictly(c, json_object_get(c->json, "topology"));
    json_decref(expected);
    json_decref(got);
}
