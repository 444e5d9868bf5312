/* rask plan --diff and --check. */
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "plan/plan_check.h"
#include "plan/plan_diff.h"
#include "plan/topology_file.h"

static int print_taken(char *text_take, int code) {
    (void)fputs(text_take, stdout);
    raski_free(text_take);
    return code;
}

/* --- operators ----------------------------------------------------------------------------------
 */

static int operators_of_topology(const char *path, raski_plan_operators **ret_operators) {
    raski_topology_file file;
    raski_error err = {0};
    int code = RASKI_PLAN_EXIT_OK;
    if (raski_topology_file_open(path, &file, &err) != RASK_OK ||
        raski_topology_file_plan(&file, RASKI_PLAN_EXECUTION_GRAPH, &err) != RASK_OK)
        /* a program that is refused has no ids: here it cannot be read */
        code = raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, err.message);
    else
        *ret_operators = raski_plan_operators_create(&file.plan);
    raski_topology_file_close(&file);
    return code;
}

static int operators_of_text(const char *path, const raski_str *text,
                             raski_plan_operators **ret_operators) {
    raski_error err = {0};
    json_t *document = json_loadb(raski_str_text(text), text->length, 0, NULL);
    rask_status status = raski_plan_operators_from_json(document, ret_operators, &err);
    json_decref(document);
    if (status == RASK_OK) return RASKI_PLAN_EXIT_OK;
    char *message = raski_format("%s: %s", path, err.message);
    int code = raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, message);
    raski_free(message);
    return code;
}

/* argv: the verb and options for programs, count words. */
static int operators_of_program(int count, char **argv, char *path,
                                raski_plan_operators **ret_operators) {
    const raski_plan_options options = {.graph = RASKI_PLAN_JOB_GRAPH,
                                        .graph_name = "job",
                                        .format = raski_plan_format_named("operators")};
    raski_str text = {0};
    char **words = RASKI_NEW_ARRAY(char *, (size_t)count + 2);
    memcpy(words, argv, (size_t)count * sizeof *words);
    words[count] = path;
    int code = raski_plan_capture_program(count + 1, words, &options, &text);
    code = code == RASKI_PLAN_EXIT_OK ? operators_of_text(path, &text, ret_operators)
                                      : RASKI_PLAN_EXIT_UNREADABLE;
    raski_free(words);
    raski_str_free(&text);
    return code;
}

static int operators_of(int count, char **argv, char *path, raski_plan_operators **ret_operators) {
    return raski_plan_is_topology(path) ? operators_of_topology(path, ret_operators)
                                        : operators_of_program(count, argv, path, ret_operators);
}

/* --- the two ------------------------------------------------------------------------------------
 */

static int show_diff(const raski_plan_operators *old_plan, const raski_plan_operators *new_plan,
                     bool as_json) {
    raski_plan_diff *diff = raski_plan_diff_create(old_plan, new_plan);
    int code = raski_plan_diff_fits(diff) ? RASKI_PLAN_EXIT_OK : RASKI_PLAN_EXIT_REFUSED;
    if (as_json) {
        json_t *document = raski_plan_diff_to_json(diff);
        (void)json_dumpf(document, stdout, JSON_INDENT(2));
        (void)putchar('\n');
        json_decref(document);
    } else {
        raski_str text = {0};
        raski_plan_diff_print(diff, &text);
        code = print_taken(raski_str_steal(&text), code);
    }
    raski_plan_diff_destroy(diff);
    return code;
}

int raski_plan_diff_command(int argc, char **argv, int operand, bool as_json) {
    raski_plan_operators *old_plan = NULL, *new_plan = NULL;
    (void)argc;
    int code = operators_of(operand, argv, argv[operand], &old_plan);
    if (code == RASKI_PLAN_EXIT_OK)
        code = operators_of(operand, argv, argv[operand + 1], &new_plan);
    if (code == RASKI_PLAN_EXIT_OK) code = show_diff(old_plan, new_plan, as_json);
    raski_plan_operators_destroy(old_plan);
    raski_plan_operators_destroy(new_plan);
    return code;
}

/* What can be said of a topology that was read, built or not, planned or not. */
static raski_plan_findings *findings_of(raski_topology_file *file, bool is_planned) {
    if (is_planned) return raski_plan_check(&file->plan, NULL);
    if (file->has_plan) return raski_plan_check(&file->plan, &file->reason);
    raski_topology_place place = raski_topology_failed_at(file->topology);
    char *where = place.step >= 0 ? raski_format("step %d, %s", place.step, place.op) : NULL;
    raski_plan_findings *findings = raski_plan_check_unbuilt(&file->reason, where);
    raski_free(where);
    return findings;
}

static int check_topology(const char *path, bool as_json) {
    raski_topology_file file;
    raski_error err = {0};
    int code;
    bool is_open = raski_topology_file_open(path, &file, &err) == RASK_OK;
    bool is_planned =
        is_open && raski_topology_file_plan(&file, RASKI_PLAN_EXECUTION_GRAPH, &err) == RASK_OK;
    if (!is_planned && !(is_open && file.is_refused)) {
        code = raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, err.message);
    } else {
        raski_plan_findings *findings = findings_of(&file, is_planned);
        code = raski_plan_findings_refuse(findings) ? RASKI_PLAN_EXIT_REFUSED : RASKI_PLAN_EXIT_OK;
        code = print_taken(raski_plan_findings_text(findings, as_json), code);
        raski_plan_findings_destroy(findings);
    }
    raski_topology_file_close(&file);
    return code;
}

int raski_plan_check_command(int argc, char **argv, int operand, bool as_json) {
    const raski_plan_options options = {.graph = RASKI_PLAN_JOB_GRAPH,
                                        .graph_name = "job",
                                        .format = raski_plan_format_named("text"),
                                        .asked_format = as_json ? "check-json" : "check"};
    if (!raski_plan_is_topology(argv[operand])) return raski_plan_program(argc, argv, &options);
    if (argc > operand + 1)
        return raski_plan_complain(
            RASKI_PLAN_EXIT_UNREADABLE,
            "a topology has no arguments (expected nothing behind its name)");
    return check_topology(argv[operand], as_json);
}
