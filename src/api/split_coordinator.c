#include "api/split_coordinator.h"

#include <string.h>

#include "api/watermark_alignment.h"
#include "base/map.h"
#include "base/vec.h"
#include "operators/operator.h"
#include "operators/time/time_definition.h"

/* A split as it is sent: the event's kind byte, then the split. */
typedef struct split {
    size_t size;          /* of event */
    char *event;          /* owned */
    int subtask, attempt; /* who has it; subtask -1: nobody */
    bool done;
} split;

struct raski_splits {
    RASKI_VEC(split) items;
    raski_map seen; /* what rask_splits_seen was asked about */
    int readers;
    int64_t again_ms; /* -1: this was all */
};

/* A subtask. */
typedef struct reader {
    bool waits;
    RASKI_VEC(size_t) reads; /* indices of its splits, in the order in which it got them */
    int attempt;
} reader;

typedef struct source {
    const raski_operator_definition *def;
    const raski_watermark_strategy *strategy; /* NULL: no timestamps */
    raski_alignment_group *group;             /* NULL: not aligned */
    size_t splits, done;                      /* of the running attempt of the job */
} source;

typedef struct coordinator {
    source *of; /* borrowed */
    const raski_coordinator_context *context;
    raski_splits splits;
    reader *readers;       /* by subtask */
    size_t next;           /* all splits before this index are given out */
    bool is_restored;      /* its splits are known already */
    bool enumerates_again; /* if so: it looked for new ones from time to time */
} coordinator;

struct raski_split_coordinators {
    RASKI_VEC(source *) sources; /* owned */
    RASKI_VEC(raski_coordinator_provider) providers;
    size_t split_sources;
    raski_alignment_groups *groups; /* owned */
};

rask_status raski_add_split(raski_splits *splits, const void *bytes, size_t size) {
    split s = {.size = size + 1, .event = raski_try_alloc(size + 1, 0), .subtask = -1};
    if (s.event == NULL) return RASK_E_NOMEM;
    s.event[0] = RASKI_SOURCE_EVENT_SPLIT;
    memcpy(s.event + 1, bytes, size);
    raski_vec_push(&splits->items, s);
    return RASK_OK;
}

void raski_enumerate_again(raski_splits *splits, int64_t relative_ms) {
    splits->again_ms = relative_ms > 1 ? relative_ms : 1;
}

int raski_splits_seen(raski_splits *splits, const char *key) {
    if (raski_map_has(&splits->seen, key)) return 1;
    raski_map_put(&splits->seen, key, NULL);
    return 0;
}

int raski_splits_readers(const raski_splits *splits) {
    return splits->readers;
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
    c->splits.again_ms = -1;
    raski_failure_sink_set(&failure);
    rask_status status = fn->enumerate->enumerate(self, &c->splits);
    raski_failure_sink_set(NULL);
    raski_free(self);
    c->of->splits = c->splits.items.count;
    if (status >= 0 && !raski_error_is_set(&failure)) {
        if (c->splits.again_ms >= 0) c->context->schedule(c->context->ctx, c->splits.again_ms);
        return RASK_OK;
    }
    if (!raski_error_is_set(&failure))
        (void)RASKI_FAIL(&failure, RASK_E_ARGUMENT, USER,
                         "enumerating the splits failed without a message (use rask_fail)");
    raski_failure_prefix(&failure, "operator '%s' (coordinator): ", c->context->operator_name);
    if (err != NULL) *err = failure;
    return failure.status;
}

static bool has_splits(const source *of) {
    return of->def->fn->kind == RASKI_FN_SPLIT_SOURCE;
}

static rask_status start(void *self, raski_error *err) {
    coordinator *c = self;
    c->of->done = 0;
    if (c->of->group != NULL) raski_alignment_group_forget(c->of->group, c->of);
    c->of->splits = c->splits.items.count;
    if (!has_splits(c->of) || (c->is_restored && !c->enumerates_again)) return RASK_OK;
    return enumerate(c, err);
}

/* ---------------------------------------------------------------- state */
/* docs/formats/splits.md */
enum { STATE_VERSION = 1 };

static rask_status append_number(rask_text *text, uint32_t value) {
    const char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16),
                           (char)(value >> 24)};
    return rask_text_append(text, bytes, sizeof bytes);
}

static rask_status append_bytes(rask_text *text, const void *bytes, size_t size) {
    if (size > UINT32_MAX || append_number(text, (uint32_t)size) != RASK_OK) return RASK_E_NOMEM;
    return rask_text_append(text, bytes, size);
}

static rask_status append_state(const coordinator *c, rask_text *text) {
    const raski_splits *splits = &c->splits;
    uint32_t waiting = 0;
    for (size_t i = 0; i < splits->items.count; i++) waiting += splits->items.items[i].subtask < 0;
    rask_status status = append_number(text, STATE_VERSION);
    if (status == RASK_OK) status = append_number(text, splits->again_ms >= 0);
    if (status == RASK_OK) status = append_number(text, (uint32_t)splits->seen.count);
    for (size_t i = 0; i < splits->seen.count && status == RASK_OK; i++) {
        const char *key = splits->seen.entries[i].text;
        status = append_bytes(text, key, strlen(key));
    }
    if (status == RASK_OK) status = append_number(text, waiting);
    for (size_t i = 0; i < splits->items.count && status == RASK_OK; i++) {
        const split *s = &splits->items.items[i];
        if (s->subtask < 0) status = append_bytes(text, s->event + 1, s->size - 1);
    }
    return status;
}

