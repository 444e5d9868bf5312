#include "operators/async/async_operator.h"

#include <string.h>

#include "operators/async/async_request.h"
#include "state/snapshot.h"

enum { DEFAULT_CAPACITY = 100 };

/* A record under way, or a watermark that waits for the records before it. */
typedef struct entry {
    struct entry *previous, *next;
    bool is_watermark;
    bool done;
    int64_t timestamp;                /* the watermark */
    void *input;                      /* owned, with all it points to */
    int64_t deadline_ms, retry_at_ms; /* INT64_MAX: none */
    int attempts;
    int64_t last_delay_ms;
    raski_async_request *request; /* of the current attempt; NULL: none */
    void *records;                /* results; owned */
    size_t count;
} entry;

typedef struct async {
    const raski_async_detail *detail;
    raski_async_channel *channel;
    raski_layout *input_layout;
    entry *first, *last; /* in order of arrival */
    entry *emitted;      /* handed on, to be freed when nothing borrows from them; by next */
    int under_way;       /* records in the queue */
    bool finishing;      /* no further retries */
    raski_operator_states *saved; /* of the last snapshot: its writer may still read it */
} async;

rask_status raski_async_detail_init(const rask_options *options, bool ordered, const rask_type *in,
                                    raski_async_detail *ret_detail, raski_error *err) {
    const rask_async_retry *retry = &options->retry;
    *ret_detail = (raski_async_detail){
        .ordered = ordered,
        .capacity = options->capacity != 0 ? options->capacity : DEFAULT_CAPACITY,
        .timeout_ms = options->timeout_ms,
        .retry = *retry};
    raski_timed_record_init(&ret_detail->item, in);
    if (options->capacity < 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, ".capacity is %d, it must be at least 1",
                          options->capacity);
    if (options->timeout_ms < 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, ".timeout_ms is %lld, it cannot be negative",
                          (long long)options->timeout_ms);
    if (retry->max_attempts < 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "maxAttempts should be greater than zero.");
    if (retry->max_attempts == 0) return RASK_OK;
    if (options->timeout_ms == 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Timeout should be configured when do async with retry.");
    if (retry->delay_ms <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "backoffTimeMillis should be greater than zero.");
    if (retry->multiplier != 0 && !(retry->multiplier >= 1))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          ".retry.multiplier is %g, it must be at least 1", retry->multiplier);
    if (retry->max_delay_ms < 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, ".retry.max_delay_ms cannot be negative");
    return RASK_OK;
}

/* ---------------------------------------------------------------- the queue */
static void append(async *a, entry *e) {
    e->previous = a->last;
    if (a->last != NULL)
        a->last->next = e;
    else
        a->first = e;
    a->last = e;
}

static void unlink_entry(async *a, entry *e) {
    if (e->previous != NULL)
        e->previous->next = e->next;
    else
        a->first = e->next;
    if (e->next != NULL)
        e->next->previous = e->previous;
    else
        a->last = e->previous;
}

static void entry_free(async *a, entry *e) {
    if (e->request != NULL) {
        e->request->entry = NULL; /* a completion of it may wait in the channel */
        raski_async_request_release(e->request);
    }
    if (e->input != NULL) raski_record_disown(a->input_layout, e->input);
    raski_free(e->input);
    raski_async_records_free(raski_async_channel_layout(a->channel), e->records, e->count);
    raski_free(e);
}

static rask_status entry_create(raski_operator *op, const void *record, int64_t timestamp,
                                entry **ret_entry, raski_error *err) {
    async *a = op->kind;
    entry *e = raski_try_calloc(1, sizeof *e);
    void *input = raski_try_alloc(a->input_layout->size, 64);
    if (e == NULL || input == NULL) {
        raski_free(e);
        raski_free(input);
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a record under way");
    }
    e->timestamp = timestamp;
    e->deadline_ms = e->retry_at_ms = INT64_MAX;
    e->input = input;
    memcpy(input, record, a->input_layout->size);
    rask_status status = raski_record_own(a->input_layout, input, input, err);
    if (status != RASK_OK) {
        raski_free(input);
        raski_free(e);
        return status;
    }
    *ret_entry = e;
    return RASK_OK;
}

