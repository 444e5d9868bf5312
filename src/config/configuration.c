#include "config/configuration.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/map.h"
#include "base/str.h"

typedef struct entry {
    char *value;
    char *origin;
    raski_origin_kind kind;
    bool by_older_name;
} entry;

struct raski_configuration {
    raski_map entries; /* key -> entry */
    raski_text_list warnings;
    size_t warnings_logged;
    size_t unknown_count; /* options that nobody knows, so far */
};

/* Searching for similar names takes a while; a file full of other things is not worth it. */
enum { PROPOSALS_MAX = 100 };

static void entry_destroy(entry *e) {
    if (e == NULL) return;
    raski_free(e->value);
    raski_free(e->origin);
    raski_free(e);
}

raski_configuration *raski_configuration_create(void) {
    return RASKI_NEW(raski_configuration);
}

void raski_configuration_destroy(raski_configuration *cfg_take) {
    if (cfg_take == NULL) return;
    for (size_t i = 0; i < cfg_take->entries.count; i++)
        entry_destroy(cfg_take->entries.entries[i].value);
    raski_map_free(&cfg_take->entries);
    raski_text_list_free(&cfg_take->warnings);
    raski_free(cfg_take);
}

/* The one place that decides who wins. */
static void put(raski_configuration *cfg, const char *key, const char *value, const char *origin,
                raski_origin_kind kind, bool by_older_name) {
    entry *old = raski_map_get(&cfg->entries, key);
    if (old != NULL && old->kind > kind) return;
    entry *e = RASKI_NEW(entry);
    *e = (entry){raski_strdup(value), raski_strdup(origin), kind, by_older_name};
    raski_map_put(&cfg->entries, key, e);
    entry_destroy(old);
}

void raski_configuration_merge(raski_configuration *cfg, const raski_configuration *other) {
    for (size_t i = 0; i < other->entries.count; i++) {
        const entry *e = other->entries.entries[i].value;
        put(cfg, other->entries.entries[i].text, e->value, e->origin, e->kind, e->by_older_name);
    }
    for (size_t i = 0; i < other->warnings.count; i++)
        raski_vec_push(&cfg->warnings, raski_strdup(other->warnings.items[i]));
}

raski_configuration *raski_configuration_clone(const raski_configuration *cfg) {
    raski_configuration *copy = raski_configuration_create();
    raski_configuration_merge(copy, cfg);
    copy->warnings_logged = cfg->warnings_logged;
    return copy;
}

void raski_configuration_unset(raski_configuration *cfg, raski_option_id id) {
    const char *key = raski_option_get(id)->key;
    entry *old = raski_map_get(&cfg->entries, key);
    (void)raski_map_remove(&cfg->entries, key);
    entry_destroy(old);
}

void raski_configuration_warn(raski_configuration *cfg, const char *format, ...) {
    raski_str text = {0};
    va_list arguments;
    va_start(arguments, format);
    raski_str_vappendf(&text, format, arguments);
    va_end(arguments);
    raski_vec_push(&cfg->warnings, raski_str_steal(&text));
}

size_t raski_configuration_warning_count(const raski_configuration *cfg) {
    return cfg->warnings.count;
}

const char *raski_configuration_warning(const raski_configuration *cfg, size_t index) {
    RASKI_ASSERT(index < cfg->warnings.count);
    return cfg->warnings.items[index];
}

void raski_configuration_log_warnings(raski_configuration *cfg) {
    for (; cfg->warnings_logged < cfg->warnings.count; cfg->warnings_logged++)
        RASKI_LOG(WARN, "config", "%s", cfg->warnings.items[cfg->warnings_logged]);
}

/* --- checking ------------------------------------------------------------------------------- */

static char *origin_text(const raski_origin *origin) {
    switch (origin->kind) {
        case RASKI_ORIGIN_FILE:
            return raski_format("%s:%d", origin->name, origin->line);
        case RASKI_ORIGIN_ARGUMENT:
            return raski_strdup(origin->name);
        case RASKI_ORIGIN_PROGRAM:
            return raski_strdup("the program");
        case RASKI_ORIGIN_DEFAULT:
            break;
    }
    return raski_strdup("default");
}

