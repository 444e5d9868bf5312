#include "plan/plan_diff.h"

#include <string.h>

#include "plan/plan_diff_private.h"

const char *raski_plan_change_name(raski_plan_change change) {
    static const char *const names[] = {"stays", "changes", "appears", "vanishes"};
    return names[change];
}

const char *raski_state_fate_name(raski_state_fate fate) {
    static const char *const names[] = {"maps", "lost", "refused"};
    return names[fate];
}

/* --- operators ----------------------------------------------------------------------------------
 */

static void add_operator(raski_plan_diff *diff, raski_plan_diff_operator op) {
    raski_vec_push(&diff->operators, op);
    diff->counts[op.change]++;
}

static void compare_operators(raski_plan_diff *diff, const raski_plan_matching *m,
                              const char **causes) {
    for (size_t i = 0; i < m->old_plan->count; i++) {
        size_t partner = m->new_of_old[i];
        raski_plan_diff_operator op = {.old_place = i, .new_place = partner};
        if (partner == RASKI_PLAN_NO_OPERATOR) {
            op.change = RASKI_CHANGE_VANISHES;
        } else if (raski_id_equals(m->old_plan->items[i].id, m->new_plan->items[partner].id)) {
            op.change = RASKI_CHANGE_STAYS;
        } else {
            op.change = RASKI_CHANGE_NEW_ID;
            op.likeness = m->by_user_id[i] ? "its uidHash is the old id" : m->likeness[i];
            op.cause = causes[partner];
        }
        add_operator(diff, op);
    }
    for (size_t i = 0; i < m->new_plan->count; i++)
        if (m->old_of_new[i] == RASKI_PLAN_NO_OPERATOR)
            add_operator(diff, (raski_plan_diff_operator){.change = RASKI_CHANGE_APPEARS,
                                                          .old_place = RASKI_PLAN_NO_OPERATOR,
                                                          .new_place = i});
}

/* --- state whose operator is there --------------------------------------------------------------
 */

static void refuse(raski_plan_diff_state *state, const char *cause, const char *remedy) {
    if (state->fate == RASKI_STATE_REFUSED) return; /* the first one is told */
    state->fate = RASKI_STATE_REFUSED;
    state->cause = cause;
    state->remedy = remedy;
}

/* Flink checks it for every operator that a savepoint knows, with state or without. */
static void check_max_parallelism(raski_plan_diff *diff, const raski_plan_operator *was,
                                  const raski_plan_operator *is, raski_plan_diff_state *state) {
    raski_arena *arena = diff->arena;
    if (was->max_parallelism < 0 || was->max_parallelism == is->max_parallelism) return;
    if (is->max_parallelism_configured)
        refuse(state,
               raski_arena_format(
                   arena, "the savepoint has max parallelism %d%s, the new program sets %d",
                   was->max_parallelism, was->max_parallelism_configured ? "" : " (the default)",
                   is->max_parallelism),
               raski_arena_format(arena,
                                  "set max parallelism %d, or none: then the savepoint's is kept",
                                  was->max_parallelism));
    else if (is->parallelism > was->max_parallelism)
        refuse(state,
               raski_arena_format(arena,
                                  "the max parallelism of the savepoint (%d) is lower than the new "
                                  "parallelism (%d)",
                                  was->max_parallelism, is->parallelism),
               raski_arena_format(arena, "set a parallelism of at most %d", was->max_parallelism));
}

static void check_kinds(raski_plan_diff *diff, const raski_plan_operator *was,
                        const raski_plan_operator *is, raski_plan_diff_state *state) {
    unsigned homeless = was->states & ~is->states;
    if (homeless != 0) {
        raski_str kinds = {0};
        raski_plan_states_describe(homeless, &kinds);
        refuse(state,
               raski_arena_format(diff->arena, "'%s' (%s) has no use for it: %s", is->name,
                                  is->kind, raski_str_text(&kinds)),
               "give the two operators different uids");
        raski_str_free(&kinds);
    }
    if (was->key_type != NULL && is->key_type != NULL && strcmp(was->key_type, is->key_type) != 0)
        refuse(state,
               raski_arena_format(diff->arena, "the type of its key changed from %s to %s",
                                  was->key_type, is->key_type),
               "keep the type of the key; keyed state cannot be read with another one");
}

