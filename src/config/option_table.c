#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "config/options.h"

static const raski_option options[] = {
#define RASKI_OPTION_SECTION(title, intro)
#define RASKI_OPTION(id, ...) [RASKI_OPTION_##id] = {__VA_ARGS__},
#include "config/options/all.def"
#undef RASKI_OPTION
#undef RASKI_OPTION_SECTION
};

static const raski_option_family families[] = {
    {"metrics.reporter.", RASKI_OPTION_NO_EFFECT_YET, "Reporters of metrics, by name."},
    {"traces.reporter.", RASKI_OPTION_NO_EFFECT_YET, "Reporters of traces, by name."},
    {"events.reporter.", RASKI_OPTION_NO_EFFECT_YET, "Reporters of events, by name."},
    {"external-resource.", RASKI_OPTION_NO_EFFECT_YET, "Resources such as GPUs, by name."},
    {"state.backend.rocksdb.", RASKI_OPTION_NO_EFFECT_YET, "State in RocksDB."},
    {"state.backend.forst.", RASKI_OPTION_NO_EFFECT_YET, "State in ForSt."},
    {"high-availability.", RASKI_OPTION_NO_EFFECT_YET, "JobManagers that take over."},
    {"security.", RASKI_OPTION_NO_EFFECT_YET, "Encryption and credentials."},
    {"historyserver.", RASKI_OPTION_NO_EFFECT_YET, "The server of finished jobs."},
    {"blob.", RASKI_OPTION_NO_EFFECT_YET, "Distribution of programs to workers."},
    {"fs.", RASKI_OPTION_NO_EFFECT_YET, "File systems by scheme."},
    {"s3.", RASKI_OPTION_NO_EFFECT_YET, "Object storage."},
    {"client.", RASKI_OPTION_NO_EFFECT_YET, "Clients of a cluster."},
    {"queryable-state.", RASKI_OPTION_NO_EFFECT_YET, "State that others can query."},
    {"table.", RASKI_OPTION_NO_EFFECT_YET, "Tables and SQL."},
    {"sql-client.", RASKI_OPTION_NO_EFFECT_YET, "The SQL client."},
    {"sql-gateway.", RASKI_OPTION_NO_EFFECT_YET, "The SQL gateway."},
    {"env.", RASKI_OPTION_NOT_APPLICABLE, "Environment of Flink's start scripts and its JVM."},
    {"containerized.", RASKI_OPTION_NOT_APPLICABLE, "Environment of Flink's containers."},
    {"classloader.", RASKI_OPTION_NOT_APPLICABLE, "Loading of Java classes."},
    {"plugin.", RASKI_OPTION_NOT_APPLICABLE, "Loading of Java plugins."},
    {"pekko.", RASKI_OPTION_NOT_APPLICABLE, "Flink's remote calls."},
    {"akka.", RASKI_OPTION_NOT_APPLICABLE, "Flink's remote calls, by their older name."},
    {"compiler.", RASKI_OPTION_NOT_APPLICABLE, "The optimizer of the old DataSet API."},
    {"zookeeper.", RASKI_OPTION_NOT_APPLICABLE, "ZooKeeper beside Flink."},
    {"jmx.", RASKI_OPTION_NOT_APPLICABLE, "JMX."},
    {"kubernetes.", RASKI_OPTION_NOT_APPLICABLE, "Flink on Kubernetes."},
    {"yarn.", RASKI_OPTION_NOT_APPLICABLE, "Flink on YARN."},
    {"python.", RASKI_OPTION_NOT_APPLICABLE, "Python programs."},
};

enum { FAMILY_COUNT = sizeof families / sizeof *families };

const raski_option *raski_option_get(raski_option_id id) {
    RASKI_ASSERT((unsigned)id < RASKI_OPTION_COUNT);
    return &options[id];
}

const char *raski_option_default(const raski_option *option) {
    return option->rask_default != NULL ? option->rask_default : option->flink_default;
}

raski_option_id raski_option_id_of(const raski_option *option) {
    return (raski_option_id)(option - options);
}

