#include "state/operator_state_assign.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "graph/java_order.h"
#include "types/java_hash.h"

/* The parts of one state, over all old subtasks. */
typedef struct state_group {
    const char *name;
    raski_operator_state_mode mode;
    uint64_t items;
    size_t bucket, number; /* its place in a java.util.HashMap, which is walked in that order */
    RASKI_VEC(uint32_t) parts;
} state_group;

typedef struct assignment {
    const raski_operator_state_part *parts;
    uint32_t new_parallelism;
    RASKI_VEC(state_group *) groups;
    RASKI_VEC(raski_operator_state_piece) pieces;
} assignment;

static void add_piece(assignment *a, uint32_t subtask, uint32_t part, uint64_t from,
                      uint64_t count) {
    raski_vec_push(&a->pieces, (raski_operator_state_piece){subtask, part, from, count});
}

/* Groups the parts of one mode by name. */
static void collect(assignment *a, size_t count, raski_operator_state_mode mode) {
    raski_map by_name = {0};
    for (size_t i = 0; i < count; i++) {
        const raski_operator_state_part *part = &a->parts[i];
        if (part->mode != mode) continue;
        state_group *group = raski_map_get(&by_name, part->name);
        if (!group) {
            group = RASKI_NEW(state_group);
            *group = (state_group){.name = part->name, .mode = mode, .number = a->groups.count};
            raski_map_put(&by_name, part->name, group);
            raski_vec_push(&a->groups, group);
        }
        group->items += part->count;
        raski_vec_push(&group->parts, (uint32_t)i);
    }
    raski_map_free(&by_name);
}

static int by_java_order(const void *a_group, const void *b_group) {
    const state_group *a = *(state_group *const *)a_group, *b = *(state_group *const *)b_group;
    if (a->bucket != b->bucket) return a->bucket < b->bucket ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static void order_like_java(assignment *a) {
    for (size_t i = 0; i < a->groups.count; i++) {
        state_group *group = a->groups.items[i];
        int32_t hash = raski_hash_utf8(group->name, strlen(group->name));
        group->bucket = raski_java_bucket(hash, a->groups.count);
    }
    if (a->groups.count)
        qsort(a->groups.items, a->groups.count, sizeof *a->groups.items, by_java_order);
}

static void forget_groups(assignment *a) {
    for (size_t i = 0; i < a->groups.count; i++) {
        raski_vec_free(&a->groups.items[i]->parts);
        raski_free(a->groups.items[i]);
    }
    raski_vec_free(&a->groups);
}

/* Gives the items of a state to the subtasks from `start` on; returns where the next state starts:
 * behind the subtask that got the last odd item. */
static uint32_t split(assignment *a, const state_group *group, uint32_t start) {
    uint64_t share = group->items / a->new_parallelism;
    uint64_t odd = group->items % a->new_parallelism, taken = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < a->new_parallelism; i++) {
        uint32_t subtask = (i + start) % a->new_parallelism;
        uint64_t wanted = share + (i < odd);
        while (wanted > 0) {
            uint32_t part = group->parts.items[at];
            uint64_t left = a->parts[part].count - taken, n = left < wanted ? left : wanted;
            add_piece(a, subtask, part, taken, n);
            taken += n;
            wanted -= n;
            if (taken < a->parts[part].count) continue;
            at++;
            taken = 0;
        }
    }
    return (uint32_t)((odd + start) % a->new_parallelism);
}

static void give_to_all(assignment *a, const state_group *group) {
    for (uint32_t subtask = 0; subtask < a->new_parallelism; subtask++)
        for (size_t i = 0; i < group->parts.count; i++)
            add_piece(a, subtask, group->parts.items[i], 0, a->parts[group->parts.items[i]].count);
}

/* same: everybody has what was his already. */
static void give_round(assignment *a, const state_group *group, bool same) {
    for (uint32_t subtask = 0; subtask < a->new_parallelism; subtask++) {
        uint32_t part = group->parts.items[subtask % group->parts.count];
        if (!same || a->parts[part].subtask != subtask)
            add_piece(a, subtask, part, 0, a->parts[part].count);
    }
}

static void keep(assignment *a, const state_group *group) {
    for (size_t i = 0; i < group->parts.count; i++) {
        uint32_t part = group->parts.items[i];
        add_piece(a, a->parts[part].subtask, part, 0, a->parts[part].count);
    }
}

static bool is_partly_reported(const assignment *a, const state_group *group,
                               uint32_t old_parallelism) {
    uint32_t subtasks = 0, last = UINT32_MAX;
    for (size_t i = 0; i < group->parts.count; i++) {
        uint32_t subtask = a->parts[group->parts.items[i]].subtask;
        subtasks += subtask != last;
        last = subtask;
    }
    return subtasks < old_parallelism;
}

raski_operator_state_piece *raski_operator_state_assign(const raski_operator_state_part *parts,
                                                        size_t count, uint32_t old_parallelism,
                                                        uint32_t new_parallelism,
                                                        size_t *ret_count) {
    assignment a = {.parts = parts, .new_parallelism = new_parallelism};
    bool same = old_parallelism == new_parallelism;
    collect(&a, count, RASKI_OPERATOR_STATE_SPLIT);
    order_like_java(&a);
    uint32_t start = 0;
    for (size_t i = 0; i < a.groups.count; i++) {
        const state_group *group = a.groups.items[i];
        if (same)
            keep(&a, group);
        else
            start = split(&a, group, start);
    }
    forget_groups(&a);

    collect(&a, count, RASKI_OPERATOR_STATE_UNION);
    for (size_t i = 0; i < a.groups.count; i++) give_to_all(&a, a.groups.items[i]);
    forget_groups(&a);

    collect(&a, count, RASKI_OPERATOR_STATE_BROADCAST);
    for (size_t i = 0; i < a.groups.count; i++) {
        const state_group *group = a.groups.items[i];
        if (same) keep(&a, group);
        if (!same || is_partly_reported(&a, group, old_parallelism)) give_round(&a, group, same);
    }
    forget_groups(&a);
    *ret_count = a.pieces.count;
    if (!a.pieces.items) a.pieces.items = raski_alloc(sizeof *a.pieces.items);
    return a.pieces.items;
}
