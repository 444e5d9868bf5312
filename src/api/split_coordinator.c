#include "api/split_coordinator.h"

#include <string.h>

#include "base/vec.h"
#include "operators/definition.h"
#include "operators/operator.h"

/* A split as it is sent: the event's kind byte, then the split. */
typedef struct split {
    size_t size;          /* of event */
    char *event;          /* owned */
    int subtask, attempt; /* who has it; subtask -1: nobody */
    bool done;
} split;

struct raski_splits {
    RASKI_VEC(split) items;
};

typedef struct source {
    const raski_operator_definition *def;
    size_t splits, done; /* of the running attempt of the job */
} source;

typedef struct coordinator {
    source *of; /* borrowed */
    const raski_coordinator_context *context;
    raski_splits splits;
} coordinator;

struct raski_split_coordinators {
    RASKI_VEC(source *) sources; /* owned */
    RASKI_VEC(raski_coordinator_provider) providers;
};

rask_status raski_add_split(raski_splits *splits, const void *bytes, size_t size) {
    split s = {.size = size + 1, .event = raski_try_alloc(size + 1, 0), .subtask = -1};
    if (s.event == NULL) return RASK_E_NOMEM;
    s.event[0] = RASKI_SOURCE_EVENT_SPLIT;
    memcpy(s.event + 1, bytes, size);
    raski_vec_push(&splits->items, s);
    return RASK_OK;
}

static rask_status enumerate(coordinator *c, raski_error *err) {
    const raski_fn *fn = c->of->def->fn;
    if (fn->enumerate == NULL || fn->enumerate->enumerate == NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "split source \"%s\" (%s:%d) has no RASK_ENUMERATE", fn->name, fn->file,
                          fn->line);
    void *self = raski_calloc(1, fn->self->size);
    if (c->of->def->self != NULL) memcpy(self, c->of->def->self, fn->self->size);
    raski_error failure = {0};
    raski_failure_sink_set(&failure);
    rask_status status = fn->enumerate->enumerate(self, &c->splits);
    raski_failure_sink_set(NULL);
    raski_free(self);
    if (status >= 0 && !raski_error_is_set(&failure)) return RASK_OK;
    if (!raski_error_is_set(&failure))
        (void)RASKI_FAIL(&failure, RASK_E_ARGUMENT, USER,
                         "enumerating the splits failed without a message (use rask_fail)");
    raski_failure_prefix(&failure, "operator '%s' (coordinator): ", c->context->operator_name);
    if (err != NULL) *err = failure;
    return failure.status;
}

static rask_status start(void *self, raski_error *err) {
    coordinator *c = self;
    RASKI_TRY(enumerate(c, err));
    c->of->splits = c->splits.items.count;
    c->of->done = 0;
    return RASK_OK;
}

/* A reader that asks for the next split has read the one it had. */
static void note_done(coordinator *c, int subtask, int attempt) {
    for (size_t i = 0; i < c->splits.items.count; i++) {
        split *s = &c->splits.items.items[i];
        if (s->subtask != subtask || s->attempt != attempt || s->done) continue;
        s->done = true;
        c->of->done++;
    }
}

static rask_status handle_event(void *self, int subtask, int attempt, const void *bytes,
                                size_t length, raski_error *err) {
    coordinator *c = self;
    if (length != 1 || *(const char *)bytes != RASKI_SOURCE_EVENT_REQUEST)
        return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL,
                          "a source sent an event of %zu bytes that is not a request for a split",
                          length);
    note_done(c, subtask, attempt);
    for (size_t i = 0; i < c->splits.items.count; i++) {
        split *s = &c->splits.items.items[i];
        if (s->subtask >= 0) continue;
        s->subtask = subtask;
        s->attempt = attempt;
        c->context->send_event(c->context->ctx, subtask, s->event, s->size);
        return RASK_OK;
    }
    const char no_more = RASKI_SOURCE_EVENT_NO_MORE;
    c->context->send_event(c->context->ctx, subtask, &no_more, 1);
    return RASK_OK;
}

/* Without checkpoints nothing of a failed attempt's work is kept: its splits are read again. */
static void subtask_failed(void *self, int subtask, int attempt, const char *message) {
    (void)message;
    coordinator *c = self;
    for (size_t i = 0; i < c->splits.items.count; i++) {
        split *s = &c->splits.items.items[i];
        if (s->subtask != subtask || s->attempt != attempt) continue;
        s->subtask = -1;
        if (s->done) c->of->done--;
        s->done = false;
    }
}

static void subtask_ready(void *self, int subtask, int attempt) {
    (void)self, (void)subtask, (void)attempt; /* readers ask by themselves */
}

static void close_coordinator(void *self_take) {
    coordinator *c = self_take;
    for (size_t i = 0; i < c->splits.items.count; i++) raski_free(c->splits.items.items[i].event);
    raski_vec_free(&c->splits.items);
    raski_free(c);
}

static const raski_operator_coordinator_vtable vtable = {
    .size = sizeof vtable,
    .name = "split coordinator",
    .version = 1,
    .start = start,
    .handle_event = handle_event,
    .subtask_ready = subtask_ready,
    .subtask_failed = subtask_failed,
    .close = close_coordinator,
};

static rask_status create(void *ctx, const raski_coordinator_context *context,
                          raski_operator_coordinator *ret_coordinator, raski_error *err) {
    (void)err;
    coordinator *c = RASKI_NEW(coordinator);
    c->of = ctx;
    c->context = context;
    *ret_coordinator = (raski_operator_coordinator){&vtable, c};
    return RASK_OK;
}

raski_split_coordinators *raski_split_coordinators_create(const raski_job_graph *graph) {
    raski_split_coordinators *all = RASKI_NEW(raski_split_coordinators);
    for (size_t v = 0; v < graph->sorted.count; v++) {
        const raski_job_vertex *vertex = graph->sorted.items[v];
        for (size_t i = 0; i < vertex->operator_count; i++) {
            const raski_operator_definition *def = vertex->operators[i].payload;
            if (def == NULL || def->fn == NULL || def->fn->kind != RASKI_FN_SPLIT_SOURCE) continue;
            source *of = RASKI_NEW(source);
            of->def = def;
            raski_vec_push(&all->sources, of);
            raski_vec_push(
                &all->providers,
                (raski_coordinator_provider){
                    .operator_id = vertex->operators[i].id, .ctx = of, .create = create});
        }
    }
    return all;
}

void raski_split_coordinators_destroy(raski_split_coordinators *coordinators_take) {
    if (coordinators_take == NULL) return;
    for (size_t i = 0; i < coordinators_take->sources.count; i++)
        raski_free(coordinators_take->sources.items[i]);
    raski_vec_free(&coordinators_take->sources);
    raski_vec_free(&coordinators_take->providers);
    raski_free(coordinators_take);
}

const raski_coordinator_provider *raski_split_coordinators_providers(
    const raski_split_coordinators *coordinators) {
    return coordinators->providers.items;
}

size_t raski_split_coordinators_count(const raski_split_coordinators *coordinators) {
    return coordinators->providers.count;
}

void raski_split_coordinators_progress(const raski_split_coordinators *coordinators,
                                       size_t *ret_done, size_t *ret_total) {
    *ret_done = *ret_total = 0;
    for (size_t i = 0; i < coordinators->sources.count; i++) {
        *ret_done += coordinators->sources.items[i]->done;
        *ret_total += coordinators->sources.items[i]->splits;
    }
}
