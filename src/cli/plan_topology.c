/* rask plan of topologies: one, or one per line. */
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "plan/json_compact.h"
#include "plan/json_position.h"
#include "plan/plan_facts.h"
#include "plan/topology_file.h"
#include "platform/file.h"

enum { STANDARD_INPUT = 0, READ_BYTES = 256 * 1024, FACTS_PRECISION = 17 };

static int append_bytes(const char *bytes, size_t size, void *out) {
    raski_str_append_bytes(out, bytes, size);
    return 0;
}

/* Through a buffer of our own: jansson writes a few bytes at a time. */
static void print_lines(const json_t *facts) {
    raski_str buffer = {0};
    (void)json_dump_callback(facts, append_bytes, &buffer,
                             JSON_INDENT(2) | JSON_REAL_PRECISION(FACTS_PRECISION));
    raski_str_append_char(&buffer, '\n');
    (void)fwrite(raski_str_text(&buffer), 1, buffer.length, stdout);
    raski_str_free(&buffer);
}

static int code_of(const raski_topology_file *file) {
    return file->is_refused ? RASKI_PLAN_EXIT_REFUSED : RASKI_PLAN_EXIT_UNREADABLE;
}

/* Facts of a program that is refused are facts too; the error is told to the person as well. */
static int print_facts(raski_topology_file *file) {
    raski_error err = {0}, told = {0};
    json_t *facts = raski_plan_facts_of_topology(file->document, &err);
    print_lines(facts);
    json_decref(facts);
    if (err.status == RASK_OK) return RASKI_PLAN_EXIT_OK;
    if (raski_topology_file_plan(file, RASKI_PLAN_EXECUTION_GRAPH, &told) == RASK_OK)
        return raski_plan_complain(RASKI_PLAN_EXIT_REFUSED, err.message); /* its adaptive graph */
    return raski_plan_complain(code_of(file), told.message);
}

int raski_plan_topology(const char *path, const raski_plan_options *options) {
    raski_topology_file file;
    raski_error err = {0};
    raski_str out = {0};
    int code = RASKI_PLAN_EXIT_OK;
    if (raski_topology_file_open(path, &file, &err) != RASK_OK)
        code = raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, err.message);
    else if (options->format->print == NULL)
        code = print_facts(&file);
    else if (raski_topology_file_show(&file, options->graph, options->format, &options->style, &out,
                                      &err) != RASK_OK)
        code = raski_plan_complain(code_of(&file), err.message);
    (void)fwrite(raski_str_text(&out), 1, out.length, stdout);
    raski_str_free(&out);
    raski_topology_file_close(&file);
    return code;
}

/* --- lines --------------------------------------------------------------------------------------
 */

enum { LINE_MAX_BYTES = 64 * 1024 * 1024 };

typedef struct line_reader {
    int fd;
    const char *name;
    raski_str line;
    raski_str output; /* reused for each line */
    char *chunk;
    size_t at, size; /* of chunk */
    bool is_ended;
} line_reader;

static rask_status fill(line_reader *r, raski_error *err) {
    (void)fflush(stdout); /* who waits for an answer before the next question gets it */
    r->at = 0;
    RASKI_TRY(raski_file_read(r->fd, r->name, r->chunk, READ_BYTES, &r->size, err));
    if (r->size == 0) r->is_ended = true;
    return RASK_OK;
}

/* The next line without its end, in r->line. A line that is too long is read to its end and
 * *ret_too_long is set; only its beginning is kept. *ret_found false: there is none. */
static rask_status next_line(line_reader *r, bool *ret_found, bool *ret_too_long,
                             raski_error *err) {
    raski_str_truncate(&r->line, 0);
    *ret_found = *ret_too_long = false;
    for (;;) {
        if (r->at == r->size) {
            if (!r->is_ended) RASKI_TRY(fill(r, err));
            if (r->is_ended) return RASK_OK;
        }
        *ret_found = true;
        const char *start = r->chunk + r->at;
        const char *end = memchr(start, '\n', r->size - r->at);
        size_t length = end != NULL ? (size_t)(end - start) : r->size - r->at;
        if (r->line.length + length > LINE_MAX_BYTES)
            *ret_too_long = true;
        else
            raski_str_append_bytes(&r->line, start, length);
        r->at += length + (end != NULL ? 1 : 0);
        if (end != NULL) return RASK_OK;
    }
}

static json_t *facts_of_line(const line_reader *r, size_t number, bool too_long) {
    raski_error err = {0};
    json_error_t error;
    size_t offset = 0;
    if (!too_long && !raski_json_has_few_values(raski_str_text(&r->line), r->line.length,
                                                RASKI_TOPOLOGY_VALUES_MAX, &offset)) {
        (void)RASKI_THROW(&err, "Bad", "line %zu is too large (expected at most %d values)", number,
                          RASKI_TOPOLOGY_VALUES_MAX);
        return raski_plan_error_facts("topology", &err);
    }
    if (too_long) {
        (void)RASKI_THROW(&err, "Bad", "line %zu is too long (expected at most %d MiB)", number,
                          LINE_MAX_BYTES >> 20);
        return raski_plan_error_facts("topology", &err);
    }
    json_t *document =
        json_loadb(raski_str_text(&r->line), r->line.length, JSON_DECODE_ANY, &error);
    if (document == NULL) {
        (void)RASKI_THROW(&err, "Bad", "not JSON: column %d: %s", error.column, error.text);
        return raski_plan_error_facts("topology", &err);
    }
    json_t *facts = raski_plan_facts_of_topology(document, &err);
    json_decref(document);
    return facts;
}

static rask_status plan_lines(line_reader *r, raski_error *err) {
    bool found = true, too_long = false;
    for (size_t number = 1; found; number++) {
        RASKI_TRY(next_line(r, &found, &too_long, err));
        if (!found) break;
        json_t *facts = facts_of_line(r, number, too_long);
        raski_str_truncate(&r->output, 0);
        raski_json_print_compact(facts, &r->output);
        raski_str_append_char(&r->output, '\n');
        json_decref(facts);
        (void)fwrite(raski_str_text(&r->output), 1, r->output.length, stdout);
        if (ferror(stdout)) /* nobody reads any more */
            return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot write to standard output");
    }
    return RASK_OK;
}

int raski_plan_lines(const char *path) {
    raski_error err = {0};
    bool is_standard = strcmp(path, "-") == 0;
    line_reader r = {.fd = STANDARD_INPUT, .name = is_standard ? "<stdin>" : path};
    rask_status status =
        is_standard ? RASK_OK : raski_file_open(path, RASKI_OPEN_READ, &r.fd, &err);
    r.chunk = raski_alloc(READ_BYTES);
    if (status == RASK_OK) status = plan_lines(&r, &err);
    if (!is_standard) raski_file_close_quietly(r.fd);
    raski_free(r.chunk);
    raski_str_free(&r.line);
    raski_str_free(&r.output);
    if (status == RASK_OK) return RASKI_PLAN_EXIT_OK;
    return raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, err.message);
}
