/* transformation.h - what a program asked for: one node per API call, before any planning.
 * Flink: api.dag.Transformation and streaming.api.transformations; the environment part of
 * StreamExecutionEnvironment. Plain structures: read any field; write through the functions, which
 * check as Flink does. Everything lives in the arena of its raski_transformation_graph.
 *
 * Building never stops a program at once: the API keeps the first error and reports it with
 * file:line of the call. Threads: one owner. No recursion anywhere: programs may be long. */
#ifndef RASKI_GRAPH_TRANSFORMATION_H
#define RASKI_GRAPH_TRANSFORMATION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/status.h"
#include "base/vec.h"
#include "graph/partitioner.h"
#include "graph/plan_config.h"
#include "graph/resources.h"

typedef struct raski_transformation raski_transformation;
typedef struct raski_transformation_graph raski_transformation_graph;
typedef struct raski_plan_env raski_plan_env;

typedef enum raski_transformation_kind {
    RASKI_TRANSFORMATION_SOURCE,        /* FLIP-27: split enumerator and readers */
    RASKI_TRANSFORMATION_LEGACY_SOURCE, /* SourceFunction */
    RASKI_TRANSFORMATION_ONE_INPUT,
    RASKI_TRANSFORMATION_TWO_INPUT,
    RASKI_TRANSFORMATION_MULTI_INPUT,
    RASKI_TRANSFORMATION_KEYED_MULTI_INPUT,
    RASKI_TRANSFORMATION_REDUCE, /* keyed reduce and the rolling aggregates */
    RASKI_TRANSFORMATION_TIMESTAMPS_AND_WATERMARKS,
    RASKI_TRANSFORMATION_BROADCAST_STATE,
    RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE,
    RASKI_TRANSFORMATION_SINK,        /* Sink V2: expands to writer, committer, ... */
    RASKI_TRANSFORMATION_LEGACY_SINK, /* SinkFunction */
    RASKI_TRANSFORMATION_GLOBAL_COMMITTER,
    RASKI_TRANSFORMATION_CACHE,
    /* virtual: no stream node of their own */
    RASKI_TRANSFORMATION_PARTITION,
    RASKI_TRANSFORMATION_UNION,
    RASKI_TRANSFORMATION_SIDE_OUTPUT,
} raski_transformation_kind;

typedef enum raski_chaining_strategy {
    RASKI_CHAINING_ALWAYS,
    RASKI_CHAINING_NEVER,
    RASKI_CHAINING_HEAD,
    RASKI_CHAINING_HEAD_WITH_SOURCES,
} raski_chaining_strategy;
const char *raski_chaining_strategy_name(raski_chaining_strategy strategy); /* "ALWAYS", ... */

typedef enum raski_exchange_mode { /* of one edge; Flink: StreamExchangeMode */
                                   RASKI_EXCHANGE_UNDEFINED,
                                   RASKI_EXCHANGE_PIPELINED,
                                   RASKI_EXCHANGE_BATCH,
                                   RASKI_EXCHANGE_HYBRID_FULL,
                                   RASKI_EXCHANGE_HYBRID_SELECTIVE,
} raski_exchange_mode;
const char *raski_exchange_mode_name(raski_exchange_mode mode); /* "UNDEFINED", ... */

/* What Flink finds out about an operator factory with instanceof. */
typedef enum raski_operator_role {
    RASKI_OPERATOR_PLAIN,
    RASKI_OPERATOR_SOURCE,        /* SourceOperatorFactory */
    RASKI_OPERATOR_LEGACY_SOURCE, /* StreamSource: runs as a SourceStreamTask */
    RASKI_OPERATOR_SINK_WRITER,
    RASKI_OPERATOR_COMMITTER,
    RASKI_OPERATOR_GLOBAL_COMMITTER,
} raski_operator_role;

typedef enum raski_operator_format { /* the vertex becomes an InputOutputFormatVertex */
                                     RASKI_FORMAT_NONE,
                                     RASKI_FORMAT_INPUT,
                                     RASKI_FORMAT_OUTPUT,
} raski_operator_format;

/* The planner's view of a StreamOperatorFactory. Zero-initialised is Flink's default factory of a
 * plain operator: ALWAYS, no properties. */