/* ---------------------------------------------------------------- attempts */
static void arm(raski_operator *op, const entry *e) {
    if (e->retry_at_ms != INT64_MAX) raski_operator_wake_at(op, e->retry_at_ms);
    if (e->deadline_ms != INT64_MAX) raski_operator_wake_at(op, e->deadline_ms);
}

static void attempt(raski_operator *op, entry *e) {
    async *a = op->kind;
    e->attempts++;
    e->retry_at_ms = INT64_MAX;
    e->request = raski_async_request_create(a->channel, e);
    op->def->fn->async->async(op->self, e->input, e->request);
}

static void drop_request(entry *e) {
    if (e->request == NULL) return;
    e->request->entry = NULL;
    raski_async_request_release(e->request);
    e->request = NULL;
}

static bool is_retried(raski_operator *op, const entry *e, const raski_async_request *request) {
    const async *a = op->kind;
    const rask_async_retry *retry = &a->detail->retry;
    if (a->finishing || e->attempts > retry->max_attempts) return false;
    if (e->deadline_ms <= raski_operator_now_ms(op)) return false;
    return request->failed ? retry->on_failure : retry->on_empty && request->count == 0;
}

static void retry_later(raski_operator *op, entry *e) {
    const rask_async_retry *retry = &((async *)op->kind)->detail->retry;
    int64_t delay = retry->delay_ms;
    if (e->attempts > 1 && retry->multiplier > 0) {
        const double longer = (double)e->last_delay_ms * retry->multiplier;
        const double limit = retry->max_delay_ms > 0 ? (double)retry->max_delay_ms : 1e15;
        delay = (int64_t)(longer < limit ? longer : limit);
    }
    e->last_delay_ms = delay;
    e->retry_at_ms = raski_operator_now_ms(op) + delay;
    arm(op, e);
}

static void fail_entry(raski_operator *op, const char *message) {
    raski_error error = {0};
    (void)RASKI_FAIL(&error, RASK_FAILED, USER, "Could not complete the stream element: %s",
                     message);
    raski_operator_fail(op, &error);
}

/* The attempt of an entry has ended. */
static void settle(raski_operator *op, entry *e) {
    raski_async_request *request = e->request;
    if (is_retried(op, e, request)) {
        drop_request(e);
        retry_later(op, e);
        return;
    }
    if (request->failed) {
        fail_entry(op, request->message);
        return;
    }
    e->records = raski_async_request_take_records(request, &e->count);
    e->done = true;
    drop_request(e);
}

static void take_completed(raski_operator *op) {
    async *a = op->kind;
    raski_async_request *next = NULL;
    for (raski_async_request *r = raski_async_channel_take(a->channel); r != NULL; r = next) {
        next = r->next;
        entry *e = r->entry; /* NULL: of an attempt that was given up */
        if (e != NULL && !op->env->failed) settle(op, e);
        raski_async_request_release(r);
    }
}

static void time_out(raski_operator *op, entry *e) {
    const raski_hook *hook = op->def->fn->async_timeout;
    drop_request(e);
    e->deadline_ms = e->retry_at_ms = INT64_MAX;
    if (hook == NULL || hook->async == NULL) {
        fail_entry(op, "Async function call has timed out.");
        return;
    }
    e->attempts = ((async *)op->kind)->detail->retry.max_attempts + 1;
    e->request = raski_async_request_create(((async *)op->kind)->channel, e);
    hook->async(op->self, e->input, e->request);
}

static void run_due(raski_operator *op, int64_t now_ms) {
    async *a = op->kind;
    for (entry *e = a->first; e != NULL && !op->env->failed; e = e->next) {
        if (e->is_watermark || e->done) continue;
        if (e->deadline_ms <= now_ms)
            time_out(op, e);
        else if (e->retry_at_ms <= now_ms)
            attempt(op, e);
        if (!e->done) arm(op, e);
    }
}

/* ---------------------------------------------------------------- emitting */
enum { STAMPS = 64 };

