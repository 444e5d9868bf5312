/* Tasks without a cluster: made from the job vertices of small programs, stepped in this thread or
 * run by their own, with what they tell their listener. */
#include "task/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/function.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "graph/stream_graph.h"
#include "operators/definition.h"
#include "operators/operator.h"
#include "platform/clock.h"
#include "platform/doorbell.h"

/* ---------------------------------------------------------------- functions */
static _Atomic int opened, closed, finished;
static int64_t sum;
typedef struct {
    int64_t next, end;
} counting;
RASK_INSTANCE(counting);
RASK_SOURCE(count_up, counting, self, int64_t, out) {
    if (self->next >= self->end) return RASK_END;
    rask_emit(out, self->next++);
    return RASK_MORE;
}
RASK_OPEN(count_up, self) {
    self->end = 3000;
    opened++;
    return RASK_OK;
}
RASK_CLOSE(count_up, self) {
    closed++;
    return RASK_OK;
}
RASK_SPLIT_SOURCE(read_split, counting, self, int64_t, out) {
    if (self->next >= self->end) return RASK_END;
    rask_emit(out, self->next++);
    return RASK_MORE;
}
RASK_ENUMERATE(read_split, self, splits) {
    (void)self, (void)splits;
    return RASK_OK;
}
RASK_ADD_SPLIT(read_split, self, split) {
    if (split.len != 1) return rask_fail("a split of %u bytes", split.len);
    self->next = 0;
    self->end = *(const unsigned char *)rask_bytes_data(&split);
    return RASK_OK;
}
RASK_MAP(twice, int64_t, n, int64_t) {
    return 2 * n;
}
RASK_MAP(fail_at_1000, int64_t, n, int64_t) {
    if (n == 1000) (void)rask_fail("one thousand");
    return n;
}
RASK_SINK(add_up, counting, self, int64_t, n) {
    self->next++;
    sum += n;
}
RASK_OPEN(add_up, self) {
    self->next = 0;
    opened++;
    return RASK_OK;
}
RASK_FINISH(add_up, self) {
    finished++;
    return RASK_OK;
}
RASK_CLOSE(add_up, self) {
    closed++;
    return RASK_OK;
}

/* ---------------------------------------------------------------- a job, and what its tasks say */
enum { TASKS_MAX = 4, STATES_MAX = 8 };
typedef struct told {
    raski_task_state states[STATES_MAX];
    _Atomic int count;
    raski_task_failure failure;
    int requests; /* events to the coordinator */
} told;

typedef struct job {
    raski_transformation_graph *transformations;
    raski_plan_env *plan;
    raski_stream_graph *stream_graph;
    raski_job_graph *graph;
    RASKI_VEC(raski_operator_definition *) definitions;
    raski_configuration *configuration;
    raski_network_pool *pool;
    raski_task *tasks[TASKS_MAX];
    told told[TASKS_MAX];
    size_t task_count;
    raski_doorbell *ended;
} job;

static raski_operator_definition *define(job *j, const raski_fn *fn) {
    raski_operator_definition *def = raski_operator_definition_create();
    def->fn = fn;
    def->in = fn->in;
    def->out = fn->kind == RASKI_FN_SINK ? NULL : fn->out;
    def->file = "program.c";
    def->line = 42;
    raski_vec_push(&j->definitions, def);
    return def;
}

/* source -> map -> (rebalance or not) sink; all of parallelism 1. */
static void make_job(job *j, const raski_fn *source, const raski_fn *map, bool exchange,
                     size_t buffers) {
    *j = (job){.transformations = raski_transformation_graph_create()};
    opened = closed = finished = 0;
    sum = 0;
    raski_error error = {0};
    j->plan = raski_plan_env_create(j->transformations);
    j->configuration = raski_configuration_create();
    j->pool = raski_network_pool_create(buffers);
    assert_int_equal(raski_doorbell_create(&j->ended, &error), RASK_OK);
    const raski_operator_factory factory = {0};
    raski_transformation *s = raski_transformation_source(j->plan, "numbers", "LONG", true);
    s->payload = define(j, source);
    raski_transformation *m = raski_transformation_one_input(s, "Map", "LONG", &factory, NULL);
    m->payload = define(j, map);
    raski_transformation *p = m;
    if (exchange)
        p = raski_transformation_partition(
            m, raski_partitioner_create(j->transformations->arena, RASKI_PARTITIONER_REBALANCE),
            RASKI_EXCHANGE_UNDEFINED);
    raski_transformation *k = raski_transformation_legacy_sink(p, "sum", &factory, NULL);
    k->payload = define(j, &raski_fn_add_up.base);
    assert_int_equal(raski_stream_graph_generate(j->plan, &j->stream_graph, &error), RASK_OK);
    assert_int_equal(raski_job_graph_create(j->stream_graph, (raski_id){0}, &j->graph, &error),
                     RASK_OK);
}

