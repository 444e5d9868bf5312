/* plan_state.h - what planning can know about the state of operators: which have some, and whether
 * it will be found again when the program changes. Threads: any (pure). */
#ifndef RASKI_PLAN_PLAN_STATE_H
#define RASKI_PLAN_PLAN_STATE_H
#include "base/str.h"
#include "graph/stream_graph.h"

/* What an operator keeps in a savepoint, as far as its plan shows. Operator state of the user's
 * own functions (CheckpointedFunction) does not show: plain functions count as stateless. */
typedef enum raski_plan_state {
    RASKI_STATE_KEYED = 1 << 0,        /* keyed state, windows, timers: it has a key */
    RASKI_STATE_SPLITS = 1 << 1,       /* a source: splits of the readers, and the enumerator */
    RASKI_STATE_OFFSETS = 1 << 2,      /* a SourceFunction: what it keeps, offsets as a rule */
    RASKI_STATE_WRITER = 1 << 3,       /* a sink's writer that hands on to a committer: what it has
                                        begun */
    RASKI_STATE_COMMITTABLES = 1 << 4, /* a committer */
    RASKI_STATE_BROADCAST = 1 << 5,
    RASKI_STATE_IN_FLIGHT = 1 << 6,   /* records that wait: asynchronous I/O, splits to read */
    RASKI_STATE_COORDINATOR = 1 << 7, /* of a custom operator's coordinator */
} raski_plan_state;
enum { RASKI_PLAN_STATES = 8 };
/* "keyed state", ...: for people. Static. */
const char *raski_plan_state_text(raski_plan_state state);
/* "KEYED", ...: for machines. Static. */
const char *raski_plan_state_name(raski_plan_state state);
/* All of a set, joined by ", ". */
void raski_plan_states_describe(unsigned states, raski_str *out);

/* What a stream node keeps, and what it is called: "keyed operator". */
unsigned raski_plan_states_of(const raski_stream_node *node);
const char *raski_plan_kind_of(const raski_stream_node *node);
/* Where the program asks for it: "job.c:17", "step 3, map"; NULL: not known. In arena. */
const char *raski_plan_where(raski_arena *arena, const raski_transformation *transformation);
/* The node has no uid and no uid hash, so its id is computed from its place in the topology: any
 * change before it gives it another id, and a savepoint's state is not found again. */
bool raski_plan_id_depends_on_topology(const raski_stream_node *node);
#endif