static void emit(raski_operator *op, entry *e) {
    int64_t timestamps[STAMPS];
    for (size_t i = 0; i < STAMPS; i++) timestamps[i] = e->timestamp;
    for (size_t from = 0; from < e->count; from += STAMPS) {
        size_t n = e->count - from < STAMPS ? e->count - from : STAMPS;
        raski_operator_emit(op, (char *)e->records + from * op->out_size, timestamps, n);
    }
}

static void free_emitted(raski_operator *op) {
    async *a = op->kind;
    raski_operator_hand_on(op);
    while (a->emitted != NULL) {
        entry *e = a->emitted;
        a->emitted = e->next;
        entry_free(a, e);
    }
}

static void emit_first_watermark(raski_operator *op) {
    async *a = op->kind;
    entry *e = a->first;
    unlink_entry(a, e);
    const int64_t watermark = e->timestamp;
    entry_free(a, e);
    raski_operator_forward_watermark(op, watermark);
}

/* Hands on what may be handed on: ordered the done ones in front, unordered all done ones before
 * the first watermark. */
static void emit_done(raski_operator *op) {
    async *a = op->kind;
    for (entry *e = a->first; e != NULL && !op->env->failed;) {
        entry *next = e->next;
        if (e->is_watermark) {
            if (e != a->first) break;
            emit_first_watermark(op);
        } else if (e->done) {
            emit(op, e);
            unlink_entry(a, e);
            a->under_way--;
            e->next = a->emitted;
            a->emitted = e;
        } else if (a->detail->ordered) {
            break;
        }
        e = next;
    }
    free_emitted(op);
}

static void attend(raski_operator *op) {
    take_completed(op);
    if (!op->env->failed) emit_done(op);
}

/* Waits until fewer than limit records are under way. */
static void wait_below(raski_operator *op, int limit) {
    async *a = op->kind;
    while (!op->env->failed) {
        uint32_t seen = raski_doorbell_sequence(op->env->doorbell);
        attend(op);
        if (op->env->failed || a->under_way < limit) return;
        raski_operator_advance_processing_time(op, raski_operator_now_ms(op));
        if (op->env->failed || a->under_way < limit) return;
        if (!raski_operator_sleep(op, seen, op->wake_ms)) return;
        raski_operator_enter(op);
    }
}

/* ---------------------------------------------------------------- the operator */
static rask_status setup(raski_operator *op, raski_error *err) {
    async *a = raski_try_calloc(1, sizeof *a);
    if (a == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for an operator");
    op->kind = a;
    a->detail = op->def->detail;
    a->input_layout = raski_layout_create(op->def->in);
    a->channel = raski_async_channel_create(op->def->out, op->env->doorbell, &op->env->attention);
    return RASK_OK;
}

static void teardown(raski_operator *op) {
    async *a = op->kind;
    if (a == NULL) return;
    while (a->first != NULL) {
        entry *e = a->first;
        unlink_entry(a, e);
        entry_free(a, e);
    }
    raski_async_channel_close(a->channel);
    raski_operator_states_destroy(a->saved);
    raski_layout_destroy(a->input_layout);
    raski_free(a);
    op->kind = NULL;
}

/* Begins a record's first attempt. */
static rask_status start(raski_operator *op, const void *record, int64_t timestamp,
                         raski_error *err) {
    async *a = op->kind;
    entry *e = NULL;
    RASKI_TRY(entry_create(op, record, timestamp, &e, err));
    append(a, e);
    a->under_way++;
    if (a->detail->timeout_ms > 0)
        e->deadline_ms = raski_operator_now_ms(op) + a->detail->timeout_ms;
    attempt(op, e);
    arm(op, e);
    return RASK_OK;
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)exclusive;
    async *a = op->kind;
    raski_error error = {0};
    for (size_t i = 0; i < n && !op->env->failed; i++) {
        if (a->under_way >= a->detail->capacity) wait_below(op, a->detail->capacity);
        if (op->env->failed) return;
        op->ctx.i = i;
        if (start(op, (char *)records + i * a->input_layout->size,
                  timestamps ? timestamps[i] : RASK_NO_TIMESTAMP, &error) != RASK_OK)
            raski_operator_fail(op, &error);
    }
    if (!op->env->failed) attend(op);
}

