/* sorted_inputs.h - batch mode, between the input gate and the head operator of a task: the keyed
 * inputs of the operator are collected, each by a sorter of its own; when all inputs have ended
 * (those without keys went straight to the operator) the operator gets the records key by key,
 * inside a key by time, of whatever input.
 *
 * With one_key the operator is also told where keys end (raski_operator_end_keys): it fires all
 * timers of the key and drops its state, so that there is state of one key at a time only.
 * Flink: MultiInputSortingDataInput, BatchExecutionKeyedStateBackend. Threads: the task's. */
#ifndef RASKI_OPERATORS_SORT_SORTED_INPUTS_H
#define RASKI_OPERATORS_SORT_SORTED_INPUTS_H
#include "operators/operator.h"
#include "operators/sort/sorter.h"

typedef struct raski_sorted_inputs raski_sorted_inputs;

typedef struct raski_sorted_input {
    bool is_sorted;                  /* false: the input passes by, all else is ignored */
    const rask_type *type;           /* borrowed */
    const raski_key_definition *key; /* borrowed; NULL: one key for all (windowAll) */
} raski_sorted_input;

typedef struct raski_sorted_inputs_options {
    const raski_sorted_input *inputs; /* by number of the operator's input; copied */
    size_t input_count;
    bool one_key;        /* execution.batch-state-backend.enabled */
    size_t memory_bytes; /* execution.sorted-inputs.memory; shared by the sorted inputs */
    const char *directory;
    uint32_t fan_in; /* of the task; 0: 128 */
} raski_sorted_inputs_options;

/* op is borrowed. RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_sorted_inputs_create(raski_operator *op,
                                                       const raski_sorted_inputs_options *options,
                                                       raski_sorted_inputs **ret, raski_error *err);
void raski_sorted_inputs_destroy(raski_sorted_inputs *take_or_null);

bool raski_sorted_inputs_has(const raski_sorted_inputs *sorted, unsigned input);
/* Records of a sorted input, which are copied. A failure is the operator's. @blocks on files */
void raski_sorted_inputs_add(raski_sorted_inputs *sorted, unsigned input, const void *records,
                             const int64_t *timestamps, size_t n);
/* Event time of a sorted input: it reaches the operator behind all records. */
void raski_sorted_inputs_watermark(raski_sorted_inputs *sorted, unsigned input, int64_t watermark);
/* After all inputs have ended: one batch to the operator; false when there is none left: then the
 * watermarks and the ends of the sorted inputs were told too. A failure is the operator's.
 * @blocks on files */
bool raski_sorted_inputs_step(raski_sorted_inputs *sorted);
/* Of all sorters. */
raski_sorter_counters raski_sorted_inputs_get_counters(const raski_sorted_inputs *sorted);
#endif
