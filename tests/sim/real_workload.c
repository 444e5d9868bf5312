/* Random programs against the public API, planned as usual, whose tasks are the real ones but for
 * their threads: they are stepped. Split sources make numbered records, which go through random
 * operators and partitionings to counting sinks. Each sink's subtask counts anew with each attempt,
 * so that in a job that FINISHED the counts are exact even after restarts. */
#include <rask/rask.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "api/split_coordinator.h"
#include "base/alloc.h"
#include "graph/job_graph.h"
#include "sim/workload.h"
#include "taskexecutor/stream_task_factory.h"

enum { SUBTASKS_MAX = 4, SINKS_MAX = 3, STEPS_MAX = 4, BUFFERS = 4096 };

typedef struct {
    int64_t key, value;
    rask_string text;
} sim_record;
RASK_TYPE(sim_record, key, value, text);

/* What the functions of the one program that runs see: runs are one after the other, in one thread.
 */
static struct program {
    sim_faults faults;
    int failures;
    uint64_t random_state;
    int splits, records_per_split;
    int open_instances;
    int64_t sink_counts[SINKS_MAX][SUBTASKS_MAX], sink_sums[SINKS_MAX][SUBTASKS_MAX];
} program;

static bool fails_now(double likely) {
    if (likely <= 0 || program.failures >= program.faults.failures_max) return false;
    uint64_t z = (program.random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    if ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53 >= likely) return false;
    program.failures++;
    return true;
}

/* ---------------------------------------------------------------- functions */

typedef struct {
    int64_t next, end;
} numbers;
RASK_INSTANCE(numbers);
RASK_SPLIT_SOURCE(make_numbers, numbers, self, sim_record, out) {
    if (fails_now(program.faults.step_fails)) return rask_fail("the source was to fail");
    if (self->next == self->end) {
        if (!program.faults.endless) return RASK_END;
        self->next = 0;
    }
    int64_t n = self->next++;
    rask_emit(out,
              (sim_record){n % 7, n, rask_string_format("the text of record %lld", (long long)n)});
    return RASK_MORE;
}
RASK_ENUMERATE(make_numbers, self, splits) {
    (void)self;
    for (int64_t i = 0; i < program.splits; i++)
        if (rask_add_split(splits, &i, sizeof i) != RASK_OK) return rask_fail("no memory");
    return RASK_OK;
}
RASK_ADD_SPLIT(make_numbers, self, split) {
    int64_t number = 0;
    memcpy(&number, rask_bytes_data(&split), sizeof number);
    self->next = number * program.records_per_split;
    self->end = self->next + program.records_per_split;
    return RASK_OK;
}
RASK_OPEN(make_numbers, self) {
    program.open_instances++;
    return fails_now(program.faults.create_fails) ? rask_fail("open was to fail") : RASK_OK;
}
RASK_CLOSE(make_numbers, self) {
    program.open_instances--;
    return RASK_OK;
}

typedef struct {
    int64_t seen;
} pass;
RASK_INSTANCE(pass);
RASK_RICH_MAP(pass_on, pass, self, sim_record, r, sim_record) {
    self->seen++;
    if (fails_now(program.faults.step_fails / 8)) (void)rask_fail("the map was to fail");
    return r;
}
RASK_OPEN(pass_on, self) {
    program.open_instances++;
    return fails_now(program.faults.create_fails) ? rask_fail("open was to fail") : RASK_OK;
}
RASK_CLOSE(pass_on, self) {
    program.open_instances--;
    return RASK_OK;
}

/* Keeps the last record of each key; what it finds must be of that key, and whole. */
typedef struct {
    rask_value(sim_record) last;
    rask_value(int64_t) seen;
} keeper;
RASK_STATE(keeper, (last, sim_record), seen);
RASK_KEYED_PROCESS(keep_last, keeper, self, sim_record, r, sim_record, out) {
    const sim_record *last = rask_get(self->last);
    const int64_t *seen = rask_get(self->seen);
    RASKI_ASSERT((last == NULL) == (seen == NULL));
    if (last != NULL) {
        char text[64];
        (void)snprintf(text, sizeof text, "the text of record %lld", (long long)last->value);
        RASKI_ASSERT(last->key == r.key && *seen > 0 && rask_string_is(last->text, text));
    }
    rask_set(self->last, r);
    rask_set(self->seen, seen != NULL ? *seen + 1 : 1);
    rask_emit(out, r);
}

RASK_FILTER(keep_all, sim_record, r) {
    return r.value >= 0 && r.text.len >= 20;
}

typedef struct {
    int number; /* of the sink */
    int64_t *count, *sum;
} counting;
RASK_INSTANCE(counting);
RASK_SINK(count_up, counting, self, sim_record, r) {
    ++*self->count;
    *self->sum += r.value;
}
RASK_OPEN(count_up, self) {
    program.open_instances++;
    int subtask = rask_runtime()->subtask_index;
    self->count = &program.sink_counts[self->number][subtask];
    self->sum = &program.sink_sums[self->number][subtask];
    *self->count = *self->sum = 0;
    return RASK_OK;
}
RASK_CLOSE(count_up, self) {
    program.open_instances--;
    return RASK_OK;
}

/* ---------------------------------------------------------------- programs */

typedef struct real_workload {
    rask_env *env;
    raski_job_graph *graph;
    raski_network_pool *pool;
    raski_stream_task_context context;
    raski_split_coordinators *coordinators;
    int sinks;
    int64_t copies[SINKS_MAX]; /* how often each sink gets each number */
    sim_draw draw;
    void *draw_ctx;
} real_workload;

static uint64_t draw(const real_workload *w, uint64_t bound) {
    return w->draw(w->draw_ctx, bound);
}

