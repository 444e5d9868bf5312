/* plan_test_util.h - plans of topologies that stand in a test. Needs cmocka.h before it. */
#ifndef RASKI_PLAN_PLAN_TEST_UTIL_H
#define RASKI_PLAN_PLAN_TEST_UTIL_H
#include <string.h>

#include "graph/topology.h"
#include "plan/plan.h"

typedef struct planned {
    json_t *document;
    raski_topology *topology;
    raski_plan plan;
    bool has_plan, is_built;
    rask_status status;
    raski_error err;
} planned;

/* text is JSON, with ' for ". Planned up to graph; what fails is in status and err. */
static inline planned plan_topology(const char *text, raski_plan_graph graph) {
    planned p = {0};
    char *quoted = raski_strdup(text);
    for (char *c = quoted; *c != '\0'; c++)
        if (*c == '\'') *c = '"';
    json_error_t json_error;
    p.document = json_loads(quoted, 0, &json_error);
    if (p.document == NULL) fail_msg("%s: %s", json_error.text, quoted);
    raski_free(quoted);
    p.status = raski_topology_create(p.document, &p.topology, &p.err);
    if (p.status == RASK_OK) p.status = raski_topology_build(p.topology, &p.err);
    p.is_built = p.status == RASK_OK;
    if (p.topology == NULL) return p;
    raski_plan_init(&p.plan, raski_topology_env(p.topology), raski_topology_job_name(p.topology));
    p.has_plan = true;
    if (p.status == RASK_OK) p.status = raski_plan_run(&p.plan, graph, &p.err);
    return p;
}

static inline void planned_fini(planned *p) {
    if (p->has_plan) raski_plan_fini(&p->plan);
    raski_topology_destroy(p->topology);
    json_decref(p->document);
}
#endif