static const char *origin_of(const raski_plan_matching *m, size_t old_place) {
    if (m->by_user_id[old_place]) return "uidHash";
    return m->new_plan->items[m->new_of_old[old_place]].uid != NULL ? "uid" : "topology";
}

static void compare_mapped(raski_plan_diff *diff, const raski_plan_matching *m, size_t old_place) {
    const raski_plan_operator *was = &m->old_plan->items[old_place];
    const raski_plan_operator *is = &m->new_plan->items[m->new_of_old[old_place]];
    raski_plan_diff_state state = {.old_place = old_place,
                                   .new_place = m->new_of_old[old_place],
                                   .by = origin_of(m, old_place)};
    check_kinds(diff, was, is, &state);
    check_max_parallelism(diff, was, is, &state);
    if (was->states == 0 && state.fate == RASKI_STATE_MAPS) return;
    raski_vec_push(&diff->states, state);
    diff->fates[state.fate]++;
}

/* --- state whose operator is not there ----------------------------------------------------------
 */

static const char *remedy_of_lost(raski_plan_diff *diff, const raski_plan_operator *was,
                                  const raski_plan_operator *is) {
    char hex[RASKI_ID_HEX_SIZE];
    if (is == NULL)
        return "if it is not needed any more, restore with --allowNonRestoredState; else put the "
               "operator back";
    if (was->uid != NULL)
        return raski_arena_format(diff->arena, "set uid(\"%s\") on '%s'%s", was->uid, is->name,
                                  is->sink_part ? " (through its sink)" : "");
    if (is->sink_part)
        return raski_arena_format(diff->arena,
                                  "give sinkTo the uid hash \"%s\" for this part of the sink, and "
                                  "set a uid on the sink for the next savepoints",
                                  raski_id_to_hex(was->id, hex));
    return raski_arena_format(
        diff->arena, "set uidHash(\"%s\") on '%s' for this restore%s",
        raski_id_to_hex(was->id, hex), is->name,
        is->uid != NULL ? ", beside its uid" : ", and a uid for the next savepoints");
}

static const char *taken_instead(raski_plan_diff *diff, const raski_plan_matching *m,
                                 const raski_plan_operator *was) {
    for (size_t i = 0; i < m->new_plan->count; i++) {
        const raski_plan_operator *is = &m->new_plan->items[i];
        if (!raski_id_equals(is->id, was->id) || m->old_of_new[i] == RASKI_PLAN_NO_OPERATOR)
            continue;
        return raski_arena_format(diff->arena,
                                  "'%s' has its id, but takes the state of '%s' by its uidHash",
                                  is->name, m->old_plan->items[m->old_of_new[i]].name);
    }
    return NULL;
}

static void explain_lost(raski_plan_diff *diff, const raski_plan_matching *m, const char **causes,
                         raski_plan_diff_state *state) {
    const raski_plan_operator *was = &m->old_plan->items[state->old_place];
    size_t likely = state->new_place;
    bool has_likely = likely != RASKI_PLAN_NO_OPERATOR;
    state->cause = taken_instead(diff, m, was);
    if (state->cause == NULL && has_likely) state->cause = causes[likely];
    if (state->cause == NULL) state->cause = "the operator was removed";
    state->remedy = remedy_of_lost(diff, was, has_likely ? &m->new_plan->items[likely] : NULL);
}

static void compare_lost(raski_plan_diff *diff, const raski_plan_matching *m, const char **causes,
                         size_t old_place) {
    const raski_plan_operator *was = &m->old_plan->items[old_place];
    size_t likely = m->new_of_old[old_place];
    if (was->states == 0) return; /* Flink skips what has no state */
    raski_plan_diff_state state = {
        .fate = RASKI_STATE_LOST, .old_place = old_place, .new_place = likely};
    if (likely != RASKI_PLAN_NO_OPERATOR && m->new_plan->items[likely].is_chained_source) {
        state.cause =
            "it is a source in the chain of its consumer, and Flink 2.2.0 lists no id of those";
        state.remedy = "disable chaining of the source, or let its consumer start a chain (HEAD)";
    } else {
        explain_lost(diff, m, causes, &state);
    }
    raski_vec_push(&diff->states, state);
    diff->fates[RASKI_STATE_LOST]++;
}

