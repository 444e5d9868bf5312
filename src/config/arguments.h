/* arguments.h - what every Rask program takes from its command line:
 *     -p N, --parallelism N     parallelism.default
 *     -D KEY=VALUE              any option; split at the first '='
 *     --config FILE             options from a file
 * each also in one word (-p4, -DKEY=VALUE, --config=FILE). "--" ends them and is removed; what is
 * left is the program's own. Flink: the generic options of client.cli.
 * Strength, from weak to strong: defaults, RASK_CONF_DIR/config.yaml (when that variable is set),
 * --config files in their order, the program's own settings, -p and -D in their order.
 * Threads: the main thread. */
#ifndef RASKI_CONFIG_ARGUMENTS_H
#define RASKI_CONFIG_ARGUMENTS_H
#include <stddef.h>

#include "base/status.h"
#include "config/configuration.h"

/* The option at argv[index] for Rask, or nothing. */
typedef enum raski_argument_kind {
    RASKI_ARGUMENT_OTHER, /* the program's own */
    RASKI_ARGUMENT_PARALLELISM,
    RASKI_ARGUMENT_OPTION,
    RASKI_ARGUMENT_CONFIG,
    RASKI_ARGUMENT_END, /* "--" */
} raski_argument_kind;
typedef struct raski_argument {
    raski_argument_kind kind;
    const char *flag;  /* as written, without the value: "-p", "--config"; static */
    const char *value; /* borrowed from argv; NULL when it is missing */
    int words;         /* 1 or 2: how many of argv it takes */
} raski_argument;
raski_argument raski_argument_at(int argc, char *const *argv, int index);

/* Sets cfg from RASK_CONF_DIR and the arguments, and removes the latter from *argc and *argv (the
 * array is changed in place, the strings are not). On failure *argc and *argv are untouched. */
rask_status raski_configuration_from_arguments(int *argc, char ***argv, raski_configuration *cfg,
                                               raski_error *err) RASKI_NODISCARD;
#endif
