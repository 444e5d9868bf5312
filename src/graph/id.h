/* id.h - the 128-bit ids of operators, vertices, data sets and jobs.
 * Flink: org.apache.flink.util.AbstractID and its kin (OperatorID, JobVertexID,
 * IntermediateDataSetID, JobID). The bytes stand in the order in which Flink prints them.
 * Threads: any (values). */
#ifndef RASKI_GRAPH_ID_H
#define RASKI_GRAPH_ID_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RASKI_ID_SIZE = 16, RASKI_ID_HEX_SIZE = 33 /* with the NUL */ };

typedef struct raski_id {
    uint8_t bytes[RASKI_ID_SIZE];
} raski_id;

static inline bool raski_id_equals(raski_id a, raski_id b) {
    return memcmp(a.bytes, b.bytes, RASKI_ID_SIZE) == 0;
}

static inline bool raski_id_is_zero(raski_id id) {
    return raski_id_equals(id, (raski_id){{0}});
}

/* Negative, 0 or positive, by the bytes. */
static inline int raski_id_compare(raski_id a, raski_id b) {
    return memcmp(a.bytes, b.bytes, RASKI_ID_SIZE);
}

/* Writes 32 lower-case hex digits and a NUL; returns ret_hex. */
char *raski_id_to_hex(raski_id id, char ret_hex[RASKI_ID_HEX_SIZE]);

/* Reads exactly 32 hex digits of either case; false (and ret_id untouched) on anything else. */
bool raski_id_from_hex(const char *hex, raski_id *ret_id);

/* The id of a result of vertex `vertex`, made of the id and the Java hash of the id of the edge
 * that reads it (Flink: new IntermediateDataSetID(vertex, edge_hash)). */
raski_id raski_id_of_data_set(raski_id vertex, int32_t edge_hash);
#endif
