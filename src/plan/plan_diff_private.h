/* plan_diff_private.h - the steps of raski_plan_diff_create. Private to src/plan.
 * Threads: one owner. */
#ifndef RASKI_PLAN_PLAN_DIFF_PRIVATE_H
#define RASKI_PLAN_PLAN_DIFF_PRIVATE_H
#include "plan/plan_diff.h"

/* Who is who. Partners are places in the other list, or RASKI_PLAN_NO_OPERATOR. */
typedef struct raski_plan_matching {
    const raski_plan_operators *old_plan, *new_plan;
    size_t *new_of_old, *old_of_new; /* partners: by id, or else likely ones */
    bool *by_id;                     /* of OLD: the partner has the id */
    bool *by_user_id;                /* of OLD: by setUidHash of the partner */
    const char **likeness;           /* of OLD: what a likely partner has in common; static */
} raski_plan_matching;

void raski_plan_matching_init(raski_plan_matching *matching, const raski_plan_operators *old_plan,
                              const raski_plan_operators *new_plan);
void raski_plan_matching_fini(raski_plan_matching *matching);

/* Why partners have different ids: an array by place in NEW, NULL where the id is the same or there
 * is no partner. Texts are in arena; the caller frees the array. */
const char **raski_plan_id_causes(const raski_plan_matching *matching, raski_arena *arena);
#endif
