/* rask run: becomes the program, so that signals, terminal and exit code are the program's. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/program.h"
#include "platform/child.h"

int raski_cli_run(int argc, char **argv) {
    raski_program_command command = {0};
    raski_error err = {0};
    if (raski_program_command_parse(argc, argv, false, &command, &err) != RASK_OK)
        return raski_cli_usage_error("%s", err.message);
    int code = RASKI_EXIT_OK;
    if (command.help) {
        raski_cli_print_verb_help(stdout, raski_cli_find_verb(argv[0]));
    } else if (raski_program_check(command.path, &err) != RASK_OK) {
        code = raski_cli_usage_error("%s", err.message);
    } else {
        /* rask_execute reads this: run the job here, on a cluster of the program's own */
        if (setenv("RASK_CLIENT", "run", 1) == 0)
            raski_process_replace(command.path, command.argv, &err);
        code = raski_cli_failure("%s", err.message);
    }
    raski_program_command_free(&command);
    return code;
}
