/* plan_diff_causes.c - why an operator has another id than before.
 * A generated id is made of the number of the operator in a walk over the program, how many
 * operators are chained right behind it, and the ids of its inputs; so there is a first operator
 * on the way whose own part changed, and all behind it follow. */
#include <string.h>

#include "plan/plan_diff_private.h"

typedef struct explainer {
    const raski_plan_matching *m;
    raski_arena *arena;
    const char **causes; /* by place in NEW */
    size_t *roots;       /* of causes: place in NEW of the operator that it began with */
    const raski_plan_operator *first_added, *first_removed; /* of the walk; or NULL */
} explainer;

static const raski_plan_operator *old_of(const explainer *e, size_t new_place) {
    size_t place = e->m->old_of_new[new_place];
    return place == RASKI_PLAN_NO_OPERATOR ? NULL : &e->m->old_plan->items[place];
}

static const raski_plan_operator *new_of(const explainer *e, size_t old_place) {
    size_t place = e->m->new_of_old[old_place];
    return place == RASKI_PLAN_NO_OPERATOR ? NULL : &e->m->new_plan->items[place];
}

/* --- the operator itself ------------------------------------------------------------------------
 */

static const char *uid_cause(const explainer *e, const raski_plan_operator *was,
                             const raski_plan_operator *is) {
    if (was->uid == NULL && is->uid == NULL) return NULL;
    if (is->uid == NULL)
        return raski_arena_format(e->arena,
                                  "its uid \"%s\" is missing, so that its id is made of the "
                                  "topology",
                                  was->uid);
    if (was->uid == NULL)
        return raski_arena_format(e->arena,
                                  "it has the uid \"%s\" now; before, its id was made of the "
                                  "topology",
                                  is->uid);
    return raski_arena_format(e->arena, "its uid \"%s\" became \"%s\"", was->uid, is->uid);
}

static const raski_plan_input *input_from(const raski_plan_operator *op, size_t source) {
    for (size_t i = 0; i < op->input_count; i++)
        if (op->inputs[i].source == source) return &op->inputs[i];
    return NULL;
}

/* Chained operators count for the id only where they have one input. */
static bool counts(const raski_plan_operators *plan, size_t target) {
    return plan->items[target].input_count == 1;
}

static size_t chained_count(const raski_plan_operators *plan, const raski_plan_operator *op) {
    size_t count = 0;
    for (size_t i = 0; i < op->chained_target_count; i++)
        if (counts(plan, op->chained_targets[i])) count++;
    return count;
}

static const char *lost_chain(const explainer *e, const raski_plan_operator *was, size_t is_place) {
    const raski_plan_operators *old_plan = e->m->old_plan;
    for (size_t i = 0; i < was->chained_target_count; i++) {
        size_t target = was->chained_targets[i];
        if (!counts(old_plan, target)) continue;
        const char *name = old_plan->items[target].name;
        const raski_plan_operator *now = new_of(e, target);
        const raski_plan_input *input = now != NULL ? input_from(now, is_place) : NULL;
        if (now == NULL)
            return raski_arena_format(e->arena, "'%s', which was chained behind it, is gone", name);
        if (input == NULL)
            return raski_arena_format(e->arena, "'%s', which was chained behind it, was moved",
                                      name);
        if (!input->chained)
            return raski_arena_format(e->arena, "its chain with '%s' is broken: %s", now->name,
                                      input->obstacle);
    }
    return NULL;
}

static const char *gained_chain(const explainer *e, size_t was_place,
                                const raski_plan_operator *is) {
    const raski_plan_operators *new_plan = e->m->new_plan;
    for (size_t i = 0; i < is->chained_target_count; i++) {
        size_t target = is->chained_targets[i];
        if (!counts(new_plan, target)) continue;
        const char *name = new_plan->items[target].name;
        const raski_plan_operator *before = old_of(e, target);
        const raski_plan_input *input = before != NULL ? input_from(before, was_place) : NULL;
        if (input == NULL)
            return raski_arena_format(e->arena, "'%s' was inserted and is chained behind it", name);
        if (!input->chained)
            return raski_arena_format(e->arena, "'%s' is chained behind it now; before: %s", name,
                                      input->obstacle);
    }
    return NULL;
}

static const char *chain_cause(const explainer *e, const raski_plan_operator *was,
                               const raski_plan_operator *is) {
    size_t was_place = (size_t)(was - e->m->old_plan->items);
    size_t is_place = (size_t)(is - e->m->new_plan->items);
    size_t before = chained_count(e->m->old_plan, was), now = chained_count(e->m->new_plan, is);
    if (before == now) return NULL;
    const char *cause =
        before > now ? lost_chain(e, was, is_place) : gained_chain(e, was_place, is);
    if (cause != NULL) return cause;
    return raski_arena_format(
        e->arena, "%zu operators are chained behind it now, before there were %zu", now, before);
}