typedef struct raski_operator_factory {
    raski_operator_role role;
    raski_chaining_strategy chaining;
    raski_operator_format format;
    bool yielding;    /* YieldingOperatorFactory: never chained behind a legacy source */
    bool coordinated; /* CoordinatedOperatorFactory: has an operator coordinator */
    bool output_only_after_end_of_stream, internal_sorter_supported; /* OperatorAttributes */
    bool input_selectable;     /* the operator implements InputSelectable */
    bool supports_async_state; /* AsyncKeyOrderedProcessingOperator */
    bool simple; /* SimpleOperatorFactory: the operator itself is known (async state asks for it) */
    bool concurrent_sink_function; /* legacy sinks: the user's function allows several attempts */
    const char *operator_class;    /* name for error texts; NULL: not known */
} raski_operator_factory;

/* How a keyed stream is keyed: what its keyBy was given. */
typedef struct raski_key {
    raski_key_selector selector;
    const char *type; /* Flink's text of the key's type; equal texts are equal types */
    bool async_state; /* keyed.enableAsyncState() */
} raski_key;

/* A stream as the API sees it: key is NULL for a plain one. */
typedef struct raski_plan_stream {
    raski_transformation *transformation;
    const raski_key *key; /* borrowed: lives as long as the transformation graph */
} raski_plan_stream;

/* Expands a part of a Sink V2 (pre-write, pre-commit, post-commit topology): builds
 * transformations on input and returns the last stream (input itself if it made none). */
typedef rask_status (*raski_sink_topology_fn)(void *context, raski_plan_stream input,
                                              raski_plan_stream *ret_output, raski_error *err);

/* What a Sink V2 consists of, and which mix-ins it has. */
typedef struct raski_sink {
    bool committer;           /* SupportsCommitter */
    bool concurrent_attempts; /* SupportsConcurrentExecutionAttempts */
    raski_sink_topology_fn pre_write, pre_commit, post_commit;          /* NULL: no such mix-in */
    void *pre_write_context, *pre_commit_context, *post_commit_context; /* borrowed */
    const char *writer_uid_hash, *committer_uid_hash, *global_committer_uid_hash; /* or NULL */
    const char *committable_type; /* Flink's text of the type of committables; NULL: a plain name */
    const void *payload;          /* borrowed: goes to the writer's node */
    const void *committer_payload; /* borrowed: goes to the committer's node */
} raski_sink;

struct raski_transformation {
    raski_transformation_kind kind;
    int32_t id;
    raski_plan_env *env; /* of the stream that it makes */
    const char *name;
    const char *description; /* NULL: the name is shown */
    const char *output_type; /* Flink's text of the type; equal texts are equal types; NULL: none */
    int32_t parallelism;     /* -1: the environment's */
    bool parallelism_configured;
    int32_t max_parallelism; /* -1: not set */
    raski_resource_spec min_resources, preferred_resources;
    int32_t operator_memory_weight; /* managed memory use case OPERATOR; 0: not declared */
    bool slot_scope_memory[RASKI_MEMORY_USE_CASES];
    const char *uid, *user_hash;                        /* or NULL */
    int64_t buffer_timeout_ms;                          /* -1: the environment's */
    const raski_slot_sharing_group *slot_sharing_group; /* NULL: by the inputs */
    const char *co_location_key;                        /* or NULL */
    bool no_output_until_end_of_input;                  /* the attribute */

    RASKI_VEC(raski_transformation *) inputs;
    /* Physical ones. For SOURCE, REDUCE, TIMESTAMPS and SINK only .chaining counts (SINK: only if
     * chaining_set); the broadcast kinds ignore it, as Flink's translators do. */
    raski_operator_factory factory;
    bool chaining_set;
    bool supports_concurrent_execution_attempts;
    bool serial_source; /* its parallelism must stay 1 */
    bool non_parallel;  /* forceNonParallel: parallelism and max parallelism must stay 1 */
    /* Keyed ones: one selector per input (id 0: that input is not keyed); NULL: not keyed. */
    raski_key_selector *key_selectors;
    size_t key_selector_count;
    const char *key_type; /* Flink's text */
    bool async_state;

    bool bounded;                      /* the sources */
    raski_partitioner *partitioner;    /* PARTITION */
    raski_exchange_mode exchange_mode; /* PARTITION */
    const char *side_output_tag;       /* SIDE_OUTPUT; its type is output_type */
    const char *cache_data_set;        /* CACHE: name of the data set */
    bool cached;                       /* CACHE: an earlier job has filled it */
    raski_sink *sink;                  /* SINK */
    const raski_key *sink_input_key;   /* SINK, GLOBAL_COMMITTER: borrowed; NULL: plain input */
    raski_map *requested_side_outputs; /* tag -> type text asked for so far */

