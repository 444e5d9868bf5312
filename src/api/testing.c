/* rask/testing.h: the harness of src/operators for programs. */
#include "rask/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "operators/harness/operator_harness.h"
#include "types/type_info.h"

struct rask_harness {
    raski_operator_harness *inner; /* NULL after a failure to make it */
    raski_operator_definition *definition;
    unsigned inputs;
    raski_error error; /* of the last call; the first failure stays */
    raski_str text;
    size_t taken; /* outputs before this one were read */
    rask_text state;
};

raski_stream *raski_test_input(rask_env *env, const rask_type *type, const char *file, int line) {
    raski_transformation *t =
        raski_transformation_source(env->plan, "Test Input", raski_env_type_text(env, type), true);
    raski_transformation_set_location(t, file, line);
    raski_stream *stream = raski_stream_create(env, NULL, t, type, NULL);
    stream->stamped = true;
    return stream;
}

/* ---------------------------------------------------------------- making */
static rask_status find_definition(rask_harness *h, const raski_stream *stream, raski_error *err) {
    if (raski_error_is_set(&stream->env->error)) {
        *err = stream->env->error;
        return err->status;
    }
    if (stream->definition == NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "a harness drives the operator that makes a stream: give it what a "
                          "building call like rask_process returned, not a keyed stream, a union "
                          "or a side output");
    if (stream->definition->in == NULL && stream->definition->inputs == NULL)
        return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                          "a harness drives operators with inputs, not sources");
    h->definition = stream->definition;
    h->inputs = raski_operator_definition_input_count(stream->definition);
    return RASK_OK;
}

static rask_status make(rask_harness *h, const raski_stream *stream,
                        const rask_harness_options *options, size_t size, raski_error *err) {
    rask_harness_options o = {0};
    memcpy(&o, options, size < sizeof o ? size : sizeof o);
    if (o.parallelism < 0 || o.subtask_index < 0 ||
        o.subtask_index >= (o.parallelism > 0 ? o.parallelism : 1))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, ".subtask_index is %d, .parallelism %d",
                          o.subtask_index, o.parallelism);
    RASKI_TRY(find_definition(h, stream, err));
    const raski_operator_harness_options inner = {
        .subtask_index = o.subtask_index,
        .parallelism = o.parallelism,
        .max_parallelism = o.max_parallelism,
        .operator_name = stream->transformation->name,
        .configuration = stream->env->configuration,
        .processing_time_ms = o.time_ms,
    };
    return raski_operator_harness_create(h->definition, &inner, &h->inner, err);
}

static bool has_failed(const rask_harness *h) {
    return raski_error_is_set(&h->error);
}

rask_harness *raski_harness_create(raski_stream *stream, const rask_harness_options *options,
                                   size_t size) {
    rask_harness *h = RASKI_NEW(rask_harness);
    /* What goes wrong is told by each call. */
    rask_status status = make(h, stream, options, size, &h->error);
    if (status == RASK_OK) status = raski_operator_harness_open(h->inner, &h->error);
    RASKI_ASSERT(status == RASK_OK || has_failed(h));
    return h;
}

rask_harness *raski_harness_restore(raski_stream *stream, const void *const *snapshots,
                                    const size_t *sizes, size_t n,
                                    const rask_harness_options *options, size_t size) {
    rask_harness *h = RASKI_NEW(rask_harness);
    raski_snapshot_input *inputs = RASKI_NEW_ARRAY(raski_snapshot_input, n);
    for (size_t i = 0; i < n; i++)
        inputs[i] = (raski_snapshot_input){"the harness", snapshots[i], sizes[i]};
    rask_status status = make(h, stream, options, size, &h->error);
    if (status == RASK_OK) status = raski_operator_harness_restore(h->inner, inputs, n, &h->error);
    if (status == RASK_OK) status = raski_operator_harness_open(h->inner, &h->error);
    raski_free(inputs);
    RASKI_ASSERT(status == RASK_OK || has_failed(h));
    return h;
}

rask_status rask_harness_snapshot(rask_harness *harness, void **ret_bytes, size_t *ret_size) {
    *ret_bytes = NULL;
    *ret_size = 0;
    if (has_failed(harness)) return harness->error.status;
    raski_byte_writer writer = {0};
    rask_status status = raski_operator_harness_snapshot(harness->inner, &writer, &harness->error);
    if (status == RASK_OK) {
        *ret_bytes = malloc(writer.size);
        if (*ret_bytes == NULL)
            status = RASKI_FAIL(&harness->error, RASK_E_NOMEM, EXTERNAL,
                                "no memory for a snapshot of %zu bytes", writer.size);
    }
    if (status == RASK_OK) {
        memcpy(*ret_bytes, writer.bytes, writer.size);
        *ret_size = writer.size;
    }
    raski_byte_writer_fini(&writer);
    return status;
}

void rask_harness_destroy(rask_harness *harness_take) {
    if (harness_take == NULL) return;
    raski_operator_harness_destroy(harness_take->inner);
    raski_str_free(&harness_take->text);
    free(harness_take->state.data);
    raski_free(harness_take);
}

