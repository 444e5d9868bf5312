/* rask info: starts the program with RASK_CLIENT=info, in which rask_execute prints the plan and
 * ends the program instead of running the job. The plan, and nothing else, goes to standard output;
 * the frame that Flink's client draws around it goes to standard error, so that a person sees it
 * and a program that reads the plan does not. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plan_output.h"
#include "cli/program.h"
#include "platform/child.h"

/* A plan of a thousand operators has about half a MiB. */
enum { OUTPUT_MAX = 64 * 1024 * 1024 };

static int no_plan(const char *path, raski_child_end end) {
    if (end.signal != 0)
        return raski_cli_failure(
            "%s was ended by signal %d (%s) before it executed a job, so "
            "there is no plan.",
            path, end.signal, strsignal(end.signal));
    if (end.exit_code != 0)
        return raski_cli_failure(
            "%s failed with exit code %d before it executed a job, so there "
            "is no plan.",
            path, end.exit_code);
    return raski_cli_failure("%s ended without reaching rask_execute, so there is no plan.", path);
}

static void print_plan(const char *plan, size_t length, bool framed) {
    if (framed)
        (void)fputs("----------------------- Execution Plan -----------------------\n", stderr);
    (void)printf("%.*s\n", (int)length, plan);
    (void)fflush(stdout);
    if (framed)
        (void)fputs(
            "--------------------------------------------------------------\n\n"
            "No description provided.\n",
            stderr);
}

static int show(const raski_program_command *command) {
    raski_str output = {0};
    raski_child_end end = {0};
    raski_error err = {0};
    size_t plan_start;
    size_t plan_end;
    int code = RASKI_EXIT_OK;
    (void)setenv("RASK_CLIENT", "info", 1);
    if (raski_process_capture(command->path, command->argv, OUTPUT_MAX, &output, &end, &err) !=
        RASK_OK) {
        code = raski_cli_failure("%s", err.message);
    } else if (end.signal != 0 || end.exit_code != 0 ||
               !raski_find_plan(raski_str_text(&output), output.length, &plan_start, &plan_end)) {
        (void)fwrite(raski_str_text(&output), 1, output.length, stderr);
        code = no_plan(command->path, end);
    } else {
        /* what the program printed itself is not part of the plan */
        (void)fwrite(output.data, 1, plan_start, stderr);
        print_plan(output.data + plan_start, plan_end - plan_start, !command->json);
    }
    raski_str_free(&output);
    return code;
}

int raski_cli_info(int argc, char **argv) {
    raski_program_command command = {0};
    raski_error err = {0};
    if (raski_program_command_parse(argc, argv, true, &command, &err) != RASK_OK)
        return raski_cli_usage_error("%s", err.message);
    int code = RASKI_EXIT_OK;
    if (command.help)
        raski_cli_print_verb_help(stdout, raski_cli_find_verb(argv[0]));
    else if (raski_program_check(command.path, &err) != RASK_OK)
        code = raski_cli_usage_error("%s", err.message);
    else
        code = show(&command);
    raski_program_command_free(&command);
    return code;
}