/* --- state that begins empty --------------------------------------------------------------------
 */

static void find_beginners(raski_plan_diff *diff, const raski_plan_matching *m) {
    for (size_t i = 0; i < m->new_plan->count; i++) {
        size_t partner = m->old_of_new[i];
        bool has_partner = partner != RASKI_PLAN_NO_OPERATOR;
        if (m->new_plan->items[i].states == 0) continue;
        if (has_partner && m->by_id[partner] && m->old_plan->items[partner].states != 0) continue;
        raski_vec_push(&diff->beginners, (raski_plan_diff_beginner){i, partner});
    }
}

/* --- warnings -----------------------------------------------------------------------------------
 */

static void warn(raski_plan_diff *diff, raski_plan_diff_warning warning) {
    raski_vec_push(&diff->warnings, warning);
}

static void warn_of_fragile(raski_plan_diff *diff, bool in_old) {
    const raski_plan_operators *plan = in_old ? diff->old_plan : diff->new_plan;
    for (size_t i = 0; i < plan->count; i++) {
        const raski_plan_operator *op = &plan->items[i];
        if (op->states == 0 || op->uid != NULL) continue;
        raski_plan_diff_warning warning = {.in_old = in_old, .place = i};
        warning.remedy = op->sink_part ? "set a uid on the sink" : "set a uid";
        if (op->has_user_id) {
            if (in_old) continue;
            warning.code = "id-hash-only";
            warning.what =
                "its uidHash finds state of an older savepoint; the next savepoint is written "
                "under an id that depends on the topology";
        } else {
            warning.code = "id-depends-on-topology";
            warning.what =
                "it has state and no uid: its id changes with the operators around it and with "
                "what is chained";
        }
        warn(diff, warning);
    }
}

/* The id is a place in the topology, and somebody else may have taken the place. */
static void warn_of_strangers(raski_plan_diff *diff, const raski_plan_matching *m) {
    for (size_t i = 0; i < m->old_plan->count; i++) {
        if (!m->by_id[i] || m->by_user_id[i]) continue;
        const raski_plan_operator *was = &m->old_plan->items[i];
        const raski_plan_operator *is = &m->new_plan->items[m->new_of_old[i]];
        if (was->states == 0 || is->uid != NULL) continue;
        if (strcmp(was->name, is->name) == 0 && strcmp(was->kind, is->kind) == 0) continue;
        warn(diff, (raski_plan_diff_warning){
                       .code = "state-by-position",
                       .place = m->new_of_old[i],
                       .what = raski_arena_format(
                           diff->arena,
                           "it takes the state of '%s' (%s), because it stands at its place: "
                           "renamed, or another operator?",
                           was->name, was->kind),
                       .remedy = "if they are not the same, set uids so that their ids differ"});
    }
}

raski_plan_diff *raski_plan_diff_create(const raski_plan_operators *old_plan,
                                        const raski_plan_operators *new_plan) {
    raski_plan_diff *diff = RASKI_NEW(raski_plan_diff);
    raski_plan_matching m;
    diff->arena = raski_arena_create(0);
    diff->old_plan = old_plan;
    diff->new_plan = new_plan;
    raski_plan_matching_init(&m, old_plan, new_plan);
    const char **causes = raski_plan_id_causes(&m, diff->arena);
    compare_operators(diff, &m, causes);
    for (size_t i = 0; i < old_plan->count; i++) {
        if (m.by_id[i])
            compare_mapped(diff, &m, i);
        else
            compare_lost(diff, &m, causes, i);
    }
    find_beginners(diff, &m);
    warn_of_strangers(diff, &m);
    warn_of_fragile(diff, false);
    warn_of_fragile(diff, true);
    raski_free((void *)causes);
    raski_plan_matching_fini(&m);
    return diff;
}

void raski_plan_diff_destroy(raski_plan_diff *diff) {
    if (diff == NULL) return;
    raski_vec_free(&diff->operators);
    raski_vec_free(&diff->states);
    raski_vec_free(&diff->beginners);
    raski_vec_free(&diff->warnings);
    raski_arena_destroy(diff->arena);
    raski_free(diff);
}