const char *rask_harness_message(const rask_harness *harness) {
    return harness->error.message;
}

/* ---------------------------------------------------------------- steps */
rask_status raski_harness_push(rask_harness *harness, unsigned input, const rask_type *type,
                               const void *record, int64_t timestamp_ms) {
    rask_harness *h = harness;
    if (has_failed(h)) return h->error.status;
    const rask_type *takes =
        input < h->inputs ? raski_operator_definition_input(h->definition, input).type : NULL;
    if (takes == NULL || !raski_type_equal(takes, type))
        return RASKI_FAIL(&h->error, RASK_E_ARGUMENT, USER,
                          "the operator's input %u takes %s, not records of type %s", input,
                          takes != NULL ? takes->name : "nothing (it has less inputs)", type->name);
    return raski_operator_harness_process(h->inner, input, record, &timestamp_ms, 1, &h->error);
}

rask_status rask_harness_watermark_of(rask_harness *harness, unsigned input, int64_t watermark_ms) {
    if (has_failed(harness)) return harness->error.status;
    if (input >= harness->inputs)
        return RASKI_FAIL(&harness->error, RASK_E_ARGUMENT, USER, "the operator has no input %u",
                          input);
    return raski_operator_harness_watermark(harness->inner, input, watermark_ms, &harness->error);
}

rask_status rask_harness_watermark(rask_harness *harness, int64_t watermark_ms) {
    rask_status status = harness->error.status;
    for (unsigned i = 0; i < harness->inputs && status == RASK_OK; i++)
        status = rask_harness_watermark_of(harness, i, watermark_ms);
    return status;
}

rask_status rask_harness_idle(rask_harness *harness, unsigned input, bool idle) {
    if (has_failed(harness)) return harness->error.status;
    if (input >= harness->inputs)
        return RASKI_FAIL(&harness->error, RASK_E_ARGUMENT, USER, "the operator has no input %u",
                          input);
    return raski_operator_harness_status(harness->inner, input, idle, &harness->error);
}

rask_status rask_harness_set_time(rask_harness *harness, int64_t time_ms) {
    if (has_failed(harness)) return harness->error.status;
    return raski_operator_harness_set_time(harness->inner, time_ms, &harness->error);
}

rask_status rask_harness_end(rask_harness *harness) {
    rask_status status = harness->error.status;
    for (unsigned i = 0; i < harness->inputs && status == RASK_OK; i++)
        status = raski_operator_harness_end_input(harness->inner, i, &harness->error);
    return status;
}

/* ---------------------------------------------------------------- output */
static void append_output(raski_str *text, const raski_harness_output *output) {
    if (output->kind == RASKI_HARNESS_STATUS) {
        raski_str_append(text, output->idle ? "idle\n" : "active\n");
        return;
    }
    if (output->kind == RASKI_HARNESS_WATERMARK) {
        raski_str_appendf(text, "watermark %lld\n", (long long)output->timestamp_ms);
        return;
    }
    rask_text record = {0};
    if (output->tag != NULL) raski_str_appendf(text, "%s: ", output->tag);
    if (rask_text_append_record(&record, output->type, output->record) == RASK_OK)
        raski_str_append_bytes(text, record.data, record.length);
    free(record.data);
    if (output->timestamp_ms != RASK_NO_TIMESTAMP)
        raski_str_appendf(text, " @ %lld", (long long)output->timestamp_ms);
    raski_str_append(text, "\n");
}

/* Outputs that were read are forgotten before the next step's come. */
static void forget_taken(rask_harness *h) {
    if (h->inner == NULL || h->taken == 0) return;
    raski_operator_harness_drop(h->inner, h->taken);
    h->taken = 0;
}

const char *rask_harness_text(rask_harness *harness) {
    rask_harness *h = harness;
    raski_str_free(&h->text);
    if (h->inner == NULL) return "";
    forget_taken(h);
    const size_t n = raski_operator_harness_output_count(h->inner);
    for (size_t i = 0; i < n; i++)
        append_output(&h->text, raski_operator_harness_output(h->inner, i));
    raski_operator_harness_drop(h->inner, n);
    return raski_str_text(&h->text);
}

static bool is_of(const raski_harness_output *output, const rask_type *type, const char *tag) {
    if (output->kind != RASKI_HARNESS_RECORD || !raski_type_equal(output->type, type)) return false;
    return tag == NULL ? output->tag == NULL : output->tag != NULL && strcmp(output->tag, tag) == 0;
}

bool raski_harness_take(rask_harness *harness, const rask_type *type, const char *tag,
                        void *ret_record, int64_t *ret_timestamp_ms) {
    rask_harness *h = harness;
    if (h->inner == NULL) return false;
    forget_taken(h);
    const size_t n = raski_operator_harness_output_count(h->inner);
    for (size_t i = 0; i < n; i++) {
        const raski_harness_output *output = raski_operator_harness_output(h->inner, i);
        if (!is_of(output, type, tag)) continue;
        memcpy(ret_record, output->record, type->size);
        if (ret_timestamp_ms != NULL) *ret_timestamp_ms = output->timestamp_ms;
        raski_operator_harness_move_first(h->inner, i);
        h->taken = 1;
        return true;
    }
    return false;
}

