/* plan_config.h - the settings that decide what a plan looks like, with Flink's defaults.
 * Flink: ExecutionConfig, CheckpointConfig and the options that StreamGraphGenerator and
 * StreamingJobGraphGenerator read. A plain value: copy it as you like; texts are owned by an arena
 * of the caller. Threads: one owner. */
#ifndef RASKI_GRAPH_PLAN_CONFIG_H
#define RASKI_GRAPH_PLAN_CONFIG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "types/key_group.h"

enum { RASKI_PARALLELISM_DEFAULT = -1 };
enum { RASKI_BUFFER_TIMEOUT_DISABLED = -1 }; /* ms: a buffer is sent when it is full */

typedef enum raski_runtime_mode {
    RASKI_RUNTIME_STREAMING,
    RASKI_RUNTIME_BATCH,
    RASKI_RUNTIME_AUTOMATIC,
} raski_runtime_mode;

typedef enum raski_batch_shuffle_mode {
    RASKI_SHUFFLE_ALL_EXCHANGES_PIPELINED,
    RASKI_SHUFFLE_ALL_EXCHANGES_BLOCKING,
    RASKI_SHUFFLE_ALL_EXCHANGES_HYBRID_FULL,
    RASKI_SHUFFLE_ALL_EXCHANGES_HYBRID_SELECTIVE,
} raski_batch_shuffle_mode;

typedef enum raski_scheduler_type {
    RASKI_SCHEDULER_UNSET,
    RASKI_SCHEDULER_DEFAULT,
    RASKI_SCHEDULER_ADAPTIVE,
    RASKI_SCHEDULER_ADAPTIVE_BATCH,
} raski_scheduler_type;

typedef enum raski_vertex_description_mode {
    RASKI_VERTEX_DESCRIPTION_TREE,
    RASKI_VERTEX_DESCRIPTION_CASCADING,
} raski_vertex_description_mode;

/* Who shares the managed memory of a slot (Flink: ManagedMemoryUseCase), in Flink's order. */
typedef enum raski_memory_use_case {
    RASKI_MEMORY_OPERATOR, /* operator scope: has a weight; the others are slot scope */
    RASKI_MEMORY_STATE_BACKEND,
    RASKI_MEMORY_PYTHON,
    RASKI_MEMORY_USE_CASES,
} raski_memory_use_case;
/* "OPERATOR", ... */
const char *raski_memory_use_case_name(raski_memory_use_case use_case);

enum { RASKI_CONFIG_DEFERRED_MAX = 32 };

typedef struct raski_plan_config {
    const char *job_name;            /* pipeline.name; NULL: Flink's default by mode */
    int32_t parallelism;             /* parallelism.default; see parallelism_set */
    bool parallelism_set;            /* the option is present (in Rask it may come from cores) */
    int32_t max_parallelism;         /* pipeline.max-parallelism; -1: not set */
    raski_runtime_mode runtime_mode; /* execution.runtime-mode */
    raski_scheduler_type scheduler;  /* jobmanager.scheduler */
    raski_batch_shuffle_mode batch_shuffle_mode; /* execution.batch-shuffle-mode */
    bool chaining;                               /* pipeline.operator-chaining.enabled */
    bool chaining_with_different_max_parallelism;
    bool buffer_timeout_enabled; /* execution.buffer-timeout.enabled */
    int64_t buffer_timeout_ms;   /* execution.buffer-timeout.interval */
    bool auto_generate_uids;     /* pipeline.auto-generate-uids */
    raski_vertex_description_mode vertex_description_mode;
    bool vertex_name_index_prefix;      /* pipeline.vertex-name-include-index-prefix */
    bool sort_inputs;                   /* execution.sorted-inputs.enabled */
    int64_t sorted_inputs_memory_bytes; /* execution.sorted-inputs.memory */
    int64_t sort_partition_memory_bytes, sort_keyed_partition_memory_bytes;
    bool batch_state_backend;     /* execution.batch-state-backend.enabled */
    bool auto_parallelism;        /* execution.batch.adaptive.auto-parallelism.enabled */
    int32_t auto_parallelism_min; /* ....min-parallelism */
    int32_t auto_parallelism_max; /* ....max-parallelism; 128 by default; see _set */
    bool auto_parallelism_max_set;
    int64_t checkpoint_interval_ms; /* <= 0: off */
    bool exactly_once;              /* execution.checkpointing.mode */
    bool unaligned_checkpoints, force_unaligned_checkpoints;
    bool approximate_local_recovery;
    bool checkpoints_after_tasks_finish;
    const char *state_backend; /* state.backend.type; NULL: not set */
    int32_t
        consumer_weights[RASKI_MEMORY_USE_CASES]; /* taskmanager.memory.managed.consumer-weights;
                                                     0: the use case gets nothing */
    uint64_t given; /* bits of options that were set by their present name */
    struct {
        const char *key, *value; /* what could not be parsed */
    } deferred[RASKI_CONFIG_DEFERRED_MAX];
    size_t deferred_count;
} raski_plan_config;

/* Flink's defaults; the default parallelism is 1 (the topology files' rule). */
void raski_plan_config_init(raski_plan_config *config);

/* Sets one option by Flink's key. Keys that planning does not need are ignored (the option table
 * of src/config knows which keys exist). A value that cannot be parsed is an error here; the
 * config is unchanged then. Texts are copied into arena. */
RASKI_NODISCARD rask_status raski_plan_config_set(raski_plan_config *config, raski_arena *arena,
                                                  const char *key, const char *value,
                                                  raski_error *err);
/* The same, but as Flink does it: a bad value is remembered and reported when the option is read,
 * by raski_plan_config_check. */
void raski_plan_config_set_lazily(raski_plan_config *config, raski_arena *arena, const char *key,
                                  const char *value);
/* Fails when the value remembered for key is bad: what Flink does when it reads the option. */
RASKI_NODISCARD rask_status raski_plan_config_check(const raski_plan_config *config,
                                                    const char *key, raski_error *err);
/* The same for all options that Flink reads when it makes an environment, in its order. */
RASKI_NODISCARD rask_status raski_plan_config_check_environment(const raski_plan_config *config,
                                                                raski_error *err);

/* The setters of StreamExecutionEnvironment that check their argument, with Flink's texts. */
RASKI_NODISCARD rask_status raski_plan_config_set_parallelism(raski_plan_config *config,
                                                              int32_t parallelism,
                                                              raski_error *err);
RASKI_NODISCARD rask_status raski_plan_config_set_max_parallelism(raski_plan_config *config,
                                                                  int32_t max_parallelism,
                                                                  raski_error *err);
/* -1: off (buffers are sent when full); 0: after every record. */
RASKI_NODISCARD rask_status raski_plan_config_set_buffer_timeout(raski_plan_config *config,
                                                                 int64_t timeout_ms,
                                                                 raski_error *err);
RASKI_NODISCARD rask_status raski_plan_config_set_checkpoint_interval(raski_plan_config *config,
                                                                      int64_t interval_ms,
                                                                      raski_error *err);
/* The timeout that operators get that set none themselves; -1: none. */
int64_t raski_plan_config_buffer_timeout_ms(const raski_plan_config *config);
/* Checkpoints are on, exactly-once, and may overtake records. */
bool raski_plan_config_takes_unaligned_checkpoints(const raski_plan_config *config);
#endif