static rask_status check_range(const raski_option *option, double value, raski_error *err) {
    bool bounded = option->min != 0 || option->max != 0;
    if (!bounded || (value >= (double)option->min && value <= (double)option->max) ||
        (option->also != 0 && value == (double)option->also))
        return RASK_OK;
    char range[96];
    if (option->max >= INT32_MAX)
        (void)snprintf(range, sizeof range, "at least %lld", (long long)option->min);
    else
        (void)snprintf(range, sizeof range, "from %lld to %lld", (long long)option->min,
                       (long long)option->max);
    if (option->also == 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "expected a number %s", range);
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "expected a number %s, or %lld", range,
                      (long long)option->also);
}

static rask_status check_number(const raski_option *option, const char *value, raski_error *err) {
    int64_t number;
    RASKI_TRY(raski_parse_long(value, &number, err));
    if (option->type == RASKI_VALUE_INT && (number < INT32_MIN || number > INT32_MAX))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "the number is too large for 32 bits");
    return check_range(option, (double)number, err);
}

static rask_status check_list(const raski_option *option, const char *value, raski_error *err) {
    raski_text_list list = {0};
    int index;
    rask_status status = raski_parse_list(value, &list, err);
    for (size_t i = 0; i < list.count && status == RASK_OK && option->choices != NULL; i++)
        status = raski_parse_choice(list.items[i], option->choices, &index, err);
    raski_text_list_free(&list);
    return status;
}

/* Whether the option can have the value; err says what is expected. */
static rask_status check_value(const raski_option *option, const char *value, raski_error *err) {
    int64_t number;
    double real;
    bool flag;
    int index;
    raski_duration duration;
    raski_text_map map = {0};
    switch (option->type) {
        case RASKI_VALUE_STRING:
            return RASK_OK;
        case RASKI_VALUE_INT:
        case RASKI_VALUE_LONG:
            return check_number(option, value, err);
        case RASKI_VALUE_DOUBLE:
            RASKI_TRY(raski_parse_double(value, &real, err));
            return check_range(option, real, err);
        case RASKI_VALUE_BOOL:
            return raski_parse_bool(value, &flag, err);
        case RASKI_VALUE_CHOICE:
            return raski_parse_choice(value, option->choices, &index, err);
        case RASKI_VALUE_DURATION:
            return raski_parse_duration(value, &duration, err);
        case RASKI_VALUE_MEMORY:
            return raski_parse_memory(value, &number, err);
        case RASKI_VALUE_LIST:
            return check_list(option, value, err);
        case RASKI_VALUE_MAP:
            break;
    }
    rask_status status = raski_parse_map(value, &map, err);
    raski_text_map_free(&map);
    return status;
}

static rask_status set_option(raski_configuration *cfg, const raski_option *option, const char *key,
                              const char *value, const char *origin, raski_origin_kind kind,
                              raski_error *err) {
    raski_error detail = {0};
    rask_status status = check_value(option, value, &detail);
    if (status != RASK_OK)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "option %s cannot be \"%.200s\" (from %s): %s", key,
                          raski_option_is_secret(key) ? "******" : value, origin, detail.message);
    bool asked_for = kind == RASKI_ORIGIN_ARGUMENT || kind == RASKI_ORIGIN_PROGRAM;
    if (asked_for && option->status == RASKI_OPTION_NO_EFFECT_YET)
        raski_configuration_warn(cfg, "option %s (from %s) has no effect yet", key, origin);
    if (asked_for && option->status == RASKI_OPTION_PLANNING_ONLY)
        raski_configuration_warn(cfg, "option %s (from %s) changes the plan, but not the run yet",
                                 key, origin);
    put(cfg, option->key, value, origin, kind, strcmp(key, option->key) != 0);
    return RASK_OK;
}

/* The part of an origin that names the source, without the line of a file. */
static bool same_source(const char *a, const char *b, raski_origin_kind kind) {
    if (kind != RASKI_ORIGIN_FILE) return strcmp(a, b) == 0;
    const char *colon_a = strrchr(a, ':');
    const char *colon_b = strrchr(b, ':');
    return colon_a - a == colon_b - b && memcmp(a, b, (size_t)(colon_a - a)) == 0;
}

