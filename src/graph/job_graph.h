/* job_graph.h - what a job is for the scheduler and for tasks: vertices (chains of operators, one
 * task per subtask), their results and the edges that read them.
 * Flink: runtime.jobgraph (JobGraph, JobVertex, JobEdge, IntermediateDataSet), and of
 * streaming.api.graph the StreamConfig of each operator and NonChainedOutput.
 *
 * A graph is made once from a stream graph (raski_job_graph_create) and not changed after; it owns
 * all its memory (an arena) but what the program's transformations point to: `payload` of operators
 * and what partitioners point to. A vertex is complete in itself: a task rebuilds its operator
 * chain, its input gates and its result partitions from its raski_job_vertex alone.
 * Threads: any may read a finished graph. */
#ifndef RASKI_GRAPH_JOB_GRAPH_H
#define RASKI_GRAPH_JOB_GRAPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/vec.h"
#include "graph/id.h"
#include "graph/stream_graph.h"

typedef struct raski_job_vertex raski_job_vertex;
typedef struct raski_job_edge raski_job_edge;

/* How a result is kept and handed on. Flink: ResultPartitionType. */
typedef enum raski_result_type {
    RASKI_RESULT_BLOCKING,            /* whole first, then read; may be read again */
    RASKI_RESULT_BLOCKING_PERSISTENT, /* the same, kept after the job (cache) */
    RASKI_RESULT_PIPELINED,
    RASKI_RESULT_PIPELINED_BOUNDED,     /* with a bounded number of buffers: streaming */
    RASKI_RESULT_PIPELINED_APPROXIMATE, /* may be reconnected, with loss */
    RASKI_RESULT_HYBRID_FULL,           /* read while written, spilled, may be read again */
    RASKI_RESULT_HYBRID_SELECTIVE,
} raski_result_type;

const char *raski_result_type_name(raski_result_type type); /* "PIPELINED_BOUNDED" */
/* Producer and consumer must be scheduled together. */
bool raski_result_type_must_be_pipelined(raski_result_type type);
/* They may be. */
bool raski_result_type_can_be_pipelined(raski_result_type type);
bool raski_result_type_is_blocking(raski_result_type type); /* BLOCKING or _PERSISTENT */
bool raski_result_type_is_hybrid(raski_result_type type);
bool raski_result_type_is_reconsumable(raski_result_type type);

typedef enum raski_distribution {
    RASKI_DISTRIBUTION_ALL_TO_ALL, /* each consumer reads of each producer */
    RASKI_DISTRIBUTION_POINTWISE,
} raski_distribution;

const char *raski_distribution_name(raski_distribution distribution); /* "ALL_TO_ALL" */

/* Which old subtasks' state in flight a new subtask takes over. Flink: SubtaskStateMapper. */
typedef enum raski_state_mapper {
    RASKI_STATE_MAPPER_ARBITRARY,
    RASKI_STATE_MAPPER_FIRST,
    RASKI_STATE_MAPPER_FULL,
    RASKI_STATE_MAPPER_RANGE,
    RASKI_STATE_MAPPER_ROUND_ROBIN,
    RASKI_STATE_MAPPER_UNSUPPORTED,
} raski_state_mapper;

const char *raski_state_mapper_name(raski_state_mapper mapper); /* "ARBITRARY" */

/* ---- inside a vertex ------------------------------------------------------------------------ */

typedef enum raski_operator_input_kind {
    RASKI_INPUT_UNSET,          /* nothing is connected */
    RASKI_INPUT_NETWORK,        /* gates of the vertex, or the operator before it in the chain */
    RASKI_INPUT_CHAINED_SOURCE, /* a source that runs inside this vertex */
} raski_operator_input_kind;

/* One logical input of an operator; several gates (a union) may feed the same one. */
typedef struct raski_operator_input {
    raski_operator_input_kind kind;
    int gate;    /* NETWORK: number among the operator's network inputs, from 0 */
    bool sorted; /* NETWORK: records are to be sorted by key before (batch) */
    raski_key_selector key_selector; /* of keyed inputs; id 0: not keyed */
    int source_node;                 /* CHAINED_SOURCE: node of the source */
    size_t source;                   /* CHAINED_SOURCE: its place in vertex->operators */
} raski_operator_input;

/* An edge inside the chain. */
typedef struct raski_chained_output {
    const char *edge_id;
    int target_node;
    size_t target;           /* place in vertex->operators */
    size_t input_index;      /* logical input of the target, from 0 */
    const char *side_output; /* tag whose records take this edge; NULL: the main output */
} raski_chained_output;

