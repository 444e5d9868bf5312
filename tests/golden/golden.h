/* golden.h - replays facts of the real Flink against Rask, one kind of fact per folder/file.
 * A kind is a function in a file of its own (kind_plan.c, kind_keys.c, ...) that is handed one case
 * at a time; main.c has the table. Threads: one per process; cases run in a few child processes, so
 * a kind keeps nothing from case to case. */
#ifndef GOLDEN_GOLDEN_H
#define GOLDEN_GOLDEN_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One case: a line of a .jsonl file, or the whole of a .json file. */
typedef struct golden_case {
    const char *text; /* as it stands in the file, NUL-terminated */
    size_t length;
    const json_t *json; /* parsed; NULL when the kind is raw */
    size_t number;      /* from 1, in the file */
    char name[128];     /* for messages; "line N" until the kind sets it */
    size_t differences; /* found so far: 0 at the end means passed */
    bool quiet;         /* enough differences of this kind were printed */
} golden_case;

typedef void (*golden_check)(golden_case *c);

typedef struct golden_kind {
    const char *name; /* "plan/cases": DIR/plan/cases.jsonl, .jsonl.gz or .json */
    golden_check check;
    bool raw; /* the text is not parsed before check is called */
} golden_kind;

/* Reports a difference at a path of the case ("facts.streamGraph.nodes[3].name"). */
void golden_differ(golden_case *c, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Compares exactly: same members, same order of arrays, integers and reals are different, reals by
 * their bits. An expected string "unstable" under the key "id" matches any string. Reports every
 * difference; true when there was none. got NULL is reported as missing. */
bool golden_equal(golden_case *c, const char *path, const json_t *expected, const json_t *got);

/* The kinds' functions: a new kind is declared here and entered in the table of main.c. */
void golden_check_plan(golden_case *c);
void golden_check_edge_distribution(golden_case *c);
void golden_region_scheduling(golden_case *c);
void golden_vertexwise_scheduling(golden_case *c);
void golden_restart_region(golden_case *c);
void golden_slot_sharing(golden_case *c);
void golden_restart_backoff(golden_case *c);
void golden_keys(golden_case *c);
void golden_keys_murmur(golden_case *c);
void golden_key_types(golden_case *c);
void golden_key_groups(golden_case *c);
void golden_key_groups_large(golden_case *c);
void golden_operator_index(golden_case *c);
void golden_default_max_parallelism(golden_case *c);
void golden_key_groups_errors(golden_case *c);
void golden_mappers(golden_case *c);
void golden_partitioner_mappers(golden_case *c);
void golden_batch(golden_case *c);
void golden_operator_state(golden_case *c);
void golden_watermark_valve(golden_case *c);
void golden_watermark_generators(golden_case *c);
void golden_watermark_multiplexer(golden_case *c);
void golden_window_assign(golden_case *c);
void golden_windows(golden_case *c);
void golden_window_join(golden_case *c);
void golden_timers(golden_case *c);
void golden_connected(golden_case *c);
void golden_interval_join(golden_case *c);
#endif