static int draw_parallelism(const real_workload *w) {
    return 1 + (int)draw(w, SUBTASKS_MAX);
}

static rask_stream(sim_record)
    draw_partitioning(const real_workload *w, rask_stream(sim_record) s) {
    switch (draw(w, 6)) {
        case 0:
            return rask_rebalance(s);
        case 1:
            return rask_rescale(s);
        case 2:
            return rask_shuffle(s);
        case 3:
            return rask_global(s);
        case 4:
            return rask_as_stream(rask_key_by(s, key));
        default:
            return s;
    }
}

static rask_stream(sim_record) draw_step(const real_workload *w, rask_stream(sim_record) s) {
    if (draw(w, 4) == 0)
        return rask_process(rask_key_by(s, key), keep_last, .parallelism = draw_parallelism(w));
    s = draw_partitioning(w, s);
    if (draw(w, 3) == 0) return rask_filter(s, keep_all, .parallelism = draw_parallelism(w));
    return rask_map(s, pass_on, .parallelism = draw_parallelism(w),
                    .disable_chaining = draw(w, 4) == 0);
}

static rask_stream(sim_record) draw_source(const real_workload *w) {
    return rask_source(w->env, make_numbers, .parallelism = draw_parallelism(w), .bounded = true);
}

/* One or two sources, some steps, perhaps a union, and a sink at some of the streams. */
static void draw_program(real_workload *w) {
    int64_t copies = 1;
    rask_stream(sim_record) s = draw_source(w);
    size_t steps = draw(w, STEPS_MAX + 1);
    for (size_t i = 0; i < steps; i++) {
        if (draw(w, 6) == 0) {
            s = rask_union(s, draw_source(w));
            copies++;
        }
        s = draw_step(w, s);
        if (w->sinks < SINKS_MAX - 1 && draw(w, 5) == 0) {
            w->copies[w->sinks] = copies;
            rask_sink(s, count_up, .self = RASK_SELF(counting, .number = w->sinks),
                      .parallelism = draw_parallelism(w));
            w->sinks++;
        }
    }
    w->copies[w->sinks] = copies;
    rask_sink(draw_partitioning(w, s), count_up, .self = RASK_SELF(counting, .number = w->sinks),
              .parallelism = draw_parallelism(w));
    w->sinks++;
}

static void plan(real_workload *w) {
    raski_error err = {0};
    raski_stream_graph *stream_graph = NULL;
    rask_status status = raski_env_plan(w->env, "simulated", &stream_graph, &err);
    if (status == RASK_OK)
        status = raski_job_graph_create(stream_graph, (raski_id){{3, 1}}, &w->graph, &err);
    if (status != RASK_OK) {
        (void)fprintf(stderr, "sim: the program cannot be planned: %s\n", err.message);
        exit(1);
    }
    raski_stream_graph_destroy(stream_graph);
}

/* ---------------------------------------------------------------- the workload */

static void set_faults(void *ctx, const sim_faults *faults) {
    (void)ctx;
    program.faults = *faults;
}

static int failures(const void *ctx) {
    (void)ctx;
    return program.failures;
}

static char *check(const void *ctx, const raski_job_result *result) {
    const real_workload *w = ctx;
    (void)result;
    int64_t numbers_made = (int64_t)program.splits * program.records_per_split;
    for (int s = 0; s < w->sinks; s++) {
        int64_t count = 0, sum = 0;
        for (int i = 0; i < SUBTASKS_MAX; i++) {
            count += program.sink_counts[s][i];
            sum += program.sink_sums[s][i];
        }
        int64_t expected = numbers_made * w->copies[s];
        if (count != expected || sum != w->copies[s] * (numbers_made * (numbers_made - 1) / 2))
            return raski_format("sink %d counted %lld records instead of %lld", s, (long long)count,
                                (long long)expected);
    }
    return NULL;
}

static long left(const void *ctx) {
    const real_workload *w = ctx;
    return program.open_instances + (long)raski_network_pool_in_use(w->pool);
}

static void destroy(void *ctx_take) {
    real_workload *w = ctx_take;
    raski_split_coordinators_destroy(w->coordinators);
    raski_job_graph_destroy(w->graph);
    raski_network_pool_destroy(w->pool);
    raski_stream_task_context_fini(&w->context);
    rask_env_destroy(w->env);
    raski_free(w);
}

sim_workload sim_real_workload(uint64_t seed, sim_draw draw_fn, void *draw_ctx) {
    real_workload *w = RASKI_NEW(real_workload);
    int argc = 1;
    char *words[] = {(char[]){"sim"}, NULL}, **argv = words;
    w->draw = draw_fn;
    w->draw_ctx = draw_ctx;
    memset(&program, 0, sizeof program);
    program.random_state = seed;
    program.splits = (int)draw(w, 8);
    program.records_per_split = 1 + (int)draw(w, 300);
    w->env = rask_env_create(&argc, &argv);
    if (draw(w, 3) == 0) rask_set_runtime_mode(w->env, RASK_BATCH);
    draw_program(w);
    plan(w);
    w->pool = raski_network_pool_create(BUFFERS);
    w->context = (raski_stream_task_context){
        .configuration = w->env->configuration, .pool = w->pool, .simulated = true};
    w->coordinators = raski_split_coordinators_create(w->graph);
    return (sim_workload){
        .ctx = w,
        .graph = w->graph,
        .factory = raski_stream_task_factory(&w->context),
        .coordinators = raski_split_coordinators_providers(w->coordinators),
        .coordinator_count = raski_split_coordinators_count(w->coordinators),
        .set_faults = set_faults,
        .failures = failures,
        .check = check,
        .left = left,
        .destroy = destroy,
    };
}