static void state_changed(void *context, raski_task *task, raski_task_state state,
                          const raski_task_failure *failure) {
    (void)task;
    job *j = ((void **)context)[0];
    told *t = ((void **)context)[1];
    assert_in_range(t->count, 0, STATES_MAX - 1);
    if (failure != NULL) t->failure = *failure;
    int n = t->count;
    t->states[n] = state;
    t->count = n + 1; /* shows it to other threads */
    if (state >= RASKI_TASK_FINISHED) raski_doorbell_ring(j->ended);
}
static void send_event(void *context, raski_task *task, raski_id operator_id, const void *bytes,
                       size_t size) {
    (void)task, (void)operator_id;
    told *t = ((void **)context)[1];
    assert_int_equal(size, 1);
    assert_int_equal(*(const char *)bytes, RASKI_SOURCE_EVENT_REQUEST);
    t->requests++;
}

static rask_status add_task(job *j, size_t vertex, bool simulated, raski_error *err) {
    static void *contexts[TASKS_MAX][2];
    const raski_job_vertex *v = j->graph->sorted.items[vertex];
    size_t i = j->task_count;
    contexts[i][0] = j;
    contexts[i][1] = &j->told[i];
    raski_task_channel channel = {0};
    if (v->inputs.count > 0) channel.partition = raski_task_result(j->tasks[i - 1], 0);
    const raski_task_input input = {&channel, 1};
    const uint32_t subpartitions = 1;
    const int max_parallelism = 128;
    const raski_task_deployment deployment = {
        .job_name = "job",
        .vertex = v,
        .parallelism = 1,
        .max_parallelism = 128,
        .inputs = &input,
        .subpartition_counts = &subpartitions,
        .reader_max_parallelisms = &max_parallelism,
        .configuration = j->configuration,
        .pool = j->pool,
        .simulated = simulated,
    };
    const raski_task_listener listener = {contexts[i], state_changed, send_event};
    rask_status status = raski_task_create(&deployment, &listener, &j->tasks[i], err);
    if (status == RASK_OK) j->task_count++;
    return status;
}
static void add_tasks(job *j, bool simulated) {
    raski_error error = {0};
    for (size_t v = 0; v < j->graph->sorted.count; v++)
        if (add_task(j, v, simulated, &error) != RASK_OK) fail_msg("%s", error.message);
}

static void free_job(job *j) {
    for (size_t i = 0; i < j->task_count; i++) raski_task_destroy(j->tasks[i]);
    assert_int_equal(raski_network_pool_in_use(j->pool), 0);
    raski_network_pool_destroy(j->pool);
    raski_job_graph_destroy(j->graph);
    raski_stream_graph_destroy(j->stream_graph);
    raski_transformation_graph_destroy(j->transformations);
    raski_configuration_destroy(j->configuration);
    for (size_t i = 0; i < j->definitions.count; i++)
        raski_operator_definition_destroy(j->definitions.items[i]);
    raski_vec_free(&j->definitions);
    raski_doorbell_unref(j->ended);
}

static void assert_states(const told *t, raski_task_state last) {
    assert_int_equal(t->count, 3);
    assert_int_equal(t->states[0], RASKI_TASK_INITIALIZING);
    assert_int_equal(t->states[1], RASKI_TASK_RUNNING);
    assert_int_equal(t->states[2], last);
}

