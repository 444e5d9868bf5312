/* plan_state.h - what planning can know about the state of operators: which have some, and whether
 * it will be found again when the program changes. Threads: any (pure). */
#ifndef RASKI_PLAN_PLAN_STATE_H
#define RASKI_PLAN_PLAN_STATE_H
#include "graph/stream_graph.h"

/* What state the operator of a node keeps in checkpoints: "keyed state", "splits of the source",
 * ...; NULL: none that planning knows of (a function on a plain stream may still have some). */
const char *raski_plan_state_of(const raski_stream_node *node);
/* The node has no uid and no uid hash, so its id is computed from its place in the topology: any
 * change before it gives it another id, and a savepoint's state is not found again. */
bool raski_plan_id_depends_on_topology(const raski_stream_node *node);
#endif