static rask_status snapshot(void *self, rask_text *text) {
    const size_t before = text->length;
    rask_status status = append_state(self, text);
    if (status != RASK_OK) text->length = before;
    return status;
}

typedef struct state_bytes {
    const unsigned char *at, *end;
    bool failed;
} state_bytes;

static uint32_t read_number(state_bytes *in) {
    if (in->failed || in->end - in->at < 4) {
        in->failed = true;
        return 0;
    }
    const unsigned char *p = in->at;
    in->at += 4;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* NULL: not as many are there. */
static const void *read_bytes(state_bytes *in, size_t *ret_size) {
    *ret_size = read_number(in);
    if (in->failed || *ret_size > (size_t)(in->end - in->at)) {
        in->failed = true;
        return NULL;
    }
    in->at += *ret_size;
    return in->at - *ret_size;
}

static rask_status restore(void *self, const void *bytes, size_t length, raski_error *err) {
    coordinator *c = self;
    state_bytes in = {bytes, (const unsigned char *)bytes + length, false};
    size_t size = 0;
    const uint32_t version = read_number(&in);
    c->is_restored = true;
    c->enumerates_again = read_number(&in) != 0;
    for (uint32_t left = read_number(&in); left > 0 && !in.failed; left--) {
        const char *key = read_bytes(&in, &size);
        if (key == NULL) break;
        char *text = raski_strndup(key, size);
        raski_map_put(&c->splits.seen, text, NULL);
        raski_free(text);
    }
    for (uint32_t left = read_number(&in); left > 0 && !in.failed; left--) {
        const void *split_bytes = read_bytes(&in, &size);
        if (split_bytes != NULL && raski_add_split(&c->splits, split_bytes, size) != RASK_OK)
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for splits");
    }
    if (!in.failed && version == STATE_VERSION && in.at == in.end) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                      "operator '%s': %zu bytes came that are no splits of version %d",
                      c->context->operator_name, length, STATE_VERSION);
}

/* ---------------------------------------------------------------- readers */

/* Of the splits that it has, a reader has read so many. Which, matters to nobody. */
static void note_done(coordinator *c, reader *r, size_t count) {
    if (count > r->reads.count) count = r->reads.count;
    for (size_t i = 0; i < count; i++) c->splits.items.items[r->reads.items[i]].done = true;
    c->of->done += count;
    r->reads.count -= count;
    if (count > 0)
        memmove(r->reads.items, r->reads.items + count, r->reads.count * sizeof *r->reads.items);
}

static split *next_split(coordinator *c) {
    while (c->next < c->splits.items.count && c->splits.items.items[c->next].subtask >= 0)
        c->next++;
    return c->next < c->splits.items.count ? &c->splits.items.items[c->next] : NULL;
}

/* Answers a reader: with a split, not yet, or that there are no more. */
static void answer(coordinator *c, int subtask, int attempt) {
    reader *r = &c->readers[subtask];
    split *s = next_split(c);
    const bool waited = r->waits;
    r->attempt = attempt;
    r->waits = s == NULL && c->splits.again_ms >= 0;
    if (r->waits) {
        /* one that has timestamps tells its consumers not to wait for it */
        const char wait = RASKI_SOURCE_EVENT_WAIT;
        if (!waited && c->of->strategy != NULL)
            c->context->send_event(c->context->ctx, subtask, &wait, 1);
        return;
    }
    if (s == NULL) {
        const char no_more = RASKI_SOURCE_EVENT_NO_MORE;
        c->context->send_event(c->context->ctx, subtask, &no_more, 1);
        return;
    }
    raski_vec_push(&r->reads, c->next);
    s->subtask = subtask;
    s->attempt = attempt;
    c->context->send_event(c->context->ctx, subtask, s->event, s->size);
}

static void answer_waiting(coordinator *c) {
    for (int i = 0; i < c->splits.readers; i++)
        if (c->readers[i].waits) answer(c, i, c->readers[i].attempt);
}

static rask_status timer(void *self, raski_error *err) {
    coordinator *c = self;
    RASKI_TRY(enumerate(c, err));
    answer_waiting(c);
    return RASK_OK;
}

/* A reader says how far it is, and hears how far it may go. */
static void align(const coordinator *c, int subtask, int64_t watermark_ms) {
    raski_alignment_group *group = c->of->group;
    raski_alignment_group_report(group, c->of, subtask, watermark_ms);
    const int64_t limit = raski_alignment_group_limit(group, c->of->strategy->max_drift_ms);
    char event[1 + sizeof limit] = {RASKI_SOURCE_EVENT_ALIGN};
    memcpy(event + 1, &limit, sizeof limit);
    c->context->send_event(c->context->ctx, subtask, event, sizeof event);
}

