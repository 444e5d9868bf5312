/* configuration.h - the options of a job or process: what was set, by whom, and the defaults.
 * Flink: configuration.Configuration. Values are checked when they are set, with their key, value
 * and origin in the error, so the getters cannot fail. Nothing is printed here: warnings (older
 * names, unknown names in files) are collected until raski_configuration_log_warnings.
 * Threads: one owner; any number may read once nobody writes. */
#ifndef RASKI_CONFIG_CONFIGURATION_H
#define RASKI_CONFIG_CONFIGURATION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "config/options.h"
#include "config/value.h"

typedef struct raski_configuration raski_configuration;

/* From weak to strong: what a stronger origin has set, a weaker one does not change. */
typedef enum raski_origin_kind {
    RASKI_ORIGIN_DEFAULT,  /* nobody set it */
    RASKI_ORIGIN_FILE,     /* name and line */
    RASKI_ORIGIN_PROGRAM,  /* the program's own calls */
    RASKI_ORIGIN_ARGUMENT, /* name: the flag, "-D" */
} raski_origin_kind;

typedef struct raski_origin {
    raski_origin_kind kind;
    const char *name; /* borrowed for the call; NULL for DEFAULT and PROGRAM */
    int line;         /* from 1; FILE only */
} raski_origin;
#define RASKI_ORIGIN_BY_PROGRAM ((raski_origin){.kind = RASKI_ORIGIN_PROGRAM})

raski_configuration *raski_configuration_create(void);
raski_configuration *raski_configuration_clone(const raski_configuration *cfg);
void raski_configuration_destroy(raski_configuration *cfg_take); /* NULL is fine */

/* Sets key to value, unless a stronger origin has set it; borrows all. After it,
 * raski_configuration_get_raw tells the value that holds.
 * An older name sets the option that it became, with a warning, unless the same origin gave that
 * one its own name already. An unknown name is an error that proposes the nearest known one
 * (RASK_E_NOT_FOUND), except from a file, where it is a warning. A value that the option cannot
 * have is RASK_E_ARGUMENT. An option that does not do (all of) what it says yet is a warning,
 * except from a file. */
rask_status raski_configuration_set(raski_configuration *cfg, const char *key, const char *value,
                                    const raski_origin *origin, raski_error *err) RASKI_NODISCARD;
/* Sets every option that other sets, with its origin (and takes over the warnings). */
void raski_configuration_merge(raski_configuration *cfg, const raski_configuration *other);
void raski_configuration_unset(raski_configuration *cfg, raski_option_id id);

/* Whether somebody set the option or one that it falls back to. */
bool raski_configuration_is_set(const raski_configuration *cfg, raski_option_id id);
/* Whether there is a value at all: set, or a default. */
bool raski_configuration_has(const raski_configuration *cfg, raski_option_id id);
/* The text of the value; NULL when there is none. Borrowed until the option is set again. */
const char *raski_configuration_get_text(const raski_configuration *cfg, raski_option_id id);
/* By key, which may be an older name or of a family ("metrics.reporter.x.port"); NULL when it is
 * not set and has no default. */
const char *raski_configuration_get_raw(const raski_configuration *cfg, const char *key);
/* Where the value comes from, for people: "-D", "conf/config.yaml:12", "the program", "default". */
const char *raski_configuration_origin_of(const raski_configuration *cfg, raski_option_id id);

/* Typed values. The option must be of that type and have a value (see raski_configuration_has):
 * asking otherwise is a bug and aborts. */
int raski_configuration_get_int(const raski_configuration *cfg, raski_option_id id);
int64_t raski_configuration_get_long(const raski_configuration *cfg, raski_option_id id);
double raski_configuration_get_double(const raski_configuration *cfg, raski_option_id id);
bool raski_configuration_get_bool(const raski_configuration *cfg, raski_option_id id);
/* An index into the option's choices. */
int raski_configuration_get_choice(const raski_configuration *cfg, raski_option_id id);
raski_duration raski_configuration_get_duration(const raski_configuration *cfg, raski_option_id id);
int64_t raski_configuration_get_duration_ms(const raski_configuration *cfg, raski_option_id id);
int64_t raski_configuration_get_memory(const raski_configuration *cfg, raski_option_id id);
/* The caller frees the result; empty when there is no value. A map has the entries of the option
 * itself or, when it is not set, those set one by one ("<key>.<entry>"). */
raski_text_list raski_configuration_get_list(const raski_configuration *cfg, raski_option_id id);
raski_text_map raski_configuration_get_map(const raski_configuration *cfg, raski_option_id id);

/* The first directory of io.tmp.dirs (they are separated by ',', ':' or '|'); the caller frees it.
 */
char *raski_configuration_temporary_directory(const raski_configuration *cfg);

/* What is set, in the order of setting: entries 0 <= index < count. Secrets are not hidden. */
typedef struct raski_configuration_entry {
    const char *key, *value, *origin;
} raski_configuration_entry;
size_t raski_configuration_count(const raski_configuration *cfg);
raski_configuration_entry raski_configuration_at(const raski_configuration *cfg, size_t index);

/* Warnings so far; borrowed. */
size_t raski_configuration_warning_count(const raski_configuration *cfg);
const char *raski_configuration_warning(const raski_configuration *cfg, size_t index);
void raski_configuration_warn(raski_configuration *cfg, const char *format, ...) RASKI_PRINTF(2, 3);
/* Logs each warning that was not logged before. */
void raski_configuration_log_warnings(raski_configuration *cfg);
#endif
