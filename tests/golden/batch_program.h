/* batch_program.h - the programs of batch/, written with the public API. They give JSON texts.
 * Threads: the caller's; a program runs to its end. */
#ifndef GOLDEN_BATCH_PROGRAM_H
#define GOLDEN_BATCH_PROGRAM_H
#include <jansson.h>
#include <rask/rask.h>

typedef struct batch_pair {
    rask_string name;
    int32_t number;
} batch_pair;
RASK_TYPE(batch_pair, name, number);

/* One record for every type of key: `label` is the key as Java prints it. */
typedef struct batch_item {
    rask_string label, text;
    int64_t big;
    double exact;
    float real;
    int32_t number;
    int16_t small;
    int8_t tiny;
    bool flag;
    batch_pair pair;
    int32_t v;
    rask_timestamp at;
} batch_item;
RASK_TYPE(batch_item, label, text, big, exact, real, number, small, tiny, (flag, rask_bool),
          (pair, batch_pair), v, (at, rask_timestamp));

typedef enum batch_key {
    BATCH_KEY_TEXT,
    BATCH_KEY_LONG,
    BATCH_KEY_INT,
    BATCH_KEY_SHORT,
    BATCH_KEY_BYTE,
    BATCH_KEY_BOOLEAN,
    BATCH_KEY_DOUBLE,
    BATCH_KEY_FLOAT,
    BATCH_KEY_PAIR,
} batch_key;

typedef struct batch_input {
    batch_item *items;
    size_t count;
} batch_input;

enum { BATCH_OPTIONS_MAX = 8 };
typedef struct batch_program {
    const char *operation; /* "reduce", "process", "tumbling10", ... */
    bool streaming;
    batch_key key;
    int parallelism;
    const batch_input *inputs; /* two */
    struct {
        const char *key, *value;
    } options[BATCH_OPTIONS_MAX];
    size_t option_count;
} batch_program;

/* Runs it: an array of results in their order (the caller's). A failure gives *ret_message (the
 * caller's, raski_free). */
json_t *batch_program_run(const batch_program *program, char **ret_message);
#endif
