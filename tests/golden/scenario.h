/* scenario.h - replays windows/ scenarios that drive one operator: steps in, outputs out. A kind
 * gives the stream whose last operator is meant, how an element becomes a record, and how a record
 * is told as JSON. */
#ifndef GOLDEN_SCENARIO_H
#define GOLDEN_SCENARIO_H
#include "golden/golden.h"
#include "rask/rask.h"

/* In what order outputs of one step may come, between its watermarks and statuses. Flink's timers
 * of one time fire in the order of a heap. */
typedef enum golden_order {
    GOLDEN_ORDER_BY_KEY, /* exact for each key ("k" of the element), free between keys */
    GOLDEN_ORDER_FREE,   /* compared as multisets */
} golden_order;

typedef struct golden_scenario {
    rask_env *env;        /* taken */
    raski_stream *output; /* of the operator */
    /* Pushes one element: makes the record of {"el": ...} for an input of an operator (its
     * raski_operator_definition) and hands it to push. */
    void (*element)(golden_case *c, const json_t *el, unsigned input, const void *definition,
                    void (*push)(void *context, const void *record), void *context);
    /* The "el" of a record of the main output or (tag) of a side output. A new reference. */
    json_t *(*describe)(const char *tag, const void *record);
    golden_order order;
    /* Counts the outputs of a key in the order in which they come ("globalFire"), which is free:
     * the numbers of a step are compared apart from the outputs that they stand in. NULL: none. */
    const char *counter;
    /* Changes the "el" of a main output, expected or got, before they are compared; NULL: none. */
    void (*normalize)(json_t *el);
    bool one_input; /* the operator gets both inputs of the scenario by its only one */
} golden_scenario;

/* Replays all steps, on both state backends, and compares outputs, errors and the timers that are
 * left. */
void golden_scenario_run(golden_case *c, const golden_scenario *scenario);
#endif
