/* What becomes of a savepoint when a program changes: each cause on a pair of topologies, and for
 * random programs and edits, that what is said agrees with the ids as they really are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/facts.h"
#include "plan/plan_diff.h"
#include "plan/plan_test_util.h"

typedef struct pair {
    planned old_program, new_program;
    raski_plan_operators *old_plan, *new_plan;
    raski_plan_diff *diff;
} pair;

static raski_plan_operators *operators_of(const planned *p) {
    if (p->status != RASK_OK) fail_msg("%s: %s", p->err.exception, p->err.message);
    return raski_plan_operators_create(&p->plan);
}

static pair compare(const char *old_text, const char *new_text) {
    pair p = {.old_program = plan_topology(old_text, RASKI_PLAN_JOB_GRAPH),
              .new_program = plan_topology(new_text, RASKI_PLAN_JOB_GRAPH)};
    p.old_plan = operators_of(&p.old_program);
    p.new_plan = operators_of(&p.new_program);
    p.diff = raski_plan_diff_create(p.old_plan, p.new_plan);
    return p;
}

static void end(pair *p) {
    raski_plan_diff_destroy(p->diff);
    raski_plan_operators_destroy(p->old_plan);
    raski_plan_operators_destroy(p->new_plan);
    planned_fini(&p->old_program);
    planned_fini(&p->new_program);
}

/* The state of the operator of OLD with this name. */
static const raski_plan_diff_state *state_of(const pair *p, const char *name) {
    for (size_t i = 0; i < p->diff->states.count; i++)
        if (strcmp(p->old_plan->items[p->diff->states.items[i].old_place].name, name) == 0)
            return &p->diff->states.items[i];
    fail_msg("no state of '%s'", name);
    return NULL;
}

static void assert_text(const char *text, const char *part) {
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, text != NULL ? text : "(nothing)");
}

static void assert_fate(const pair *p, const char *name, raski_state_fate fate, const char *cause,
                        const char *remedy) {
    const raski_plan_diff_state *state = state_of(p, name);
    if (state->fate != fate)
        fail_msg("%s: %s, not %s: %s", name, raski_state_fate_name(state->fate),
                 raski_state_fate_name(fate), state->cause ? state->cause : "");
    if (cause != NULL) assert_text(state->cause, cause);
    if (remedy != NULL) assert_text(state->remedy, remedy);
}

static bool has_warning(const pair *p, const char *code, bool in_old, const char *name) {
    for (size_t i = 0; i < p->diff->warnings.count; i++) {
        const raski_plan_diff_warning *w = &p->diff->warnings.items[i];
        const raski_plan_operators *plan = in_old ? p->old_plan : p->new_plan;
        if (strcmp(w->code, code) == 0 && w->in_old == in_old &&
            strcmp(plan->items[w->place].name, name) == 0)
            return true;
    }
    return false;
}

#define SOURCE "{'op':'source','name':'S','uid':'s'}"
#define COUNT(more) "{'op':'keyBy'},{'op':'process','name':'Count'" more "}"
#define PROGRAM(steps) "{'steps':[" steps ",{'op':'discard'}]}"

static void the_same_program_fits(void **unused) {
    (void)unused;
    const char *text = PROGRAM("{'op':'source','name':'S'}," COUNT(""));
    pair p = compare(text, text);
    assert_true(raski_plan_diff_fits(p.diff));
    assert_int_equal(p.diff->counts[RASKI_CHANGE_STAYS], p.old_plan->count);
    assert_string_equal(state_of(&p, "Count")->by, "topology");
    assert_true(has_warning(&p, "id-depends-on-topology", false, "Count"));
    assert_true(has_warning(&p, "id-depends-on-topology", true, "Source: S"));
    end(&p);
}

