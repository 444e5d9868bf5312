#include "config/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "config/yaml.h"

typedef struct load_context {
    raski_configuration *cfg;
    const char *name;
} load_context;

static rask_status set_entry(void *ctx, const char *key, const char *value_or_null, int line,
                             raski_error *err) {
    const load_context *load = ctx;
    raski_origin origin = {RASKI_ORIGIN_FILE, load->name, line};
    if (value_or_null == NULL) {
        raski_configuration_warn(load->cfg, "%s:%d: %s has no value and is ignored", load->name,
                                 line, key);
        return RASK_OK;
    }
    return raski_configuration_set(load->cfg, key, value_or_null, &origin, err);
}

/* --- flink-conf.yaml ------------------------------------------------------------------------ */

/* Where the value of a line ends: at a comment or at its last character that is not blank. */
static size_t value_length(const char *value, size_t length) {
    char quote = length > 0 && (*value == '"' || *value == '\'') ? *value : '\0';
    size_t from = 0;
    if (quote != '\0') {
        const char *end = memchr(value + 1, quote, length - 1);
        if (end != NULL) from = (size_t)(end - value) + 1;
    }
    for (size_t i = from; i < length; i++)
        if (value[i] == '#' && (i == 0 || isspace((unsigned char)value[i - 1]))) length = i;
    while (length > 0 && isspace((unsigned char)value[length - 1])) length--;
    return length;
}

static rask_status legacy_line(load_context *load, const char *text, size_t length, int line,
                               raski_map *seen, raski_error *err) {
    while (length > 0 && isspace((unsigned char)*text)) text++, length--;
    if (length == 0 || *text == '#') return RASK_OK;
    const char *colon = memmem(text, length, ": ", 2);
    if (colon == NULL && text[length - 1] == ':') colon = text + length - 1;
    if (colon == NULL || colon == text)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER, "%s:%d: expected \"key: value\"", load->name,
                          line);
    char *key = raski_strndup(text, (size_t)(colon - text));
    const char *value = colon + 1;
    size_t rest = (size_t)(text + length - value);
    while (rest > 0 && isspace((unsigned char)*value)) value++, rest--;
    rest = value_length(value, rest);
    if (rest > 1 && (*value == '"' || *value == '\'') && value[rest - 1] == *value)
        value++, rest -= 2;
    char *copy = raski_strndup(value, rest);
    rask_status status = RASK_OK;
    if (raski_map_has(seen, key))
        status = RASKI_FAIL(err, RASK_E_CORRUPT, USER,
                            "%s:%d: %s is given a second time (first on line %d)", load->name, line,
                            key, (int)(intptr_t)raski_map_get(seen, key));
    raski_map_put(seen, key, (void *)(intptr_t)line);
    if (status == RASK_OK) status = set_entry(load, key, rest > 0 ? copy : NULL, line, err);
    raski_free(key);
    raski_free(copy);
    return status;
}

static rask_status load_legacy(load_context *load, const char *text, size_t length,
                               raski_error *err) {
    raski_map seen = {0};
    rask_status status = RASK_OK;
    int line = 1;
    for (const char *end = text + length; text < end && status == RASK_OK; line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t count = (size_t)((newline != NULL ? newline : end) - text);
        if (memchr(text, '\0', count) != NULL)
            status = RASKI_FAIL(err, RASK_E_CORRUPT, USER, "%s:%d: contains a NUL byte", load->name,
                                line);
        else
            status = legacy_line(load, text, count, line, &seen, err);
        text += count + 1;
    }
    raski_map_free(&seen);
    return status;
}

/* --- config.yaml ---------------------------------------------------------------------------- */

static rask_status load_yaml(load_context *load, const char *text, size_t length,
                             raski_error *err) {
    raski_error detail = {0};
    rask_status status = raski_yaml_walk(text, length, set_entry, load, &detail);
    if (status == RASK_OK) return RASK_OK;
    if (status != RASK_E_CORRUPT) return RASKI_FAIL(err, status, USER, "%s", detail.message);
    return RASKI_FAIL(err, status, USER, "%s: %s", load->name, detail.message);
}

rask_status raski_configuration_load_text(raski_configuration *cfg, const char *text, size_t length,
                                          raski_config_syntax syntax, const char *name,
                                          raski_error *err) {
    load_context load = {cfg, name};
    return syntax == RASKI_CONFIG_LEGACY ? load_legacy(&load, text, length, err)
                                         : load_yaml(&load, text, length, err);
}

/* Reads at most the limit and one byte more. Pipes are fine, too. */
static rask_status read_all(const char *path, raski_str *bytes, raski_error *err) {
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return RASKI_FAIL(err, errno == ENOENT ? RASK_E_NOT_FOUND : RASK_E_IO, USER,
                          "cannot open the configuration file %s: %s", path, strerror(errno));
    char chunk[8192];
    size_t count;
    while (bytes->length <= RASKI_YAML_BYTES_MAX &&
           (count = fread(chunk, 1, sizeof chunk, file)) > 0)
        raski_str_append_bytes(bytes, chunk, count);
    int error = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (error != 0)
        return RASKI_FAIL(err, RASK_E_IO, USER, "cannot read the configuration file %s: %s", path,
                          strerror(error));
    if (bytes->length > RASKI_YAML_BYTES_MAX)
        return RASKI_FAIL(err, RASK_E_CORRUPT, USER,
                          "the configuration file %s is larger than %d bytes", path,
                          RASKI_YAML_BYTES_MAX);
    return RASK_OK;
}

rask_status raski_configuration_load_file(raski_configuration *cfg, const char *path,
                                          raski_error *err) {
    const char *slash = strrchr(path, '/');
    bool legacy = strcmp(slash != NULL ? slash + 1 : path, "flink-conf.yaml") == 0;
    raski_str bytes = {0};
    rask_status status = read_all(path, &bytes, err);
    if (status == RASK_OK)
        status = raski_configuration_load_text(cfg, raski_str_text(&bytes), bytes.length,
                                               legacy ? RASKI_CONFIG_LEGACY : RASKI_CONFIG_YAML,
                                               path, err);
    raski_str_free(&bytes);
    return status;
}

rask_status raski_configuration_load_directory(raski_configuration *cfg, const char *path,
                                               raski_error *err) {
    static const char *const names[] = {"config.yaml", "flink-conf.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        raski_error detail = {0};
        char *file = raski_format("%s/%s", path, names[i]);
        rask_status status = raski_configuration_load_file(cfg, file, &detail);
        raski_free(file);
        if (status == RASK_E_NOT_FOUND) continue;
        return status == RASK_OK ? RASK_OK : RASKI_FAIL(err, status, USER, "%s", detail.message);
    }
    return RASKI_FAIL(err, RASK_E_NOT_FOUND, USER,
                      "there is neither config.yaml nor flink-conf.yaml in %s", path);
}
