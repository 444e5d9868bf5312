#include "graph/operator_hash.h"
#include "platform/memory.h"

#include <string.h>

/* --- MurmurHash3 x64 128 (Austin Appleby, public domain algorithm), seed 0 ---------------------
 */

static uint64_t rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

static uint64_t finish(uint64_t k) {
    k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdU;
    k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53U;
    return k ^ (k >> 33);
}

/* Little-endian; bytes past the end count as 0. */
static uint64_t load(const uint8_t *bytes, size_t length) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && i < length; i++) word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void store(uint8_t *bytes, uint64_t word) {
    for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> (8 * i));
}

raski_id raski_murmur3_128(const void *bytes, size_t length) {
    static const uint64_t c1 = 0x87c37b91114253d5U, c2 = 0x4cf5ad432745937fU;
    const uint8_t *at = bytes;
    uint64_t h1 = 0, h2 = 0;
    size_t left = length;
    for (; left >= 16; left -= 16, at += 16) {
        h1 ^= rotate(load(at, 8) * c1, 31) * c2;
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotate(load(at + 8, 8) * c2, 33) * c1;
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8) h2 ^= rotate(load(at + 8, left - 8) * c2, 33) * c1;
    if (left > 0) h1 ^= rotate(load(at, left) * c1, 31) * c2;
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    raski_id id;
    store(id.bytes, h1);
    store(id.bytes + 8, h2);
    return id;
}

raski_id raski_operator_hash_of_uid(const char *uid) {
    return raski_murmur3_128(uid, strlen(uid));
}

/* --- hashes of a graph -------------------------------------------------------------------------
 */

void raski_operator_hashes_init(raski_operator_hashes *hashes) {
    *hashes =
        (raski_operator_hashes){.arena = raski_arena_create_large(raski_memory_want_huge_pages)};
}

void raski_operator_hashes_fini(raski_operator_hashes *hashes) {
    raski_id_table_free(&hashes->by_node);
    raski_vec_free(&hashes->order);
    raski_map_free(&hashes->by_hash);
    raski_arena_destroy(hashes->arena);
    *hashes = (raski_operator_hashes){0};
}

const raski_id *raski_operator_hashes_get(const raski_operator_hashes *hashes, int32_t node_id) {
    return raski_id_table_get(&hashes->by_node, node_id);
}

/* The number of the node, once for itself and once for each operator that chains to it, hashed, and
 * mixed with the hashes of its inputs. */
static rask_status deterministic_hash(raski_stream_graph *graph, raski_stream_node *node,
                                      const raski_operator_hashes *hashes, raski_id *ret_id,
                                      raski_error *err) {
    uint8_t few[64]; /* enough for all but operators of many outputs */
    uint8_t *bytes = few;
    size_t count = 0;
    if ((node->out_edges.count + 1) * sizeof(uint32_t) > sizeof few)
        bytes = raski_alloc((node->out_edges.count + 1) * sizeof(uint32_t));
    uint32_t number = (uint32_t)hashes->order.count;
    rask_status status = RASK_OK;
    for (size_t i = 0; i <= node->out_edges.count; i++) {
        bool counts = i == 0;
        if (i > 0)
            RASKI_TRY_GOTO(status,
                           raski_stream_edge_is_chainable(graph, node->out_edges.items[i - 1],
                                                          false, &counts, err),
                           out);
        for (int shift = 0; counts && shift < 32; shift += 8)
            bytes[count++] = (uint8_t)(number >> shift);
    }
    raski_id id = raski_murmur3_128(bytes, count);
    for (size_t i = 0; i < node->in_edges.count; i++) {
        const raski_id *input =
            raski_operator_hashes_get(hashes, node->in_edges.items[i]->source->id);
        for (size_t j = 0; j < RASKI_ID_SIZE; j++)
            id.bytes[j] = (uint8_t)((id.bytes[j] * 37) ^ input->bytes[j]);
    }
    *ret_id = id;
out:
    if (bytes != few) raski_free(bytes);
    return status;
}

/* The key of an id in by_hash, or of the next free place behind others that share its first half.
 */
