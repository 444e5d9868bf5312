/* subtask_state_mapper.h - whose in-flight data a subtask reads after a change of parallelism.
 * Data that a checkpoint caught on its way belonged to old subtasks; a mapper says which of them
 * each new subtask reads, so that every record can still reach where its partitioner sends it.
 * Threads: pure; mappings belong to their caller. Flink: SubtaskStateMapper, RescaleMappings. */
#ifndef RASKI_TYPES_SUBTASK_STATE_MAPPER_H
#define RASKI_TYPES_SUBTASK_STATE_MAPPER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum raski_subtask_state_mapper {
    RASKI_MAPPER_ARBITRARY,   /* anybody may read it: round robin, for now */
    RASKI_MAPPER_FIRST,       /* all of it to subtask 0 */
    RASKI_MAPPER_FULL,        /* all of it to everybody, who then drops what is not his */
    RASKI_MAPPER_RANGE,       /* by key group range; a range that was cut is read by both */
    RASKI_MAPPER_ROUND_ROBIN, /* old subtask i to new subtask i modulo the new parallelism */
    RASKI_MAPPER_UNSUPPORTED, /* cannot be rescaled with data in flight */
} raski_subtask_state_mapper;

/* "ARBITRARY", ...; static. */
const char *raski_subtask_state_mapper_name(raski_subtask_state_mapper mapper);
/* Whether two new subtasks may read the same old one (then the reader filters). */
bool raski_subtask_state_mapper_is_ambiguous(raski_subtask_state_mapper mapper);

/* Old subtasks first, first + step, ...: count of them. */
typedef struct raski_subtask_sequence {
    int32_t first, step, count;
} raski_subtask_sequence;

/* The old subtasks that new_subtask (in 0..new_parallelism - 1) reads; parallelisms are at least
 * 1. UnsupportedOperationException with Flink's text for UNSUPPORTED. */
RASKI_NODISCARD rask_status raski_subtask_state_mapper_old_subtasks(
    raski_subtask_state_mapper mapper, int32_t new_subtask, int32_t old_parallelism,
    int32_t new_parallelism, raski_subtask_sequence *ret, raski_error *err);

/* ---- all subtasks at once */
/* A mapping of sources to targets; a source's targets lie in
 * targets[begin[source]]..targets[begin[source + 1] - 1], in ascending order. */
typedef struct raski_rescale_mappings {
    int32_t source_count, target_count;
    bool is_identity; /* source i has the one target i; sources beyond the targets have none */
    uint32_t *begin;  /* source_count + 1 */
    int32_t *targets;
} raski_rescale_mappings;

/* New subtask -> old subtasks. The caller frees it with raski_rescale_mappings_free. */
RASKI_NODISCARD rask_status raski_subtask_state_mapper_new_to_old(raski_subtask_state_mapper mapper,
                                                                  int32_t old_parallelism,
                                                                  int32_t new_parallelism,
                                                                  raski_rescale_mappings *ret,
                                                                  raski_error *err);
/* Target -> sources; the caller frees it. */
void raski_rescale_mappings_invert(const raski_rescale_mappings *mappings,
                                   raski_rescale_mappings *ret);
/* The targets of a source, and their number; borrowed. A source out of bounds has none. */
const int32_t *raski_rescale_mappings_get(const raski_rescale_mappings *mappings, int32_t source,
                                          uint32_t *ret_count);
/* Whether more than one source has this target. */
bool raski_rescale_mappings_is_ambiguous(const raski_rescale_mappings *mappings, int32_t target);
void raski_rescale_mappings_free(raski_rescale_mappings *mappings);
#endif
