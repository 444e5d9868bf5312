/* Merging sorted inputs by key and time, and cutting the batches at the ends of keys. */
#include "operators/sort/sorted_inputs.h"

#include <string.h>

#include "base/alloc.h"

enum { BATCH_BYTES = 32 * 1024, BATCH_RECORDS_MAX = 1024, BATCH_RECORDS_MIN = 16 };

typedef struct sorted_input {
    raski_sorter *sorter; /* NULL: the input passes by */
    size_t record_size;
    size_t capacity; /* records of a batch */
    bool is_stamped; /* some record has a timestamp */
    int64_t watermark;
} sorted_input;

struct raski_sorted_inputs {
    raski_operator *op;
    bool one_key;
    bool many_keys;  /* keys may share a batch: nothing fires between them */
    bool is_reading; /* no record has been handed out yet */
    sorted_input *inputs;
    size_t input_count;
    char *records; /* one batch */
    int64_t *timestamps;
};

static size_t batch_capacity(size_t record_size) {
    const size_t n = BATCH_BYTES / record_size;
    return n > BATCH_RECORDS_MAX   ? BATCH_RECORDS_MAX
           : n < BATCH_RECORDS_MIN ? BATCH_RECORDS_MIN
                                   : n;
}

static rask_status make_inputs(raski_sorted_inputs *s, const raski_sorted_inputs_options *options,
                               raski_error *err) {
    size_t sorted_count = 0, batch_bytes = 0;
    for (size_t i = 0; i < s->input_count; i++) sorted_count += options->inputs[i].is_sorted;
    for (size_t i = 0; i < s->input_count; i++) {
        const raski_sorted_input *in = &options->inputs[i];
        if (!in->is_sorted) continue;
        sorted_input *input = &s->inputs[i];
        input->watermark = INT64_MIN;
        input->record_size = in->type->size;
        input->capacity = batch_capacity(in->type->size);
        const size_t bytes = input->capacity * input->record_size;
        if (bytes > batch_bytes) batch_bytes = bytes;
        /* Each input reads from its own files at the same time as the others. */
        uint32_t fan_in = options->fan_in / (uint32_t)sorted_count;
        if (options->fan_in != 0 && fan_in < 2) fan_in = 2;
        const raski_sorter_options sorter = {.type = in->type,
                                             .key = in->key,
                                             .memory_bytes = options->memory_bytes / sorted_count,
                                             .directory = options->directory,
                                             .fan_in = fan_in};
        RASKI_TRY(raski_sorter_create(&sorter, &input->sorter, err));
    }
    s->records = raski_try_alloc(batch_bytes + 64, 64);
    s->timestamps = raski_try_alloc(BATCH_RECORDS_MAX * sizeof *s->timestamps, 64);
    if (s->records == NULL || s->timestamps == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a batch of sorted records");
    return RASK_OK;
}

rask_status raski_sorted_inputs_create(raski_operator *op,
                                       const raski_sorted_inputs_options *options,
                                       raski_sorted_inputs **ret, raski_error *err) {
    raski_sorted_inputs *s = RASKI_NEW(raski_sorted_inputs);
    s->op = op;
    s->one_key = options->one_key;
    s->many_keys = !options->one_key || !raski_operator_may_have_timers(op);
    s->is_reading = true;
    s->input_count = options->input_count;
    s->inputs = RASKI_NEW_ARRAY(sorted_input, s->input_count);
    const rask_status status = make_inputs(s, options, err);
    if (status != RASK_OK) {
        raski_sorted_inputs_destroy(s);
        return status;
    }
    *ret = s;
    return RASK_OK;
}

void raski_sorted_inputs_destroy(raski_sorted_inputs *s) {
    if (s == NULL) return;
    for (size_t i = 0; i < s->input_count; i++) raski_sorter_destroy(s->inputs[i].sorter);
    raski_free(s->inputs);
    raski_free(s->records);
    raski_free(s->timestamps);
    raski_free(s);
}

bool raski_sorted_inputs_has(const raski_sorted_inputs *s, unsigned input) {
    return input < s->input_count && s->inputs[input].sorter != NULL;
}

/* Not the fault of a record, unless the caller says which one. */
static void failed(raski_sorted_inputs *s, const raski_error *error, int64_t record_base,
                   size_t index) {
    raski_operator_enter(s->op);
    s->op->record_base = record_base;
    s->op->ctx.i = index;
    raski_operator_fail(s->op, error);
}

void raski_sorted_inputs_add(raski_sorted_inputs *s, unsigned input, const void *records,
                             const int64_t *timestamps, size_t n) {
    sorted_input *in = &s->inputs[input];
    if (timestamps != NULL) in->is_stamped = true;
    const int64_t before = (int64_t)raski_sorter_get_counters(in->sorter).records;
    size_t index = 0;
    raski_error error = {0};
    if (raski_sorter_add(in->sorter, records, timestamps, n, &index, &error) != RASK_OK)
        failed(s, &error, error.error_class == RASKI_CLASS_USER ? before + 1 : 0, index);
}

void raski_sorted_inputs_watermark(raski_sorted_inputs *s, unsigned input, int64_t watermark) {
    if (watermark > s->inputs[input].watermark) s->inputs[input].watermark = watermark;
}

/* ---------------------------------------------------------------- handing out */
/* The input with the next record; input_count when there is none. Of equal ones the first. */
static size_t find_next(const raski_sorted_inputs *s) {
    size_t best = s->input_count;
    const raski_sorted_head *least = NULL;
    for (size_t i = 0; i < s->input_count; i++) {
        if (s->inputs[i].sorter == NULL) continue;
        const raski_sorted_head *head = raski_sorter_head(s->inputs[i].sorter);
        if (head == NULL) continue;
        const int c = least != NULL ? raski_sorted_head_compare_keys(head, least) : -1;
        if (c > 0 || (c == 0 && head->timestamp >= least->timestamp)) continue;
        best = i;
        least = head;
    }
    return best;
}

/* Whether another input has records of the key at the head of `input`; *ret_latest: up to when
 * those of `input` come first. */
static bool is_shared_key(const raski_sorted_inputs *s, size_t input, int64_t *ret_latest) {
    const raski_sorted_head *mine = raski_sorter_head(s->inputs[input].sorter);
    bool shared = false;
    *ret_latest = INT64_MAX;
    for (size_t i = 0; i < s->input_count; i++) {
        if (i == input || s->inputs[i].sorter == NULL) continue;
        const raski_sorted_head *head = raski_sorter_head(s->inputs[i].sorter);
        if (head == NULL || raski_sorted_head_compare_keys(mine, head) != 0) continue;
        shared = true;
        /* i < input: its record is later, or it would have been the next */
        const int64_t latest = i < input ? head->timestamp - 1 : head->timestamp;
        if (latest < *ret_latest) *ret_latest = latest;
    }
    return shared;
}

typedef struct piece {
    size_t count;    /* records */
    size_t complete; /* so many of them, from the front, are of keys that are complete */
} piece;

/* Fills the batch from one input; stops where another input has the next record. */
static rask_status take_piece(raski_sorted_inputs *s, size_t input, piece *ret, raski_error *err) {
    const sorted_input *in = &s->inputs[input];
    *ret = (piece){0};
    do {
        int64_t latest = INT64_MAX;
        const bool shared = is_shared_key(s, input, &latest);
        size_t taken = 0;
        bool more = false;
        RASKI_TRY(raski_sorter_take(in->sorter, latest, in->capacity - ret->count,
                                    s->records + ret->count * in->record_size,
                                    s->timestamps + ret->count, &taken, &more, err));
        ret->count += taken;
        if (more || shared) return RASK_OK; /* the key goes on */
        ret->complete = ret->count;
    } while (s->many_keys && ret->count < in->capacity && find_next(s) == input);
    return RASK_OK;
}

static void process(raski_sorted_inputs *s, size_t input, size_t from, size_t to) {
    const sorted_input *in = &s->inputs[input];
    if (from == to || s->op->env->failed) return;
    raski_operator_process(s->op, (unsigned)input, s->records + from * in->record_size,
                           in->is_stamped ? s->timestamps + from : NULL, to - from, true);
}

static void hand_out(raski_sorted_inputs *s, size_t input, const piece *p) {
    if (!s->one_key) {
        process(s, input, 0, p->count);
        return;
    }
    process(s, input, 0, p->complete);
    if (p->complete > 0 && !s->op->env->failed) raski_operator_end_keys(s->op);
    process(s, input, p->complete, p->count);
}

/* What Flink's input does when it is used up. */
static void end_inputs(raski_sorted_inputs *s) {
    for (size_t i = 0; i < s->input_count && !s->op->env->failed; i++) {
        sorted_input *in = &s->inputs[i];
        if (in->sorter == NULL) continue;
        if (in->watermark > INT64_MIN) raski_operator_watermark(s->op, (unsigned)i, in->watermark);
        raski_operator_end_input(s->op, (unsigned)i);
    }
}

static rask_status finish_sorting(raski_sorted_inputs *s, raski_error *err) {
    s->is_reading = false;
    for (size_t i = 0; i < s->input_count; i++)
        if (s->inputs[i].sorter != NULL) RASKI_TRY(raski_sorter_finish(s->inputs[i].sorter, err));
    return RASK_OK;
}

bool raski_sorted_inputs_step(raski_sorted_inputs *s) {
    raski_error error = {0};
    rask_status status = s->is_reading ? finish_sorting(s, &error) : RASK_OK;
    size_t input = s->input_count;
    if (status == RASK_OK) {
        input = find_next(s);
        if (input == s->input_count) {
            end_inputs(s);
            return false;
        }
        piece p;
        status = take_piece(s, input, &p, &error);
        if (status == RASK_OK) hand_out(s, input, &p);
    }
    if (status != RASK_OK) failed(s, &error, 0, 0);
    if (input < s->input_count) raski_sorter_end_batch(s->inputs[input].sorter);
    return true;
}

raski_sorter_counters raski_sorted_inputs_get_counters(const raski_sorted_inputs *s) {
    raski_sorter_counters sum = {0};
    for (size_t i = 0; i < s->input_count; i++) {
        if (s->inputs[i].sorter == NULL) continue;
        const raski_sorter_counters c = raski_sorter_get_counters(s->inputs[i].sorter);
        sum.records += c.records;
        sum.runs += c.runs;
        sum.spilled_bytes += c.spilled_bytes;
        sum.memory_peak_bytes += c.memory_peak_bytes;
    }
    return sum;
}
