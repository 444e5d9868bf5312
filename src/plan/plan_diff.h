/* plan_diff.h - will a savepoint of one program fit another? Compares the operators of two plans as
 * Flink does when it restores: by operator id, an id given by setUidHash before the generated one.
 * Flink: Checkpoints.loadAndValidateCheckpoint, StateAssignmentOperation. What changed, and why, is
 * Rask's own: Flink only says which id is missing.
 *
 * Pure; a diff borrows both lists of operators. Threads: any may read. */
#ifndef RASKI_PLAN_PLAN_DIFF_H
#define RASKI_PLAN_PLAN_DIFF_H
#include "plan/plan_operators.h"

typedef enum raski_plan_change {
    RASKI_CHANGE_STAYS,    /* OLD and NEW have an operator with this id */
    RASKI_CHANGE_NEW_ID,   /* most likely the same operator, with another id */
    RASKI_CHANGE_APPEARS,  /* only in NEW */
    RASKI_CHANGE_VANISHES, /* only in OLD */
} raski_plan_change;
const char *raski_plan_change_name(raski_plan_change change); /* "stays", "changes", ... */

typedef struct raski_plan_diff_operator {
    raski_plan_change change;
    size_t old_place, new_place; /* in the lists; RASKI_PLAN_NO_OPERATOR: not there */
    const char *likeness;        /* NEW_ID: what makes them the same: "same name and type" */
    const char *cause;           /* NEW_ID: why the id is another */
} raski_plan_diff_operator;

typedef enum raski_state_fate {
    RASKI_STATE_MAPS,
    RASKI_STATE_LOST,    /* no operator of NEW has the id: Flink refuses, or drops the state with
                            --allowNonRestoredState */
    RASKI_STATE_REFUSED, /* the operator is there, but cannot take the state */
} raski_state_fate;
const char *raski_state_fate_name(raski_state_fate fate); /* "maps", "lost", "refused" */

/* What becomes of one operator of a savepoint of OLD. */
typedef struct raski_plan_diff_state {
    raski_state_fate fate;
    size_t old_place;
    size_t new_place;   /* who takes it; LOST: the likely match, or RASKI_PLAN_NO_OPERATOR */
    const char *by;     /* "uid", "uidHash", "topology": what the id comes from; NULL: LOST */
    const char *cause;  /* NULL: MAPS */
    const char *remedy; /* NULL: MAPS */
} raski_plan_diff_state;

/* An operator of NEW that keeps state and finds none in a savepoint of OLD. */
typedef struct raski_plan_diff_beginner {
    size_t new_place;
    size_t old_place; /* the likely match, whose state it does not get, or RASKI_PLAN_NO_OPERATOR */
} raski_plan_diff_beginner;

typedef struct raski_plan_diff_warning {
    const char *code; /* "id-depends-on-topology", ... */
    bool in_old;      /* which program the operator is in */
    size_t place;
    const char *what, *remedy;
} raski_plan_diff_warning;

typedef struct raski_plan_diff {
    const raski_plan_operators *old_plan, *new_plan;
    RASKI_VEC(raski_plan_diff_operator) operators; /* OLD's in order, then those that appear */
    RASKI_VEC(raski_plan_diff_state)
    states; /* of OLD's operators with state, and of those without
               that Flink refuses nevertheless */
    RASKI_VEC(raski_plan_diff_beginner) beginners;
    RASKI_VEC(raski_plan_diff_warning) warnings;
    size_t counts[RASKI_CHANGE_VANISHES + 1]; /* of operators, by change */
    size_t fates[RASKI_STATE_REFUSED + 1];    /* of states, by fate */
    raski_arena *arena;
} raski_plan_diff;

/* Never fails. The result is the caller's to destroy, before the lists. */
raski_plan_diff *raski_plan_diff_create(const raski_plan_operators *old_plan,
                                        const raski_plan_operators *new_plan);
void raski_plan_diff_destroy(raski_plan_diff *diff_take); /* NULL is fine */

/* All state maps. */
static inline bool raski_plan_diff_fits(const raski_plan_diff *diff) {
    return diff->fates[RASKI_STATE_LOST] == 0 && diff->fates[RASKI_STATE_REFUSED] == 0;
}

/* For people, and for machines (a new reference). */
void raski_plan_diff_print(const raski_plan_diff *diff, raski_str *out);
json_t *raski_plan_diff_to_json(const raski_plan_diff *diff);
#endif
