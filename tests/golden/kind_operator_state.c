/* rescale/operator_state: which parts of operator state each subtask gets after a restore. */
#include <stdlib.h>

#include "base/vec.h"
#include "golden/golden.h"
#include "golden/java_json.h"
#include "state/operator_state_assign.h"

/* A state in a handle. */
typedef struct located {
    const char *handle;
    const json_t *state; /* its "mode" and "offsets" */
} located;

typedef struct collected {
    RASKI_VEC(raski_operator_state_part) parts;
    RASKI_VEC(located) places; /* of parts */
    uint32_t handles;
} collected;

static raski_operator_state_mode mode_of(golden_case *c, const json_t *state) {
    const char *mode = json_string_value(json_object_get(state, "mode"));
    if (mode && strcmp(mode, "SPLIT_DISTRIBUTE") == 0) return RASKI_OPERATOR_STATE_SPLIT;
    if (mode && strcmp(mode, "UNION") == 0) return RASKI_OPERATOR_STATE_UNION;
    if (!mode || strcmp(mode, "BROADCAST") != 0)
        golden_differ(c, "mode", "'%s' is not known", mode ? mode : "?");
    return RASKI_OPERATOR_STATE_BROADCAST;
}

/* The least offset of a state in all handles; 0: it has no items. */
static long long first_offset(golden_case *c, const json_t *operator_state, const char *kind,
                              const char *name) {
    long long first = 0;
    const char *number = NULL;
    json_t *subtask = NULL, *subtasks = json_object_get(operator_state, "subtasks");
    json_object_foreach(subtasks, number, subtask) {
        const json_t *handles = json_object_get(subtask, kind);
        for (size_t i = 0; i < json_array_size(handles); i++) {
            const json_t *state =
                json_object_get(json_object_get(json_array_get(handles, i), "states"), name);
            const json_t *offset = json_array_get(json_object_get(state, "offsets"), 0);
            long long at = offset ? golden_integer(c, offset) : 0;
            if (at > first) first = at;
        }
    }
    return first;
}

typedef struct ordered_state {
    const char *name;
    const json_t *state;
    long long offset;
} ordered_state;

static int last_offset_first(const void *a, const void *b) {
    const ordered_state *x = a, *y = b;
    return x->offset != y->offset ? (x->offset > y->offset ? -1 : 1) : strcmp(x->name, y->name);
}

/* The facts list the states of a handle by name. The order that they had in Flink's map matters
 * where their names fall into one bucket of a HashMap; the offsets tell it: those of the later
 * states come first there. */
static void add_handle(golden_case *c, const json_t *operator_state, const char *kind,
                       const json_t *handle, uint32_t subtask, collected *all) {
    RASKI_VEC(ordered_state) ordered = {0};
    const char *name = NULL;
    json_t *state = NULL, *states = json_object_get(handle, "states");
    json_object_foreach(states, name, state) raski_vec_push(
        &ordered, (ordered_state){name, state, first_offset(c, operator_state, kind, name)});
    if (ordered.count)
        qsort(ordered.items, ordered.count, sizeof *ordered.items, last_offset_first);
    for (size_t i = 0; i < ordered.count; i++) {
        size_t count = json_array_size(json_object_get(ordered.items[i].state, "offsets"));
        raski_vec_push(&all->parts,
                       (raski_operator_state_part){.subtask = subtask,
                                                   .handle = all->handles,
                                                   .name = ordered.items[i].name,
                                                   .mode = mode_of(c, ordered.items[i].state),
                                                   .count = count});
        raski_vec_push(&all->places, (located){json_string_value(json_object_get(handle, "handle")),
                                               ordered.items[i].state});
    }
    raski_vec_free(&ordered);
}

/* The handles of one kind ("managedOperator") of all old subtasks. */
static void collect(golden_case *c, const json_t *operator_state, const char *kind,
                    uint32_t parallelism, collected *all) {
    const json_t *subtasks = json_object_get(operator_state, "subtasks");
    for (uint32_t i = 0; i < parallelism; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        const json_t *handles = json_object_get(json_object_get(subtasks, number), kind);
        for (size_t k = 0; k < json_array_size(handles); k++) {
            const json_t *handle = json_array_get(handles, k);
            add_handle(c, operator_state, kind, handle, i, all);
            all->handles++;
        }
    }
}

