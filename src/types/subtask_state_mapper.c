#include "types/subtask_state_mapper.h"

#include "base/alloc.h"
#include "types/key_group.h"

const char *raski_subtask_state_mapper_name(raski_subtask_state_mapper mapper) {
    switch (mapper) {
        case RASKI_MAPPER_ARBITRARY:
            return "ARBITRARY";
        case RASKI_MAPPER_FIRST:
            return "FIRST";
        case RASKI_MAPPER_FULL:
            return "FULL";
        case RASKI_MAPPER_RANGE:
            return "RANGE";
        case RASKI_MAPPER_ROUND_ROBIN:
            return "ROUND_ROBIN";
        case RASKI_MAPPER_UNSUPPORTED:
            return "UNSUPPORTED";
    }
    return "?";
}

bool raski_subtask_state_mapper_is_ambiguous(raski_subtask_state_mapper mapper) {
    return mapper == RASKI_MAPPER_FULL || mapper == RASKI_MAPPER_RANGE;
}

/* The range of a new subtask covers parts of one or more old ranges. The max parallelism cancels
 * out, so the largest one is taken, which has room for any parallelism. */
static rask_status range_mapping(int32_t new_subtask, int32_t old_parallelism,
                                 int32_t new_parallelism, raski_subtask_sequence *ret,
                                 raski_error *err) {
    const int32_t max = RASKI_MAX_PARALLELISM_UPPER_BOUND;
    raski_key_group_range range;
    RASKI_TRY(raski_key_group_range_of_subtask(max, new_parallelism, new_subtask, &range, err));
    int32_t first = raski_subtask_of_key_group(max, old_parallelism, range.start);
    int32_t last = raski_subtask_of_key_group(max, old_parallelism, range.end);
    *ret = (raski_subtask_sequence){first, 1, last - first + 1};
    return RASK_OK;
}

rask_status raski_subtask_state_mapper_old_subtasks(raski_subtask_state_mapper mapper,
                                                    int32_t new_subtask, int32_t old_parallelism,
                                                    int32_t new_parallelism,
                                                    raski_subtask_sequence *ret, raski_error *err) {
    switch (mapper) {
        case RASKI_MAPPER_ARBITRARY:
        case RASKI_MAPPER_ROUND_ROBIN: {
            int32_t left = old_parallelism - new_subtask;
            int32_t count = left > 0 ? (left - 1) / new_parallelism + 1 : 0;
            *ret = (raski_subtask_sequence){new_subtask, new_parallelism, count};
            return RASK_OK;
        }
        case RASKI_MAPPER_FIRST:
            *ret = (raski_subtask_sequence){0, 1, new_subtask == 0 ? old_parallelism : 0};
            return RASK_OK;
        case RASKI_MAPPER_FULL:
            *ret = (raski_subtask_sequence){0, 1, old_parallelism};
            return RASK_OK;
        case RASKI_MAPPER_RANGE:
            return range_mapping(new_subtask, old_parallelism, new_parallelism, ret, err);
        case RASKI_MAPPER_UNSUPPORTED:
            break;
    }
    return RASKI_THROW(err, "UnsupportedOperationException",
                       "Cannot rescale the given pointwise partitioner.\n"
                       "Did you change the partitioner to forward or rescale?\n"
                       "It may also help to add an explicit shuffle().");
}

/* ---------------------------------------------------------------- mappings */
static bool check_identity(const raski_rescale_mappings *m) {
    if (m->source_count < m->target_count) return false;
    for (int32_t source = 0; source < m->source_count; source++) {
        uint32_t count = m->begin[source + 1] - m->begin[source];
        if (source >= m->target_count ? count != 0
                                      : count != 1 || m->targets[m->begin[source]] != source)
            return false;
    }
    return true;
}

rask_status raski_subtask_state_mapper_new_to_old(raski_subtask_state_mapper mapper,
                                                  int32_t old_parallelism, int32_t new_parallelism,
                                                  raski_rescale_mappings *ret, raski_error *err) {
    raski_rescale_mappings m = {.source_count = new_parallelism, .target_count = old_parallelism};
    raski_subtask_sequence *rows = RASKI_NEW_ARRAY(raski_subtask_sequence, (size_t)new_parallelism);
    m.begin = RASKI_NEW_ARRAY(uint32_t, (size_t)new_parallelism + 1);
    rask_status status = RASK_OK;
    for (int32_t i = 0; i < new_parallelism; i++) {
        RASKI_TRY_GOTO(status,
                       raski_subtask_state_mapper_old_subtasks(mapper, i, old_parallelism,
                                                               new_parallelism, &rows[i], err),
                       out);
        m.begin[i + 1] = m.begin[i] + (uint32_t)rows[i].count;
    }
    m.targets = RASKI_NEW_ARRAY(int32_t, m.begin[new_parallelism]);
    for (int32_t i = 0; i < new_parallelism; i++)
        for (int32_t k = 0; k < rows[i].count; k++)
            m.targets[m.begin[i] + (uint32_t)k] = rows[i].first + k * rows[i].step;
    m.is_identity = check_identity(&m);
    *ret = m;
    m = (raski_rescale_mappings){0};
out:
    raski_free(rows);
    raski_rescale_mappings_free(&m);
    return status;
}

void raski_rescale_mappings_invert(const raski_rescale_mappings *mappings,
                                   raski_rescale_mappings *ret) {
    size_t targets = (size_t)mappings->target_count;
    uint32_t total = mappings->begin[mappings->source_count];
    raski_rescale_mappings m = {.source_count = mappings->target_count,
                                .target_count = mappings->source_count,
                                .begin = RASKI_NEW_ARRAY(uint32_t, targets + 1),
                                .targets = RASKI_NEW_ARRAY(int32_t, total)};
    for (uint32_t k = 0; k < total; k++) m.begin[mappings->targets[k] + 1]++;
    for (size_t t = 0; t < targets; t++) m.begin[t + 1] += m.begin[t];
    uint32_t *next = raski_memdup(m.begin, (targets + 1) * sizeof *next);
    for (int32_t source = 0; source < mappings->source_count; source++)
        for (uint32_t k = mappings->begin[source]; k < mappings->begin[source + 1]; k++)
            m.targets[next[mappings->targets[k]]++] = source;
    raski_free(next);
    m.is_identity = check_identity(&m);
    *ret = m;
}

const int32_t *raski_rescale_mappings_get(const raski_rescale_mappings *mappings, int32_t source,
                                          uint32_t *ret_count) {
    *ret_count = 0;
    if (source < 0 || source >= mappings->source_count) return NULL;
    *ret_count = mappings->begin[source + 1] - mappings->begin[source];
    return mappings->targets + mappings->begin[source];
}

bool raski_rescale_mappings_is_ambiguous(const raski_rescale_mappings *mappings, int32_t target) {
    uint32_t sources = 0;
    for (uint32_t k = 0; k < mappings->begin[mappings->source_count]; k++)
        sources += mappings->targets[k] == target;
    return sources > 1;
}

void raski_rescale_mappings_free(raski_rescale_mappings *mappings) {
    raski_free(mappings->begin);
    raski_free(mappings->targets);
    *mappings = (raski_rescale_mappings){0};
}