    const void *payload;      /* borrowed, opaque: the runtime's operator definition */
    const void *type_payload; /* borrowed, opaque: the runtime's description of output_type */
    const char *file;         /* of the user's call; borrowed; NULL: not known */
    int line;
};

/* Owns everything of one program: environments, transformations, strings. The id counter is here
 * (virtual transformations take ids too, and so do virtual nodes while planning). */
struct raski_transformation_graph {
    raski_arena *arena;
    int32_t last_id;
    RASKI_VEC(raski_transformation *) all;
    RASKI_VEC(raski_plan_env *) envs;
    /* What could not be planned, after an error of raski_stream_graph_generate or of operator
     * hashes that is about one operator: its file and line tell the user where. NULL: none. */
    const raski_transformation *failed;
};

/* What a program's streams belong to. operators is the list that execute() plans. */
struct raski_plan_env {
    raski_transformation_graph *graph;
    raski_plan_config config; /* may be changed freely until planning */
    RASKI_VEC(raski_transformation *) operators;
    size_t operators_version;                                /* changes with operators */
    RASKI_VEC(raski_slot_sharing_group) slot_sharing_groups; /* registered ones with resources */
};

raski_transformation_graph *raski_transformation_graph_create(void);
void raski_transformation_graph_destroy(raski_transformation_graph *graph_take);
/* A new environment with Flink's default settings; owned by the graph. */
raski_plan_env *raski_plan_env_create(raski_transformation_graph *graph);
/* The next id (1, 2, ...). */
int32_t raski_transformation_graph_next_id(raski_transformation_graph *graph);
/* Fine-grained resources of a group (registerSlotSharingGroup). Copies the name. */
void raski_plan_env_register_slot_sharing_group(raski_plan_env *env,
                                                const raski_slot_sharing_group *group);
/* Adds to the list that is planned. The constructors do it wherever Flink's API does. */
void raski_plan_env_add_operator(raski_plan_env *env, raski_transformation *transformation);

/* --- constructors -------------------------------------------------------------------------------
 * They are the DataStream API's calls: they take the next id, use the environment's default
 * parallelism, and register operators. Names and type texts are copied. Inputs are borrowed and
 * belong to the same graph. None fails except where it returns a status. */

/* env.fromSource; name without "Source: ". */
raski_transformation *raski_transformation_source(raski_plan_env *env, const char *name,
                                                  const char *output_type, bool bounded);
/* env.addSource. parallel false: parallelism is 1 and must stay so. */
raski_transformation *raski_transformation_legacy_source(raski_plan_env *env, const char *name,
                                                         const char *output_type, bool parallel,
                                                         bool bounded);
/* stream.transform(name, type, factory). key is that of a keyed input (its transformation is the
 * keyBy's partition), else NULL. */
raski_transformation *raski_transformation_one_input(raski_transformation *input, const char *name,
                                                     const char *output_type,
                                                     const raski_operator_factory *factory,
                                                     const raski_key *key);
/* connected.transform(...). key1 and key2 as above; an error when their types differ. */
RASKI_NODISCARD rask_status raski_transformation_two_input(
    raski_transformation *input1, raski_transformation *input2, const char *name,
    const char *output_type, const raski_operator_factory *factory, const raski_key *key1,
    const raski_key *key2, raski_transformation **ret_transformation, raski_error *err);
/* count >= 1 inputs. keyed false: a MultipleInputTransformation; otherwise the keyed one, with one
 * selector per input (id 0: that input is not keyed). */
raski_transformation *raski_transformation_multi_input(
    raski_plan_env *env, raski_transformation *const *inputs, size_t count, const char *name,
    const char *output_type, const raski_operator_factory *factory, bool keyed,
    const raski_key_selector *selectors, const char *key_type);
/* keyed.reduce ("Keyed Reduce"); sum, min, max, minBy, maxBy are the same with the name
 * "Keyed Aggregation". */
raski_transformation *raski_transformation_reduce(raski_transformation *input, const char *name,
                                                  const raski_key *key);
raski_transformation *raski_transformation_timestamps_and_watermarks(raski_transformation *input);
/* connect(broadcast stream).process; key: NULL on a plain stream. */
raski_transformation *raski_transformation_broadcast_state(raski_transformation *input,
                                                           raski_transformation *broadcast,
                                                           const char *output_type,
                                                           const raski_key *key);
/* stream.sinkTo. sink is copied, with its strings. key: NULL on a plain stream, else it lives as
 * long as the graph. */
