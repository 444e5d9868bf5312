/* stream_graph.h - the operators of a program and the edges between them: virtual transformations
 * are resolved, sinks expanded, partitioners chosen. Flink: streaming.api.graph.StreamGraph.
 *
 * Made by raski_stream_graph_generate; the job graph is made from it. Plain structures, to be read
 * by anyone; graph's owner may change edges (the job graph replaces partitioners) and
 * parallelisms. Strings, partitioners and transformations are borrowed from the transformation
 * graph, which must live longer. Threads: one owner. */
#ifndef RASKI_GRAPH_STREAM_GRAPH_H
#define RASKI_GRAPH_STREAM_GRAPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "graph/id_table.h"
#include "graph/transformation.h"

typedef struct raski_stream_node raski_stream_node;
typedef struct raski_stream_edge raski_stream_edge;
typedef struct raski_stream_graph raski_stream_graph;

typedef enum raski_job_type { RASKI_JOB_STREAMING, RASKI_JOB_BATCH } raski_job_type;

typedef enum raski_global_exchange_mode {
    RASKI_ALL_EDGES_BLOCKING,
    RASKI_FORWARD_EDGES_PIPELINED,
    RASKI_POINTWISE_EDGES_PIPELINED,
    RASKI_ALL_EDGES_PIPELINED,
    RASKI_ALL_EDGES_PIPELINED_APPROXIMATE,
    RASKI_ALL_EDGES_HYBRID_FULL,
    RASKI_ALL_EDGES_HYBRID_SELECTIVE,
} raski_global_exchange_mode;
const char *raski_global_exchange_mode_name(raski_global_exchange_mode mode);
const char *raski_job_type_name(raski_job_type type); /* "STREAMING", "BATCH" */

typedef enum raski_task_class { /* what runs the vertex whose head the node is */
                                RASKI_TASK_SOURCE_OPERATOR,
                                RASKI_TASK_SOURCE,
                                RASKI_TASK_ONE_INPUT,
                                RASKI_TASK_TWO_INPUT,
                                RASKI_TASK_MULTI_INPUT,
} raski_task_class;
const char *raski_task_class_name(raski_task_class task_class); /* "OneInputStreamTask", ... */

typedef enum raski_input_requirement {
    RASKI_INPUT_REQUIREMENT_NONE,
    RASKI_INPUT_REQUIREMENT_SORTED,
    RASKI_INPUT_REQUIREMENT_PASS_THROUGH,
} raski_input_requirement;

struct raski_stream_edge {
    const char *id; /* "source-1_target-2_0_FORWARD_0" */
    raski_stream_node *source, *target;
    int32_t number;              /* among all edges of the graph, in the order of their making */
    int32_t unique_id;           /* number among the edges between the same two nodes */
    int32_t type_number;         /* 0: one input; else which input, from 1 */
    const char *side_output_tag; /* NULL: the main output */
    const char *side_output_type;
    raski_partitioner *partitioner; /* change with raski_stream_edge_set_partitioner */
    raski_exchange_mode exchange_mode;
    int64_t buffer_timeout_ms;
    bool supports_unaligned_checkpoints;
    bool inter_inputs_keys_correlated, intra_input_key_correlated;
    const char *cache_data_set; /* the data set that it fills, or NULL */
};

struct raski_stream_node {
    int32_t id;
    const char *name;
    const char *description;
    int32_t parallelism;
    bool parallelism_configured;
    int32_t max_parallelism; /* -1: not set */
    const char *slot_sharing_group;
    const char *co_location_group; /* or NULL */
    raski_task_class task_class;
    raski_operator_factory factory; /* with the chaining strategy as planning left it */
    int64_t buffer_timeout_ms;
    const char *uid, *user_hash; /* or NULL */
    raski_resource_spec min_resources, preferred_resources;
    int32_t operator_memory_weight; /* 0: none */
    bool slot_scope_memory[RASKI_MEMORY_USE_CASES];
    raski_input_requirement *input_requirements; /* one per input, or NULL: none */
    size_t input_requirement_count;
    raski_key_selector *key_selectors; /* one per input, or NULL: not keyed */
    size_t key_selector_count;
    const char *key_type;
    bool no_output_until_end_of_input;
    bool supports_concurrent_execution_attempts;
    const char *consumes_cache; /* the data set that it reads, or NULL */
    const char *output_type;    /* or NULL */
    bool is_source, is_sink;    /* in the graph's sets of sources and sinks */
    RASKI_VEC(raski_stream_edge *) in_edges;
    RASKI_VEC(raski_stream_edge *) out_edges;
    raski_stream_node *chain_head; /* cache of raski_stream_node_chain_head; or NULL */
    const raski_transformation *transformation;
    const void *payload;      /* of the transformation: the runtime's operator definition */
    const void *type_payload; /* of the transformation: what describes its output's type */
};

struct raski_stream_graph {
    raski_arena *arena;
    raski_transformation_graph *transformations; /* borrowed */
    raski_plan_config config;                    /* what it was planned with */
    const char *job_name;                        /* may be replaced; must live as long */
    raski_job_type job_type;
    bool dynamic; /* parallelism may be decided while the job runs */
    raski_global_exchange_mode exchange_mode;
    bool same_slot_sharing_group_by_default;
    bool checkpointing;
    RASKI_VEC(raski_stream_node *) nodes; /* in the order in which they were made */
    raski_id_table by_id;                 /* id -> node */
    int32_t edge_count;
    RASKI_VEC(raski_slot_sharing_group) slot_sharing_groups; /* fine-grained ones, by name */
    bool has_fine_grained_resources;
};

