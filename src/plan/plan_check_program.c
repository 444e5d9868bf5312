/* plan_check_program.c - what the program says: its transformations and the operators they become.
 */
#include <string.h>

#include "plan/plan_check_private.h"
#include "plan/plan_operators.h"

#define text raski_plan_check_text
#define add raski_plan_check_add

/* --- transformations ----------------------------------------------------------------------------
 */

static bool is_source(const raski_transformation *t) {
    return t->kind == RASKI_TRANSFORMATION_SOURCE || t->kind == RASKI_TRANSFORMATION_LEGACY_SOURCE;
}

static bool is_sink(const raski_transformation *t) {
    return t->kind == RASKI_TRANSFORMATION_SINK || t->kind == RASKI_TRANSFORMATION_LEGACY_SINK ||
           t->kind == RASKI_TRANSFORMATION_GLOBAL_COMMITTER;
}

/* A partitioning right behind another: the nearer one decides, the first is never seen. */
static void check_partition(const raski_plan_checker *c, const raski_transformation *t,
                            const raski_transformation *reader) {
    const raski_transformation *input = t->inputs.items[0];
    if (input->kind != RASKI_TRANSFORMATION_PARTITION) return;
    /* joins key keyed streams once more, by the same key */
    if (raski_partitioner_equals(input->partitioner, t->partitioner)) return;
    add(c, RASKI_FINDING_WARNING, "partitioning-ignored", reader,
        text(c, "its input is partitioned twice, by %s and then by %s: only the last has effect",
             raski_partitioner_text(input->partitioner), raski_partitioner_text(t->partitioner)),
        "leave the first one out");
}

static void check_readers(const raski_plan_checker *c, const raski_transformation *t) {
    for (size_t i = 0; i < t->inputs.count; i++) {
        const raski_transformation *input = t->inputs.items[i];
        if (input->kind == RASKI_TRANSFORMATION_PARTITION && raski_transformation_is_physical(t))
            check_partition(c, input, t);
    }
    if (t->key_selectors != NULL && t->non_parallel && c->plan->env->config.parallelism > 1)
        add(c, RASKI_FINDING_NOTE, "not-parallel", t,
            text(c, "it runs with parallelism 1 only, whatever the job's parallelism (%d)",
                 (int)c->plan->env->config.parallelism),
            "use windows over a keyed stream where it is to scale");
}

/* By id: who is read by somebody. */
static raski_map readers_of(const raski_transformation_graph *graph) {
    raski_map read = {0};
    for (size_t i = 0; i < graph->all.count; i++) {
        const raski_transformation *t = graph->all.items[i];
        for (size_t k = 0; k < t->inputs.count; k++)
            raski_map_put_number(&read, (uint64_t)(uint32_t)t->inputs.items[k]->id,
                                 t->inputs.items[k]);
    }
    return read;
}

/* By id: what the program itself registered, without what sinks expand to. */
static raski_map operators_of(const raski_plan_env *env) {
    raski_map operators = {0};
    for (size_t i = 0; i < env->operators.count; i++)
        raski_map_put_number(&operators, (uint64_t)(uint32_t)env->operators.items[i]->id,
                             env->operators.items[i]);
    return operators;
}

/* t is read by nobody. */
static void check_unread(const raski_plan_checker *c, const raski_transformation *t,
                         bool is_registered) {
    if (is_sink(t)) return;
    if (is_source(t) && t->env != c->plan->env)
        add(c, RASKI_FINDING_WARNING, "unused-source", t,
            "it belongs to another environment, and nothing of this job reads it", NULL);
    else if (is_source(t))
        add(c, RASKI_FINDING_WARNING, "unused-source", t,
            "nothing reads this source, so that it is no part of the job",
            "add an operator or a sink behind it, or leave it out");
    else if (t->env == c->plan->env && is_registered)
        add(c, RASKI_FINDING_WARNING, "results-unused", t,
            "nobody reads its results: it runs, and they are dropped",
            "add a sink behind it, or leave it out");
    else if (t->env == c->plan->env && !raski_transformation_is_physical(t))
        add(c, RASKI_FINDING_WARNING, "no-effect", t,
            "nothing comes behind this step, so that it has no effect", "leave it out");
}

void raski_plan_check_transformations(const raski_plan_checker *c) {
    const raski_transformation_graph *graph = c->plan->env->graph;
    raski_map read = readers_of(graph), registered = operators_of(c->plan->env);
    for (size_t i = 0; i < graph->all.count; i++) {
        const raski_transformation *t = graph->all.items[i];
        uint64_t id = (uint64_t)(uint32_t)t->id;
        if (t->env == c->plan->env) check_readers(c, t);
        if (!raski_map_has_number(&read, id))
            check_unread(c, t, raski_map_has_number(&registered, id));
    }
    raski_map_free(&registered);
    raski_map_free(&read);
}

/* --- operators ----------------------------------------------------------------------------------
 */

static void check_uid(const raski_plan_checker *c, const raski_stream_node *node, raski_map *uids) {
    if (node->uid == NULL) return;
    const raski_stream_node *first = raski_map_get(uids, node->uid);
    if (first == NULL) {
        raski_map_put(uids, node->uid, (void *)(uintptr_t)node);
        return;
    }
    const char *where = raski_plan_where(c->findings->arena, first->transformation);
    add(c, RASKI_FINDING_ERROR, "uid-collision", node->transformation,
        text(c,
             "'%s' and '%s'%s%s%s have the same uid \"%s\": IllegalArgumentException: Hash "
             "collision on user-specified ID \"%s\". Most likely cause is a non-unique ID. Please "
             "check that all IDs specified via `uid(String)` are unique.",
             node->name, first->name, where != NULL ? " (" : "", where != NULL ? where : "",
             where != NULL ? ")" : "", node->uid, node->uid),
        "give each operator a uid of its own");
}

static void check_id(const raski_plan_checker *c, const raski_stream_node *node) {
    unsigned states = raski_plan_states_of(node);
    if (states == 0 || node->uid != NULL) return;
    raski_str kinds = {0};
    raski_plan_states_describe(states, &kinds);
    if (node->user_hash != NULL)
        add(c, RASKI_FINDING_NOTE, "id-hash-only", node->transformation,
            text(c,
                 "it finds its state (%s) in an older savepoint by its uidHash; the next savepoint "
                 "is written under an id that depends on the topology",
                 raski_str_text(&kinds)),
            "set a uid as well");
    else
        add(c, RASKI_FINDING_WARNING, "id-depends-on-topology", node->transformation,
            text(c,
                 "it has state (%s) and no uid: its id changes with the operators around it and "
                 "with what is chained, and then a savepoint does not fit any more",
                 raski_str_text(&kinds)),
            "set a uid");
    raski_str_free(&kinds);
}

void raski_plan_check_nodes(const raski_plan_checker *c) {
    const raski_stream_graph *graph = c->plan->stream_graph;
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    raski_map uids = {0};
    bool has_state = false;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        check_uid(c, nodes[i], &uids);
        if (graph->job_type != RASKI_JOB_STREAMING) continue; /* batch jobs have no savepoints */
        check_id(c, nodes[i]);
        if (raski_plan_states_of(nodes[i]) != 0) has_state = true;
    }
    if (has_state && !graph->checkpointing)
        add(c, RASKI_FINDING_NOTE, "no-checkpoints", NULL,
            "checkpoints are off: after a failure the job begins again without its state",
            "set execution.checkpointing.interval");
    raski_map_free(&uids);
    raski_free(nodes);
}
