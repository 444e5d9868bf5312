/* Lists of operators as JSON: what a program prints, and what `rask plan --diff` reads of it. */
#include <string.h>

#include <stdlib.h>

#include "plan/plan_format.h"
#include "plan/plan_operators.h"

static json_t *text_or_null(const char *value) {
    return value != NULL ? json_string_nocheck(value) : json_null();
}

static json_t *id_text(raski_id id) {
    char hex[RASKI_ID_HEX_SIZE];
    return json_string(raski_id_to_hex(id, hex));
}

static json_t *inputs_to_json(const raski_plan_operator *op) {
    json_t *inputs = json_array();
    for (size_t i = 0; i < op->input_count; i++) {
        const raski_plan_input *input = &op->inputs[i];
        json_t *object = json_object();
        json_object_set_new(object, "source", json_integer((json_int_t)input->source));
        json_object_set_new(object, "exchange", text_or_null(input->exchange));
        json_object_set_new(object, "obstacle", text_or_null(input->obstacle));
        json_array_append_new(inputs, object);
    }
    return inputs;
}

static json_t *operator_to_json(const raski_plan_operator *op) {
    json_t *object = json_object();
    json_object_set_new(object, "name", text_or_null(op->name));
    json_object_set_new(object, "kind", text_or_null(op->kind));
    json_object_set_new(object, "where", text_or_null(op->where));
    json_object_set_new(object, "node", json_integer(op->node));
    json_object_set_new(object, "uid", text_or_null(op->uid));
    json_object_set_new(object, "id", id_text(op->id));
    json_object_set_new(object, "userId", op->has_user_id ? id_text(op->user_id) : json_null());
    json_object_set_new(object, "number", json_integer((json_int_t)op->number));
    json_object_set_new(object, "parallelism", json_integer(op->parallelism));
    json_object_set_new(object, "maxParallelism", json_integer(op->max_parallelism));
    json_object_set_new(object, "maxParallelismConfigured",
                        json_boolean(op->max_parallelism_configured));
    json_object_set_new(object, "states", json_integer(op->states));
    json_object_set_new(object, "keyType", text_or_null(op->key_type));
    json_object_set_new(object, "sinkPart", json_boolean(op->sink_part));
    json_object_set_new(object, "chainedSource", json_boolean(op->is_chained_source));
    json_object_set_new(object, "vertex", json_integer((json_int_t)op->vertex));
    json_object_set_new(object, "inputs", inputs_to_json(op));
    return object;
}

json_t *raski_plan_operators_to_json(const raski_plan_operators *list) {
    json_t *items = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(items, operator_to_json(&list->items[i]));
    return json_pack("{s:o,s:o}", "job", text_or_null(list->job_name), "operators", items);
}

void raski_plan_print_operators(const raski_plan *plan, raski_plan_graph graph,
                                const raski_plan_style *style, raski_str *out) {
    (void)graph;
    (void)style;
    raski_plan_operators *list = raski_plan_operators_create(plan);
    json_t *document = raski_plan_operators_to_json(list);
    char *text = json_dumps(document, JSON_COMPACT);
    raski_str_appendf(out, "%s\n", text != NULL ? text : "");
    free(text);
    json_decref(document);
    raski_plan_operators_destroy(list);
}

/* --- reading ------------------------------------------------------------------------------------
 */

static rask_status bad(raski_error *err, const char *field) {
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                      "not a list of operators: '%s' is missing or of the wrong type (was the "
                      "program built with this version of Rask?)",
                      field);
}

typedef struct reader {
    const json_t *object;
    raski_arena *arena;
    const char *failed; /* the first field that was wrong; NULL: none */
} reader;

static void *fail(reader *r, const char *field) {
    if (r->failed == NULL) r->failed = field;
    return NULL;
}

static const char *read_text(reader *r, const char *field, bool required) {
    const json_t *value = json_object_get(r->object, field);
    if (json_is_string(value)) return raski_arena_strdup(r->arena, json_string_value(value));
    return required || !json_is_null(value) ? fail(r, field) : NULL;
}