/* reports.md P25: one parallelism, and all ids are others. */
static void a_chain_that_parallelism_breaks_p25(void **unused) {
    (void)unused;
#define P25(parallelism) \
    "{'steps':[{'op':'fromSequence'},{'op':'map','parallelism':" parallelism \
    "},{'op':'keyBy','keyType':'long'},{'op':'reduce','parallelism':1}," \
    "{'op':'discard','parallelism':1}]}"
    pair p = compare(P25("1"), P25("2"));
    char hex[RASKI_ID_HEX_SIZE];
    assert_false(raski_plan_diff_fits(p.diff));
    assert_int_equal(p.diff->counts[RASKI_CHANGE_NEW_ID], 4);
    assert_string_equal(raski_id_to_hex(p.old_plan->items[0].id, hex),
                        "cbc357ccb763df2852fee8c4fc7d55f2");
    assert_string_equal(raski_id_to_hex(p.new_plan->items[0].id, hex),
                        "bc764cd8ddf7a0cff126f51c16239658");
    assert_fate(&p, "Source: Sequence Source", RASKI_STATE_LOST,
                "its chain with 'Map' is broken: parallelism differs: 1 and 2",
                "uidHash(\"cbc357ccb763df2852fee8c4fc7d55f2\")");
    assert_fate(&p, "Keyed Reduce", RASKI_STATE_LOST, "it is behind 'Source: Sequence Source'",
                "uidHash(\"90bea66de1c231edf33913ecd54406c1\")");
    end(&p);
}

static void a_uid_that_is_missing(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'count'")), PROGRAM(SOURCE "," COUNT("")));
    assert_fate(&p, "Source: S", RASKI_STATE_MAPS, NULL, NULL);
    assert_fate(&p, "Count", RASKI_STATE_LOST, "its uid \"count\" is missing",
                "set uid(\"count\") on 'Count'");
    assert_true(has_warning(&p, "id-depends-on-topology", false, "Count"));
    assert_false(has_warning(&p, "id-depends-on-topology", true, "Count"));
    end(&p);
}

/* reports.md S2. */
static void a_uid_that_is_another_s2(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'red'")),
                     PROGRAM(SOURCE "," COUNT(",'uid':'red2'")));
    char hex[RASKI_ID_HEX_SIZE];
    assert_fate(&p, "Count", RASKI_STATE_LOST, "its uid \"red\" became \"red2\"", "uid(\"red\")");
    assert_string_equal(
        raski_id_to_hex(p.old_plan->items[state_of(&p, "Count")->old_place].id, hex),
        "23aa4df41c9010c6db153beb689f613e");
    end(&p);
}

static void a_uid_that_is_new(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT("")), PROGRAM(SOURCE "," COUNT(",'uid':'count'")));
    assert_fate(&p, "Count", RASKI_STATE_LOST, "it has the uid \"count\" now", "beside its uid");
    end(&p);
}

/* reports.md S3: what the remedy says works. */
static void a_hash_that_is_set_s3(void **unused) {
    (void)unused;
    const char *old_text = PROGRAM(SOURCE "," COUNT(""));
    pair p = compare(old_text, PROGRAM(SOURCE "," COUNT(",'uid':'count'")));
    char hex[RASKI_ID_HEX_SIZE];
    raski_id_to_hex(p.old_plan->items[1].id, hex);
    end(&p);
    char *new_text =
        raski_format(PROGRAM(SOURCE ",{'op':'map'}," COUNT(",'uid':'count','uidHash':'%s'")), hex);
    p = compare(old_text, new_text);
    assert_fate(&p, "Count", RASKI_STATE_MAPS, NULL, NULL);
    assert_string_equal(state_of(&p, "Count")->by, "uidHash");
    assert_true(raski_plan_diff_fits(p.diff));
    end(&p);
    raski_free(new_text);
    /* without a uid the next savepoint has an id of the topology again */
    new_text = raski_format(PROGRAM(SOURCE "," COUNT(",'uidHash':'%s'")), hex);
    p = compare(old_text, new_text);
    assert_true(has_warning(&p, "id-hash-only", false, "Count"));
    end(&p);
    raski_free(new_text);
}

