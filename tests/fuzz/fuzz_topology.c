/* Any bytes as a topology file: the program is refused with a message, or planned up to the job
 * graph, and the plan can be printed. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "graph/facts.h"
#include "graph/facts_job_graph.h"
#include "graph/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rask_status plan(raski_topology *topology, raski_error *err) {
    raski_stream_graph *graph = NULL;
    raski_job_graph *job_graph = NULL;
    raski_operator_hashes hashes;
    RASKI_TRY(raski_topology_build(topology, err));
    RASKI_TRY(raski_stream_graph_generate(raski_topology_env(topology), &graph, err));
    raski_operator_hashes_init(&hashes);
    char *text = raski_execution_plan_json(graph);
    json_decref(raski_facts_stream_graph(graph));
    rask_status status = raski_operator_hashes_generate(graph, &hashes, err);
    if (status == RASK_OK) status = raski_job_graph_create(graph, (raski_id){{0}}, &job_graph, err);
    if (status == RASK_OK) json_decref(raski_facts_job_graph(job_graph));
    raski_job_graph_destroy(job_graph);
    raski_operator_hashes_fini(&hashes);
    raski_stream_graph_destroy(graph);
    raski_free(text);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    raski_error err = {0};
    raski_topology *topology = NULL;
    json_t *document = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
    if (document == NULL) return 0;
    rask_status status = raski_topology_create(document, &topology, &err);
    if (status == RASK_OK) status = plan(topology, &err);
    if ((status == RASK_OK) != (err.status == RASK_OK)) abort(); /* failed without saying so */
    raski_topology_destroy(topology);
    json_decref(document);
    return 0;
}