/* Records that leave the vertex: an operator writes each (main output: side_output NULL) to all
 * its outputs. Flink: NonChainedOutput. */
typedef struct raski_network_output {
    size_t result; /* place in vertex->results */
    raski_id data_set_id;
    int source_node;         /* the node that emits */
    const char *side_output; /* tag, or NULL */
    const raski_partitioner *partitioner;
    raski_result_type type;
    int consumer_parallelism;     /* -1: not decided yet (dynamic graphs) */
    int consumer_max_parallelism; /* -1: none set */
    int64_t buffer_timeout_ms;    /* -1: flush full buffers only */
    bool supports_unaligned_checkpoints;
    const char *cache; /* name of the cached data set that it is (it outlives the job), or NULL */
} raski_network_output;

/* One operator of a chain. Flink: its StreamConfig. */
typedef struct raski_job_operator {
    int node;        /* stream graph node */
    int chain_index; /* 1: the head; 0: a source chained into the head's inputs */
    bool chain_start, chain_end;
    raski_id id; /* generated, or of the uid: what state belongs to */
    bool has_user_id;
    raski_id user_id; /* of setUidHash */
    const char *name;
    const char *description;
    const char *uid;          /* NULL: none */
    const void *payload;      /* borrowed from the transformation: what the runtime runs */
    const void *type_payload; /* the same: what describes the type of its main output */
    const char *output_type;  /* text of the type of the main output, or NULL */
    int network_inputs;       /* number of the vertex's gates that feed this operator */
    raski_operator_input *inputs;
    size_t input_count;
    raski_chained_output *chained_outputs; /* in the order of the program */
    size_t chained_output_count;
    raski_network_output **outputs; /* in the order of the program */
    size_t output_count;
    const char **in_physical_edges; /* ids of the edges of network inputs, in the order of gates */
    size_t in_physical_edge_count;
    /* Managed memory: for each use case that the slot sharing group has, the operator's part of
     * what the slot keeps for the use case; see raski_managed_fraction_of_slot. */
    bool has_managed[RASKI_MEMORY_USE_CASES];
    double managed_fraction[RASKI_MEMORY_USE_CASES];
} raski_job_operator;

/* ---- between vertices ----------------------------------------------------------------------- */

/* A result of a vertex: each subtask makes one partition of it. Flink: IntermediateDataSet. */
typedef struct raski_data_set {
    raski_id id;
    const char *cache; /* name of the cached data set that it is, or NULL */
    raski_job_vertex *producer;
    size_t index; /* among the producer's results */
    raski_result_type type;
    raski_distribution distribution;
    bool is_configured; /* distribution and the flags below are set */
    bool is_broadcast, is_forward;
    RASKI_VEC(raski_job_edge *) consumers;
    size_t edges_to_create; /* of a graph that still grows: how many consumers there will be */
} raski_data_set;

/* An input gate of a vertex: the edge from a result. The i-th of vertex->inputs is gate i.
 * Flink: JobEdge. */
struct raski_job_edge {
    raski_data_set *source;
    raski_job_vertex *target;
    size_t index;        /* among the target's inputs */
    const char *edge_id; /* the stream edge's */
    raski_distribution distribution;
    bool is_broadcast, is_forward;
    int type_number;    /* Flink's: 0 for operators of one input, else 1 up */
    size_t input_index; /* the head's logical input that this gate feeds, from 0 */
    const char *ship_strategy;
    bool inter_inputs_keys_correlated, intra_input_key_correlated;
    raski_state_mapper downstream_state_mapper, upstream_state_mapper;
    const raski_partitioner *partitioner;
};

typedef struct raski_operator_id_pair {
    raski_id generated, user;
    bool has_user;
    const char *name;
    const char *uid; /* NULL: none */
} raski_operator_id_pair;

/* Vertices whose subtasks may share a slot. Flink: runtime.jobmanager.scheduler.SlotSharingGroup.
 */
typedef struct raski_slot_group {
    size_t index;     /* among the graph's groups: by first appearance in topological order */
    const char *name; /* of the group of the first vertex's head */
    raski_resource_spec resources;
    RASKI_VEC(raski_job_vertex *) vertices; /* in topological order */
} raski_slot_group;

typedef struct raski_co_location_group {
    size_t index;
    RASKI_VEC(raski_job_vertex *) vertices; /* in the order of joining */
} raski_co_location_group;

