/* plan_check.h - what would fail or surprise when a program is submitted: found in its plan, before
 * it runs. Flink counterpart: none; the errors are Flink's, the warnings are what users of Flink
 * learn the hard way. Codes are stable, docs/plan.md explains each.
 * Pure. Threads: one owner. */
#ifndef RASKI_PLAN_PLAN_CHECK_H
#define RASKI_PLAN_PLAN_CHECK_H
#include <jansson.h>

#include "base/str.h"
#include "plan/plan.h"

typedef enum raski_plan_severity {
    RASKI_FINDING_ERROR,   /* the program would be refused, or its job would fail when it starts */
    RASKI_FINDING_WARNING, /* it runs, but not as people expect, or not for ever */
    RASKI_FINDING_NOTE,    /* worth knowing */
} raski_plan_severity;
const char *raski_plan_severity_name(raski_plan_severity severity); /* "error", ... */

typedef struct raski_plan_finding {
    raski_plan_severity severity;
    const char *code;    /* "uid-collision", ...; static */
    const char *subject; /* name of the operator or vertex; NULL: the whole program */
    const char *where;   /* "job.c:17", "step 3, map"; NULL: not known */
    const char *what;    /* a sentence without its stop */
    const char *remedy;  /* the same; NULL: there is nothing to do */
} raski_plan_finding;

typedef struct raski_plan_findings {
    RASKI_VEC(raski_plan_finding) items;   /* by severity, in the order of the program */
    size_t counts[RASKI_FINDING_NOTE + 1]; /* by severity */
    raski_arena *arena;                    /* owns all texts but codes */
} raski_plan_findings;

/* Checks a plan as far as it could be run; err: why it could not be run further, or NULL. A plan
 * that was not stopped has been run up to its job graph at least.
 * The result is the caller's to destroy and borrows nothing. */
raski_plan_findings *raski_plan_check(const raski_plan *plan, const raski_error *err);
/* For a program that could not even be built. where may be NULL. */
raski_plan_findings *raski_plan_check_unbuilt(const raski_error *err, const char *where);
/* Plans env as far as it goes, and checks that. */
raski_plan_findings *raski_plan_check_env(raski_plan_env *env, const char *job_name);
void raski_plan_findings_destroy(raski_plan_findings *findings_take); /* NULL is fine */

/* The program would be refused. */
static inline bool raski_plan_findings_refuse(const raski_plan_findings *findings) {
    return findings->counts[RASKI_FINDING_ERROR] > 0;
}

/* The two forms, with a newline at the end, as a heap string for the caller: for people, or for
 * machines (JSON). */
char *raski_plan_findings_text(const raski_plan_findings *findings, bool as_json);
void raski_plan_findings_print(const raski_plan_findings *findings, raski_str *out);
/* A new reference. */
json_t *raski_plan_findings_to_json(const raski_plan_findings *findings);
#endif