/* Plans the operators of env. Nothing but transformations of the same graph is read or made (a
 * Sink V2 makes some, and virtual nodes take ids). Errors: all those of Flink's
 * StreamGraphGenerator, with its exception names and texts. */
RASKI_NODISCARD rask_status raski_stream_graph_generate(raski_plan_env *env,
                                                        raski_stream_graph **ret_graph,
                                                        raski_error *err);
void raski_stream_graph_destroy(raski_stream_graph *graph_take);

/* NULL when there is none. */
raski_stream_node *raski_stream_graph_node(const raski_stream_graph *graph, int32_t id);
/* The nodes sorted by id; the caller frees the array of graph->nodes.count pointers. */
raski_stream_node **raski_stream_graph_nodes_by_id(const raski_stream_graph *graph);
/* Resources registered for a slot sharing group, or NULL. */
const raski_resource_spec *raski_stream_graph_slot_sharing_group_resources(
    const raski_stream_graph *graph, const char *group);
/* Replaces the partitioner and what follows from it (the key correlations). */
void raski_stream_edge_set_partitioner(raski_stream_edge *edge, raski_partitioner *partitioner);
/* "(a-1 -> b-2, typeNumber=0, outputPartitioner=..., ...)": Flink's text of an edge, for messages.
 * In the graph's arena. */
const char *raski_stream_edge_text(raski_stream_graph *graph, const raski_stream_edge *edge);

/* --- chaining rules (stream_graph_chaining.c) ---------------------------------------------------
 * Flink: StreamingJobGraphGenerator.isChainable and its parts. They fail with IllegalStateException
 * where Flink does: a consecutive-hash partitioner outside of dynamic graphs. */
RASKI_NODISCARD rask_status raski_stream_edge_is_chainable(raski_stream_graph *graph,
                                                           raski_stream_edge *edge,
                                                           bool allow_default_parallelism,
                                                           bool *ret_chainable, raski_error *err);
/* A source that is chained into the operator behind it by HEAD_WITH_SOURCES. */
RASKI_NODISCARD rask_status raski_stream_node_is_chainable_source(raski_stream_graph *graph,
                                                                  raski_stream_node *node,
                                                                  bool *ret_chainable,
                                                                  raski_error *err);
/* The first node of the chain that ends in node, as decided when it was first asked (cached, as
 * in Flink). */
RASKI_NODISCARD rask_status raski_stream_node_chain_head(raski_stream_graph *graph,
                                                         raski_stream_node *node,
                                                         raski_stream_node **ret_head,
                                                         raski_error *err);
/* --- why not (chain_obstacles.c) ----------------------------------------------------------------
 * The conditions that keep two neighbours from sharing a task, as bits: an edge is chained when
 * none is there. */
typedef enum raski_chain_obstacle {
    RASKI_OBSTACLE_SEVERAL_INPUTS = 1 << 0,    /* the downstream operator has more than one */
    RASKI_OBSTACLE_CHAINING_DISABLED = 1 << 1, /* pipeline.operator-chaining.enabled: false */
    RASKI_OBSTACLE_SLOT_SHARING_GROUP = 1 << 2,
    RASKI_OBSTACLE_LEGACY_SOURCE = 1 << 3, /* a yielding operator in the chain of such a source */
    RASKI_OBSTACLE_UPSTREAM_NEVER = 1 << 4,
    RASKI_OBSTACLE_DOWNSTREAM_NEVER = 1 << 5,
    RASKI_OBSTACLE_DOWNSTREAM_HEAD = 1 << 6,
    RASKI_OBSTACLE_NEEDS_SOURCE = 1 << 7, /* HEAD_WITH_SOURCES behind something else */
    RASKI_OBSTACLE_PARALLELISM = 1 << 8,
    RASKI_OBSTACLE_MAX_PARALLELISM = 1 << 9,
    RASKI_OBSTACLE_PARTITIONER = 1 << 10, /* not a forward one */
    RASKI_OBSTACLE_BATCH_EXCHANGE = 1 << 11,
    RASKI_OBSTACLE_UNION = 1 << 12,             /* several edges feed the same input */
    RASKI_OBSTACLE_SOURCE_FEEDS_MORE = 1 << 13, /* HEAD_WITH_SOURCES takes sources of one edge */
} raski_chain_obstacle;
enum { RASKI_OBSTACLES = 14 };

/* All conditions that fail for the edge (the rule stops at the first). To be asked before the job
 * graph is made, which replaces partitioners. Errors: as raski_stream_edge_is_chainable, but for
 * the edge's own partitioner. */
RASKI_NODISCARD rask_status raski_stream_edge_chain_obstacles(raski_stream_graph *graph,
                                                              const raski_stream_edge *edge,
                                                              unsigned *ret_obstacles,
                                                              raski_error *err);
/* "PARALLELISM", ... */
const char *raski_chain_obstacle_name(raski_chain_obstacle obstacle);
/* One of them in words: "parallelism differs: 2 and 4". Appends to out. */
void raski_chain_obstacle_describe(const raski_stream_edge *edge, raski_chain_obstacle obstacle,
                                   raski_str *out);

/* Parts of the rule that job graph code asks for on its own. */
RASKI_NODISCARD rask_status raski_partitioner_is_chainable(const raski_partitioner *partitioner,
                                                           raski_exchange_mode mode, bool dynamic,
                                                           bool *ret_chainable, raski_error *err);
#endif