size_t rask_harness_timers(const rask_harness *harness, bool processing) {
    return harness->inner != NULL ? raski_operator_harness_timer_count(harness->inner, processing)
                                  : 0;
}

int64_t rask_harness_counter(const rask_harness *harness, const char *name) {
    return harness->inner != NULL ? raski_operator_harness_counter(harness->inner, name) : 0;
}

/* ---------------------------------------------------------------- state */
/* Where the parts of a key lie in a value of its type. */
static rask_status find_parts(const raski_keyed_table *table, const rask_type *type,
                              raski_key_spec *ret_spec, raski_error *err) {
    const raski_key_spec *key = raski_keyed_table_key_in_row(table);
    *ret_spec = (raski_key_spec){.part_count = key->part_count};
    for (uint32_t i = 0; i < key->part_count; i++) {
        const bool whole = key->part_count == 1 && raski_type_equal(key->parts[0].type, type);
        const bool in_record = !whole && type->kind == RASK_KIND_RECORD && i < type->field_count;
        const rask_type *part = whole ? type : in_record ? type->fields[i].type : NULL;
        if (part == NULL || !raski_type_equal(part, key->parts[i].type))
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "the key is not of type %s", type->name);
        ret_spec->parts[i] = (raski_key_field){whole ? 0 : type->fields[i].offset, part};
    }
    return RASK_OK;
}

static rask_status append_list(rask_text *text, const rask_type *type,
                               const raski_list_view *list) {
    rask_status status = rask_text_append(text, "[", 1);
    for (uint32_t i = 0; i < list->count && status == RASK_OK; i++) {
        if (i > 0) status = rask_text_append(text, ", ", 2);
        if (status == RASK_OK)
            status = rask_text_append_record(text, type,
                                             (const char *)list->items + (size_t)i * type->size);
    }
    return status == RASK_OK ? rask_text_append(text, "]", 1) : status;
}

static rask_status append_map(rask_text *text, const raski_state_field *field,
                              raski_keyed_table *table, char *row, unsigned state,
                              raski_error *err) {
    const void *key = NULL, *value = NULL;
    uint32_t position = 0;
    rask_status status = rask_text_append(text, "{", 1);
    for (bool first = true; status == RASK_OK; first = false) {
        RASKI_TRY(raski_keyed_table_map_next(table, row, state, &position, &key, &value, err));
        if (key == NULL) return rask_text_append(text, "}", 1);
        if (!first) status = rask_text_append(text, ", ", 2);
        if (status == RASK_OK) status = rask_text_append_record(text, field->map_key, key);
        if (status == RASK_OK) status = rask_text_append(text, "=", 1);
        if (status == RASK_OK) status = rask_text_append_record(text, field->type, value);
    }
    return status;
}

static rask_status append_state(rask_text *text, const raski_state_field *field,
                                raski_keyed_table *table, char *row, unsigned state,
                                raski_error *err) {
    const void *value = NULL;
    raski_list_view list;
    if (row == NULL || !raski_row_has(row, state)) return rask_text_append(text, "null", 4);
    switch (field->kind) {
        case RASKI_HANDLE_LIST:
            RASKI_TRY(raski_keyed_table_list(table, row, state, &list, err));
            return append_list(text, field->type, &list);
        case RASKI_HANDLE_MAP:
            return append_map(text, field, table, row, state, err);
        default:
            break;
    }
    if (raski_keyed_table_has_ttl(table, state))
        RASKI_TRY(raski_keyed_table_read(table, row, state, &value, err));
    else
        value = row + raski_keyed_table_state_offset(table, state);
    return value != NULL ? rask_text_append_record(text, field->type, value)
                         : rask_text_append(text, "null", 4);
}

static rask_status read_state(rask_harness *h, const rask_type *type, const void *key,
                              const char *name, raski_error *err) {
    raski_operator *op = raski_operator_harness_operator(h->inner);
    unsigned state = 0;
    raski_keyed_table *table =
        op->ops->find_state != NULL ? op->ops->find_state(op, name, &state) : NULL;
    if (table == NULL)
        return RASKI_FAIL(err, RASK_E_NOT_FOUND, USER,
                          "there is no state \"%s\": it must be in the RASK_STATE of a keyed "
                          "function",
                          name);
    raski_key_spec spec;
    RASKI_TRY(find_parts(table, type, &spec, err));
    raski_keyed_table_set_now(table, raski_operator_now_ms(op));
    h->state.length = 0;
    RASKI_TRY(append_state(&h->state, &h->definition->fn->self->fields[state], table,
                           raski_keyed_table_find(table, &spec, key), state, err));
    raski_keyed_table_end_batch(table);
    return rask_text_append(&h->state, "", 1); /* with its NUL */
}

const char *raski_harness_state(rask_harness *harness, const rask_type *type, const void *key,
                                const char *name) {
    rask_harness *h = harness;
    if (has_failed(h)) return NULL;
    return read_state(h, type, key, name, &h->error) == RASK_OK ? h->state.data : NULL;
}
