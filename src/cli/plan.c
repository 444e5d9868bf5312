/* rask plan: what a topology or a program becomes. */
#include "cli/plan.h"

#include <string.h>

#include "cli/cli.h"
#include "config/arguments.h"
#include "platform/file.h"
#include "platform/process.h"

enum { STANDARD_OUTPUT = 1 };

int raski_plan_complain(int code, const char *message) {
    raski_str text = {0};
    for (const unsigned char *p = (const unsigned char *)message; *p != '\0'; p++) {
        if ((*p < ' ' && *p != '\n') || *p == 0x7f)
            raski_str_appendf(&text, "\\x%02x", *p);
        else
            raski_str_append_char(&text, (char)*p);
    }
    (void)fprintf(stderr, "rask: %s\n", raski_str_text(&text));
    raski_str_free(&text);
    return code;
}

bool raski_plan_is_topology(const char *path) {
    raski_file_info info;
    if (strcmp(path, "-") == 0) return true;
    /* a pipe is no program, and what is read here would be lost: rask plan <(generator) */
    if (raski_file_stat(path, &info, NULL) == RASK_OK && info.kind == RASKI_FILE_OTHER) return true;
    int fd = -1;
    char start[64];
    size_t size = 0, length = strlen(path);
    if (raski_file_open(path, RASKI_OPEN_READ, &fd, NULL) == RASK_OK) {
        if (raski_file_read(fd, path, start, sizeof start, &size, NULL) != RASK_OK) size = 0;
        raski_file_close_quietly(fd);
    }
    for (size_t i = 0; i < size; i++)
        if (strchr(" \t\r\n", start[i]) == NULL) {
            if (start[i] == '{') return true;
            break;
        }
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* --- the command line ---------------------------------------------------------------------------
 */

typedef struct plan_command {
    raski_plan_options options;
    bool help, lines, has_format, diff, check, as_json;
    int argc;    /* what is left: options for a program, the topology or program, its arguments */
    char **argv; /* owned array */
    int operand; /* index of the topology or program in argv; argc when there is none */
} plan_command;

/* The value of --name=value or --name value; NULL: argv[*index] is another option. *index ends at
 * the option's last word. */
static const char *value_of(int argc, char **argv, int *index, const char *name) {
    size_t length = strlen(name);
    const char *word = argv[*index];
    if (strncmp(word, name, length) != 0) return NULL;
    if (word[length] == '=') return word + length + 1;
    if (word[length] != '\0') return NULL;
    if (*index + 1 >= argc) return "";
    return argv[++*index];
}

static rask_status choose_format(plan_command *command, const char *name, raski_error *err) {
    command->options.format = raski_plan_format_named(name);
    command->has_format = true;
    if (command->options.format != NULL) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "--format: there is no \"%s\" (expected %s)",
                      name, raski_plan_format_names());
}

static rask_status choose_graph(plan_command *command, const char *name, raski_error *err) {
    command->options.graph_name = name;
    if (raski_plan_graph_named(name, &command->options.graph)) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                      "--graph: there is no \"%s\" (expected stream, job or execution)", name);
}

static rask_status choose_colors(plan_command *command, const char *when, raski_error *err) {
    if (strcmp(when, "always") == 0)
        command->options.style.colors = true;
    else if (strcmp(when, "never") == 0)
        command->options.style.colors = false;
    else if (strcmp(when, "auto") != 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "--color: there is no \"%s\" (expected auto, always or never)", when);
    return RASK_OK;
}

/* One option of rask plan itself. *ret_taken: it was one. */
static rask_status take_own(plan_command *command, int argc, char **argv, int *index,
                            bool *ret_taken, raski_error *err) {
    const char *value;
    *ret_taken = true;
    if ((value = value_of(argc, argv, index, "--graph")) != NULL)
        return choose_graph(command, value, err);
    if ((value = value_of(argc, argv, index, "--format")) != NULL)
        return choose_format(command, value, err);
    if ((value = value_of(argc, argv, index, "--color")) != NULL)
        return choose_colors(command, value, err);
    if (strcmp(argv[*index], "--jsonl") == 0)
        command->lines = true;
    else if (strcmp(argv[*index], "--diff") == 0)
        command->diff = true;
    else if (strcmp(argv[*index], "--check") == 0)
        command->check = true;
    else if (strcmp(argv[*index], "--json") == 0)
        command->as_json = true;
    else if (strcmp(argv[*index], "-h") == 0 || strcmp(argv[*index], "--help") == 0)
        command->help = true;
    else
        *ret_taken = false;
    return RASK_OK;
}

