#include "types/key_group.h"

#include <stdio.h>
#include <string.h>

rask_status raski_check_parallelism_bounds(int32_t parallelism, raski_error *err) {
    if (parallelism > 0 && parallelism <= RASKI_MAX_PARALLELISM_UPPER_BOUND) return RASK_OK;
    return RASKI_THROW(err, "IllegalArgumentException",
                       "Operator parallelism not within bounds: %d", parallelism);
}

rask_status raski_default_max_parallelism(int32_t parallelism, int32_t *ret, raski_error *err) {
    RASKI_TRY(raski_check_parallelism_bounds(parallelism, err));
    int32_t wanted = parallelism + parallelism / 2;
    int32_t result = RASKI_MAX_PARALLELISM_LOWER_BOUND;
    while (result < wanted && result < RASKI_MAX_PARALLELISM_UPPER_BOUND) result *= 2;
    *ret = result;
    return RASK_OK;
}

rask_status raski_key_group_range_create(int32_t start, int32_t end, raski_key_group_range *ret,
                                         raski_error *err) {
    /* Flink's first two checks have no message. */
    if (start < 0 || start > end) return RASKI_THROW(err, "IllegalArgumentException", "%s", "");
    if (end - start == INT32_MAX)
        return RASKI_THROW(err, "IllegalArgumentException", "Potential overflow detected.");
    *ret = (raski_key_group_range){start, end};
    return RASK_OK;
}

rask_status raski_key_group_range_of(int32_t start, int32_t end, raski_key_group_range *ret,
                                     raski_error *err) {
    if (start <= end) return raski_key_group_range_create(start, end, ret, err);
    *ret = (raski_key_group_range){0, -1};
    return RASK_OK;
}

rask_status raski_key_group_range_of_subtask(int32_t max_parallelism, int32_t parallelism,
                                             int32_t subtask, raski_key_group_range *ret,
                                             raski_error *err) {
    RASKI_TRY(raski_check_parallelism_bounds(parallelism, err));
    RASKI_TRY(raski_check_parallelism_bounds(max_parallelism, err));
    if (max_parallelism < parallelism)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Maximum parallelism must not be smaller than parallelism.");
    int64_t start = ((int64_t)subtask * max_parallelism + parallelism - 1) / parallelism;
    int64_t end = (((int64_t)subtask + 1) * max_parallelism - 1) / parallelism;
    if (start != (int32_t)start || end != (int32_t)end)
        return RASKI_THROW(err, "IllegalArgumentException", "Potential overflow detected.");
    return raski_key_group_range_create((int32_t)start, (int32_t)end, ret, err);
}

rask_status raski_key_group_range_at(raski_key_group_range range, int32_t idx, int32_t *ret,
                                     raski_error *err) {
    if (idx < 0 || idx > raski_key_group_range_count(range))
        return RASKI_THROW(err, "IndexOutOfBoundsException", "Key group index out of bounds: %d",
                           idx);
    *ret = range.start + idx;
    return RASK_OK;
}

raski_key_group_range raski_key_group_range_intersect(raski_key_group_range a,
                                                      raski_key_group_range b) {
    raski_key_group_range both = {a.start > b.start ? a.start : b.start,
                                  a.end < b.end ? a.end : b.end};
    return both.start <= both.end ? both : (raski_key_group_range){0, -1};
}

const char *raski_key_group_range_text(raski_key_group_range range,
                                       char ret_text[RASKI_KEY_GROUP_RANGE_TEXT_MAX]) {
    (void)snprintf(ret_text, RASKI_KEY_GROUP_RANGE_TEXT_MAX,
                   "KeyGroupRange{startKeyGroup=%d, endKeyGroup=%d}", range.start, range.end);
    return ret_text;
}

rask_status raski_key_group_range_check(raski_key_group_range range, int32_t key_group,
                                        raski_error *err) {
    if (raski_key_group_range_contains(range, key_group)) return RASK_OK;
    char text[RASKI_KEY_GROUP_RANGE_TEXT_MAX];
    return RASKI_THROW(err, "IllegalArgumentException",
                       "Key group %d is not in %s. Unless you're directly using low level state "
                       "access APIs, this is most likely caused by non-deterministic shuffle key "
                       "(hashCode and equals implementation).",
                       key_group, raski_key_group_range_text(range, text));
}

rask_status raski_key_error_null(raski_error *err) {
    return RASKI_THROW(err, "NullPointerException", "Assigned key must not be null!");
}

rask_status raski_key_error_not_extracted(raski_error *err, const char *record_text) {
    return RASKI_THROW(err, "RuntimeException", "Could not extract key from %s", record_text);
}

rask_status raski_key_partitioner_check(int32_t max_parallelism, raski_error *err) {
    if (max_parallelism > 0) return RASK_OK;
    return RASKI_THROW(err, "IllegalArgumentException", "Number of key-groups must be > 0!");
}

