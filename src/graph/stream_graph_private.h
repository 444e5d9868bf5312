/* stream_graph_private.h - what the files that build a stream graph share. */
#ifndef RASKI_GRAPH_STREAM_GRAPH_PRIVATE_H
#define RASKI_GRAPH_STREAM_GRAPH_PRIVATE_H
#include "graph/stream_graph.h"

/* A place that an edge may start from: a node, or a virtual node (partition, side output) over one.
 * Virtual nodes are resolved when they are made, so stacks of them cost nothing later. */
typedef struct raski_edge_origin {
    raski_stream_node *node;
    raski_partitioner *partitioner; /* NULL: nothing was asked for */
    bool has_exchange_mode;
    raski_exchange_mode exchange_mode; /* of the partitioning nearest to the node */
    const char *side_output_tag, *side_output_type;
} raski_edge_origin;

/* Ids of nodes and virtual nodes that stand for a transformation. */
typedef struct raski_id_list {
    int32_t *items;
    size_t count;
} raski_id_list;

typedef struct raski_stream_graph_generator {
    raski_plan_env *env;
    raski_transformation_graph *transformations;
    raski_stream_graph *graph;
    raski_plan_config *config; /* of the graph; buffer timeouts are off in batch */
    bool batch;
    raski_id_table origins;     /* node or virtual id -> raski_edge_origin * */
    raski_id_table transformed; /* transformation id -> raski_id_list * */
    raski_map side_outputs;     /* "original id/tag" -> type text */
} raski_stream_graph_generator;

/* --- stream_graph.c: nodes and edges --- */
raski_stream_node *raski_stream_graph_add_node(raski_stream_graph *graph, int32_t id,
                                               const char *name, const char *slot_sharing_group,
                                               raski_task_class task_class,
                                               const raski_operator_factory *factory);
/* An edge from origin; chooses a partitioner where none was asked for. */
RASKI_NODISCARD rask_status raski_stream_graph_add_edge(
    raski_stream_graph *graph, const raski_edge_origin *origin, raski_stream_node *target,
    int32_t type_number, const char *cache_data_set, raski_error *err);

/* --- stream_graph_generator.c --- */
/* Translates a transformation and all that it needs, unless that was done before. */
RASKI_NODISCARD rask_status raski_generator_transform(raski_stream_graph_generator *generator,
                                                      raski_transformation *transformation,
                                                      raski_error *err);
/* NULL when it was not translated yet. */
const raski_id_list *raski_generator_ids(const raski_stream_graph_generator *generator,
                                         const raski_transformation *transformation);
void raski_generator_put_ids(raski_stream_graph_generator *generator,
                             const raski_transformation *transformation, const int32_t *ids,
                             size_t count);

/* --- stream_graph_translate.c: one transformation whose inputs are translated --- */
RASKI_NODISCARD rask_status raski_generator_translate(raski_stream_graph_generator *generator,
                                                      raski_transformation *transformation,
                                                      raski_error *err);

/* --- stream_graph_sink.c: Sink V2 and global committers --- */
RASKI_NODISCARD rask_status raski_generator_expand_sink(raski_stream_graph_generator *generator,
                                                        raski_transformation *sink,
                                                        raski_error *err);
RASKI_NODISCARD rask_status raski_generator_expand_global_committer(
    raski_stream_graph_generator *generator, raski_transformation *committer, raski_error *err);
#endif