/* --- what comes before it -----------------------------------------------------------------------
 */

static const char *input_cause(const explainer *e, const raski_plan_operator *was,
                               const raski_plan_operator *is) {
    if (was->input_count != is->input_count)
        return raski_arena_format(e->arena, "it has %zu inputs now, before there were %zu",
                                  is->input_count, was->input_count);
    for (size_t i = 0; i < is->input_count; i++) {
        size_t now = is->inputs[i].source, before = was->inputs[i].source;
        if (e->m->old_of_new[now] == before) continue;
        const char *now_name = e->m->new_plan->items[now].name;
        const char *before_name = e->m->old_plan->items[before].name;
        if (e->m->old_of_new[now] == RASKI_PLAN_NO_OPERATOR)
            return raski_arena_format(e->arena, "'%s' was inserted before it", now_name);
        if (e->m->new_of_old[before] == RASKI_PLAN_NO_OPERATOR)
            return raski_arena_format(e->arena, "'%s', which was before it, was removed",
                                      before_name);
        return raski_arena_format(e->arena, "it was moved: its input is '%s', before it was '%s'",
                                  now_name, before_name);
    }
    return NULL;
}

static const char *upstream_cause(explainer *e, const raski_plan_operator *is, size_t place) {
    for (size_t i = 0; i < is->input_count; i++) {
        size_t input = is->inputs[i].source;
        if (e->causes[input] == NULL) continue;
        size_t root = e->roots[input];
        e->roots[place] = root;
        return raski_arena_format(e->arena, "it is behind '%s', whose id changed: %s",
                                  e->m->new_plan->items[root].name, e->causes[root]);
    }
    return NULL;
}

/* The first operator of the walk that the other program has not, or NULL. */
static const raski_plan_operator *first_stranger(const raski_plan_operators *plan,
                                                 const size_t *partners) {
    const raski_plan_operator *first = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        const raski_plan_operator *op = &plan->items[i];
        if (partners[i] != RASKI_PLAN_NO_OPERATOR) continue;
        if (first == NULL || op->number < first->number) first = op;
    }
    return first;
}

static const char *number_cause(const explainer *e, const raski_plan_operator *was,
                                const raski_plan_operator *is) {
    const raski_plan_operator *added = e->first_added, *removed = e->first_removed;
    raski_str why = {0};
    if (added != NULL && added->number < is->number)
        raski_str_appendf(&why, "'%s' was added", added->name);
    else if (removed != NULL && removed->number < was->number)
        raski_str_appendf(&why, "'%s' was removed", removed->name);
    else
        raski_str_append(&why, "the order of the operators changed");
    const char *cause = raski_arena_format(
        e->arena, "it is number %zu of the program now, before it was number %zu: %s",
        is->number + 1, was->number + 1, raski_str_text(&why));
    raski_str_free(&why);
    return cause;
}

static void explain(explainer *e, size_t place) {
    const raski_plan_operator *is = &e->m->new_plan->items[place];
    const raski_plan_operator *was = old_of(e, place);
    if (was == NULL || raski_id_equals(was->id, is->id)) return;
    e->roots[place] = place;
    const char *cause = uid_cause(e, was, is);
    if (cause == NULL) cause = chain_cause(e, was, is);
    if (cause == NULL) cause = input_cause(e, was, is);
    if (cause == NULL) cause = upstream_cause(e, is, place);
    if (cause == NULL) cause = number_cause(e, was, is);
    e->causes[place] = cause;
}

const char **raski_plan_id_causes(const raski_plan_matching *m, raski_arena *arena) {
    size_t count = m->new_plan->count;
    explainer e = {.m = m,
                   .arena = arena,
                   .causes = RASKI_NEW_ARRAY(const char *, count + 1),
                   .roots = RASKI_NEW_ARRAY(size_t, count + 1),
                   .first_added = first_stranger(m->new_plan, m->old_of_new),
                   .first_removed = first_stranger(m->old_plan, m->new_of_old)};
    /* inputs first: an operator gets its number after all of its inputs, or has a uid */
    size_t *by_number = RASKI_NEW_ARRAY(size_t, count + 1);
    for (size_t i = 0; i < count; i++) by_number[m->new_plan->items[i].number] = i;
    for (size_t i = 0; i < count; i++) explain(&e, by_number[i]);
    raski_free(by_number);
    raski_free(e.roots);
    return e.causes;
}
