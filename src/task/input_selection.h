/* input_selection.h - hands records one by one to an operator that chooses its inputs, and keeps
 * what has come of the others. What the gate gave of an input that is not wanted is copied; its
 * channels are blocked meanwhile, so that is a batch at most. Flink: InputSelectable,
 * MultipleInputSelectionHandler. Threads: the task's. */
#ifndef RASKI_TASK_INPUT_SELECTION_H
#define RASKI_TASK_INPUT_SELECTION_H
#include "operators/operator.h"

typedef struct raski_input_selection raski_input_selection;

/* Whether the operator's function chooses (RASK_SELECT_INPUTS). */
bool raski_input_selection_is_wanted(const raski_operator *op);
/* op is borrowed. Never NULL. */
raski_input_selection *raski_input_selection_create(raski_operator *op);
void raski_input_selection_destroy(raski_input_selection *selection_take_or_null);

/* What comes of an input, in order. Failures go to the operator. */
void raski_input_selection_add(raski_input_selection *selection, unsigned input,
                               const void *records, const int64_t *timestamps, size_t n);
void raski_input_selection_add_change(raski_input_selection *selection, unsigned input,
                                      const raski_watermark_change *change);
void raski_input_selection_end(raski_input_selection *selection, unsigned input);

/* Gives the operator all that is there of the inputs that it wants, asking it after each record. */
void raski_input_selection_run(raski_input_selection *selection);
/* Whether the gate may give more of this input: none of it waits. */
bool raski_input_selection_wants(const raski_input_selection *selection, unsigned input);
#endif
