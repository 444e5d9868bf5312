#include "plan/plan_state.h"

#include <string.h>

static const struct {
    const char *name, *text;
} states[RASKI_PLAN_STATES] = {
    {"KEYED", "keyed state and timers"},          {"SPLITS", "splits of the source"},
    {"OFFSETS", "state of the source function"},  {"WRITER", "state of the sink writer"},
    {"COMMITTABLES", "committables of the sink"}, {"BROADCAST", "broadcast state"},
    {"IN_FLIGHT", "elements in flight"},          {"COORDINATOR", "state of the coordinator"},
};

const char *raski_plan_state_text(raski_plan_state state) {
    return states[__builtin_ctz((unsigned)state)].text;
}

const char *raski_plan_state_name(raski_plan_state state) {
    return states[__builtin_ctz((unsigned)state)].name;
}

void raski_plan_states_describe(unsigned set, raski_str *out) {
    const char *separator = "";
    for (int i = 0; i < RASKI_PLAN_STATES; i++) {
        if (!(set & 1U << i)) continue;
        raski_str_appendf(out, "%s%s", separator, states[i].text);
        separator = ", ";
    }
}

static bool is_broadcast_state(const raski_transformation *t) {
    return t != NULL && (t->kind == RASKI_TRANSFORMATION_BROADCAST_STATE ||
                         t->kind == RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE);
}

unsigned raski_plan_states_of(const raski_stream_node *node) {
    unsigned set = node->key_selectors != NULL ? RASKI_STATE_KEYED : 0u;
    switch (node->factory.role) {
        case RASKI_OPERATOR_SOURCE:
            return set | RASKI_STATE_SPLITS;
        case RASKI_OPERATOR_LEGACY_SOURCE:
            return set | RASKI_STATE_OFFSETS;
        case RASKI_OPERATOR_SINK_WRITER: /* with a committer behind it */
            return node->out_edges.count > 0 ? set | RASKI_STATE_WRITER : set;
        case RASKI_OPERATOR_COMMITTER:
        case RASKI_OPERATOR_GLOBAL_COMMITTER:
            return set | RASKI_STATE_COMMITTABLES;
        case RASKI_OPERATOR_PLAIN:
            break;
    }
    if (is_broadcast_state(node->transformation)) set |= RASKI_STATE_BROADCAST;
    /* what yields waits for something, with elements in hand */
    if (node->factory.yielding) set |= RASKI_STATE_IN_FLIGHT;
    if (node->factory.coordinated) set |= RASKI_STATE_COORDINATOR;
    return set;
}

const char *raski_plan_kind_of(const raski_stream_node *node) {
    const raski_transformation *t = node->transformation;
    switch (node->factory.role) {
        case RASKI_OPERATOR_SOURCE:
            return "source";
        case RASKI_OPERATOR_LEGACY_SOURCE:
            return "source function";
        case RASKI_OPERATOR_SINK_WRITER:
            return "sink writer";
        case RASKI_OPERATOR_COMMITTER:
            return "committer";
        case RASKI_OPERATOR_GLOBAL_COMMITTER:
            return "global committer";
        case RASKI_OPERATOR_PLAIN:
            break;
    }
    if (is_broadcast_state(t)) return "operator with broadcast state";
    if (t != NULL && t->kind == RASKI_TRANSFORMATION_LEGACY_SINK) return "sink function";
    if (node->key_selectors != NULL) return "keyed operator";
    return "operator";
}

const char *raski_plan_where(raski_arena *arena, const raski_transformation *t) {
    if (t == NULL || t->file == NULL) return NULL;
    /* topologies put the operation for the file and the number of the step for the line */
    if (strpbrk(t->file, "./") == NULL)
        return raski_arena_format(arena, "step %d, %s", t->line, t->file);
    return raski_arena_format(arena, "%s:%d", t->file, t->line);
}

bool raski_plan_id_depends_on_topology(const raski_stream_node *node) {
    return node->uid == NULL && node->user_hash == NULL;
}
