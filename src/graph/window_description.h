/* window_description.h - what Flink's plans say of window operators. Shared by topologies (`rask
 * plan` of a file) and the building calls of programs. Threads: pure. */
#ifndef RASKI_GRAPH_WINDOW_DESCRIPTION_H
#define RASKI_GRAPH_WINDOW_DESCRIPTION_H
#include "graph/transformation.h"
#include "graph/window_spec.h"

typedef struct raski_window_program {
    const raski_window_assigner *assigner;
    const raski_trigger *trigger;
    const raski_evictor *evictor;
} raski_window_program;

/* The properties of a keyed window operator that planning looks at. */
raski_operator_factory raski_window_factory(const raski_window_program *program);
/* Description of a keyed window operator; its name is the assigner's class. functions:
 * "ReduceFn, PassThroughWindowFunction". In the arena. */
const char *raski_window_description(const raski_window_program *program, const char *functions,
                                     raski_arena *arena);

/* The ways to apply a function to windows over all records. */
typedef enum raski_window_all_apply {
    RASKI_WINDOW_ALL_REDUCE, /* and sum, min, ... */
    RASKI_WINDOW_ALL_REDUCE_WINDOW,
    RASKI_WINDOW_ALL_REDUCE_PROCESS,
    RASKI_WINDOW_ALL_AGGREGATE,
    RASKI_WINDOW_ALL_AGGREGATE_WINDOW,
    RASKI_WINDOW_ALL_AGGREGATE_PROCESS,
    RASKI_WINDOW_ALL_APPLY, /* apply, process */
} raski_window_all_apply;

/* The text of an operator of windows over all records. *ret_is_description: it describes an
 * operator that has the name of its assigner; else (Flink's slip) it is the operator's name.
 * serializer: class of that of the records; place: where the program made the call,
 * "main(FILE:LINE)". In the arena. */
const char *raski_window_all_description(const raski_window_program *program,
                                         raski_window_all_apply apply, const char *serializer,
                                         const char *place, raski_arena *arena,
                                         bool *ret_is_description);
#endif
