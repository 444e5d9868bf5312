/* job_graph_builder.h - private to src/graph: the state of a job graph that is being made, whole
 * (job_graph_generator.c) or chain by chain (adaptive_graph.c).
 * Flink: JobVertexBuildContext, OperatorChainInfo, OperatorInfo, ChainedSourceInfo.
 *
 * A builder makes a graph in one phase or several; in each, chains are built (chain.c), outputs are
 * chosen and connected (chain_outputs.c), and slots and memory are shared (slot_sharing.c). The
 * lists named "of this phase" are emptied in between. Everything but the graph lives in a scratch
 * arena. Threads: one owner. */
#ifndef RASKI_GRAPH_JOB_GRAPH_BUILDER_H
#define RASKI_GRAPH_JOB_GRAPH_BUILDER_H
#include "graph/job_graph_build.h"
#include "graph/operator_hash.h"

typedef struct raski_chain raski_chain;

/* An operator on its way into a vertex. */
typedef struct raski_chain_operator {
    raski_stream_node *node;
    raski_chain *chain;
    int chain_index;
    size_t place; /* in the vertex's operators, when it is finished */
    raski_id id;
    RASKI_VEC(raski_stream_edge *) chainable;
    RASKI_VEC(raski_stream_edge *) non_chainable;
    RASKI_VEC(raski_network_output *) outputs; /* of non_chainable, without duplicates */
    RASKI_VEC(raski_stream_edge *) physical_in_edges;
    int network_inputs;
    bool has_managed[RASKI_MEMORY_USE_CASES];
    double managed_fraction[RASKI_MEMORY_USE_CASES];
} raski_chain_operator;

struct raski_chain {
    raski_stream_node *start;
    RASKI_VEC(raski_chain_operator *) operators; /* in the order of completion: deepest first */
    RASKI_VEC(raski_chain_operator *) sources;   /* chained into the head */
    RASKI_VEC(raski_stream_edge *) out_edges;    /* those that leave the chain */
    RASKI_VEC(raski_stream_edge *) in_edges;     /* of finished vertices (adaptive) */
    RASKI_VEC(raski_network_output *) outputs;   /* one for each result of the vertex */
    int coordinators;
    bool has_format;
    raski_job_vertex *vertex; /* NULL until the head is complete */
};

typedef struct raski_job_graph_builder {
    raski_stream_graph *stream_graph;
    raski_job_graph *graph;
    raski_operator_hashes hashes;
    raski_id_table operators;      /* node id -> raski_chain_operator */
    raski_id_table chains;         /* id of the start node -> raski_chain */
    raski_id_table output_of_edge; /* number of the stream edge -> raski_network_output */
    bool has_hybrid_result;
    raski_slot_group *default_slot_group; /* NULL until it is needed */
    int next_vertex_number;               /* of the prefix of vertex names */
    bool is_adaptive; /* hashes are made on the way, chains are entered only when asked for */
    RASKI_VEC(raski_chain *) phase_chains; /* of this phase, in the order of their vertices */
    RASKI_VEC(raski_stream_edge *) physical_edges; /* of this phase, in the order of job edges */
    RASKI_VEC(raski_chain *) all_chains;           /* for the end */
    raski_arena *scratch;
} raski_job_graph_builder;

/* Makes the empty graph. Borrows stream_graph for the builder's life. */
void raski_job_graph_builder_init(raski_job_graph_builder *builder,
                                  raski_stream_graph *stream_graph, raski_id job_id);
/* Frees what the builder has, but not the graph. */
void raski_job_graph_builder_fini(raski_job_graph_builder *builder);
/* What Flink checks before anything else. Errors: UnsupportedOperationException. */
RASKI_NODISCARD rask_status raski_job_graph_check_stream_graph(raski_stream_graph *stream_graph,
                                                               raski_error *err);
/* From chains with connected outputs to vertices that are complete: slots, memory, names, texts.
 * The tail of each phase. */
RASKI_NODISCARD rask_status raski_job_graph_builder_complete_phase(raski_job_graph_builder *builder,
                                                                   raski_error *err);
/* Copies of scratch data into the vertices; once, at the very end. */
void raski_job_graph_builder_finish(raski_job_graph_builder *builder);

/* ---- chain.c -------------------------------------------------------------------------------- */

/* The chain that starts at node; made when it is new. */
raski_chain *raski_builder_chain_at(raski_job_graph_builder *builder, raski_stream_node *node);
/* Enters a source that runs inside the operator behind it into that operator's chain. */
RASKI_NODISCARD rask_status raski_builder_add_chained_source(raski_job_graph_builder *builder,
                                                             raski_stream_node *source,
                                                             raski_error *err);
/* Builds the chain and, unless the builder is adaptive, all chains behind it. No recursion. */
RASKI_NODISCARD rask_status raski_builder_create_chains(raski_job_graph_builder *builder,
                                                        raski_chain *start, raski_error *err);
/* The vertex of this phase or an earlier one that has the node as its head, or NULL. */
raski_job_vertex *raski_builder_vertex_at(const raski_job_graph_builder *builder, int node_id);
raski_chain_operator *raski_builder_operator_at(const raski_job_graph_builder *builder,
                                                int node_id);
/* Generates the hash of a node if it has none. */
RASKI_NODISCARD rask_status raski_builder_hash_node(raski_job_graph_builder *builder,
                                                    raski_stream_node *node, raski_error *err);

/* ---- chain_texts.c -------------------------------------------------------------------------- */

/* "Source: a -> (Map, Filter -> Sink)"; in the graph's arena. */
const char *raski_chain_name(const raski_job_graph_builder *builder, const raski_chain *chain);

/* ---- chain_outputs.c ------------------------------------------------------------------------ */

/* Chooses result types and shares results among edges, for all operators of this phase. */
void raski_builder_choose_outputs(raski_job_graph_builder *builder);
/* The output that an edge reads; NULL when its source is in no chain yet. */
raski_network_output *raski_builder_output_of_edge(const raski_job_graph_builder *builder,
                                                   const raski_stream_edge *edge);
/* The result that output writes to, made if it is new; adds to chain->outputs in step with the
 * vertex's results. */
raski_data_set *raski_builder_result_of(raski_job_graph_builder *builder, raski_chain *chain,
                                        raski_network_output *output);
/* Makes the job edge for a stream edge that leaves chain. */
RASKI_NODISCARD rask_status raski_builder_connect(raski_job_graph_builder *builder,
                                                  raski_chain *chain, raski_stream_edge *edge,
                                                  raski_network_output *output,
                                                  raski_job_edge **ret_edge, raski_error *err);
/* Hands the physical edges of this phase to the operators that read them. */
void raski_builder_set_physical_edges(raski_job_graph_builder *builder);

/* ---- slot_sharing.c ------------------------------------------------------------------------- */

/* Slot sharing and co-location groups of the vertices of this phase. */
RASKI_NODISCARD rask_status raski_builder_share_slots(raski_job_graph_builder *builder,
                                                      raski_error *err);
/* Managed memory fractions of the operators of this phase. */
void raski_builder_share_memory(raski_job_graph_builder *builder);

/* What both need together; unknown when one of them is. Externals in arena. */
raski_resource_spec raski_resource_spec_merge(raski_arena *arena, const raski_resource_spec *a,
                                              const raski_resource_spec *b);
/* A copy with its externals in arena. */
raski_resource_spec raski_resource_spec_keep(raski_arena *arena, const raski_resource_spec *spec);
#endif