const raski_option *raski_option_find(const char *key) {
    for (size_t i = 0; i < RASKI_OPTION_COUNT; i++)
        if (strcmp(options[i].key, key) == 0) return &options[i];
    return NULL;
}

const raski_option *raski_option_find_map_of(const char *key) {
    for (size_t i = 0; i < RASKI_OPTION_COUNT; i++) {
        size_t length = strlen(options[i].key);
        if (options[i].type == RASKI_VALUE_MAP && strncmp(options[i].key, key, length) == 0 &&
            key[length] == '.' && key[length + 1] != '\0')
            return &options[i];
    }
    return NULL;
}

bool raski_option_words_contain(const char *words_or_null, const char *word) {
    size_t wanted = strlen(word);
    const char *words = words_or_null != NULL ? words_or_null : "";
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (length == wanted && memcmp(words, word, length) == 0) return true;
        words += length;
        words += strspn(words, " ");
    }
    return false;
}

const raski_option *raski_option_find_deprecated(const char *key, const raski_option *previous) {
    size_t from = previous != NULL ? (size_t)(previous - options) + 1 : 0;
    for (size_t i = from; i < RASKI_OPTION_COUNT; i++)
        if (raski_option_words_contain(options[i].deprecated_keys, key)) return &options[i];
    return NULL;
}

const raski_option *raski_option_resolve(const char *key) {
    const raski_option *option = raski_option_find(key);
    return option != NULL ? option : raski_option_find_deprecated(key, NULL);
}

const raski_option_family *raski_option_find_family(const char *key) {
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        size_t length = strlen(families[i].prefix);
        if (strncmp(families[i].prefix, key, length) == 0 && key[length] != '\0')
            return &families[i];
    }
    return NULL;
}

const raski_option_family *raski_option_families(size_t *ret_count) {
    *ret_count = FAMILY_COUNT;
    return families;
}

/* Whether key is what name ends with, behind a point ("checkpointing.interval"). */
static bool is_tail(const char *name, const char *key) {
    size_t name_length = strlen(name);
    size_t key_length = strlen(key);
    return name_length > key_length && name[name_length - key_length - 1] == '.' &&
           strcasecmp(name + name_length - key_length, key) == 0;
}

const char *raski_option_nearest(const char *key) {
    const char *nearest = NULL;
    size_t allowed = strlen(key) / 4 < 2 ? 2 : strlen(key) / 4;
    size_t best = allowed + 1;
    size_t length = strlen(key);
    for (size_t i = 0; i < RASKI_OPTION_COUNT; i++) {
        size_t option_length = strlen(options[i].key);
        size_t apart = length > option_length ? length - option_length : option_length - length;
        if (apart >= best) continue; /* so many letters must come or go */
        size_t distance = raski_edit_distance(key, options[i].key);
        if (distance >= best) continue;
        best = distance;
        nearest = options[i].key;
    }
    if (nearest != NULL) return nearest;
    for (size_t i = 0; i < RASKI_OPTION_COUNT; i++)
        if (is_tail(options[i].key, key)) return options[i].key;
    return NULL;
}

bool raski_option_is_secret(const char *key) {
    static const char *const signs[] = {"password",   "secret",      "token",       "apikey",
                                        "api-key",    "service-key", "account.key", "auth-params",
                                        "basic-auth", "jaas.config", "http-headers"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcasestr(key, signs[i]) != NULL) return true;
    return false;
}

const char *raski_value_type_name(raski_value_type type) {
    static const char *const names[] = {
        [RASKI_VALUE_STRING] = "text",       [RASKI_VALUE_INT] = "int",
        [RASKI_VALUE_LONG] = "long",         [RASKI_VALUE_DOUBLE] = "double",
        [RASKI_VALUE_BOOL] = "bool",         [RASKI_VALUE_CHOICE] = "choice",
        [RASKI_VALUE_DURATION] = "duration", [RASKI_VALUE_MEMORY] = "memory size",
        [RASKI_VALUE_LIST] = "list",         [RASKI_VALUE_MAP] = "map",
    };
    return names[type];
}
