#include "config/arguments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "config/config_file.h"

/* The value of a flag of one letter: behind it, or the next word. */
static raski_argument short_flag(raski_argument_kind kind, const char *flag, int argc,
                                 char *const *argv, int index) {
    const char *word = argv[index];
    if (word[2] != '\0') return (raski_argument){kind, flag, word + 2, 1};
    bool has_next = index + 1 < argc;
    return (raski_argument){kind, flag, has_next ? argv[index + 1] : NULL, has_next ? 2 : 1};
}

static bool is_long_flag(const char *word, const char *flag) {
    size_t length = strlen(flag);
    return strncmp(word, flag, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

static raski_argument long_flag(raski_argument_kind kind, const char *flag, int argc,
                                char *const *argv, int index) {
    const char *word = argv[index] + strlen(flag);
    if (*word == '=') return (raski_argument){kind, flag, word + 1, 1};
    bool has_next = index + 1 < argc;
    return (raski_argument){kind, flag, has_next ? argv[index + 1] : NULL, has_next ? 2 : 1};
}

raski_argument raski_argument_at(int argc, char *const *argv, int index) {
    const char *word = argv[index];
    if (strcmp(word, "--") == 0) return (raski_argument){RASKI_ARGUMENT_END, "--", NULL, 1};
    /* -p4 is Rask's, -print the program's */
    if (word[0] == '-' && word[1] == 'p' &&
        (word[2] == '\0' || isdigit((unsigned char)word[2]) ||
         (word[2] == '-' && isdigit((unsigned char)word[3]))))
        return short_flag(RASKI_ARGUMENT_PARALLELISM, "-p", argc, argv, index);
    if (word[0] == '-' && word[1] == 'D')
        return short_flag(RASKI_ARGUMENT_OPTION, "-D", argc, argv, index);
    if (is_long_flag(word, "--parallelism"))
        return long_flag(RASKI_ARGUMENT_PARALLELISM, "--parallelism", argc, argv, index);
    if (is_long_flag(word, "--config"))
        return long_flag(RASKI_ARGUMENT_CONFIG, "--config", argc, argv, index);
    return (raski_argument){RASKI_ARGUMENT_OTHER, word, NULL, 1};
}

/* -D KEY=VALUE; a bool may be switched on by its name alone. */
static rask_status set_pair(raski_configuration *cfg, const char *pair, const raski_origin *origin,
                            raski_error *err) {
    const char *equals = strchr(pair, '=');
    if (equals == pair || *pair == '\0')
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "-D needs KEY=VALUE, got \"%s\"", pair);
    const raski_option *option = raski_option_find(pair);
    if (equals == NULL && option != NULL && option->type != RASKI_VALUE_BOOL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "-D %s needs a value: -D %s=VALUE", pair,
                          pair);
    size_t length = equals != NULL ? (size_t)(equals - pair) : strlen(pair);
    char *key = raski_strndup(pair, length);
    rask_status status =
        raski_configuration_set(cfg, key, equals != NULL ? equals + 1 : "true", origin, err);
    raski_free(key);
    return status;
}

static rask_status apply(raski_configuration *cfg, const raski_argument *argument,
                         raski_error *err) {
    raski_origin origin = {RASKI_ORIGIN_ARGUMENT, argument->flag, 0};
    if (argument->kind == RASKI_ARGUMENT_OPTION)
        return set_pair(cfg, argument->value, &origin, err);
    return raski_configuration_set(cfg, "parallelism.default", argument->value, &origin, err);
}

/* One pass over Rask's arguments: only --config files, or everything else. */
static rask_status apply_pass(int argc, char *const *argv, bool files, raski_configuration *cfg,
                              raski_error *err) {
    raski_argument argument;
    for (int i = 1; i < argc; i += argument.words) {
        argument = raski_argument_at(argc, argv, i);
        if (argument.kind == RASKI_ARGUMENT_END) break;
        if (argument.kind == RASKI_ARGUMENT_OTHER) continue;
        if (argument.value == NULL)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs a value", argument.flag);
        if (files != (argument.kind == RASKI_ARGUMENT_CONFIG)) continue;
        RASKI_TRY(files ? raski_configuration_load_file(cfg, argument.value, err)
                        : apply(cfg, &argument, err));
    }
    return RASK_OK;
}

static void remove_taken(int *argc, char **argv) {
    int kept = 1;
    int i = 1;
    while (i < *argc) {
        raski_argument argument = raski_argument_at(*argc, argv, i);
        if (argument.kind == RASKI_ARGUMENT_END) {
            i++;
            break;
        }
        if (argument.kind == RASKI_ARGUMENT_OTHER) argv[kept++] = argv[i];
        i += argument.words;
    }
    while (i < *argc) argv[kept++] = argv[i++];
    argv[kept] = NULL;
    *argc = kept;
}

rask_status raski_configuration_from_arguments(int *argc, char ***argv, raski_configuration *cfg,
                                               raski_error *err) {
    if (*argc < 1) return RASK_OK;
    const char *directory = getenv("RASK_CONF_DIR");
    if (directory != NULL && *directory != '\0') {
        raski_error detail = {0};
        rask_status status = raski_configuration_load_directory(cfg, directory, &detail);
        if (status != RASK_OK)
            return RASKI_FAIL(err, status, USER, "RASK_CONF_DIR: %s", detail.message);
    }
    RASKI_TRY(apply_pass(*argc, *argv, true, cfg, err));
    RASKI_TRY(apply_pass(*argc, *argv, false, cfg, err));
    remove_taken(argc, *argv);
    return RASK_OK;
}