struct raski_job_vertex {
    size_t index;            /* in topological order: place in graph->sorted */
    size_t creation_index;   /* place in graph->vertices */
    int head_node;           /* stream graph node of the chain's head */
    raski_id id;             /* that of the head operator */
    const char *name;        /* "Source: Source -> Flat Map" */
    const char *description; /* one that was set; NULL: see raski_job_vertex_description */
    bool has_format;         /* an input or output format: Flink's InputOutputFormatVertex */
    const char *task_class;  /* Flink's simple class name of the task: "OneInputStreamTask" */
    int parallelism;         /* -1: decided when its inputs are there (dynamic graphs) */
    int max_parallelism;     /* -1: none set */
    bool parallelism_configured;
    raski_operator_id_pair *operator_ids; /* deepest operator first, Flink's order */
    size_t operator_id_count;
    raski_job_operator *operators; /* by (chain index, node) */
    size_t operator_count;
    size_t head;                    /* place of the chain's head in operators */
    raski_network_output **outputs; /* all of the vertex, without duplicates, in Flink's order */
    size_t output_count;
    RASKI_VEC(raski_data_set *) results;
    RASKI_VEC(raski_job_edge *) inputs;
    raski_slot_group *slot_group;
    raski_co_location_group *co_location_group; /* NULL: none */
    raski_resource_spec min_resources, preferred_resources;
    bool supports_concurrent_execution_attempts;
    bool is_any_output_blocking;
    int operator_coordinators;  /* how many operators of the chain have one */
    const char *consumed_cache; /* name of the data set of an earlier job that it reads, or NULL */
};

typedef struct raski_job_graph {
    raski_id job_id;
    const char *name;
    const char *job_type; /* "STREAMING", "BATCH" */
    bool is_dynamic;      /* parallelism may be decided while the job runs */
    bool approximate_local_recovery;
    bool has_batch_state_backend; /* keyed state of sorted inputs: one key at a time, in no backend
                                   */
    bool state_backend_uses_managed_memory;
    raski_plan_config config;               /* what it was planned with; texts are the graph's */
    RASKI_VEC(raski_job_vertex *) vertices; /* in the order of creation */
    RASKI_VEC(raski_job_vertex *) sorted;   /* in topological order from the sources */
    RASKI_VEC(raski_slot_group *) slot_groups;
    RASKI_VEC(raski_co_location_group *) co_location_groups;
    raski_arena *arena; /* owns what hangs on the graph, but the vectors */
    raski_map results;  /* for raski_job_vertex_result */
} raski_job_graph;

/* Makes the job graph of a stream graph: hashes, chains, vertices, results, edges, slot sharing,
 * memory. Changes partitioners, parallelisms and attributes of stream_graph as Flink does (so print
 * it before); what the graph keeps is copied, but payloads of operators and partitioners.
 * Errors: Flink's exceptions with Flink's texts. *ret_graph is the caller's to destroy. */
RASKI_NODISCARD rask_status raski_job_graph_create(raski_stream_graph *stream_graph,
                                                   raski_id job_id, raski_job_graph **ret_graph,
                                                   raski_error *err);
void raski_job_graph_destroy(raski_job_graph *graph_take);

raski_job_vertex *raski_job_graph_find_vertex(const raski_job_graph *graph,
                                              raski_id id); /* or NULL */

/* Flink's operator pretty name: the chain as a tree or in one line, by the configuration. Made when
 * asked for, as the tree of a long chain is large. A heap string for the caller. */
char *raski_job_vertex_description(const raski_job_graph *graph, const raski_job_vertex *vertex);
/* About how many bytes it has. */
size_t raski_job_vertex_description_bytes(const raski_job_graph *graph,
                                          const raski_job_vertex *vertex);

/* The operator at a stream graph node, or NULL. */
const raski_job_operator *raski_job_vertex_find_operator(const raski_job_vertex *vertex, int node);

/* The part of a slot's managed memory that an operator gets for a use case: its fraction of the use
 * case, times the share of the use case among those that the operator's slot sharing group has.
 * weights: taskmanager.memory.managed.consumer-weights, by use case; NULL: the defaults. */
double raski_managed_fraction_of_slot(const raski_job_graph *graph,
                                      const raski_job_operator *job_operator,
                                      raski_memory_use_case use_case,
                                      const int32_t weights[RASKI_MEMORY_USE_CASES]);

/* Flink's JSON plan, as GET /jobs/:id/plan shows it ("jid", "name", "type", "nodes"), nodes in the
 * order of creation. A heap string for the caller, in one line. */
char *raski_job_plan_json(const raski_job_graph *graph);

/* The logical pipelined regions: ret_region_of[i] becomes the region of the vertex with index i;
 * regions are numbered by their first vertex. Returns how many there are. ret_region_of has room
 * for graph->sorted.count values. */
size_t raski_job_graph_regions(const raski_job_graph *graph, size_t *ret_region_of);
#endif
