/* plan_check_private.h - the groups of checks. Private to src/plan. Threads: one owner. */
#ifndef RASKI_PLAN_PLAN_CHECK_PRIVATE_H
#define RASKI_PLAN_PLAN_CHECK_PRIVATE_H
#include "plan/plan_check.h"

typedef struct raski_plan_checker {
    const raski_plan *plan;
    raski_plan_findings *findings;
} raski_plan_checker;

/* A text that lives as long as the findings. */
const char *raski_plan_check_text(const raski_plan_checker *c, const char *format, ...)
    RASKI_PRINTF(2, 3);
/* Adds a finding; what and remedy (or NULL) are kept as they are, names are copied. */
void raski_plan_check_add(const raski_plan_checker *c, raski_plan_severity severity,
                          const char *code, const raski_transformation *subject, const char *what,
                          const char *remedy);
/* The same about a vertex; its name may be long and is shortened. */
void raski_plan_check_add_vertex(const raski_plan_checker *c, raski_plan_severity severity,
                                 const char *code, const raski_job_vertex *vertex, const char *what,
                                 const char *remedy);

void raski_plan_check_transformations(const raski_plan_checker *c);
void raski_plan_check_nodes(const raski_plan_checker *c);     /* needs a stream graph */
void raski_plan_check_vertices(const raski_plan_checker *c);  /* needs a job graph */
void raski_plan_check_resources(const raski_plan_checker *c); /* needs a job graph */
#endif
