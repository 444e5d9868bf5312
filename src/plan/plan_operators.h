/* plan_operators.h - the operators of a plan as a savepoint sees them: their ids and where these
 * come from, what state they keep, who feeds them. What plan_diff.h compares, and what a program
 * prints when it is asked for its operators (`rask plan --diff PROGRAM ...`).
 * Flink counterpart: none; ids are those of StreamGraphHasherV2 and OperatorIDPair.
 * Threads: any may read. A list owns all its texts. */
#ifndef RASKI_PLAN_PLAN_OPERATORS_H
#define RASKI_PLAN_PLAN_OPERATORS_H
#include <jansson.h>

#include "plan/plan.h"
#include "plan/plan_state.h"

#define RASKI_PLAN_NO_OPERATOR SIZE_MAX

typedef struct raski_plan_input {
    size_t source;        /* place in the list of operators */
    const char *exchange; /* "FORWARD", "HASH", ... */
    bool chained;
    const char *obstacle; /* why it is not chained, in words; NULL: chained */
} raski_plan_input;

typedef struct raski_plan_operator {
    const char *name;
    const char *kind;  /* "source", "keyed operator", "sink writer", ... */
    const char *where; /* "step 3", "job.c:17", or NULL: not known */
    int node;          /* id in the stream graph; grows in the order of the program */
    const char *uid;   /* or NULL */
    raski_id id;       /* under which it stores its state */
    raski_id user_id;  /* of setUidHash: a second id under which it looks for state */
    bool has_user_id;
    size_t number;       /* the how-manieth hash it is; ids without uid depend on it */
    int parallelism;     /* -1: not decided yet */
    int max_parallelism; /* that of its vertex, resolved; -1: decided while the job runs */
    bool max_parallelism_configured;
    unsigned states;          /* raski_plan_state, or'ed; 0: none that shows */
    const char *key_type;     /* Flink's text; NULL: not keyed */
    bool is_chained_source;   /* in the chain of its consumer (HEAD_WITH_SOURCES): Flink lists no id
                                 of it at the vertex, so that no state maps to it */
    bool sink_part;           /* of a Sink V2: its ids are set through the sink */
    raski_plan_input *inputs; /* in order */
    size_t input_count;
    size_t *chained_targets; /* operators behind it in its chain, in order */
    size_t chained_target_count;
    size_t vertex; /* index of its vertex in the job graph */
} raski_plan_operator;

typedef struct raski_plan_operators {
    const char *job_name;
    raski_plan_operator *items; /* by node */
    size_t count;
    raski_arena *arena;
} raski_plan_operators;

/* Lists the operators of a plan that was run up to its job graph. Never fails; copies all. */
raski_plan_operators *raski_plan_operators_create(const raski_plan *plan);
void raski_plan_operators_destroy(raski_plan_operators *operators_take); /* NULL is fine */

/* As JSON, and back. Reading checks everything: the text may come from another program.
 * A new reference. */
json_t *raski_plan_operators_to_json(const raski_plan_operators *operators);
RASKI_NODISCARD rask_status raski_plan_operators_from_json(const json_t *document,
                                                           raski_plan_operators **ret_operators,
                                                           raski_error *err);

/* For those who fill a list themselves: count empty operators (everything in arena), and, once
 * inputs are filled, what follows from them: chained_targets. */
raski_plan_operators *raski_plan_operators_new(const char *job_name, size_t count);
void raski_plan_operators_connect(raski_plan_operators *operators);
#endif
