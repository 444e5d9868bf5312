/* operator_hash.h - deterministic operator ids. Flink: StreamGraphHasherV2 (and the user hashes).
 * Ids are murmur3_128 with seed 0 over numbers or a uid, mixed with the hashes of the inputs;
 * savepoints are mapped by them. Threads: one owner. */
#ifndef RASKI_GRAPH_OPERATOR_HASH_H
#define RASKI_GRAPH_OPERATOR_HASH_H
#include <stddef.h>
#include <stdint.h>

#include "graph/id.h"
#include "graph/id_table.h"
#include "graph/stream_graph.h"

/* Node id -> hash. */
typedef struct raski_operator_hashes {
    raski_id_table by_node;   /* node id -> raski_id *, in arena */
    RASKI_VEC(int32_t) order; /* ids of nodes, as their hashes were generated */
    raski_map by_hash; /* first half of a hash -> the same: finds uids that were given twice */
    bool has_by_hash;  /* it is filled: from the first uid on */
    raski_arena *arena;
} raski_operator_hashes;

void raski_operator_hashes_init(raski_operator_hashes *hashes);
void raski_operator_hashes_fini(raski_operator_hashes *hashes);

/* Hashes of all nodes, breadth first from the sources in the order of their ids (what
 * StreamGraph.getJobGraph uses). hashes must be empty. */
RASKI_NODISCARD rask_status raski_operator_hashes_generate(raski_stream_graph *graph,
                                                           raski_operator_hashes *hashes,
                                                           raski_error *err);
/* Hash of one node, numbered by how many there are already; false in *ret_done when an input has
 * none yet (what the adaptive graph uses, chain by chain). */
RASKI_NODISCARD rask_status raski_operator_hashes_generate_node(raski_stream_graph *graph,
                                                                raski_stream_node *node,
                                                                raski_operator_hashes *hashes,
                                                                bool *ret_done, raski_error *err);
/* NULL when there is none. */
const raski_id *raski_operator_hashes_get(const raski_operator_hashes *hashes, int32_t node_id);
/* The id that a uid gives. */
raski_id raski_operator_hash_of_uid(const char *uid);
/* MurmurHash3 x64 128 with seed 0, as Guava prints its bytes. */
raski_id raski_murmur3_128(const void *bytes, size_t length);
#endif
