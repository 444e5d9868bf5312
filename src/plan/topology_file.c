#include "plan/topology_file.h"

#include <string.h>

#include "plan/json_position.h"
#include "platform/file.h"

enum { STANDARD_INPUT = 0, READ_BYTES = 256 * 1024 };

/* --- reading ------------------------------------------------------------------------------------
 */

static rask_status read_all(int fd, const char *name, size_t limit, raski_str *text,
                            raski_error *err) {
    char *chunk = raski_alloc(READ_BYTES);
    rask_status status = RASK_OK;
    size_t size = 1;
    while (status == RASK_OK && size > 0) {
        status = raski_file_read(fd, name, chunk, READ_BYTES, &size, err);
        if (status != RASK_OK) break;
        if (text->length + size > limit)
            status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                                "%s: too large (expected at most %zu MiB)", name, limit >> 20);
        else
            raski_str_append_bytes(text, chunk, size);
    }
    raski_free(chunk);
    return status;
}

rask_status raski_topology_read(const char *path, size_t limit, raski_str *ret_text,
                                raski_error *err) {
    if (strcmp(path, "-") == 0) return read_all(STANDARD_INPUT, "<stdin>", limit, ret_text, err);
    int fd = -1;
    RASKI_TRY(raski_file_open(path, RASKI_OPEN_READ, &fd, err));
    rask_status status = read_all(fd, path, limit, ret_text, err);
    raski_file_close_quietly(fd);
    return status;
}

json_t *raski_topology_parse(const char *name, const char *text, size_t length, raski_error *err) {
    json_error_t error;
    size_t offset = 0, at_line = 0, at_column = 0;
    if (!raski_json_has_few_values(text, length, RASKI_TOPOLOGY_VALUES_MAX, &offset)) {
        raski_text_position(text, offset, &at_line, &at_column);
        (void)RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                         "%s:%zu:%zu: too large (expected at most %d values)", name, at_line,
                         at_column, RASKI_TOPOLOGY_VALUES_MAX);
        return NULL;
    }
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (document != NULL) return document;
    size_t line = error.line > 0 ? (size_t)error.line : 1;
    size_t column = error.column > 0 ? (size_t)error.column : 1;
    const char *expected = "expected JSON";
    switch (json_error_code(&error)) {
        case json_error_duplicate_key:
            expected = "expected each field once";
            break;
        case json_error_invalid_utf8:
            expected = "expected UTF-8";
            break;
        case json_error_stack_overflow:
            expected = "expected less nesting";
            break;
        case json_error_premature_end_of_input:
            expected = "expected the rest of the topology";
            break;
        case json_error_numeric_overflow:
            expected = "expected a number of 64 bits";
            break;
        case json_error_end_of_input_expected:
            expected = "expected nothing behind the topology";
            break;
        default:
            break;
    }
    (void)RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s:%zu:%zu: %s (%s)", name, line, column,
                     error.text, expected);
    return NULL;
}

/* --- where --------------------------------------------------------------------------------------
 */

/* "FILE:LINE:COLUMN: "; without the position when it is not known. */
static void append_place(const raski_topology_file *file, const raski_topology_place *place,
                         raski_str *out) {
    size_t offset = 0, line, column;
    if (!raski_json_find(raski_str_text(&file->text), file->text.length, file->document,
                         place->object, place->field, place->is_name, &offset)) {
        raski_str_appendf(out, "%s: ", file->name);
        return;
    }
    raski_text_position(raski_str_text(&file->text), offset, &line, &column);
    raski_str_appendf(out, "%s:%zu:%zu: ", file->name, line, column);
}

static rask_status fail(raski_error *err, rask_status status, const raski_error *reason,
                        const raski_str *text) {
    raski_error located = *reason;
    (void)snprintf(located.message, sizeof located.message, "%s", raski_str_text(text));
    *err = located;
    return status;
}

