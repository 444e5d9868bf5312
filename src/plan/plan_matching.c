/* plan_matching.c - which operator of OLD is which of NEW: first as Flink decides, by id; then, for
 * what is left, as a reader of both programs would. */
#include <string.h>

#include "plan/plan_diff_private.h"

static const raski_plan_operator *old_operator(const raski_plan_matching *m, size_t place) {
    return &m->old_plan->items[place];
}

static const raski_plan_operator *new_operator(const raski_plan_matching *m, size_t place) {
    return &m->new_plan->items[place];
}

static bool old_is_free(const raski_plan_matching *m, size_t place) {
    return m->new_of_old[place] == RASKI_PLAN_NO_OPERATOR;
}

static bool new_is_free(const raski_plan_matching *m, size_t place) {
    return m->old_of_new[place] == RASKI_PLAN_NO_OPERATOR;
}

static void marry(raski_plan_matching *m, size_t old_place, size_t new_place) {
    m->new_of_old[old_place] = new_place;
    m->old_of_new[new_place] = old_place;
}

/* --- by id --------------------------------------------------------------------------------------
 */

static void match_id(raski_plan_matching *m, const raski_map *old_ids, size_t new_place,
                     raski_id id, bool is_user_id) {
    char hex[RASKI_ID_HEX_SIZE];
    const raski_plan_operator *found = raski_map_get(old_ids, raski_id_to_hex(id, hex));
    if (found == NULL || !new_is_free(m, new_place)) return;
    if (new_operator(m, new_place)->is_chained_source) return;
    size_t old_place = (size_t)(found - m->old_plan->items);
    if (!old_is_free(m, old_place)) return;
    marry(m, old_place, new_place);
    m->by_id[old_place] = true;
    m->by_user_id[old_place] = is_user_id;
}

/* An operator looks under its user hash first, and only then under its generated id. */
static void match_by_id(raski_plan_matching *m) {
    raski_map old_ids = {0};
    char hex[RASKI_ID_HEX_SIZE];
    for (size_t i = 0; i < m->old_plan->count; i++)
        raski_map_put(&old_ids, raski_id_to_hex(old_operator(m, i)->id, hex),
                      &m->old_plan->items[i]);
    for (size_t i = 0; i < m->new_plan->count; i++)
        if (new_operator(m, i)->has_user_id)
            match_id(m, &old_ids, i, new_operator(m, i)->user_id, true);
    for (size_t i = 0; i < m->new_plan->count; i++)
        match_id(m, &old_ids, i, new_operator(m, i)->id, false);
    raski_map_free(&old_ids);
}

/* --- by likeness --------------------------------------------------------------------------------
 * Those without a partner that have the same key are paired in the order of the program. */

typedef void (*key_of)(const raski_plan_matching *m, const raski_plan_operator *op, bool is_old,
                       raski_str *out);

typedef RASKI_VEC(size_t) places;

static places *places_of(raski_map *map, raski_arena *arena, const char *key) {
    places *found = raski_map_get(map, key);
    if (found == NULL) {
        found = raski_arena_calloc(arena, sizeof *found);
        raski_map_put(map, key, found);
    }
    return found;
}

static raski_map *group_free(const raski_plan_matching *m, bool old_side, key_of make_key,
                             raski_arena *arena) {
    raski_map *map = raski_arena_calloc(arena, sizeof *map);
    raski_str key = {0};
    const raski_plan_operators *plan = old_side ? m->old_plan : m->new_plan;
    for (size_t i = 0; i < plan->count; i++) {
        if (old_side ? !old_is_free(m, i) : !new_is_free(m, i)) continue;
        raski_str_truncate(&key, 0);
        make_key(m, &plan->items[i], old_side, &key);
        if (key.length > 0) raski_vec_push(places_of(map, arena, raski_str_text(&key)), i);
    }
    raski_str_free(&key);
    return map;
}

static void free_groups(raski_map *map) {
    for (size_t i = 0; i < map->count; i++) {
        places *group = map->entries[i].value;
        raski_vec_free(group);
    }
    raski_map_free(map);
}

/* equal_counts: only where both sides have as many. */
static void match_by_key(raski_plan_matching *m, key_of make_key, bool equal_counts,
                         const char *likeness) {
    raski_arena *arena = raski_arena_create(0);
    raski_map *olds = group_free(m, true, make_key, arena);
    raski_map *news = group_free(m, false, make_key, arena);
    for (size_t i = 0; i < olds->count; i++) {
        const places *of_old = olds->entries[i].value;
        const places *of_new = raski_map_get(news, olds->entries[i].text);
        if (of_new == NULL || (equal_counts && of_old->count != of_new->count)) continue;
        for (size_t k = 0; k < of_old->count && k < of_new->count; k++) {
            marry(m, of_old->items[k], of_new->items[k]);
            m->likeness[of_old->items[k]] = likeness;
        }
    }
    free_groups(olds);
    free_groups(news);
    raski_arena_destroy(arena);
}

static void name_and_kind(const raski_plan_matching *m, const raski_plan_operator *op, bool is_old,
                          raski_str *out) {
    (void)m;
    (void)is_old;
    raski_str_appendf(out, "%s\n%s", op->kind, op->name);
}

static void kind_only(const raski_plan_matching *m, const raski_plan_operator *op, bool is_old,
                      raski_str *out) {
    (void)m;
    (void)is_old;
    raski_str_append(out, op->kind);
}

/* The kind and the first input, as a place in OLD; no key when the input has no partner. */
static void kind_and_input(const raski_plan_matching *m, const raski_plan_operator *op, bool is_old,
                           raski_str *out) {
    if (op->input_count == 0) return;
    size_t input = op->inputs[0].source;
    if (!is_old) input = m->old_of_new[input];
    if (input == RASKI_PLAN_NO_OPERATOR || (is_old && old_is_free(m, input))) return;
    raski_str_appendf(out, "%zu %s %s", input, op->inputs[0].exchange, op->kind);
}

static size_t *no_partners(size_t count) {
    size_t *partners = RASKI_NEW_ARRAY(size_t, count + 1);
    for (size_t i = 0; i < count; i++) partners[i] = RASKI_PLAN_NO_OPERATOR;
    return partners;
}

void raski_plan_matching_init(raski_plan_matching *m, const raski_plan_operators *old_plan,
                              const raski_plan_operators *new_plan) {
    *m = (raski_plan_matching){
        .old_plan = old_plan,
        .new_plan = new_plan,
        .new_of_old = no_partners(old_plan->count),
        .old_of_new = no_partners(new_plan->count),
        .by_id = RASKI_NEW_ARRAY(bool, old_plan->count + 1),
        .by_user_id = RASKI_NEW_ARRAY(bool, old_plan->count + 1),
        .likeness = RASKI_NEW_ARRAY(const char *, old_plan->count + 1),
    };
    match_by_id(m);
    match_by_key(m, name_and_kind, false, "same name and type");
    match_by_key(m, kind_and_input, false, "same type behind the same input");
    match_by_key(m, kind_only, true, "same type, in the same order");
}

void raski_plan_matching_fini(raski_plan_matching *m) {
    raski_free(m->new_of_old);
    raski_free(m->old_of_new);
    raski_free(m->by_id);
    raski_free(m->by_user_id);
    raski_free((void *)m->likeness);
}