/* ---------------------------------------------------------------- tests */
static void stepped_tasks_finish(void **state) {
    (void)state;
    for (int exchange = 0; exchange < 2; exchange++) {
        job j;
        make_job(&j, &raski_fn_count_up.base, &raski_fn_twice.base, exchange, 64);
        add_tasks(&j, true);
        assert_int_equal(j.task_count, exchange ? 2 : 1);
        for (size_t done = 0; done < j.task_count;) {
            done = 0;
            for (size_t i = 0; i < j.task_count; i++)
                done += raski_task_run_step(j.tasks[i]) == RASKI_STEP_DONE;
        }
        for (size_t i = 0; i < j.task_count; i++) {
            assert_states(&j.told[i], RASKI_TASK_FINISHED);
            assert_int_equal(raski_task_run_step(j.tasks[i]), RASKI_STEP_DONE); /* again */
            assert_int_equal(j.told[i].count, 3);
        }
        assert_int_equal(sum, 2 * 3000 * 2999 / 2);
        assert_int_equal(opened, 2);
        assert_int_equal(closed, 2);
        assert_int_equal(finished, 1);
        assert_int_equal(raski_task_get_counters(j.tasks[0], 0).records_out, 3000);
        assert_int_equal(raski_task_get_counters(j.tasks[0], 1).records_in, 3000);
        free_job(&j);
    }
}

static void threads_finish(void **state) {
    (void)state;
    for (int exchange = 0; exchange < 2; exchange++) {
        job j;
        make_job(&j, &raski_fn_count_up.base, &raski_fn_twice.base, exchange, 64);
        add_tasks(&j, false);
        raski_error error = {0};
        for (size_t i = j.task_count; i-- > 0;)
            assert_int_equal(raski_task_start(j.tasks[i], &error), RASK_OK);
        for (size_t i = 0; i < j.task_count; i++) {
            while (j.told[i].count < 3) {
                uint32_t seen = raski_doorbell_sequence(j.ended);
                if (j.told[i].count < 3) (void)raski_doorbell_wait(j.ended, seen, RASKI_FOREVER);
            }
            assert_states(&j.told[i], RASKI_TASK_FINISHED);
        }
        assert_int_equal(sum, 2 * 3000 * 2999 / 2);
        free_job(&j);
    }
}

static void a_failure_says_where_and_the_consumer_waits_to_be_cancelled(void **state) {
    (void)state;
    job j;
    make_job(&j, &raski_fn_count_up.base, &raski_fn_fail_at_1000.base, true, 64);
    add_tasks(&j, true);
    while (raski_task_run_step(j.tasks[0]) != RASKI_STEP_DONE) {
    }
    assert_states(&j.told[0], RASKI_TASK_FAILED);
    const raski_task_failure *failure = &j.told[0].failure;
    assert_string_equal(failure->error.message, "one thousand");
    assert_string_equal(failure->operator_name, "Map");
    assert_string_equal(failure->operator_file, "program.c");
    assert_int_equal(failure->operator_line, 42);
    assert_int_equal(failure->record_number, 1001);
    assert_int_equal(failure->error.error_class, RASKI_CLASS_USER);
    while (raski_task_run_step(j.tasks[1]) == RASKI_STEP_MORE) {
    }
    assert_int_equal(raski_task_run_step(j.tasks[1]), RASKI_STEP_BLOCKED);
    assert_int_equal(j.told[1].count, 2);
    raski_task_cancel(j.tasks[1]);
    raski_task_cancel(j.tasks[1]);
    assert_int_equal(raski_task_run_step(j.tasks[1]), RASKI_STEP_DONE);
    assert_states(&j.told[1], RASKI_TASK_CANCELED);
    assert_int_equal(opened, closed);
    assert_int_equal(finished, 0);
    free_job(&j);
}

static void a_cancel_before_the_start_opens_nothing(void **state) {
    (void)state;
    job j;
    make_job(&j, &raski_fn_count_up.base, &raski_fn_twice.base, false, 64);
    add_tasks(&j, true);
    raski_task_cancel(j.tasks[0]);
    assert_int_equal(raski_task_run_step(j.tasks[0]), RASKI_STEP_DONE);
    assert_int_equal(j.told[0].count, 1);
    assert_int_equal(j.told[0].states[0], RASKI_TASK_CANCELED);
    assert_int_equal(opened, 0);
    assert_int_equal(closed, 0);
    free_job(&j);
    /* and one that is never started can be thrown away */
    make_job(&j, &raski_fn_count_up.base, &raski_fn_twice.base, true, 64);
    add_tasks(&j, false);
    free_job(&j);
}