static rask_status parse(int argc, char **argv, plan_command *command, raski_error *err) {
    int i = 1;
    command->argv = RASKI_NEW_ARRAY(char *, (size_t)argc + 1);
    command->argv[command->argc++] = argv[0];
    while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
        bool taken = false;
        RASKI_TRY(take_own(command, argc, argv, &i, &taken, err));
        if (taken) {
            i++;
            continue;
        }
        raski_argument argument = raski_argument_at(argc, argv, i);
        if (argument.kind == RASKI_ARGUMENT_OTHER)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "Unrecognized option: %s (options of the program come behind its "
                              "name)",
                              argv[i]);
        for (int word = 0; word < argument.words && i < argc; word++)
            command->argv[command->argc++] = argv[i++];
        if (argument.kind == RASKI_ARGUMENT_END) break;
    }
    command->operand = command->argc;
    while (i < argc) command->argv[command->argc++] = argv[i++];
    return RASK_OK;
}

static rask_status check_tools(const plan_command *command, raski_error *err) {
    int operands = command->argc - command->operand;
    if (command->diff + command->check + command->lines + command->has_format > 1)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "--diff, --check, --jsonl and --format exclude each other (expected one "
                          "of them)");
    if (command->as_json && !command->diff && !command->check)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "--json belongs to --diff and --check (expected --format=json)");
    if (command->diff && operands != 2)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "--diff compares two topologies or programs, not %d (expected rask plan "
                          "--diff OLD NEW; programs are started without arguments)",
                          operands);
    return RASK_OK;
}

static rask_status check(plan_command *command, raski_error *err) {
    if (command->diff || command->check || command->as_json) RASKI_TRY(check_tools(command, err));
    if (command->lines && command->has_format &&
        strcmp(command->options.format->name, "facts") != 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "--jsonl prints facts only (expected --format=facts)");
    if (command->lines && command->argc - command->operand > 1)
        return RASKI_FAIL(
            err, RASK_E_ARGUMENT, USER,
            "--jsonl reads standard input or one file (expected nothing behind \"%s\")",
            command->argv[command->operand]);
    if (!command->lines && command->operand >= command->argc)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "The topology or program is missing: rask plan [OPTIONS] TOPOLOGY.json | "
                          "PROGRAM [ARGUMENTS]");
    return RASK_OK;
}

static int run(const plan_command *command) {
    const char *operand = command->operand < command->argc ? command->argv[command->operand] : "-";
    if (command->lines) return raski_plan_lines(operand);
    if (command->diff)
        return raski_plan_diff_command(command->argc, command->argv, command->operand,
                                       command->as_json);
    if (command->check)
        return raski_plan_check_command(command->argc, command->argv, command->operand,
                                        command->as_json);
    if (!raski_plan_is_topology(operand))
        return raski_plan_program(command->argc, command->argv, &command->options);
    if (command->argc > command->operand + 1)
        return raski_plan_complain(
            RASKI_PLAN_EXIT_UNREADABLE,
            "a topology has no arguments (expected nothing behind its name)");
    if (command->operand > 1)
        return raski_plan_complain(
            RASKI_PLAN_EXIT_UNREADABLE,
            "-p, -D and --config are for programs: a topology has its options in \"config\" and "
            "\"env\"");
    return raski_plan_topology(operand, &command->options);
}

int raski_cli_plan(int argc, char **argv) {
    raski_error err = {0};
    plan_command command = {.options = {.graph = RASKI_PLAN_JOB_GRAPH,
                                        .graph_name = "job",
                                        .format = raski_plan_format_named("text"),
                                        .style = {.colors = raski_is_terminal(STANDARD_OUTPUT)}}};
    int code = RASKI_PLAN_EXIT_OK;
    rask_status status = parse(argc, argv, &command, &err);
    if (status == RASK_OK && command.help) {
        raski_cli_print_verb_help(stdout, raski_cli_find_verb(argv[0]));
    } else {
        if (status == RASK_OK) status = check(&command, &err);
        if (status != RASK_OK) {
            (void)raski_cli_usage_error("%s", err.message);
            code = RASKI_PLAN_EXIT_UNREADABLE;
        } else {
            code = run(&command);
        }
    }
    raski_free(command.argv);
    return code;
}