/* ---------------------------------------------------------------- state */
/* Flink's name of it. */
static const char state_name[] = "_async_wait_operator_state_";

static rask_status make_states(raski_operator *op, raski_operator_states **ret_states,
                               raski_error *err) {
    const async *a = op->kind;
    const raski_operator_state_spec spec = {
        .name = state_name, .mode = RASKI_OPERATOR_STATE_SPLIT, .type = &a->detail->item.type};
    return raski_operator_states_create(&spec, 1, op->job->name, NULL, ret_states, err);
}

static rask_status save(raski_operator *op, raski_operator_states *states, raski_error *err) {
    const async *a = op->kind;
    const raski_timed_record *item = &a->detail->item;
    char *one = raski_calloc(1, item->type.size);
    char *row = raski_operator_states_row(states);
    rask_status status = RASK_OK;
    for (const entry *e = a->first; e != NULL && status == RASK_OK; e = e->next) {
        if (e->is_watermark) continue;
        memcpy(one, &e->timestamp, sizeof e->timestamp);
        memcpy(one + raski_timed_record_offset(item), e->input, a->input_layout->size);
        status =
            raski_keyed_table_list_add(raski_operator_states_table(states), row, 0, one, 1, err);
    }
    raski_free(one);
    return status;
}

/* The records under way; they are asked for again after a restore. */
static rask_status snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err) {
    async *a = op->kind;
    raski_operator_states *states = NULL;
    RASKI_TRY(make_states(op, &states, err));
    raski_operator_states_destroy(a->saved);
    a->saved = states;
    RASKI_TRY(save(op, states, err));
    return raski_snapshot_writer_add_operator_states(writer, states, err);
}

static rask_status restart(raski_operator *op, raski_operator_states *states, raski_error *err) {
    const async *a = op->kind;
    const raski_timed_record *item = &a->detail->item;
    raski_list_view list;
    RASKI_TRY(raski_keyed_table_list(raski_operator_states_table(states),
                                     raski_operator_states_row(states), 0, &list, err));
    for (uint32_t i = 0; i < list.count; i++) {
        const char *one = (const char *)list.items + (size_t)i * item->type.size;
        int64_t timestamp = 0;
        memcpy(&timestamp, one, sizeof timestamp);
        RASKI_TRY(start(op, one + raski_timed_record_offset(item), timestamp, err));
    }
    return RASK_OK;
}

static rask_status restore(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err) {
    raski_operator_states *states = NULL;
    RASKI_TRY(make_states(op, &states, err));
    rask_status status = raski_snapshot_reader_operator_states(reader, states, err);
    if (status == RASK_OK) status = restart(op, states, err);
    raski_operator_states_destroy(states);
    return status;
}

static void watermark(raski_operator *op, int64_t time_ms) {
    async *a = op->kind;
    raski_error error = {0};
    entry *e = raski_try_calloc(1, sizeof *e);
    if (e == NULL) {
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL, "no memory for a watermark");
        raski_operator_fail(op, &error);
        return;
    }
    e->is_watermark = true;
    e->timestamp = time_ms;
    append(a, e);
    emit_done(op);
}

static void processing_time(raski_operator *op, int64_t now_ms) {
    run_due(op, now_ms);
    if (!op->env->failed) attend(op);
}

static void finish(raski_operator *op) {
    async *a = op->kind;
    a->finishing = true;
    for (entry *e = a->first; e != NULL && !op->env->failed; e = e->next)
        if (!e->is_watermark && e->retry_at_ms != INT64_MAX) attempt(op, e);
    wait_below(op, 1);
}

const raski_operator_ops raski_async_ops = {.name = "async wait",
                                            .setup = setup,
                                            .process = process,
                                            .watermark = watermark,
                                            .processing_time = processing_time,
                                            .attention = attend,
                                            .snapshot = snapshot,
                                            .restore = restore,
                                            .finish = finish,
                                            .teardown = teardown};
