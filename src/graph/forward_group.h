/* forward_group.h - what is joined by forward edges must have one parallelism. Private to
 * src/graph. Flink: ForwardGroupComputeUtil, JobVertexForwardGroup, StreamNodeForwardGroup.
 * Threads: one owner. */
#ifndef RASKI_GRAPH_FORWARD_GROUP_H
#define RASKI_GRAPH_FORWARD_GROUP_H
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct raski_forward_group {
    size_t size;
    int parallelism;     /* <= 0: nobody decided */
    int max_parallelism; /* <= 0: nobody decided; else the smallest */
} raski_forward_group;

typedef struct raski_forward_member {
    size_t parent; /* of the union-find */
    int parallelism, max_parallelism;
} raski_forward_member;

typedef struct raski_forward_groups {
    raski_forward_member *members; /* the caller sets their parallelisms */
    raski_forward_group *groups;   /* by root */
    size_t count;
} raski_forward_groups;

/* count members, each alone. */
void raski_forward_groups_init(raski_forward_groups *groups, size_t count);
void raski_forward_groups_fini(raski_forward_groups *groups);
void raski_forward_groups_join(raski_forward_groups *groups, size_t a, size_t b);
/* Finds what each group has decided. singles: groups of one are checked, too.
 * Errors: IllegalStateException when members contradict each other. */
RASKI_NODISCARD rask_status raski_forward_groups_decide(raski_forward_groups *groups, bool singles,
                                                        raski_error *err);
/* The group of a member, after decide. */
const raski_forward_group *raski_forward_groups_of(raski_forward_groups *groups, size_t member);
#endif
