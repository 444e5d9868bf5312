/* window_definition.h - what a program says about one window operator: the detail of its operator
 * definition, made by src/api/window.c. Flink: WindowOperatorBuilder.
 * Threads: read by many. */
#ifndef RASKI_OPERATORS_WINDOW_WINDOW_DEFINITION_H
#define RASKI_OPERATORS_WINDOW_WINDOW_DEFINITION_H
#include "graph/window_spec.h"
#include "operators/aggregate.h"
#include "operators/operator.h"
#include "rask/detail/window_functions.h"

/* What a window keeps of its records. */
typedef enum raski_window_contents {
    RASKI_WINDOW_LIST,      /* all of them */
    RASKI_WINDOW_REDUCE,    /* one, by the user's reduce */
    RASKI_WINDOW_BUILT_IN,  /* one, by sum, min, ... */
    RASKI_WINDOW_AGGREGATE, /* an accumulator */
} raski_window_contents;

/* A record made of two others: those of a window join's inputs. */
typedef struct raski_tagged_type {
    const rask_type *type;
    uint32_t key_offset, second_flag_offset,
        offsets[2]; /* the flag is a bool: of the second input */
    const rask_type *key, *inputs[2];
} raski_tagged_type;

typedef struct raski_window_definition {
    raski_window_assigner assigner;
    const raski_trigger *trigger;
    raski_evictor evictor;
    int64_t allowed_lateness_ms;
    const raski_tag *late; /* NULL: late records are counted and dropped */
    raski_window_contents contents;
    const raski_fn *incremental;   /* REDUCE, AGGREGATE */
    raski_aggregate_kind built_in; /* BUILT_IN */
    rask_field field;
    bool first_on_tie;
    const raski_fn *process;         /* gets what the window has; NULL: that is emitted */
    const rask_type *element;        /* with an evictor: a record with its timestamp; else NULL */
    uint32_t element_offset;         /* of the record in it; the timestamp is at 0 */
    const raski_tagged_type *tagged; /* joins: what the records are; process is a join or coGroup */
} raski_window_definition;

/* The accumulator, the stored record, or what the list holds. */
const rask_type *raski_window_contents_type(const raski_window_definition *window,
                                            const rask_type *record);
/* What the contents give when the window fires: a record, or the result of the aggregate. */
const rask_type *raski_window_value_type(const raski_window_definition *window,
                                         const rask_type *record);

/* Types made at run time, in the arena. */
const rask_type *raski_window_element_type(const rask_type *record, raski_arena *arena,
                                           uint32_t *ret_offset);
const raski_tagged_type *raski_tagged_type_create(const rask_type *key, const rask_type *first,
                                                  const rask_type *second, raski_arena *arena);

extern const raski_operator_ops raski_window_ops;
/* Makes tagged records of one input of a window join: its detail is a raski_tagger_definition. */
extern const raski_operator_ops raski_tagger_ops;
typedef struct raski_tagger_definition {
    const raski_tagged_type *tagged;
    unsigned input;      /* 0, 1 */
    uint32_t key_offset; /* in the input's records */
} raski_tagger_definition;
#endif