static rask_status check_setting(const char *name, int32_t value, raski_error *err) {
    if (value > 0 && value <= RASKI_MAX_PARALLELISM_UPPER_BOUND) return RASK_OK;
    return RASKI_THROW(err, "IllegalArgumentException",
                       "Setting %s is not in valid bounds (1..%d), found: %d", name,
                       RASKI_MAX_PARALLELISM_UPPER_BOUND, value);
}

rask_status raski_vertex_parallelism_check(int32_t parallelism, int32_t max_parallelism,
                                           int32_t *ret_max_parallelism, raski_error *err) {
    if (parallelism != -1) RASKI_TRY(check_setting("parallelism", parallelism, err));
    int32_t max =
        max_parallelism == INT32_MAX ? RASKI_MAX_PARALLELISM_UPPER_BOUND : max_parallelism;
    RASKI_TRY(check_setting("max parallelism", max, err));
    *ret_max_parallelism = max;
    return RASK_OK;
}

/* ---------------------------------------------------------------- batches */
void raski_key_group_router_init(raski_key_group_router *router, int32_t max_parallelism,
                                 int32_t parallelism) {
    RASKI_ASSERT(max_parallelism >= 1 && max_parallelism <= RASKI_MAX_PARALLELISM_UPPER_BOUND);
    RASKI_ASSERT(parallelism >= 1 && parallelism <= max_parallelism);
    /* With l = ceil(log2(divisor)), multiplying by ceil(2^(31+l) / divisor) and shifting by 31+l
     * divides every number below 2^31 exactly (Granlund and Montgomery 1994), and the product
     * stays below 2^63. */
    uint32_t log = 0;
    while ((1 << log) < max_parallelism) log++;
    uint64_t divisor = (uint64_t)max_parallelism;
    *router = (raski_key_group_router){
        .max_parallelism = max_parallelism,
        .parallelism = parallelism,
        .shift = 31 + log,
        .reciprocal = ((UINT64_C(1) << (31 + log)) + divisor - 1) / divisor,
    };
}

/* The loops are compiled a second time for AVX2, which multiplies eight 32-bit numbers at once; the
 * x86-64 baseline cannot, and is no faster than a scalar loop. */
static inline __attribute__((always_inline)) void key_groups_loop(raski_key_group_router r,
                                                                  const int32_t *hashes,
                                                                  size_t count,
                                                                  uint16_t *restrict ret) {
    for (size_t i = 0; i < count; i++) ret[i] = (uint16_t)raski_router_key_group(&r, hashes[i]);
}

static inline __attribute__((always_inline)) void subtasks_loop(raski_key_group_router r,
                                                                const int32_t *hashes, size_t count,
                                                                uint16_t *restrict ret) {
    uint32_t groups = (uint32_t)r.max_parallelism, parallelism = (uint32_t)r.parallelism;
    if ((groups & (groups - 1)) != 0) {
        for (size_t i = 0; i < count; i++) ret[i] = (uint16_t)raski_router_subtask(&r, hashes[i]);
        return;
    }
    uint32_t log = r.shift - 31; /* a power of two, as defaults are: masks and shifts will do */
    for (size_t i = 0; i < count; i++) {
        uint32_t group = (uint32_t)raski_murmur_hash(hashes[i]) & (groups - 1);
        ret[i] = (uint16_t)(group * parallelism >> log);
    }
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void key_groups_avx2(raski_key_group_router r,
                                                            const int32_t *hashes, size_t count,
                                                            uint16_t *restrict ret) {
    key_groups_loop(r, hashes, count, ret);
}
static __attribute__((target("avx2"))) void subtasks_avx2(raski_key_group_router r,
                                                          const int32_t *hashes, size_t count,
                                                          uint16_t *restrict ret) {
    subtasks_loop(r, hashes, count, ret);
}
#define HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define HAS_AVX2() false
#define key_groups_avx2 key_groups_loop
#define subtasks_avx2 subtasks_loop
#endif

void raski_key_groups_of_hashes(const raski_key_group_router *router, const int32_t *hashes,
                                size_t count, uint16_t *restrict ret_key_groups) {
    if (HAS_AVX2())
        key_groups_avx2(*router, hashes, count, ret_key_groups);
    else
        key_groups_loop(*router, hashes, count, ret_key_groups);
}

void raski_subtasks_of_hashes(const raski_key_group_router *router, const int32_t *hashes,
                              size_t count, uint16_t *restrict ret_subtasks) {
    if (router->parallelism == 1)
        memset(ret_subtasks, 0, count * sizeof *ret_subtasks);
    else if (HAS_AVX2())
        subtasks_avx2(*router, hashes, count, ret_subtasks);
    else
        subtasks_loop(*router, hashes, count, ret_subtasks);
}