static rask_status set_older_name(raski_configuration *cfg, const char *key, const char *value,
                                  const char *origin, raski_origin_kind kind, raski_error *err) {
    for (const raski_option *option = raski_option_find_deprecated(key, NULL); option != NULL;
         option = raski_option_find_deprecated(key, option)) {
        const entry *current = raski_map_get(&cfg->entries, option->key);
        if (current != NULL && !current->by_older_name && current->kind == kind &&
            same_source(current->origin, origin, kind)) {
            raski_configuration_warn(cfg,
                                     "option %s (from %s) is the older name of %s, which is "
                                     "given too and counts",
                                     key, origin, option->key);
            continue;
        }
        RASKI_TRY(set_option(cfg, option, key, value, origin, kind, err));
        raski_configuration_warn(cfg, "option %s (from %s) is an older name; write %s", key, origin,
                                 option->key);
    }
    return RASK_OK;
}

static rask_status unknown(raski_configuration *cfg, const char *key, const char *origin,
                           raski_origin_kind kind, raski_error *err) {
    const char *nearest = cfg->unknown_count++ < PROPOSALS_MAX ? raski_option_nearest(key) : NULL;
    char *advice = nearest != NULL ? raski_format("; did you mean \"%s\"?", nearest)
                                   : raski_strdup(
                                         "; docs/configuration.md lists the options (parameters of "
                                         "your own go below pipeline.global-job-parameters)");
    rask_status status = RASK_OK;
    if (kind == RASKI_ORIGIN_FILE)
        raski_configuration_warn(cfg, "%s: unknown option \"%.200s\" is ignored%s", origin, key,
                                 advice);
    else
        status = RASKI_FAIL(err, RASK_E_NOT_FOUND, USER, "unknown option \"%.200s\" (from %s)%s",
                            key, origin, advice);
    raski_free(advice);
    return status;
}

rask_status raski_configuration_set(raski_configuration *cfg, const char *key, const char *value,
                                    const raski_origin *origin, raski_error *err) {
    char *from = origin_text(origin);
    rask_status status = RASK_OK;
    const raski_option *option = raski_option_find(key);
    if (option != NULL)
        status = set_option(cfg, option, option->key, value, from, origin->kind, err);
    else if (raski_option_find_deprecated(key, NULL) != NULL)
        status = set_older_name(cfg, key, value, from, origin->kind, err);
    else if (raski_option_find_map_of(key) != NULL || raski_option_find_family(key) != NULL)
        put(cfg, key, value, from, origin->kind, false);
    else
        status = unknown(cfg, key, from, origin->kind, err);
    raski_free(from);
    return status;
}

/* --- reading -------------------------------------------------------------------------------- */

static const entry *find_entry(const raski_configuration *cfg, const raski_option *option) {
    const entry *e = raski_map_get(&cfg->entries, option->key);
    if (e != NULL || option->fallback_keys == NULL) return e;
    char *keys = raski_strdup(option->fallback_keys);
    char *rest = NULL;
    for (char *key = strtok_r(keys, " ", &rest); key != NULL && e == NULL;
         key = strtok_r(NULL, " ", &rest))
        e = raski_map_get(&cfg->entries, key);
    raski_free(keys);
    return e;
}

bool raski_configuration_is_set(const raski_configuration *cfg, raski_option_id id) {
    return find_entry(cfg, raski_option_get(id)) != NULL;
}

const char *raski_configuration_get_text(const raski_configuration *cfg, raski_option_id id) {
    const raski_option *option = raski_option_get(id);
    const entry *e = find_entry(cfg, option);
    return e != NULL ? e->value : raski_option_default(option);
}

bool raski_configuration_has(const raski_configuration *cfg, raski_option_id id) {
    return raski_configuration_get_text(cfg, id) != NULL;
}

const char *raski_configuration_get_raw(const raski_configuration *cfg, const char *key) {
    const raski_option *option = raski_option_resolve(key);
    if (option != NULL) return raski_configuration_get_text(cfg, raski_option_id_of(option));
    const entry *e = raski_map_get(&cfg->entries, key);
    return e != NULL ? e->value : NULL;
}

const char *raski_configuration_origin_of(const raski_configuration *cfg, raski_option_id id) {
    const entry *e = find_entry(cfg, raski_option_get(id));
    return e != NULL ? e->origin : "default";
}

/* The text of an option of that type; it was checked when it was set, and the defaults by a test.
 */
