#include "plan/plan_check.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan_check_private.h"
#include "plan/plan_operators.h"
#include "plan/plan_text.h"

const char *raski_plan_severity_name(raski_plan_severity severity) {
    static const char *const names[] = {"error", "warning", "note"};
    return names[severity];
}

/* --- collecting ---------------------------------------------------------------------------------
 */

const char *raski_plan_check_text(const raski_plan_checker *c, const char *format, ...) {
    raski_str text = {0};
    va_list arguments;
    va_start(arguments, format);
    raski_str_vappendf(&text, format, arguments);
    va_end(arguments);
    const char *copy = raski_arena_strdup(c->findings->arena, raski_str_text(&text));
    raski_str_free(&text);
    return copy;
}

static void add(raski_plan_findings *findings, raski_plan_finding finding) {
    raski_vec_push(&findings->items, finding);
    findings->counts[finding.severity]++;
}

void raski_plan_check_add(const raski_plan_checker *c, raski_plan_severity severity,
                          const char *code, const raski_transformation *subject, const char *what,
                          const char *remedy) {
    raski_arena *arena = c->findings->arena;
    add(c->findings,
        (raski_plan_finding){
            .severity = severity,
            .code = code,
            .subject = subject != NULL ? raski_arena_strdup(arena, subject->name) : NULL,
            .where = raski_plan_where(arena, subject),
            .what = what,
            .remedy = remedy});
}

void raski_plan_check_add_vertex(const raski_plan_checker *c, raski_plan_severity severity,
                                 const char *code, const raski_job_vertex *vertex, const char *what,
                                 const char *remedy) {
    enum { NAME_MAX_BYTES = 100 };
    size_t length = strlen(vertex->name);
    if (length > NAME_MAX_BYTES) {
        length = NAME_MAX_BYTES;
        while (length > 0 && ((unsigned char)vertex->name[length] & 0xc0) == 0x80) length--;
    }
    const raski_stream_node *head =
        raski_stream_graph_node(c->plan->stream_graph, vertex->head_node);
    add(c->findings,
        (raski_plan_finding){
            .severity = severity,
            .code = code,
            .subject = raski_plan_check_text(c, "%.*s%s", (int)length, vertex->name,
                                             vertex->name[length] != '\0' ? "..." : ""),
            .where = raski_plan_where(c->findings->arena, head->transformation),
            .what = what,
            .remedy = remedy});
}

/* --- the error that stopped planning ------------------------------------------------------------
 */

static const struct {
    const char *part; /* of Flink's message */
    const char *code, *remedy;
} known_errors[] = {
    {"Forward partitioning does not allow", "forward-parallelism",
     "give both operators the same parallelism, or use rebalance, rescale or keyBy"},
    {"Hash collision on user-specified ID", "uid-collision", "give each operator a uid of its own"},
    {"hybrid shuffle mode currently does not support setting", "hybrid-slot-groups",
     "take away the slot sharing groups, or choose another execution.batch-shuffle-mode"},
    {"Auto generated UIDs have been disabled", "uid-missing",
     "set a uid on the operator, or set pipeline.auto-generate-uids to true"},
    {"Cannot override partitioning for KeyedStream", "keyby-repartitioned",
     "partition before the keyBy, or put an operator between them"},
    {"is higher than the max parallelism", "max-parallelism-too-small",
     "lower the parallelism or raise the max parallelism"},
    {"No operators defined in streaming topology", "no-operators",
     "add a sink (or an operator) behind each source"},
};

static raski_plan_finding finding_of(raski_arena *arena, const raski_error *err) {
    raski_plan_finding finding = {.severity = RASKI_FINDING_ERROR, .code = "refused"};
    for (size_t i = 0; i < sizeof known_errors / sizeof *known_errors; i++) {
        if (strstr(err->message, known_errors[i].part) == NULL) continue;
        finding.code = known_errors[i].code;
        finding.remedy = known_errors[i].remedy;
    }
    finding.what = err->exception[0] != '\0'
                       ? raski_arena_format(arena, "%s: %s", err->exception, err->message)
                       : raski_arena_strdup(arena, err->message);
    return finding;
}

