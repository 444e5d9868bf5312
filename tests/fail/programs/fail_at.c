/* fail_at.c - a job that fails where it is told to.
 *
 *   fail_at PLACE [RECORD [SUBTASK]] [-p N] [-D key=value]...
 *
 * The function at PLACE fails at its RECORD-th input record in SUBTASK (from 0) with the message
 * "record RECORD in PLACE", or, where there are no records, with "in PLACE". RECORD 0: it succeeds.
 * Every subtask of the source counts from 1 without end, so that all others must be cancelled. */
#include <rask/rask.h>
#include <stdio.h>
#include <stdlib.h>

static const char *place;
static int64_t record = 1;
static int subtask;

static bool is_at(const char *name) {
    return strcmp(place, name) == 0;
}

typedef struct {
    int64_t seen, next;
} counting;
RASK_INSTANCE(counting);

/* true: the record that has come now is the one that fails. */
static bool is_time(counting *self, const char *name) {
    return is_at(name) && rask_runtime()->subtask_index == subtask && ++self->seen == record;
}
#define FAIL_IF_TIME(self, name) \
    (is_time(self, name) ? (void)rask_fail("record %lld in %s", (long long)record, name) : (void)0)

/* ---------------------------------------------------------------- sources */
RASK_SOURCE(count_up, counting, self, int64_t, out) {
    for (int i = 0; i < 100; i++) {
        if (is_time(self, "source")) return rask_fail("record %lld in source", (long long)record);
        rask_emit(out, ++self->next);
    }
    return RASK_MORE;
}
RASK_OPEN(count_up, self) {
    (void)self;
    return is_at("source open") ? rask_fail("in source open") : RASK_OK;
}

RASK_SPLIT_SOURCE(count_splits, counting, self, int64_t, out) {
    rask_emit(out, ++self->next);
    if (is_time(self, "split source"))
        return rask_fail("record %lld in split source", (long long)record);
    return RASK_MORE;
}
RASK_ENUMERATE(count_splits, self, splits) {
    (void)self;
    for (int i = 0; i < 8; i++)
        if (rask_add_split(splits, &i, sizeof i) != RASK_OK) return rask_fail("no memory");
    return is_at("enumerate") ? rask_fail("in enumerate") : RASK_OK;
}
RASK_ADD_SPLIT(count_splits, self, split) {
    (void)self;
    if (is_at("silent")) return RASK_E_IO;
    return is_at("add split") ? rask_fail("in add split of %u bytes", split.len) : RASK_OK;
}

/* ---------------------------------------------------------------- operators */
static rask_status fail_long(void) {
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return rask_fail("%s", text);
}
RASK_RICH_MAP(in_map, counting, self, int64_t, n, int64_t) {
    FAIL_IF_TIME(self, "map");
    if (is_at("long message")) (void)fail_long();
    return n;
}
RASK_OPEN(in_map, self) {
    (void)self;
    return is_at("open") && rask_runtime()->subtask_index == subtask ? rask_fail("in open")
                                                                     : RASK_OK;
}
RASK_RICH_FILTER(in_filter, counting, self, int64_t, n) {
    FAIL_IF_TIME(self, "filter");
    return n > 0;
}
RASK_RICH_FLAT_MAP(in_flat_map, counting, self, int64_t, n, int64_t, out) {
    for (int64_t i = n % 3; i >= 0; i--) rask_emit(out, n);
    FAIL_IF_TIME(self, "flat map");
}
RASK_PROCESS(in_process, counting, self, int64_t, n, int64_t, out) {
    FAIL_IF_TIME(self, "process");
    if (n % 2) rask_emit(out, n);
}

typedef struct {
    rask_value(int64_t) sum;
    counting counting;
} keyed;
RASK_STATE(keyed, sum);
RASK_KEYED_PROCESS(in_keyed_process, keyed, self, int64_t, n, int64_t, out) {
    FAIL_IF_TIME(&self->counting, "keyed process");
    *rask_ref(self->sum) += n;
    rask_emit(out, *rask_get(self->sum));
}

typedef struct {
    int64_t key, number;
} pair;
RASK_TYPE(pair, key, number);
RASK_MAP(to_pair, int64_t, n, pair) {
    return (pair){n % 100, n};
}
/* With one source, number is the number of the record, too. */
RASK_REDUCE(in_reduce, pair, a, b) {
    (void)a;
    if (is_at("reduce") && b.number == record)
        (void)rask_fail("record %lld in reduce", (long long)record);
    return b;
}

RASK_CO_PROCESS(in_co_process, counting, self, int64_t, n, int64_t, int64_t, out) {
    FAIL_IF_TIME(self, "co process");
    rask_emit(out, n);
}
RASK_ON_SECOND(in_co_process, self, n, out) {
    FAIL_IF_TIME(self, "co process");
    rask_emit(out, n);
}

RASK_PARTITIONER(by_number, int64_t, n, partitions) {
    if (is_at("partitioner") && n == record) return partitions;
    if (is_at("failing partitioner") && n == record)
        (void)rask_fail("record %lld in partitioner", (long long)n);
    return (int)(n % partitions);
}

RASK_KEY(by_value, int64_t, n, int64_t) {
    if (is_at("key") && n == record) (void)rask_fail("record %lld in key", (long long)n);
    return n;
}

/* ---------------------------------------------------------------- sink */
RASK_SINK(in_sink, counting, self, int64_t, n) {
    (void)n;
    FAIL_IF_TIME(self, "sink");
}
/* Fails after something else did, or after a cancel: the first failure is the one that counts. */
RASK_CLOSE(in_sink, self) {
    (void)self;
    return is_at("close") || is_at("map") ? rask_fail("in close") : RASK_OK;
}
RASK_FINISH(in_sink, self) {
    (void)self;
    return is_at("finish") ? rask_fail("in finish") : RASK_OK;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    if (argc < 2) return 2;
    place = argv[1];
    if (argc > 2) record = strtoll(argv[2], NULL, 10);
    if (argc > 3) subtask = (int)atoll(argv[3]);
    const bool ends = is_at("close") || is_at("finish") || is_at("finite");
    const bool splits =
        is_at("split source") || is_at("enumerate") || is_at("add split") || is_at("silent");
    rask_stream(int64_t) s = ends     ? rask_sequence(env, 1, 100)
                             : splits ? rask_source(env, count_splits, .name = "numbers")
                                      : rask_source(env, count_up, .name = "numbers");
    s = rask_map(s, in_map, .name = "map");
    if (is_at("filter")) s = rask_filter(s, in_filter, .name = "filter");
    if (is_at("flat map")) s = rask_flat_map(s, in_flat_map, .name = "flat map");
    if (is_at("process")) s = rask_process(s, in_process, .name = "process");
    if (is_at("keyed process"))
        s = rask_process(rask_key_by_value(s), in_keyed_process, .name = "keyed process");
    if (is_at("key"))
        s = rask_process(rask_key_by_fn(s, by_value), in_keyed_process, .name = "keyed process");
    if (is_at("co process")) s = rask_connect(s, s, in_co_process, .name = "co process");
    if (is_at("partitioner") || is_at("failing partitioner")) {
        rask_stream(pair) pairs = rask_map(s, to_pair, .name = "pairs");
        rask_discard(rask_partition_custom(pairs, by_number, number));
    } else if (is_at("reduce")) {
        rask_stream(pair) pairs = rask_map(s, to_pair, .name = "pairs");
        rask_discard(rask_reduce(rask_key_by(pairs, key), in_reduce, .name = "reduce"));
    } else {
        rask_sink(s, in_sink, .name = "sink");
    }
    return rask_execute(env, "fail");
}