static rask_status handle_event(void *self, int subtask, int attempt, const void *bytes,
                                size_t length, raski_error *err) {
    coordinator *c = self;
    const unsigned char *event = bytes;
    int64_t watermark_ms;
    if (length == 1 + sizeof watermark_ms && event[0] == RASKI_SOURCE_EVENT_REPORT &&
        c->of->group != NULL) {
        memcpy(&watermark_ms, event + 1, sizeof watermark_ms);
        align(c, subtask, watermark_ms);
        return RASK_OK;
    }
    if (length < 1 || length > 2 || event[0] != RASKI_SOURCE_EVENT_REQUEST)
        return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL,
                          "a source sent an event of %zu bytes that is not a request for a split",
                          length);
    note_done(c, &c->readers[subtask], length == 2 ? event[1] : SIZE_MAX);
    answer(c, subtask, attempt);
    return RASK_OK;
}

/* Without checkpoints nothing of a failed attempt's work is kept: its splits are read again. */
static void subtask_failed(void *self, int subtask, int attempt, const char *message) {
    (void)message;
    coordinator *c = self;
    c->readers[subtask].reads.count = 0;
    c->readers[subtask].waits = false;
    for (size_t i = c->splits.items.count; i-- > 0;) {
        split *s = &c->splits.items.items[i];
        if (s->subtask != subtask || s->attempt != attempt) continue;
        s->subtask = -1;
        if (s->done) c->of->done--;
        s->done = false;
        c->next = i < c->next ? i : c->next;
    }
    answer_waiting(c);
}

static void subtask_ready(void *self, int subtask, int attempt) {
    (void)self, (void)subtask, (void)attempt; /* readers ask by themselves */
}

static void close_coordinator(void *self_take) {
    coordinator *c = self_take;
    for (size_t i = 0; i < c->splits.items.count; i++) raski_free(c->splits.items.items[i].event);
    raski_vec_free(&c->splits.items);
    raski_map_free(&c->splits.seen);
    for (int i = 0; i < c->splits.readers; i++) raski_vec_free(&c->readers[i].reads);
    raski_free(c->readers);
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
    .timer = timer,
    .snapshot = snapshot,
    .restore = restore,
    .close = close_coordinator,
};

static rask_status create(void *ctx, const raski_coordinator_context *context,
                          raski_operator_coordinator *ret_coordinator, raski_error *err) {
    (void)err;
    coordinator *c = RASKI_NEW(coordinator);
    c->of = ctx;
    c->context = context;
    c->splits.readers = context->parallelism;
    c->splits.again_ms = -1;
    c->readers = RASKI_NEW_ARRAY(reader, (size_t)context->parallelism);
    *ret_coordinator = (raski_operator_coordinator){&vtable, c};
    return RASK_OK;
}

/* Of a source that needs a coordinator; NULL: of another operator. */
static source *source_of(raski_split_coordinators *all, const raski_operator_definition *def) {
    if (def == NULL || def->fn == NULL ||
        (def->fn->kind != RASKI_FN_SPLIT_SOURCE && def->fn->kind != RASKI_FN_SOURCE))
        return NULL;
    const raski_time_definition *time = def->detail;
    const char *group = time != NULL ? time->strategy.alignment_group : NULL;
    if (def->fn->kind != RASKI_FN_SPLIT_SOURCE && group == NULL) return NULL;
    source *of = RASKI_NEW(source);
    of->def = def;
    if (time != NULL) of->strategy = &time->strategy;
    if (group != NULL) of->group = raski_alignment_groups_find(all->groups, group);
    return of;
}

raski_split_coordinators *raski_split_coordinators_create(const raski_job_graph *graph) {
    raski_split_coordinators *all = RASKI_NEW(raski_split_coordinators);
    all->groups = raski_alignment_groups_create();
    for (size_t v = 0; v < graph->sorted.count; v++) {
        const raski_job_vertex *vertex = graph->sorted.items[v];
        for (size_t i = 0; i < vertex->operator_count; i++) {
            source *of = source_of(all, vertex->operators[i].payload);
            if (of == NULL) continue;
            all->split_sources += has_splits(of);
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
    raski_alignment_groups_destroy(coordinators_take->groups);
    raski_free(coordinators_take);
}

const raski_coordinator_provider *raski_split_coordinators_providers(
    const raski_split_coordinators *coordinators) {
    return coordinators->providers.items;
}

size_t raski_split_coordinators_count(const raski_split_coordinators *coordinators) {
    return coordinators->providers.count;
}

size_t raski_split_coordinators_split_sources(const raski_split_coordinators *coordinators) {
    return coordinators->split_sources;
}

void raski_split_coordinators_progress(const raski_split_coordinators *coordinators,
                                       size_t *ret_done, size_t *ret_total) {
    *ret_done = *ret_total = 0;
    for (size_t i = 0; i < coordinators->sources.count; i++) {
        *ret_done += coordinators->sources.items[i]->done;
        *ret_total += coordinators->sources.items[i]->splits;
    }
}
