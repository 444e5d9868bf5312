#include "cluster/coordinators.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

/* One operator's coordinator. Flink: OperatorCoordinatorHolder. */
typedef struct holder {
    raski_coordinators *owner;
    const raski_coordinator_provider *provider;
    const raski_execution_job_vertex *vertex;
    raski_coordinator_context context;
    raski_operator_coordinator coordinator; /* vtable NULL: not there */
} holder;

struct raski_coordinators {
    const raski_execution_graph *graph;
    raski_coordinator_host host;
    holder *holders;
    size_t count;
    uint32_t starts; /* so often were they started: timers of earlier ones are void */
    bool *is_ready;  /* by task: its current attempt takes events */
};

/* ---------------------------------------------------------------- what coordinators call */

static void send_event(void *ctx, int subtask, const void *bytes, size_t length) {
    const holder *h = ctx;
    const raski_coordinators *self = h->owner;
    RASKI_ASSERT(subtask >= 0 && subtask < h->vertex->parallelism);
    size_t task = h->vertex->first_task + (size_t)subtask;
    if (self->is_ready[task])
        self->host.send_event(self->host.ctx, task, h->provider->operator_id, bytes, length);
}

/* The number of a timer: the start that it belongs to, and the holder. */
static void schedule(void *ctx, int64_t delay_ms) {
    const holder *h = ctx;
    const raski_coordinators *self = h->owner;
    uint64_t index = (uint64_t)(h - self->holders);
    self->host.schedule(self->host.ctx, delay_ms, (uint64_t)self->starts << 32 | index);
}

static void fail_with(const holder *h, const raski_error *err) {
    raski_failure *failure = raski_failure_from_error(err);
    failure->operator_name = raski_strdup(h->context.operator_name);
    failure->operator_id = h->provider->operator_id;
    failure->parallelism = h->vertex->parallelism;
    failure->subtask = RASKI_NO_SUBTASK;
    h->owner->host.fail_job(h->owner->host.ctx, failure);
}

static void fail_job(void *ctx, const raski_error *err) {
    fail_with(ctx, err);
}

/* ---------------------------------------------------------------- life */

static const raski_job_operator *find_operator(const raski_execution_graph *graph, raski_id id,
                                               const raski_execution_job_vertex **ret_vertex) {
    for (size_t v = 0; v < graph->topology->vertex_count; v++) {
        const raski_job_vertex *vertex = graph->topology->vertices[v].job_vertex;
        for (size_t o = 0; o < vertex->operator_count; o++)
            if (raski_id_equals(vertex->operators[o].id, id)) {
                *ret_vertex = &graph->topology->vertices[v];
                return &vertex->operators[o];
            }
    }
    return NULL;
}

rask_status raski_coordinators_create(const raski_execution_graph *graph,
                                      const raski_coordinator_provider *providers,
                                      size_t provider_count, const raski_coordinator_host *host,
                                      raski_coordinators **ret_coordinators, raski_error *err) {
    raski_coordinators *self = RASKI_NEW(raski_coordinators);
    self->graph = graph;
    self->host = *host;
    self->holders = RASKI_NEW_ARRAY(holder, provider_count);
    self->is_ready = RASKI_NEW_ARRAY(bool, graph->vertex_count);
    for (size_t i = 0; i < provider_count; i++) {
        holder *h = &self->holders[self->count++];
        const raski_job_operator *operator_ =
            find_operator(graph, providers[i].operator_id, &h->vertex);
        if (operator_ == NULL) {
            char hex[RASKI_ID_HEX_SIZE];
            raski_coordinators_destroy(self);
            return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL,
                              "a coordinator is for operator %s, which the job does not have",
                              raski_id_to_hex(providers[i].operator_id, hex));
        }
        h->owner = self;
        h->provider = &providers[i];
        h->context = (raski_coordinator_context){
            .size = sizeof(raski_coordinator_context),
            .ctx = h,
            .parallelism = h->vertex->parallelism,
            .operator_name = operator_->name,
            .send_event = send_event,
            .schedule = schedule,
            .fail_job = fail_job,
        };
    }
    *ret_coordinators = self;
    return RASK_OK;
}