static void check_error(const raski_plan_checker *c, const raski_error *err) {
    raski_plan_finding finding = finding_of(c->findings->arena, err);
    /* told with both operators by raski_plan_check_nodes */
    if (strcmp(finding.code, "uid-collision") == 0 && c->plan->stream_graph != NULL) return;
    /* told for all vertices by raski_plan_check_vertices */
    if (strcmp(finding.code, "max-parallelism-too-small") == 0 && c->plan->job_graph != NULL)
        return;
    raski_plan_check_add(c, RASKI_FINDING_ERROR, finding.code, c->plan->env->graph->failed,
                         finding.what, finding.remedy);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static raski_plan_findings *new_findings(void) {
    raski_plan_findings *findings = RASKI_NEW(raski_plan_findings);
    findings->arena = raski_arena_create(0);
    return findings;
}

/* By severity; within one, as they were found. */
static void sort_findings(raski_plan_findings *findings) {
    raski_plan_finding *sorted = RASKI_NEW_ARRAY(raski_plan_finding, findings->items.count + 1);
    size_t count = 0;
    for (int severity = RASKI_FINDING_ERROR; severity <= RASKI_FINDING_NOTE; severity++)
        for (size_t i = 0; i < findings->items.count; i++)
            if ((int)findings->items.items[i].severity == severity)
                sorted[count++] = findings->items.items[i];
    if (count > 0) memcpy(findings->items.items, sorted, count * sizeof *sorted);
    raski_free(sorted);
}

raski_plan_findings *raski_plan_check(const raski_plan *plan, const raski_error *err) {
    raski_plan_checker c = {.plan = plan, .findings = new_findings()};
    if (err != NULL) check_error(&c, err);
    raski_plan_check_transformations(&c);
    if (plan->stream_graph != NULL) raski_plan_check_nodes(&c);
    if (plan->job_graph != NULL) {
        raski_plan_check_vertices(&c);
        raski_plan_check_resources(&c);
    }
    sort_findings(c.findings);
    return c.findings;
}

raski_plan_findings *raski_plan_check_unbuilt(const raski_error *err, const char *where) {
    raski_plan_findings *findings = new_findings();
    raski_plan_finding finding = finding_of(findings->arena, err);
    if (where != NULL) finding.where = raski_arena_strdup(findings->arena, where);
    add(findings, finding);
    return findings;
}

raski_plan_findings *raski_plan_check_env(raski_plan_env *env, const char *job_name) {
    raski_plan plan;
    raski_error err = {0};
    raski_plan_init(&plan, env, job_name);
    rask_status status = raski_plan_run(&plan, RASKI_PLAN_EXECUTION_GRAPH, &err);
    raski_plan_findings *findings = raski_plan_check(&plan, status != RASK_OK ? &err : NULL);
    raski_plan_fini(&plan);
    return findings;
}

void raski_plan_findings_destroy(raski_plan_findings *findings) {
    if (findings == NULL) return;
    raski_vec_free(&findings->items);
    raski_arena_destroy(findings->arena);
    raski_free(findings);
}

/* --- output -------------------------------------------------------------------------------------
 */

static void print_count(raski_str *out, size_t count, const char *one, const char *separator) {
    raski_str_appendf(out, "%zu %s%s%s", count, one, count == 1 ? "" : "s", separator);
}

/* Nothing for NULL. Text of a program may hold anything. */
static void show(raski_str *out, const char *text, const char *behind) {
    const raski_plan_writer writer = {.out = out};
    if (text == NULL) return;
    raski_plan_write(&writer, RASKI_PLAN_PLAIN, text);
    raski_str_append(out, behind);
}

void raski_plan_findings_print(const raski_plan_findings *findings, raski_str *out) {
    for (size_t i = 0; i < findings->items.count; i++) {
        const raski_plan_finding *finding = &findings->items.items[i];
        raski_str_appendf(out, "%s: ", raski_plan_severity_name(finding->severity));
        show(out, finding->where, ": ");
        show(out, finding->subject, ": ");
        show(out, finding->what, " ");
        raski_str_appendf(out, "[%s]\n", finding->code);
        if (finding->remedy == NULL) continue;
        raski_str_append(out, "    remedy: ");
        show(out, finding->remedy, "\n");
    }
    print_count(out, findings->counts[RASKI_FINDING_ERROR], "error", ", ");
    print_count(out, findings->counts[RASKI_FINDING_WARNING], "warning", ", ");
    print_count(out, findings->counts[RASKI_FINDING_NOTE], "note", "\n");
}

static json_t *text(const char *value) {
    return value != NULL ? json_string_nocheck(value) : json_null();
}

json_t *raski_plan_findings_to_json(const raski_plan_findings *findings) {
    json_t *list = json_array();
    for (size_t i = 0; i < findings->items.count; i++) {
        const raski_plan_finding *finding = &findings->items.items[i];
        json_t *object = json_object();
        json_object_set_new(object, "severity",
                            json_string(raski_plan_severity_name(finding->severity)));
        json_object_set_new(object, "code", json_string(finding->code));
        json_object_set_new(object, "operator", text(finding->subject));
        json_object_set_new(object, "where", text(finding->where));
        json_object_set_new(object, "what", text(finding->what));
        json_object_set_new(object, "remedy", text(finding->remedy));
        json_array_append_new(list, object);
    }
    json_t *document = json_object();
    json_object_set_new(document, "errors",
                        json_integer((json_int_t)findings->counts[RASKI_FINDING_ERROR]));
    json_object_set_new(document, "warnings",
                        json_integer((json_int_t)findings->counts[RASKI_FINDING_WARNING]));
    json_object_set_new(document, "notes",
                        json_integer((json_int_t)findings->counts[RASKI_FINDING_NOTE]));
    json_object_set_new(document, "findings", list);
    return document;
}

char *raski_plan_findings_text(const raski_plan_findings *findings, bool as_json) {
    raski_str out = {0};
    if (as_json) {
        json_t *document = raski_plan_findings_to_json(findings);
        char *dumped = json_dumps(document, JSON_INDENT(2));
        raski_str_appendf(&out, "%s\n", dumped != NULL ? dumped : "");
        free(dumped);
        json_decref(document);
    } else {
        raski_plan_findings_print(findings, &out);
    }
    return raski_str_steal(&out);
}