static const char *value_of(const raski_configuration *cfg, raski_option_id id,
                            raski_value_type type) {
    const char *text = raski_configuration_get_text(cfg, id);
    RASKI_ASSERT(raski_option_get(id)->type == type);
    RASKI_ASSERT(text != NULL);
    return text;
}

int raski_configuration_get_int(const raski_configuration *cfg, raski_option_id id) {
    int64_t value = 0;
    rask_status status = raski_parse_long(value_of(cfg, id, RASKI_VALUE_INT), &value, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return (int)value;
}

int64_t raski_configuration_get_long(const raski_configuration *cfg, raski_option_id id) {
    int64_t value = 0;
    rask_status status = raski_parse_long(value_of(cfg, id, RASKI_VALUE_LONG), &value, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return value;
}

double raski_configuration_get_double(const raski_configuration *cfg, raski_option_id id) {
    double value = 0;
    rask_status status = raski_parse_double(value_of(cfg, id, RASKI_VALUE_DOUBLE), &value, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return value;
}

bool raski_configuration_get_bool(const raski_configuration *cfg, raski_option_id id) {
    bool value = false;
    rask_status status = raski_parse_bool(value_of(cfg, id, RASKI_VALUE_BOOL), &value, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return value;
}

int raski_configuration_get_choice(const raski_configuration *cfg, raski_option_id id) {
    int index = 0;
    rask_status status = raski_parse_choice(value_of(cfg, id, RASKI_VALUE_CHOICE),
                                            raski_option_get(id)->choices, &index, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return index;
}

raski_duration raski_configuration_get_duration(const raski_configuration *cfg,
                                                raski_option_id id) {
    raski_duration value = {0};
    rask_status status =
        raski_parse_duration(value_of(cfg, id, RASKI_VALUE_DURATION), &value, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return value;
}

int64_t raski_configuration_get_duration_ms(const raski_configuration *cfg, raski_option_id id) {
    return raski_duration_ms(raski_configuration_get_duration(cfg, id));
}

int64_t raski_configuration_get_memory(const raski_configuration *cfg, raski_option_id id) {
    int64_t value = 0;
    rask_status status = raski_parse_memory(value_of(cfg, id, RASKI_VALUE_MEMORY), &value, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return value;
}

raski_text_list raski_configuration_get_list(const raski_configuration *cfg, raski_option_id id) {
    raski_text_list list = {0};
    if (!raski_configuration_has(cfg, id)) return list;
    rask_status status = raski_parse_list(value_of(cfg, id, RASKI_VALUE_LIST), &list, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return list;
}

raski_text_map raski_configuration_get_map(const raski_configuration *cfg, raski_option_id id) {
    const raski_option *option = raski_option_get(id);
    RASKI_ASSERT(option->type == RASKI_VALUE_MAP);
    raski_text_map map = {0};
    size_t length = strlen(option->key);
    for (size_t i = 0; i < cfg->entries.count && !raski_configuration_is_set(cfg, id); i++) {
        const char *key = cfg->entries.entries[i].text;
        if (strncmp(key, option->key, length) != 0 || key[length] != '.') continue;
        const entry *e = cfg->entries.entries[i].value;
        raski_vec_push(&map,
                       (raski_text_pair){raski_strdup(key + length + 1), raski_strdup(e->value)});
    }
    if (map.count > 0 || !raski_configuration_has(cfg, id)) return map;
    rask_status status = raski_parse_map(value_of(cfg, id, RASKI_VALUE_MAP), &map, NULL);
    RASKI_ASSERT(status == RASK_OK);
    return map;
}

char *raski_configuration_temporary_directory(const raski_configuration *cfg) {
    const char *text = value_of(cfg, RASKI_OPTION_IO_TMP_DIRS, RASKI_VALUE_STRING);
    text += strspn(text, ",:| ");
    size_t length = strcspn(text, ",:|");
    while (length > 0 && text[length - 1] == ' ') length--;
    return length > 0 ? raski_strndup(text, length) : raski_strdup("/tmp");
}

size_t raski_configuration_count(const raski_configuration *cfg) {
    return cfg->entries.count;
}

raski_configuration_entry raski_configuration_at(const raski_configuration *cfg, size_t index) {
    RASKI_ASSERT(index < cfg->entries.count);
    const raski_map_entry *at = &cfg->entries.entries[index];
    const entry *e = at->value;
    return (raski_configuration_entry){at->text, e->value, e->origin};
}