/* Replaces the message of an error of a stage by its text for people. */
static rask_status describe(raski_topology_file *file, const raski_topology_place *place,
                            rask_status status, const raski_error *reason, raski_error *err) {
    raski_str text = {0};
    bool is_bad = strcmp(reason->exception, "Bad") == 0;
    file->is_refused = !is_bad;
    append_place(file, place, &text);
    /* messages of the file's own errors begin with the step */
    if (!is_bad && place->step >= 0)
        raski_str_appendf(&text, "step %d (%s): ", place->step, place->op);
    if (!is_bad && reason->exception[0] != '\0')
        raski_str_appendf(&text, "%s: ", reason->exception);
    raski_str_append(&text, reason->message);
    if (!is_bad && reason->cause[0] != '\0')
        raski_str_appendf(&text, " (caused by %s: %s)", reason->cause, reason->cause_message);
    char *expected = is_bad ? raski_topology_expectation(file->topology, reason) : NULL;
    if (expected != NULL) raski_str_appendf(&text, " (%s)", expected);
    raski_free(expected);
    status = fail(err, status, reason, &text);
    raski_str_free(&text);
    return status;
}

/* --- files --------------------------------------------------------------------------------------
 */

static rask_status check_types(raski_topology_file *file, raski_error *err) {
    raski_topology_place place;
    raski_error reason = {0};
    rask_status status = raski_topology_check(file->document, &place, &reason);
    if (status == RASK_OK) return RASK_OK;
    raski_str text = {0};
    append_place(file, &place, &text);
    raski_str_append(&text, reason.message);
    status = fail(err, status, &reason, &text);
    raski_str_free(&text);
    return status;
}

rask_status raski_topology_file_open(const char *path, raski_topology_file *file,
                                     raski_error *err) {
    *file = (raski_topology_file){0};
    file->name = raski_strdup(strcmp(path, "-") == 0 ? "<stdin>" : path);
    RASKI_TRY(raski_topology_read(path, RASKI_TOPOLOGY_FILE_MAX_BYTES, &file->text, err));
    file->document =
        raski_topology_parse(file->name, raski_str_text(&file->text), file->text.length, err);
    if (file->document == NULL) return RASK_E_ARGUMENT;
    return check_types(file, err);
}

/* Builds the program if that was not done yet. */
static rask_status build(raski_topology_file *file, raski_error *err) {
    if (file->topology != NULL) return RASK_OK;
    RASKI_TRY(raski_topology_create(file->document, &file->topology, err));
    RASKI_TRY(raski_topology_build(file->topology, err));
    raski_plan_init(&file->plan, raski_topology_env(file->topology),
                    raski_topology_job_name(file->topology));
    file->has_plan = true;
    return RASK_OK;
}

static rask_status located(raski_topology_file *file, rask_status status, const raski_error *reason,
                           raski_error *err) {
    raski_topology_place place = raski_topology_failed_at(file->topology);
    const raski_plan_env *env = raski_topology_env(file->topology);
    file->reason = *reason;
    if (file->has_plan && place.step < 0) /* not in a step of a sink that was planned */
        place = raski_topology_place_of(file->topology, env->graph->failed);
    return describe(file, &place, status, reason, err);
}

rask_status raski_topology_file_show(raski_topology_file *file, raski_plan_graph graph,
                                     const raski_plan_format *format, const raski_plan_style *style,
                                     raski_str *out, raski_error *err) {
    raski_error reason = {0};
    rask_status status = build(file, &reason);
    if (status == RASK_OK)
        status = raski_plan_show(&file->plan, graph, format, style, out, &reason);
    return status == RASK_OK ? RASK_OK : located(file, status, &reason, err);
}

rask_status raski_topology_file_plan(raski_topology_file *file, raski_plan_graph graph,
                                     raski_error *err) {
    raski_error reason = {0};
    rask_status status = build(file, &reason);
    if (status == RASK_OK) status = raski_plan_run(&file->plan, graph, &reason);
    return status == RASK_OK ? RASK_OK : located(file, status, &reason, err);
}

void raski_topology_file_close(raski_topology_file *file) {
    if (file->has_plan) raski_plan_fini(&file->plan);
    raski_topology_destroy(file->topology);
    json_decref(file->document);
    raski_str_free(&file->text);
    raski_free(file->name);
    *file = (raski_topology_file){0};
}
