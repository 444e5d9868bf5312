/* options.h - every option that Rask knows, by Flink 2.2.0's name, in one table that also writes
 * docs/configuration.md. To add one, write a RASKI_OPTION into options/<section>.def.
 * Flink: the ConfigOption constants of flink-core's and flink-runtime's *Options classes.
 * Everything here is constant. Threads: any. */
#ifndef RASKI_CONFIG_OPTIONS_H
#define RASKI_CONFIG_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum raski_option_id {
#define RASKI_OPTION_SECTION(title, intro)
#define RASKI_OPTION(id, ...) RASKI_OPTION_##id,
#include "config/options/all.def"
#undef RASKI_OPTION
#undef RASKI_OPTION_SECTION
    RASKI_OPTION_COUNT,
} raski_option_id;

typedef enum raski_value_type {
    RASKI_VALUE_STRING,
    RASKI_VALUE_INT,  /* 32 bits */
    RASKI_VALUE_LONG, /* 64 bits */
    RASKI_VALUE_DOUBLE,
    RASKI_VALUE_BOOL,
    RASKI_VALUE_CHOICE, /* one of choices */
    RASKI_VALUE_DURATION,
    RASKI_VALUE_MEMORY,
    RASKI_VALUE_LIST, /* of texts, or of choices where there are some */
    RASKI_VALUE_MAP,  /* text to text */
} raski_value_type;

typedef enum raski_option_status {
    RASKI_OPTION_HONOURED,
    RASKI_OPTION_PLANNING_ONLY,  /* changes the graphs and the plan, not yet the run */
    RASKI_OPTION_NO_EFFECT_YET,  /* checked and kept; what it rules is not built yet */
    RASKI_OPTION_NOT_APPLICABLE, /* rules something that only Java has */
} raski_option_status;

typedef struct raski_option {
    const char *key;
    raski_value_type type;
    const char *choices;         /* "A|B|C", or NULL */
    const char *flink_default;   /* NULL: none */
    const char *rask_default;    /* where it differs, else NULL */
    const char *rask_reason;     /* why it differs */
    int64_t min, max;            /* of numbers; both 0: as the type allows */
    int64_t also;                /* a value outside of min..max that is allowed too; 0: none */
    const char *deprecated_keys; /* older names, separated by blanks; NULL: none */
    const char *fallback_keys;   /* options that count when this one is not set; NULL: none */
    raski_option_status status;
    const char *description;
} raski_option;

/* Options by prefix: names that users choose, or that belong to what Rask does not have. */
typedef struct raski_option_family {
    const char *prefix; /* with its last point */
    raski_option_status status;
    const char *description;
} raski_option_family;

/* Indexes of choices, for raski_configuration_get_choice (a test compares them with the table). */
enum raski_runtime_mode_choice {
    RASKI_RUNTIME_MODE_STREAMING,
    RASKI_RUNTIME_MODE_BATCH,
    RASKI_RUNTIME_MODE_AUTOMATIC,
};
enum raski_batch_shuffle_mode_choice {
    RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_PIPELINED,
    RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_BLOCKING,
    RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_HYBRID_FULL,
    RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_HYBRID_SELECTIVE,
};
enum raski_checkpointing_mode {
    RASKI_CHECKPOINTING_EXACTLY_ONCE,
    RASKI_CHECKPOINTING_AT_LEAST_ONCE,
};
enum raski_scheduler_type_choice {
    RASKI_SCHEDULER_CHOICE_DEFAULT,
    RASKI_SCHEDULER_CHOICE_ADAPTIVE,
    RASKI_SCHEDULER_CHOICE_ADAPTIVE_BATCH,
};
enum raski_vertex_description_mode_choice {
    RASKI_VERTEX_DESCRIPTION_CHOICE_TREE,
    RASKI_VERTEX_DESCRIPTION_CHOICE_CASCADING,
};
enum raski_state_backend_choice {
    RASKI_STATE_BACKEND_HASHMAP,
    RASKI_STATE_BACKEND_ROCKSDB,
    RASKI_STATE_BACKEND_FORST,
};
/* restart-strategy.type, with its second spellings. */
enum raski_restart_strategy_type {
    RASKI_RESTART_NONE,
    RASKI_RESTART_OFF,
    RASKI_RESTART_DISABLE,
    RASKI_RESTART_FIXED_DELAY,
    RASKI_RESTART_FIXEDDELAY,
    RASKI_RESTART_EXPONENTIAL_DELAY,
    RASKI_RESTART_EXPONENTIALDELAY,
    RASKI_RESTART_FAILURE_RATE,
    RASKI_RESTART_FAILURERATE,
};

const raski_option *raski_option_get(raski_option_id id);
/* The default that holds in Rask, or NULL. */
const char *raski_option_default(const raski_option *option);
raski_option_id raski_option_id_of(const raski_option *option);
/* By exact name; NULL when there is none. Older names are not found. */
const raski_option *raski_option_find(const char *key);
/* By its name or an older one (the first option that had it); NULL when there is none. */
const raski_option *raski_option_resolve(const char *key);
/* The map option whose entry key is ("pipeline.global-job-parameters.a"), or NULL. */
const raski_option *raski_option_find_map_of(const char *key);
/* The next option after previous (NULL: the first) that key is an older name of; NULL at the end.
 * Several can share one older name. */
const raski_option *raski_option_find_deprecated(const char *key, const raski_option *previous);
/* The family that key belongs to, or NULL. */
const raski_option_family *raski_option_find_family(const char *key);
const raski_option_family *raski_option_families(size_t *ret_count);
/* The known name that is most like key, or NULL when none is near. */
const char *raski_option_nearest(const char *key);
/* Whether values of key must not be shown (passwords, tokens). */
bool raski_option_is_secret(const char *key);
/* "int", "duration", ... for people. */
const char *raski_value_type_name(raski_value_type type);
/* Whether words (separated by blanks, or NULL) contain word. */
bool raski_option_words_contain(const char *words_or_null, const char *word);
#endif
