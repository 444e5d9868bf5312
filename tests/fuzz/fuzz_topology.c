/* Any bytes as a topology file, through the reader and the whole planner: the program is refused
 * with a message that says why and where, or planned, and what holds for every plan holds for it
 * (plan/plan_invariants.h). */
#include <stddef.h>
#include <stdint.h>

#include "plan/json_position.h"
#include "plan/plan_invariants.h"
#include "plan/topology_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Wide programs are for other tests: here each input should take little time. */
enum { PARALLELISM_MAX = 64 };

static bool is_small(const json_t *value) {
    const char *key;
    json_t *member;
    size_t index;
    if (json_is_integer(value)) return json_integer_value(value) <= PARALLELISM_MAX;
    if (json_is_real(value)) return json_real_value(value) <= PARALLELISM_MAX;
    if (json_is_string(value)) return strtod(json_string_value(value), NULL) <= PARALLELISM_MAX;
    json_object_foreach((json_t *)(uintptr_t)value, key,
                        member) if (!is_small(member)) return false;
    json_array_foreach(value, index, member) if (!is_small(member)) return false;
    return true;
}

/* As rask plan reads a person's file. */
static void read_strictly(const char *text, size_t size) {
    raski_error err = {0};
    raski_topology_place place;
    json_t *document = raski_topology_parse("fuzz", text, size, &err);
    if (document == NULL) {
        RASKI_ASSERT(strncmp(err.message, "fuzz:", 5) == 0);
        return;
    }
    if (raski_topology_check(document, &place, &err) != RASK_OK) {
        size_t offset = 0;
        RASKI_ASSERT(raski_json_find(text, size, document, place.object, place.field, place.is_name,
                                     &offset));
        RASKI_ASSERT(offset < size);
    }
    json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_strictly((const char *)data, size);
    json_t *document = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
    if (document == NULL) return 0;
    if (is_small(document)) (void)invariants_hold(document);
    json_decref(document);
    return 0;
}
