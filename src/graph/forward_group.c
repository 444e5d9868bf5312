#include "graph/forward_group.h"

#include "base/alloc.h"

void raski_forward_groups_init(raski_forward_groups *groups, size_t count) {
    groups->members = RASKI_NEW_ARRAY(raski_forward_member, count);
    groups->groups = RASKI_NEW_ARRAY(raski_forward_group, count);
    groups->count = count;
    for (size_t i = 0; i < count; i++) groups->members[i].parent = i;
}

void raski_forward_groups_fini(raski_forward_groups *groups) {
    raski_free(groups->members);
    raski_free(groups->groups);
}

static size_t find_root(raski_forward_member *members, size_t i) {
    while (members[i].parent != i) i = members[i].parent = members[members[i].parent].parent;
    return i;
}

void raski_forward_groups_join(raski_forward_groups *groups, size_t a, size_t b) {
    size_t x = find_root(groups->members, a), y = find_root(groups->members, b);
    groups->members[x > y ? x : y].parent = x > y ? y : x;
}

rask_status raski_forward_groups_decide(raski_forward_groups *groups, bool singles,
                                        raski_error *err) {
    for (size_t i = 0; i < groups->count; i++) groups->groups[find_root(groups->members, i)].size++;
    for (size_t i = 0; i < groups->count; i++) {
        const raski_forward_member *member = &groups->members[i];
        raski_forward_group *group = &groups->groups[find_root(groups->members, i)];
        if (member->parallelism > 0) {
            if (group->parallelism > 0 && group->parallelism != member->parallelism)
                return RASKI_THROW(err, "IllegalStateException", "%s", "");
            group->parallelism = member->parallelism;
        }
        if (member->max_parallelism > 0 &&
            (group->max_parallelism <= 0 || member->max_parallelism < group->max_parallelism))
            group->max_parallelism = member->max_parallelism;
    }
    for (size_t i = 0; i < groups->count; i++) {
        const raski_forward_group *group = &groups->groups[i];
        if (group->size < (singles ? 1 : 2) || group->max_parallelism <= 0) continue;
        if (group->max_parallelism < group->parallelism)
            return RASKI_THROW(err, "IllegalStateException",
                               "There is a %s in the forward group whose maximum parallelism is "
                               "smaller than the group's parallelism",
                               singles ? "start node" : "job vertex");
    }
    return RASK_OK;
}

const raski_forward_group *raski_forward_groups_of(raski_forward_groups *groups, size_t member) {
    return &groups->groups[find_root(groups->members, member)];
}
