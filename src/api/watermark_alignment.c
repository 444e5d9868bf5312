#include "api/watermark_alignment.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "operators/time/watermark_change.h"

typedef struct member {
    const void *source;
    int reader;
    int64_t watermark_ms;
} member;

struct raski_alignment_group {
    RASKI_VEC(member) members; /* those that have reported; a report a second each */
};

struct raski_alignment_groups {
    raski_map by_name; /* values are owned */
};

raski_alignment_groups *raski_alignment_groups_create(void) {
    return RASKI_NEW(raski_alignment_groups);
}

void raski_alignment_groups_destroy(raski_alignment_groups *groups_take) {
    if (groups_take == NULL) return;
    for (size_t i = 0; i < groups_take->by_name.count; i++) {
        raski_alignment_group *group = groups_take->by_name.entries[i].value;
        raski_vec_free(&group->members);
        raski_free(group);
    }
    raski_map_free(&groups_take->by_name);
    raski_free(groups_take);
}

raski_alignment_group *raski_alignment_groups_find(raski_alignment_groups *groups,
                                                   const char *name) {
    raski_alignment_group *group = raski_map_get(&groups->by_name, name);
    if (group == NULL) {
        group = RASKI_NEW(raski_alignment_group);
        raski_map_put(&groups->by_name, name, group);
    }
    return group;
}

void raski_alignment_group_forget(raski_alignment_group *group, const void *source) {
    size_t kept = 0;
    for (size_t i = 0; i < group->members.count; i++)
        if (group->members.items[i].source != source)
            group->members.items[kept++] = group->members.items[i];
    group->members.count = kept;
}

void raski_alignment_group_report(raski_alignment_group *group, const void *source, int reader,
                                  int64_t watermark_ms) {
    for (size_t i = 0; i < group->members.count; i++) {
        member *m = &group->members.items[i];
        if (m->source != source || m->reader != reader) continue;
        m->watermark_ms = watermark_ms;
        return;
    }
    raski_vec_push(&group->members, (member){source, reader, watermark_ms});
}

int64_t raski_alignment_group_limit(const raski_alignment_group *group, int64_t drift_ms) {
    int64_t slowest = RASKI_WATERMARK_MAX;
    for (size_t i = 0; i < group->members.count; i++)
        if (group->members.items[i].watermark_ms < slowest)
            slowest = group->members.items[i].watermark_ms;
    int64_t limit;
    if (slowest == RASKI_WATERMARK_NONE || __builtin_add_overflow(slowest, drift_ms, &limit))
        return RASKI_WATERMARK_MAX;
    return limit;
}
