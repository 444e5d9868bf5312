/* config_file.h - config.yaml (nested or flat) and the older flink-conf.yaml (one "key: value" a
 * line). Flink: configuration.GlobalConfiguration.
 * Options that nobody knows are warnings that name file and line, since one file serves several
 * versions and Flink beside Rask; everything else that is wrong is an error. Threads: any. */
#ifndef RASKI_CONFIG_CONFIG_FILE_H
#define RASKI_CONFIG_CONFIG_FILE_H
#include <stddef.h>

#include "base/status.h"
#include "config/configuration.h"

typedef enum raski_config_syntax {
    RASKI_CONFIG_YAML,
    /* Everything behind the first ": " is the value. A value in quotes loses them; a # starts a
     * comment at the start of a line or behind a blank, outside of quotes (Flink cuts at any #, and
     * so through passwords). */
    RASKI_CONFIG_LEGACY,
} raski_config_syntax;

/* Sets what the text says; name is how the file is called in origins and errors. All borrowed. */
rask_status raski_configuration_load_text(raski_configuration *cfg, const char *text, size_t length,
                                          raski_config_syntax syntax, const char *name,
                                          raski_error *err) RASKI_NODISCARD;
/* Sets what the file says; a file named flink-conf.yaml is in the older syntax. @blocks on reading
 */
rask_status raski_configuration_load_file(raski_configuration *cfg, const char *path,
                                          raski_error *err) RASKI_NODISCARD;
/* Loads config.yaml of a directory or, when there is none, flink-conf.yaml. */
rask_status raski_configuration_load_directory(raski_configuration *cfg, const char *path,
                                               raski_error *err) RASKI_NODISCARD;
#endif
