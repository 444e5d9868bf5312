/* rask plan of programs: the program is started with RASK_CLIENT=plan, in which rask_execute prints
 * the plan instead of running the job (docs/plan.md). A random mark tells the plan from what the
 * program prints itself, which goes to standard error. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plan.h"
#include "cli/program.h"
#include "platform/child.h"
#include "platform/random.h"

enum { OUTPUT_MAX_BYTES = 1024 * 1024 * 1024, MARK_BYTES = 16, MARK_SIZE = 2 * MARK_BYTES + 1 };

static void make_mark(char ret_mark[MARK_SIZE]) {
    unsigned char bytes[MARK_BYTES];
    raski_random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) (void)snprintf(ret_mark + 2 * i, 3, "%02x", bytes[i]);
}

/* What the program is asked for; see raski_env_print_plan. */
static void set_environment(const raski_plan_options *options, const char *mark) {
    (void)setenv("RASK_CLIENT", "plan", 1);
    (void)setenv("RASK_PLAN_GRAPH", options->graph_name, 1);
    const char *format = options->asked_format;
    (void)setenv("RASK_PLAN_FORMAT", format != NULL ? format : options->format->name, 1);
    (void)setenv("RASK_PLAN_COLOR", options->style.colors ? "always" : "never", 1);
    (void)setenv("RASK_PLAN_MARK", mark, 1);
}

/* The frame: mark, blank, status, blank, length, newline, that many bytes. */
typedef struct frame {
    int status;
    size_t start, end; /* of the bytes */
    size_t at;         /* of the mark */
} frame;

static bool find_frame(const raski_str *output, const char *mark, frame *ret_frame) {
    const char *text = raski_str_text(output);
    const char *found = memmem(text, output->length, mark, strlen(mark));
    if (found == NULL) return false;
    char *end = NULL;
    ret_frame->at = (size_t)(found - text);
    ret_frame->status = (int)strtol(found + strlen(mark), &end, 10);
    size_t length = strtoul(end, &end, 10);
    if (*end != '\n') return false;
    ret_frame->start = (size_t)(end + 1 - text);
    ret_frame->end = ret_frame->start + length;
    return length <= output->length - ret_frame->start;
}

static int no_plan(const char *path, raski_child_end end) {
    char *message =
        end.signal != 0 ? raski_format(
                              "%s was ended by signal %d (%s) before it executed a job, so "
                              "there is no plan",
                              path, end.signal, strsignal(end.signal))
        : end.exit_code != 0
            ? raski_format(
                  "%s failed with exit code %d before it executed a job, so there is no "
                  "plan",
                  path, end.exit_code)
            : raski_format("%s ended without reaching rask_execute, so there is no plan", path);
    int code = raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, message);
    raski_free(message);
    return code;
}

static int capture(const raski_program_command *command, const raski_plan_options *options,
                   raski_str *ret_text) {
    char mark[MARK_SIZE];
    raski_str output = {0};
    raski_child_end end = {0};
    raski_error err = {0};
    frame found = {0};
    int code = RASKI_PLAN_EXIT_OK;
    make_mark(mark);
    set_environment(options, mark);
    if (raski_process_capture(command->path, command->argv, OUTPUT_MAX_BYTES, &output, &end,
                              &err) != RASK_OK) {
        code = raski_plan_complain(RASKI_PLAN_EXIT_UNREADABLE, err.message);
    } else if (!find_frame(&output, mark, &found)) {
        (void)fwrite(raski_str_text(&output), 1, output.length, stderr);
        code = no_plan(command->path, end);
    } else {
        /* what the program printed itself is not part of the plan */
        (void)fwrite(output.data, 1, found.at, stderr);
        raski_str_append_bytes(ret_text, output.data + found.start, found.end - found.start);
        if (found.status != 0) code = RASKI_PLAN_EXIT_REFUSED;
    }
    raski_str_free(&output);
    return code;
}

int raski_plan_capture_program(int argc, char **argv, const raski_plan_options *options,
                               raski_str *ret_text) {
    raski_program_command command = {0};
    raski_error err = {0};
    int code = RASKI_PLAN_EXIT_OK;
    if (raski_program_command_parse(argc, argv, false, &command, &err) != RASK_OK ||
        raski_program_check(command.path, &err) != RASK_OK) {
        (void)raski_cli_usage_error("%s", err.message);
        code = RASKI_PLAN_EXIT_UNREADABLE;
    } else {
        code = capture(&command, options, ret_text);
    }
    raski_program_command_free(&command);
    return code;
}

int raski_plan_program(int argc, char **argv, const raski_plan_options *options) {
    raski_str text = {0};
    int code = raski_plan_capture_program(argc, argv, options, &text);
    (void)fwrite(raski_str_text(&text), 1, text.length, stdout);
    raski_str_free(&text);
    return code;
}