static json_int_t read_number(reader *r, const char *field, json_int_t least, json_int_t most) {
    const json_t *value = json_object_get(r->object, field);
    json_int_t number = json_integer_value(value);
    if (json_is_integer(value) && number >= least && number <= most) return number;
    fail(r, field);
    return least;
}

static bool read_flag(reader *r, const char *field) {
    const json_t *value = json_object_get(r->object, field);
    if (!json_is_boolean(value)) fail(r, field);
    return json_is_true(value);
}

static raski_id read_id(reader *r, const char *field) {
    raski_id id = {{0}};
    const char *hex = json_string_value(json_object_get(r->object, field));
    if (hex == NULL || !raski_id_from_hex(hex, &id)) fail(r, field);
    return id;
}

static void read_inputs(reader *r, raski_plan_operator *op, size_t operator_count) {
    const json_t *inputs = json_object_get(r->object, "inputs");
    if (!json_is_array(inputs)) fail(r, "inputs");
    op->input_count = json_array_size(inputs);
    op->inputs = raski_arena_calloc(r->arena, (op->input_count + 1) * sizeof *op->inputs);
    for (size_t i = 0; i < op->input_count; i++) {
        reader input = {.object = json_array_get(inputs, i), .arena = r->arena};
        op->inputs[i].source =
            (size_t)read_number(&input, "source", 0, (json_int_t)operator_count - 1);
        op->inputs[i].exchange = read_text(&input, "exchange", true);
        op->inputs[i].obstacle = read_text(&input, "obstacle", false);
        op->inputs[i].chained = op->inputs[i].obstacle == NULL;
        if (input.failed != NULL) fail(r, input.failed);
    }
}

static void read_operator(reader *r, raski_plan_operator *op, size_t operator_count) {
    op->name = read_text(r, "name", true);
    op->kind = read_text(r, "kind", true);
    op->where = read_text(r, "where", false);
    op->node = (int)read_number(r, "node", INT32_MIN, INT32_MAX);
    op->uid = read_text(r, "uid", false);
    op->id = read_id(r, "id");
    op->has_user_id = json_is_string(json_object_get(r->object, "userId"));
    if (op->has_user_id) op->user_id = read_id(r, "userId");
    op->number = (size_t)read_number(r, "number", 0, (json_int_t)operator_count - 1);
    op->parallelism = (int)read_number(r, "parallelism", -1, INT32_MAX);
    op->max_parallelism = (int)read_number(r, "maxParallelism", -1, INT32_MAX);
    op->max_parallelism_configured = read_flag(r, "maxParallelismConfigured");
    op->states = (unsigned)read_number(r, "states", 0, (1 << RASKI_PLAN_STATES) - 1);
    op->key_type = read_text(r, "keyType", false);
    op->sink_part = read_flag(r, "sinkPart");
    op->is_chained_source = read_flag(r, "chainedSource");
    op->vertex = (size_t)read_number(r, "vertex", 0, INT32_MAX);
    read_inputs(r, op, operator_count);
}

rask_status raski_plan_operators_from_json(const json_t *document,
                                           raski_plan_operators **ret_operators, raski_error *err) {
    const json_t *items = json_object_get(document, "operators");
    const json_t *job = json_object_get(document, "job");
    if (!json_is_array(items)) return bad(err, "operators");
    if (!json_is_string(job)) return bad(err, "job");
    size_t count = json_array_size(items);
    raski_plan_operators *list = raski_plan_operators_new(json_string_value(job), count);
    for (size_t i = 0; i < count; i++) {
        reader r = {.object = json_array_get(items, i), .arena = list->arena};
        read_operator(&r, &list->items[i], count);
        if (r.failed == NULL) continue;
        raski_plan_operators_destroy(list);
        return bad(err, r.failed);
    }
    raski_plan_operators_connect(list);
    *ret_operators = list;
    return RASK_OK;
}
