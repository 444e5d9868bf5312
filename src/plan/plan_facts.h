/* plan_facts.h - the canonical facts of a program: the form of golden/plan/facts.md, by which Rask
 * is compared with Flink. Threads: one owner. Uses jansson; results are new references. */
#ifndef RASKI_PLAN_PLAN_FACTS_H
#define RASKI_PLAN_PLAN_FACTS_H
#include <jansson.h>

#include "graph/topology.h"
#include "plan/plan.h"

/* All sections of a program, or {"error": ...} alone; *ret_err then has the error (exception "Bad":
 * the file itself is wrong), else it is left as it was. */
json_t *raski_plan_facts_of_topology(const json_t *document, raski_error *ret_err);
json_t *raski_plan_facts_of_env(raski_plan_env *env, const char *job_name, raski_error *ret_err);
/* {"error": {...}} of an error at a stage. */
json_t *raski_plan_error_facts(const char *stage, const raski_error *err);
#endif