static void a_split_source_asks_for_splits(void **state) {
    (void)state;
    job j;
    make_job(&j, &raski_fn_read_split.base, &raski_fn_twice.base, false, 64);
    add_tasks(&j, true);
    const raski_id source = j.graph->sorted.items[0]->operators[0].id;
    raski_id source_id = source;
    for (size_t i = 0; i < j.graph->sorted.items[0]->operator_count; i++)
        if (j.graph->sorted.items[0]->operators[i].input_count == 0)
            source_id = j.graph->sorted.items[0]->operators[i].id;
    for (int split = 1; split <= 3; split++) {
        while (raski_task_run_step(j.tasks[0]) != RASKI_STEP_BLOCKED) {
        }
        assert_int_equal(raski_task_run_step(j.tasks[0]), RASKI_STEP_BLOCKED);
        assert_int_equal(j.told[0].requests, split); /* asked once */
        const char event[2] = {RASKI_SOURCE_EVENT_SPLIT, 10};
        raski_task_deliver_event(j.tasks[0], source_id, event, sizeof event);
    }
    while (raski_task_run_step(j.tasks[0]) != RASKI_STEP_BLOCKED) {
    }
    const char no_more = RASKI_SOURCE_EVENT_NO_MORE;
    raski_task_deliver_event(j.tasks[0], source_id, &no_more, 1);
    while (raski_task_run_step(j.tasks[0]) != RASKI_STEP_DONE) {
    }
    assert_states(&j.told[0], RASKI_TASK_FINISHED);
    assert_int_equal(sum, 3 * 2 * 45);
    raski_task_deliver_event(j.tasks[0], source_id, &no_more, 1); /* too late: dropped */
    free_job(&j);
}

static void events_that_no_source_knows_fail_the_task(void **state) {
    (void)state;
    static const char *const events[] = {"\x63", "\x02", "\x02toolong", ""};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        job j;
        make_job(&j, &raski_fn_read_split.base, &raski_fn_twice.base, false, 64);
        add_tasks(&j, true);
        const raski_job_vertex *v = j.graph->sorted.items[0];
        for (size_t o = 0; o < v->operator_count; o++)
            if (v->operators[o].input_count == 0)
                raski_task_deliver_event(j.tasks[0], v->operators[o].id, events[i],
                                         strlen(events[i]));
        while (raski_task_run_step(j.tasks[0]) == RASKI_STEP_MORE) {
        }
        assert_states(&j.told[0], RASKI_TASK_FAILED);
        free_job(&j);
    }
}

static void what_cannot_run_is_refused(void **state) {
    (void)state;
    job j;
    raski_error error = {0};
    make_job(&j, &raski_fn_count_up.base, &raski_fn_twice.base, true, 1); /* one buffer */
    assert_int_equal(add_task(&j, 0, false, &error), RASK_E_NOMEM);
    assert_non_null(strstr(error.message, "Insufficient number of network buffers"));
    free_job(&j);

    make_job(&j, &raski_fn_count_up.base, &raski_fn_twice.base, false, 64);
    raski_job_vertex *v = j.graph->sorted.items[0];
    v->operators[0].payload = NULL;
    error = (raski_error){0};
    assert_int_equal(add_task(&j, 0, false, &error), RASK_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "can be planned but not run"));
    free_job(&j);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepped_tasks_finish),
        cmocka_unit_test(threads_finish),
        cmocka_unit_test(a_failure_says_where_and_the_consumer_waits_to_be_cancelled),
        cmocka_unit_test(a_cancel_before_the_start_opens_nothing),
        cmocka_unit_test(a_split_source_asks_for_splits),
        cmocka_unit_test(events_that_no_source_knows_fail_the_task),
        cmocka_unit_test(what_cannot_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