static int by_handle(const void *a, const void *b) {
    const char *x = json_string_value(json_object_get(*(json_t *const *)a, "handle"));
    const char *y = json_string_value(json_object_get(*(json_t *const *)b, "handle"));
    return strcmp(x, y);
}

/* {"handle", "states"} objects by name. */
static json_t *sorted(json_t *by_name) {
    RASKI_VEC(json_t *) handles = {0};
    const char *name = NULL;
    json_t *handle = NULL;
    json_object_foreach(by_name, name, handle) raski_vec_push(&handles, handle);
    if (handles.count) qsort(handles.items, handles.count, sizeof(json_t *), by_handle);
    json_t *array = json_array();
    for (size_t i = 0; i < handles.count; i++) json_array_append(array, handles.items[i]);
    raski_vec_free(&handles);
    json_decref(by_name);
    return array;
}

static json_t *slice(const json_t *offsets, uint64_t from, uint64_t count) {
    json_t *part = json_array();
    for (uint64_t i = 0; i < count; i++)
        json_array_append(part, json_array_get(offsets, (size_t)(from + i)));
    return part;
}

/* What a new subtask gets. */
static json_t *handles_of(const collected *all, const raski_operator_state_piece *pieces,
                          size_t count, uint32_t subtask) {
    json_t *by_name = json_object();
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].subtask != subtask) continue;
        const located *place = &all->places.items[pieces[i].part];
        json_t *handle = json_object_get(by_name, place->handle);
        if (!handle) {
            handle = json_pack("{s:s, s:{}}", "handle", place->handle, "states");
            json_object_set_new(by_name, place->handle, handle);
        }
        json_t *state = json_object();
        json_object_set(state, "mode", json_object_get(place->state, "mode"));
        json_object_set_new(
            state, "offsets",
            slice(json_object_get(place->state, "offsets"), pieces[i].from, pieces[i].count));
        json_object_set_new(json_object_get(handle, "states"),
                            all->parts.items[pieces[i].part].name, state);
    }
    return sorted(by_name);
}

static void assign(golden_case *c, const json_t *operator_state, const char *kind,
                   uint32_t new_parallelism, json_t *subtasks) {
    uint32_t old_parallelism =
        (uint32_t)golden_integer(c, json_object_get(operator_state, "parallelism"));
    const char *id = json_string_value(json_object_get(operator_state, "operator"));
    collected all = {0};
    collect(c, operator_state, kind, old_parallelism, &all);
    size_t count = 0;
    raski_operator_state_piece *pieces = raski_operator_state_assign(
        all.parts.items, all.parts.count, old_parallelism, new_parallelism, &count);
    for (uint32_t i = 0; i < new_parallelism; i++) {
        json_t *handles = handles_of(&all, pieces, count, i);
        json_t *operators = json_array_get(subtasks, i);
        json_t *state = json_object_get(operators, id);
        if (!state) {
            state = json_object();
            json_object_set_new(operators, id, state);
        }
        if (json_array_size(handles))
            json_object_set_new(state, kind, handles);
        else
            json_decref(handles);
    }
    raski_free(pieces);
    raski_vec_free(&all.parts);
    raski_vec_free(&all.places);
}

void golden_operator_state(golden_case *c) {
    const char *name = json_string_value(json_object_get(c->json, "id"));
    snprintf(c->name, sizeof c->name, "%s", name ? name : "?");
    const json_t *input = json_object_get(c->json, "input");
    const json_t *vertex = json_array_get(json_object_get(input, "vertices"), 0);
    uint32_t parallelism = (uint32_t)golden_integer(c, json_object_get(vertex, "parallelism"));
    const json_t *states = json_object_get(input, "state");
    json_t *subtasks = json_array();
    for (uint32_t i = 0; i < parallelism; i++) json_array_append_new(subtasks, json_object());
    for (size_t i = 0; i < json_array_size(states); i++) {
        assign(c, json_array_get(states, i), "managedOperator", parallelism, subtasks);
        assign(c, json_array_get(states, i), "rawOperator", parallelism, subtasks);
    }
    const json_t *ok = json_object_get(json_object_get(c->json, "result"), "ok");
    const char *vertex_name = json_string_value(json_object_get(vertex, "name"));
    golden_equal(c, "subtasks",
                 json_object_get(json_object_get(ok, vertex_name ? vertex_name : ""), "subtasks"),
                 subtasks);
    json_decref(subtasks);
}
