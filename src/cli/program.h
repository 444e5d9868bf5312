/* program.h - the command line that verbs about a program share: options for Rask, the program, and
 * the program's own arguments. Threads: the main thread. */
#ifndef RASKI_CLI_PROGRAM_H
#define RASKI_CLI_PROGRAM_H
#include <stdbool.h>

#include "base/status.h"

typedef struct raski_program_command {
    bool help;        /* -h was given; nothing else is set */
    bool json;        /* --json was given */
    const char *path; /* the program; borrowed from argv */
    char **argv;      /* what it is started with: its path, Rask's options, its own arguments; NULL
                         at the end. The array is owned, the strings are borrowed */
} raski_program_command;

/* Reads "[OPTIONS] PROGRAM ARGUMENTS" behind argv[0], a verb; --json only when allowed. Options are
 * checked as the program would. On failure there is nothing to free. */
RASKI_NODISCARD rask_status raski_program_command_parse(int argc, char **argv, bool json_allowed,
                                                        raski_program_command *ret_command,
                                                        raski_error *err);
void raski_program_command_free(raski_program_command *command);

/* Whether path can be started: an executable file. If not, err says why and what to do (the nearest
 * file name of the folder, how to compile a source file). @blocks on the file system */
RASKI_NODISCARD rask_status raski_program_check(const char *path, raski_error *err);
#endif