/* reports.md S1. */
static void an_operator_without_state_may_go_s1(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE ",{'op':'map','uid':'m'}," COUNT(",'uid':'c'")),
                     PROGRAM(SOURCE "," COUNT(",'uid':'c'")));
    assert_true(raski_plan_diff_fits(p.diff));
    assert_int_equal(p.diff->counts[RASKI_CHANGE_VANISHES], 1);
    end(&p);
}

static void an_operator_with_state_that_is_gone(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'c'")), PROGRAM(SOURCE ",{'op':'map'}"));
    assert_fate(&p, "Count", RASKI_STATE_LOST, "the operator was removed",
                "--allowNonRestoredState");
    assert_int_equal(state_of(&p, "Count")->new_place, RASKI_PLAN_NO_OPERATOR);
    end(&p);
}

static void an_operator_that_is_inserted(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT("")), PROGRAM(SOURCE ",{'op':'filter'}," COUNT("")));
    assert_fate(&p, "Count", RASKI_STATE_LOST, "'Filter' was inserted before it", NULL);
    assert_int_equal(p.diff->counts[RASKI_CHANGE_APPEARS], 1);
    end(&p);
    /* behind a source without uid the source's own id is another, as it chains to the new one */
    p = compare(PROGRAM("{'op':'source','name':'S'}," COUNT("")),
                PROGRAM("{'op':'source','name':'S'},{'op':'filter'}," COUNT("")));
    assert_fate(&p, "Source: S", RASKI_STATE_LOST, "'Filter' was inserted and is chained", NULL);
    end(&p);
}

static void an_operator_that_is_moved(void **unused) {
    (void)unused;
#define TWO_MAPS(first, second) \
    PROGRAM(SOURCE ",{'op':'map','name':'" first \
                   "'},{'op':'rebalance'},{'op':'filter','name':'" second "'}," COUNT(""))
    pair p = compare(TWO_MAPS("A", "B"), PROGRAM(SOURCE ",{'op':'filter','name':'B'},{'op':"
                                                        "'rebalance'},{'op':'map','name':'A'}"  //
                                                        "," COUNT("")));
    /* ids are places: nothing is lost, as Flink sees it */
    assert_fate(&p, "Count", RASKI_STATE_MAPS, NULL, NULL);
    end(&p);
    p = compare("{'steps':[" SOURCE
                ",{'op':'rebalance'},{'op':'map','name':'A','as':'a'},"
                "{'op':'keyBy'},{'op':'process','name':'Count'},{'op':'discard'}]}",
                "{'steps':[{'op':'source','name':'S','uid':'s','as':'s'},{'op':'rebalance'},"
                "{'op':'map','name':'A','as':'a'},{'op':'keyBy','of':'s'},"
                "{'op':'process','name':'Count'},{'op':'discard'},{'op':'discard','of':'a'}]}");
    assert_fate(&p, "Count", RASKI_STATE_LOST, "it was moved: its input is 'Source: S'", NULL);
    end(&p);
}

static void what_comes_before_counts(void **unused) {
    (void)unused;
    /* a branch of its own, but first in the walk */
    pair p = compare(PROGRAM("{'op':'source','name':'S'}," COUNT("")),
                     "{'steps':[{'op':'source','name':'T'},{'op':'discard'},"
                     "{'op':'source','name':'S'}," COUNT("") ",{'op':'discard'}]}");
    assert_false(raski_plan_diff_fits(p.diff));
    assert_fate(&p, "Source: S", RASKI_STATE_LOST, "'Source: T' was added", NULL);
    end(&p);
}

static void names_do_not_matter(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'c'")),
                     PROGRAM(SOURCE "," COUNT(",'uid':'c','rename':'Number'")));
    assert_true(raski_plan_diff_fits(p.diff));
    assert_false(has_warning(&p, "state-by-position", false, "Number"));
    end(&p);
    p = compare(PROGRAM(SOURCE "," COUNT("")), PROGRAM(SOURCE "," COUNT(",'rename':'Number'")));
    assert_true(raski_plan_diff_fits(p.diff));
    assert_true(has_warning(&p, "state-by-position", false, "Number"));
    end(&p);
}

