#include "plan/plan_state.h"

const char *raski_plan_state_of(const raski_stream_node *node) {
    switch (node->factory.role) {
        case RASKI_OPERATOR_SOURCE:
            return "splits of the source";
        case RASKI_OPERATOR_COMMITTER:
        case RASKI_OPERATOR_GLOBAL_COMMITTER:
            return "what is to be committed";
        case RASKI_OPERATOR_SINK_WRITER:
            return "state of the sink's writer";
        default:
            break;
    }
    if (node->key_selectors != NULL) return "keyed state";
    const raski_transformation *t = node->transformation;
    if (t != NULL && (t->kind == RASKI_TRANSFORMATION_BROADCAST_STATE ||
                      t->kind == RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE))
        return "broadcast state";
    if (node->factory.yielding) return "records that wait";
    return NULL;
}

bool raski_plan_id_depends_on_topology(const raski_stream_node *node) {
    return node->uid == NULL && node->user_hash == NULL;
}
