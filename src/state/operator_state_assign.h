/* operator_state_assign.h - who gets which part of operator state when a job is restored.
 * Split states are dealt out as evenly as possible, state after state, each beginning where the one
 * before had its last odd item; union states go to everybody as a whole; copies of broadcast states
 * go round. At the same parallelism everybody keeps what he had, but for union states, and for
 * broadcast states that some subtasks did not report (they had finished).
 * Flink: RoundRobinOperatorStateRepartitioner. Threads: pure. */
#ifndef RASKI_STATE_OPERATOR_STATE_ASSIGN_H
#define RASKI_STATE_OPERATOR_STATE_ASSIGN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum raski_operator_state_mode {
    RASKI_OPERATOR_STATE_SPLIT,     /* Flink: SPLIT_DISTRIBUTE */
    RASKI_OPERATOR_STATE_UNION,     /* UNION */
    RASKI_OPERATOR_STATE_BROADCAST, /* BROADCAST */
} raski_operator_state_mode;

/* A state of an old subtask, in one handle (a file; a subtask usually has one). */
typedef struct raski_operator_state_part {
    uint32_t subtask, handle; /* handles are numbered over all subtasks */
    const char *name;         /* borrowed */
    raski_operator_state_mode mode;
    uint64_t count; /* items */
} raski_operator_state_part;

/* What a new subtask reads: items from .. from + count - 1 of parts[part]. */
typedef struct raski_operator_state_piece {
    uint32_t subtask; /* the new one */
    uint32_t part;
    uint64_t from, count;
} raski_operator_state_piece;

/* parts: of subtask 0 first, then 1 ...; in a subtask in the order of its handles. The pieces of
 * all new subtasks, for the caller to free (raski_free), in no order but that pieces of one state
 * come in that of parts; a piece may have no items (then the state is known to be there).
 * Parallelisms are at least 1, part.subtask < old_parallelism. Never NULL. */
raski_operator_state_piece *raski_operator_state_assign(const raski_operator_state_part *parts,
                                                        size_t count, uint32_t old_parallelism,
                                                        uint32_t new_parallelism,
                                                        size_t *ret_count);
#endif