static void max_parallelism(void **unused) {
    (void)unused;
    const char *plain = PROGRAM(SOURCE "," COUNT(",'uid':'c'"));
    pair p = compare(plain, PROGRAM(SOURCE "," COUNT(",'uid':'c','maxParallelism':256")));
    assert_fate(&p, "Count", RASKI_STATE_REFUSED, "has max parallelism 128 (the default), the new",
                "set max parallelism 128");
    end(&p);
    p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'c','maxParallelism':4")),
                PROGRAM(SOURCE "," COUNT(",'uid':'c','parallelism':8")));
    assert_fate(&p, "Count", RASKI_STATE_REFUSED, "(4) is lower than the new parallelism (8)",
                "at most 4");
    end(&p);
    /* none set: the 128 of the savepoint are kept, though the default for 100 is 256 */
    p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'c','parallelism':80")),
                PROGRAM(SOURCE "," COUNT(",'uid':'c','parallelism':100")));
    assert_fate(&p, "Count", RASKI_STATE_MAPS, NULL, NULL);
    end(&p);
    /* Flink checks operators without state, too */
    p = compare(PROGRAM(SOURCE ",{'op':'rebalance'},{'op':'map','uid':'m'}"),
                PROGRAM(SOURCE ",{'op':'rebalance'},{'op':'map','uid':'m','maxParallelism':7}"));
    assert_fate(&p, "Map", RASKI_STATE_REFUSED, "the new program sets 7", NULL);
    end(&p);
}

static void what_the_operator_is(void **unused) {
    (void)unused;
    pair p =
        compare(PROGRAM(SOURCE "," COUNT(",'uid':'c'")), PROGRAM(SOURCE ",{'op':'map','uid':'c'}"));
    assert_fate(&p, "Count", RASKI_STATE_REFUSED, "has no use for it: keyed state", NULL);
    end(&p);
    p = compare(PROGRAM(SOURCE ",{'op':'keyBy'},{'op':'process','name':'Count','uid':'c'}"),
                PROGRAM(SOURCE ",{'op':'keyBy','keyType':'long'},"
                               "{'op':'process','name':'Count','uid':'c'}"));
    assert_fate(&p, "Count", RASKI_STATE_REFUSED, "the type of its key changed", NULL);
    end(&p);
}

static void sinks_that_commit(void **unused) {
    (void)unused;
#define COMMITTING(more) "{'steps':[" SOURCE ",{'op':'sink','committer':true" more "}]}"
    pair p = compare(COMMITTING(",'uid':'k'"), COMMITTING(""));
    const char *committer = NULL;
    for (size_t i = 0; i < p.old_plan->count; i++)
        if (p.old_plan->items[i].states & RASKI_STATE_COMMITTABLES)
            committer = p.old_plan->items[i].name;
    assert_fate(&p, committer, RASKI_STATE_LOST, "is missing", "(through its sink)");
    end(&p);
}

static void sources_in_a_chain(void **unused) {
    (void)unused;
    const char *text =
        "{'steps':[{'op':'source','name':'A','uid':'a','as':'a'},"
        "{'op':'source','name':'B','uid':'b','as':'b'},"
        "{'op':'transform','of':['a','b'],'inputs':'many','chaining':"
        "'HEAD_WITH_SOURCES','name':'T'},{'op':'discard'}]}";
    pair p = compare(text, text);
    assert_int_equal(p.diff->counts[RASKI_CHANGE_STAYS], p.old_plan->count);
    assert_fate(&p, "Source: A", RASKI_STATE_LOST, "lists no id of those", "disable chaining");
    end(&p);
}

