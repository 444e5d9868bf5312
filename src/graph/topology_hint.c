/* topology_hint.c - what was expected where a topology file is wrong, for people. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "graph/topology_private.h"

static char *near_op(const char *op) {
    const char *nearest = topology_nearest_op(op);
    if (nearest != NULL) return raski_format("did you mean \"%s\"?", nearest);
    return raski_strdup("expected an operation such as \"map\"");
}

static char *near_field(const char *name) {
    const char *nearest = topology_nearest_field(name);
    if (nearest != NULL) return raski_format("did you mean \"%s\"?", nearest);
    return raski_strdup("expected a field of this operation");
}

/* A label that is no label yet: perhaps a later step makes it, or one is written nearly so. */
static char *near_label(const raski_topology *topology, const json_t *wanted) {
    const char *label = json_string_value(wanted), *nearest = NULL;
    const json_t *steps = json_object_get(topology->document, "steps");
    size_t best = 3;
    if (label == NULL) return NULL;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *as = json_string_value(json_object_get(json_array_get(steps, i), "as"));
        if (as == NULL) continue;
        if (strcmp(as, label) == 0 && i >= (size_t)topology->place.step)
            return raski_format(
                "step %zu makes it, which is not before this one: expected no cycles", i);
        size_t distance = raski_edit_distance(label, as);
        if (distance >= best || distance >= strlen(as) || i >= (size_t)topology->place.step)
            continue;
        best = distance;
        nearest = as;
    }
    if (nearest != NULL) return raski_format("did you mean \"%s\"?", nearest);
    return raski_strdup("expected the label of an earlier step");
}

char *raski_topology_expectation(const raski_topology *topology, const raski_error *err) {
    const raski_topology_place *place = &topology->place;
    const char *message = err->message;
    if (strcmp(err->exception, "Bad") != 0) return NULL;
    if (place->field != NULL && strcmp(place->field, "op") == 0 && strstr(message, "unknown op"))
        return near_op(place->op);
    if (place->field == NULL && strstr(message, "unknown op"))
        return raski_strdup("expected \"op\"");
    if (place->is_name && place->field != NULL && strstr(message, "unknown field"))
        return near_field(place->field);
    if (strstr(message, "unknown label")) return near_label(topology, place->object);
    if (strstr(message, "is taken")) return raski_strdup("expected labels that are unique");
    if (strstr(message, "not a keyed stream")) return raski_strdup("expected a keyBy as its input");
    if (strstr(message, "has no input"))
        return raski_strdup("expected a source before it, or \"of\" with a label");
    return NULL;
}