static uint64_t key_of_hash(const raski_operator_hashes *hashes, raski_id id, bool *ret_found) {
    uint64_t key;
    memcpy(&key, id.bytes, sizeof key);
    const raski_id *found;
    while ((found = raski_map_get_number(&hashes->by_hash, key)) != NULL &&
           !raski_id_equals(*found, id))
        key++;
    *ret_found = found != NULL;
    return key;
}

static void enter_hash(raski_operator_hashes *hashes, raski_id *id) {
    bool known = false;
    raski_map_put_number(&hashes->by_hash, key_of_hash(hashes, *id, &known), id);
}

/* Whether a node has the hash already. Only uids ask, and most programs of many nodes have few. */
static bool is_taken(raski_operator_hashes *hashes, raski_id id) {
    bool known = false;
    for (size_t i = 0; !hashes->has_by_hash && i < hashes->order.count; i++)
        enter_hash(hashes, raski_id_table_get(&hashes->by_node, hashes->order.items[i]));
    hashes->has_by_hash = true;
    (void)key_of_hash(hashes, id, &known);
    return known;
}

static void put_hash(raski_operator_hashes *hashes, const raski_stream_node *node, raski_id id) {
    raski_id *copy = raski_arena_alloc(hashes->arena, sizeof *copy);
    *copy = id;
    raski_id_table_put(&hashes->by_node, node->id, copy);
    raski_vec_push(&hashes->order, node->id);
    if (hashes->has_by_hash) enter_hash(hashes, copy);
}

rask_status raski_operator_hashes_generate_node(raski_stream_graph *graph, raski_stream_node *node,
                                                raski_operator_hashes *hashes, bool *ret_done,
                                                raski_error *err) {
    raski_id id;
    *ret_done = false;
    if (node->uid == NULL) {
        for (size_t i = 0; i < node->in_edges.count; i++)
            if (!raski_operator_hashes_get(hashes, node->in_edges.items[i]->source->id))
                return RASK_OK;
        RASKI_TRY(deterministic_hash(graph, node, hashes, &id, err));
    } else {
        id = raski_operator_hash_of_uid(node->uid);
        if (is_taken(hashes, id)) {
            graph->transformations->failed = node->transformation;
            return RASKI_THROW(err, "IllegalArgumentException",
                               "Hash collision on user-specified ID \"%s\". Most likely cause is a "
                               "non-unique ID. Please check that all IDs specified via "
                               "`uid(String)` are unique.",
                               node->uid);
        }
    }
    if (raski_operator_hashes_get(hashes, node->id))
        return RASKI_THROW(err, "IllegalStateException",
                           "Unexpected state. Tried to add node hash twice. This is probably a bug "
                           "in the JobGraph generator.");
    put_hash(hashes, node, id);
    *ret_done = true;
    return RASK_OK;
}

rask_status raski_operator_hashes_generate(raski_stream_graph *graph, raski_operator_hashes *hashes,
                                           raski_error *err) {
    RASKI_TRY(raski_plan_config_check(&graph->config, "pipeline.operator-chaining.enabled", err));
    RASKI_VEC(raski_stream_node *) queue = {0};
    raski_id_table visited = {0};
    rask_status status = RASK_OK;
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (!nodes[i]->is_source) continue;
        raski_vec_push(&queue, nodes[i]);
        raski_id_table_put(&visited, nodes[i]->id, nodes[i]);
    }
    for (size_t next = 0; next < queue.count; next++) {
        raski_stream_node *node = queue.items[next];
        bool done = false;
        RASKI_TRY_GOTO(status, raski_operator_hashes_generate_node(graph, node, hashes, &done, err),
                       out);
        if (!done) { /* an input is missing: it comes again behind that input */
            raski_id_table_put(&visited, node->id, NULL);
            continue;
        }
        for (size_t i = 0; i < node->out_edges.count; i++) {
            raski_stream_node *target = node->out_edges.items[i]->target;
            if (raski_id_table_get(&visited, target->id)) continue;
            raski_id_table_put(&visited, target->id, target);
            raski_vec_push(&queue, target);
        }
    }
out:
    raski_free(nodes);
    raski_vec_free(&queue);
    raski_id_table_free(&visited);
    return status;
}