static void both_forms_tell_it(void **unused) {
    (void)unused;
    pair p = compare(PROGRAM(SOURCE "," COUNT(",'uid':'c'")), PROGRAM(SOURCE "," COUNT("")));
    raski_str text = {0};
    raski_plan_diff_print(p.diff, &text);
    assert_text(raski_str_text(&text), "LOST    Count: keyed state and timers");
    assert_text(raski_str_text(&text), "State that begins empty in NEW");
    assert_text(raski_str_text(&text), "A savepoint of OLD does not fit NEW.");
    raski_str_free(&text);
    json_t *document = raski_plan_diff_to_json(p.diff);
    assert_true(json_is_false(json_object_get(document, "fits")));
    assert_int_equal(json_array_size(json_object_get(document, "state")), 2);
    const json_t *beginner = json_array_get(json_object_get(document, "beginsEmpty"), 0);
    const json_t *likely = json_object_get(beginner, "likelyMatch");
    assert_string_equal(json_string_value(json_object_get(likely, "name")), "Count");
    json_decref(document);
    end(&p);
}

static void lists_survive_json(void **unused) {
    (void)unused;
    planned program =
        plan_topology(PROGRAM(SOURCE ",{'op':'map'}," COUNT(",'uid':'c'")), RASKI_PLAN_JOB_GRAPH);
    raski_plan_operators *list = operators_of(&program), *copy = NULL;
    raski_error err = {0};
    json_t *document = raski_plan_operators_to_json(list);
    assert_int_equal(raski_plan_operators_from_json(document, &copy, &err), RASK_OK);
    json_t *again = raski_plan_operators_to_json(copy);
    assert_true(json_equal(document, again));
    assert_int_equal(copy->items[0].chained_target_count, 1);
    json_object_set_new(json_array_get(json_object_get(document, "operators"), 0), "number",
                        json_integer(77));
    raski_plan_operators *bad = NULL;
    assert_int_equal(raski_plan_operators_from_json(document, &bad, &err), RASK_E_ARGUMENT);
    assert_text(err.message, "'number'");
    json_decref(document);
    json_decref(again);
    raski_plan_operators_destroy(list);
    raski_plan_operators_destroy(copy);
    planned_fini(&program);
}

/* --- random programs ----------------------------------------------------------------------------
 */

static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33);
}

typedef struct random_step {
    int op, input, parallelism; /* input: an earlier step; -1: none (a source) */
} random_step;
enum { STEPS_MAX = 14 };

typedef struct random_program {
    random_step steps[STEPS_MAX + 1];
    int count;
} random_program;

static random_step make_step(uint64_t *seed, int before) {
    bool is_source = before == 0 || next_random(seed) % 5 == 0;
    return (random_step){.op = is_source ? 0 : 1 + (int)(next_random(seed) % 4),
                         .input = is_source ? -1 : (int)(next_random(seed) % (uint32_t)before),
                         .parallelism = 1 + (int)(next_random(seed) % 2)};
}

static void write_program(const random_program *program, bool with_uids, raski_str *out) {
    static const char *const ops[] = {"'op':'source','name':'S'", "'op':'map'", "'op':'filter'",
                                      "'op':'process','function':'keyed','name':'K'",
                                      "'op':'flatMap'"};
    raski_str_append(out, "{'steps':[");
    for (int i = 0; i < program->count; i++) {
        const random_step *step = &program->steps[i];
        if (step->op == 3)
            raski_str_appendf(out, "{'op':'keyBy','of':'%d','as':'k%d'},", step->input, i);
        raski_str_appendf(out, "{%s,'as':'%d','parallelism':%d", ops[step->op], i,
                          step->parallelism);
        if (step->op == 3)
            raski_str_appendf(out, ",'of':'k%d'", i);
        else if (step->input >= 0)
            raski_str_appendf(out, ",'of':'%d'", step->input);
        if (with_uids) raski_str_appendf(out, ",'uid':'u%d'", i);
        raski_str_append(out, "},");
        raski_str_appendf(out, "{'op':'discard','of':'%d','parallelism':1}%s", i,
                          i + 1 < program->count ? "," : "");
    }
    raski_str_append(out, "]}");
}