void raski_coordinators_close(raski_coordinators *coordinators) {
    memset(coordinators->is_ready, 0, coordinators->graph->vertex_count);
    for (size_t i = coordinators->count; i-- > 0;) {
        raski_operator_coordinator *coordinator = &coordinators->holders[i].coordinator;
        if (coordinator->vtable != NULL) coordinator->vtable->close(coordinator->self);
        *coordinator = (raski_operator_coordinator){0};
    }
}

void raski_coordinators_destroy(raski_coordinators *coordinators_take) {
    if (coordinators_take == NULL) return;
    raski_coordinators_close(coordinators_take);
    raski_free(coordinators_take->holders);
    raski_free(coordinators_take->is_ready);
    raski_free(coordinators_take);
}

rask_status raski_coordinators_start(raski_coordinators *coordinators, raski_error *err) {
    coordinators->starts++;
    for (size_t i = 0; i < coordinators->count; i++) {
        holder *h = &coordinators->holders[i];
        RASKI_ASSERT(h->coordinator.vtable == NULL);
        RASKI_TRY(h->provider->create(h->provider->ctx, &h->context, &h->coordinator, err));
        RASKI_TRY(h->coordinator.vtable->start(h->coordinator.self, err));
    }
    return RASK_OK;
}

void raski_coordinators_timer(raski_coordinators *coordinators, uint64_t number) {
    size_t index = (size_t)(number & UINT32_MAX);
    if (number >> 32 != coordinators->starts || index >= coordinators->count) return;
    holder *h = &coordinators->holders[index];
    raski_error err = {0};
    if (h->coordinator.vtable != NULL && h->coordinator.vtable->timer != NULL &&
        h->coordinator.vtable->timer(h->coordinator.self, &err) != RASK_OK)
        fail_with(h, &err);
}

/* ---------------------------------------------------------------- attempts */

static bool is_of(const holder *h, const raski_execution_vertex *vertex) {
    return h->vertex == vertex->job_vertex && h->coordinator.vtable != NULL;
}

void raski_coordinators_attempt_ready(raski_coordinators *coordinators, size_t task) {
    const raski_execution_vertex *vertex = &coordinators->graph->vertices[task];
    coordinators->is_ready[task] = true;
    for (size_t i = 0; i < coordinators->count; i++) {
        const holder *h = &coordinators->holders[i];
        if (is_of(h, vertex))
            h->coordinator.vtable->subtask_ready(h->coordinator.self, vertex->subtask,
                                                 (int)vertex->current.id.attempt);
    }
}

void raski_coordinators_attempt_failed(raski_coordinators *coordinators, size_t task,
                                       const char *message) {
    if (!coordinators->is_ready[task]) return;
    coordinators->is_ready[task] = false;
    const raski_execution_vertex *vertex = &coordinators->graph->vertices[task];
    for (size_t i = 0; i < coordinators->count; i++) {
        const holder *h = &coordinators->holders[i];
        if (is_of(h, vertex))
            h->coordinator.vtable->subtask_failed(h->coordinator.self, vertex->subtask,
                                                  (int)vertex->current.id.attempt, message);
    }
}

void raski_coordinators_handle_event(raski_coordinators *coordinators, raski_attempt_id attempt,
                                     raski_id operator_id, const void *bytes, size_t length) {
    if (attempt.task >= coordinators->graph->vertex_count || !coordinators->is_ready[attempt.task])
        return;
    const raski_execution_vertex *vertex = &coordinators->graph->vertices[attempt.task];
    if (!raski_attempt_id_equals(vertex->current.id, attempt)) return;
    for (size_t i = 0; i < coordinators->count; i++) {
        const holder *h = &coordinators->holders[i];
        if (!is_of(h, vertex) || !raski_id_equals(h->provider->operator_id, operator_id)) continue;
        raski_error err = {0};
        if (h->coordinator.vtable->handle_event(h->coordinator.self, vertex->subtask,
                                                (int)attempt.attempt, bytes, length,
                                                &err) != RASK_OK)
            fail_with(h, &err);
        return;
    }
    RASKI_LOG(WARN, "coordinators", "an event is for an operator without a coordinator");
}
