/* cli.h - the program rask: its verbs and what they share.
 * Flink: client.cli.CliFrontend and CliFrontendParser, whose exit codes (0, or 1 for every error)
 * and messages are kept; errors go to standard error. Threads: the main thread. */
#ifndef RASKI_CLI_CLI_H
#define RASKI_CLI_CLI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

enum { RASKI_EXIT_OK = 0, RASKI_EXIT_ERROR = 1 };

typedef struct raski_cli_verb {
    const char *name;
    const char *summary; /* what it does, as the end of: Action "run" ... */
    const char *syntax;  /* behind the verb */
    const char *options; /* the lines of its help, in full */
    /* argv[0] is the verb. Returns the exit code; must leave everything freed. */
    int (*run)(int argc, char **argv);
} raski_cli_verb;

/* The verbs in the order of the help; *ret_count of them. */
const raski_cli_verb *raski_cli_verbs(size_t *ret_count);
const raski_cli_verb *raski_cli_find_verb(const char *name); /* NULL when there is none */
const char *raski_cli_nearest_verb(const char *name);        /* NULL when none is near */

/* Runs "rask ARGUMENTS"; argv[0] is the program. Returns the exit code. */
int raski_cli_main(int argc, char **argv);

int raski_cli_run(int argc, char **argv);
int raski_cli_info(int argc, char **argv);
int raski_cli_plan(int argc, char **argv);

void raski_cli_print_help(FILE *file);
void raski_cli_print_verb_help(FILE *file, const raski_cli_verb *verb);
/* A wrong command line: the message, and where help is. Returns RASKI_EXIT_ERROR. */
int raski_cli_usage_error(const char *format, ...) RASKI_PRINTF(1, 2);
/* Something failed while it ran, in the frame that Flink gives exceptions. Returns
 * RASKI_EXIT_ERROR. */
int raski_cli_failure(const char *format, ...) RASKI_PRINTF(1, 2);
#endif