static void edit(random_program *program, uint64_t *seed) {
    int at = (int)(next_random(seed) % (uint32_t)program->count);
    switch (next_random(seed) % 3) {
        case 0:
            program->steps[at].parallelism = 3 - program->steps[at].parallelism;
            break;
        case 1:
            program->steps[program->count] = make_step(seed, program->count);
            program->count++;
            break;
        default: /* another operator at the place */
            if (program->steps[at].op > 0)
                program->steps[at].op = 1 + (int)(next_random(seed) % 4);
            else
                program->steps[at].parallelism = 3 - program->steps[at].parallelism;
    }
}

/* Hashes straight from the facts: what Flink would look for. */
static bool has_hash(const json_t *hashes, const char *hex) {
    size_t i;
    const json_t *entry;
    json_array_foreach(hashes, i, entry) {
        if (strcmp(json_string_value(json_object_get(entry, "hash")), hex) == 0) return true;
    }
    return false;
}

static void check_predictions(const pair *p) {
    char hex[RASKI_ID_HEX_SIZE];
    json_t *hashes =
        raski_facts_operator_hashes(p->new_program.plan.stream_graph, &p->new_program.plan.hashes);
    for (size_t i = 0; i < p->diff->states.count; i++) {
        const raski_plan_diff_state *state = &p->diff->states.items[i];
        raski_id_to_hex(p->old_plan->items[state->old_place].id, hex);
        assert_int_equal(has_hash(hashes, hex), state->fate != RASKI_STATE_LOST);
    }
    for (size_t i = 0; i < p->diff->operators.count; i++) {
        const raski_plan_diff_operator *op = &p->diff->operators.items[i];
        if (op->change == RASKI_CHANGE_NEW_ID) assert_non_null(op->cause);
        if (op->old_place == RASKI_PLAN_NO_OPERATOR) continue;
        raski_id_to_hex(p->old_plan->items[op->old_place].id, hex);
        assert_int_equal(has_hash(hashes, hex), op->change == RASKI_CHANGE_STAYS);
    }
    json_decref(hashes);
}

static void random_edits_are_predicted(void **unused) {
    (void)unused;
    for (uint64_t number = 1; number <= 300; number++) {
        uint64_t seed = number * 7919;
        random_program program = {.count = 1 + (int)(next_random(&seed) % (STEPS_MAX - 1))};
        raski_str old_text = {0}, with_uids = {0}, new_text = {0};
        for (int i = 0; i < program.count; i++) program.steps[i] = make_step(&seed, i);
        write_program(&program, false, &old_text);
        write_program(&program, true, &with_uids);
        pair same = compare(raski_str_text(&with_uids), raski_str_text(&with_uids));
        assert_true(raski_plan_diff_fits(same.diff));
        assert_int_equal(same.diff->counts[RASKI_CHANGE_STAYS], same.old_plan->count);
        end(&same);
        edit(&program, &seed);
        write_program(&program, false, &new_text);
        pair edited = compare(raski_str_text(&old_text), raski_str_text(&new_text));
        check_predictions(&edited);
        end(&edited);
        raski_str_free(&old_text);
        raski_str_free(&with_uids);
        raski_str_free(&new_text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_program_fits),
        cmocka_unit_test(a_chain_that_parallelism_breaks_p25),
        cmocka_unit_test(a_uid_that_is_missing),
        cmocka_unit_test(a_uid_that_is_another_s2),
        cmocka_unit_test(a_uid_that_is_new),
        cmocka_unit_test(a_hash_that_is_set_s3),
        cmocka_unit_test(an_operator_without_state_may_go_s1),
        cmocka_unit_test(an_operator_with_state_that_is_gone),
        cmocka_unit_test(an_operator_that_is_inserted),
        cmocka_unit_test(an_operator_that_is_moved),
        cmocka_unit_test(what_comes_before_counts),
        cmocka_unit_test(names_do_not_matter),
        cmocka_unit_test(max_parallelism),
        cmocka_unit_test(what_the_operator_is),
        cmocka_unit_test(sinks_that_commit),
        cmocka_unit_test(sources_in_a_chain),
        cmocka_unit_test(both_forms_tell_it),
        cmocka_unit_test(lists_survive_json),
        cmocka_unit_test(random_edits_are_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