raski_transformation *raski_transformation_sink(raski_transformation *input, const raski_sink *sink,
                                                const raski_key *key);
/* stream.addSink; name without "Sink: " ("Unnamed" is Flink's). */
raski_transformation *raski_transformation_legacy_sink(raski_transformation *input,
                                                       const char *name,
                                                       const raski_operator_factory *factory,
                                                       const raski_key *key);
/* Inside a post-commit topology: StandardSinkTopologies.addGlobalCommitter. */
raski_transformation *raski_transformation_global_committer(raski_transformation *input,
                                                            const raski_key *key);
/* stream.cache(); data_set is its id (32 hex digits, or any name that is unique). */
raski_transformation *raski_transformation_cache(raski_transformation *input, const char *data_set);
/* takes no ownership of partitioner, which must live in the graph's arena. */
raski_transformation *raski_transformation_partition(raski_transformation *input,
                                                     raski_partitioner *partitioner,
                                                     raski_exchange_mode exchange_mode);
/* first.union(rest...): count >= 1; an error when types differ. */
RASKI_NODISCARD rask_status raski_transformation_union(raski_transformation *const *inputs,
                                                       size_t count,
                                                       raski_transformation **ret_union,
                                                       raski_error *err);
/* operator.getSideOutput; an error when the tag was asked for with another type. */
RASKI_NODISCARD rask_status raski_transformation_side_output(raski_transformation *input,
                                                             const char *tag, const char *type,
                                                             raski_transformation **ret_output,
                                                             raski_error *err);

/* --- attributes ---------------------------------------------------------------------------------
 * Texts are copied. is_sink functions differ as DataStreamSink and SingleOutputStreamOperator do;
 * the kind decides. */
void raski_transformation_set_location(raski_transformation *t, const char *file, int line);
void raski_transformation_set_name(raski_transformation *t, const char *name);
void raski_transformation_set_description(raski_transformation *t, const char *description);
void raski_transformation_set_uid(raski_transformation *t, const char *uid);
/* 32 hex digits; not on a Sink V2. */
RASKI_NODISCARD rask_status raski_transformation_set_uid_hash(raski_transformation *t,
                                                              const char *hash, raski_error *err);
RASKI_NODISCARD rask_status raski_transformation_set_parallelism(raski_transformation *t,
                                                                 int32_t parallelism,
                                                                 raski_error *err);
/* A value that counts as not configured. */
RASKI_NODISCARD rask_status raski_transformation_hint_parallelism(raski_transformation *t,
                                                                  int32_t parallelism,
                                                                  raski_error *err);
RASKI_NODISCARD rask_status raski_transformation_set_max_parallelism(raski_transformation *t,
                                                                     int32_t max_parallelism,
                                                                     raski_error *err);
/* Parallelism and max parallelism 1, for good. */
void raski_transformation_force_non_parallel(raski_transformation *t);
/* On a virtual one an error, as there is no operator to chain. */
RASKI_NODISCARD rask_status raski_transformation_set_chaining_strategy(
    raski_transformation *t, raski_chaining_strategy strategy, raski_error *err);
/* -1: the environment's (Flink cannot say "none" per operator). */
RASKI_NODISCARD rask_status raski_transformation_set_buffer_timeout(raski_transformation *t,
                                                                    int64_t timeout_ms,
                                                                    raski_error *err);
void raski_transformation_set_slot_sharing_group(raski_transformation *t,
                                                 const raski_slot_sharing_group *group);
void raski_transformation_set_co_location_key(raski_transformation *t, const char *key);
RASKI_NODISCARD rask_status raski_transformation_declare_operator_memory(
    raski_transformation *t, raski_memory_use_case use_case, int32_t weight, raski_error *err);
RASKI_NODISCARD rask_status raski_transformation_declare_slot_memory(raski_transformation *t,
                                                                     raski_memory_use_case use_case,
                                                                     raski_error *err);
RASKI_NODISCARD rask_status raski_transformation_set_resources(raski_transformation *t,
                                                               const raski_resource_spec *min,
                                                               const raski_resource_spec *preferred,
                                                               raski_error *err);
/* Keyed operators only, and only those that have an asynchronous form. */
RASKI_NODISCARD rask_status raski_transformation_enable_async_state(raski_transformation *t,
                                                                    raski_error *err);

bool raski_transformation_is_physical(const raski_transformation *t);
/* "OneInputTransformation", ...: for error texts. Static. */
const char *raski_transformation_class_name(const raski_transformation *t);
#endif
