/* resources.h - what a slot or an operator is promised: cpu cores, memory, external resources.
 * Flink: ResourceSpec (operators) and the fine-grained part of ResourceProfile (slot sharing
 * groups). Values, immutable once made; external resources live in the arena of their maker. */
#ifndef RASKI_GRAPH_RESOURCES_H
#define RASKI_GRAPH_RESOURCES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"

typedef struct raski_external_resource {
    const char *name;
    double amount;
} raski_external_resource;

typedef struct raski_resource_spec {
    bool known; /* false: UNKNOWN, which is also DEFAULT; all else is 0 then */
    double cpu_cores;
    int64_t task_heap_bytes, task_off_heap_bytes, managed_bytes;
    const raski_external_resource *externals; /* sorted by name, none of them 0 */
    size_t external_count;
} raski_resource_spec;

/* A slot sharing group as the user gives it; resources are UNKNOWN when only the name was given. */
typedef struct raski_slot_sharing_group {
    const char *name;
    raski_resource_spec resources;
} raski_slot_sharing_group;

/* Collects the parts of a specification in any order; see raski_resource_spec_build. */
typedef struct raski_resource_parts {
    bool has_cpu, has_task_heap, has_task_off_heap, has_managed;
    double cpu_cores;
    int64_t task_heap_bytes, task_off_heap_bytes, managed_bytes;
    raski_external_resource *externals; /* unsorted; borrowed */
    size_t external_count;
} raski_resource_parts;

/* Checks and makes the specification of an operator: cpu and heap must be positive.
 * Strings and externals are copied into arena. */
RASKI_NODISCARD rask_status raski_resource_spec_build(const raski_resource_parts *parts,
                                                      raski_arena *arena,
                                                      raski_resource_spec *ret_spec,
                                                      raski_error *err);
/* The same for a slot sharing group: UNKNOWN when no part was given, otherwise cpu and heap are
 * required. */
RASKI_NODISCARD rask_status raski_slot_sharing_group_build(const char *name,
                                                           const raski_resource_parts *parts,
                                                           raski_arena *arena,
                                                           raski_slot_sharing_group *ret_group,
                                                           raski_error *err);
bool raski_resource_spec_equals(const raski_resource_spec *a, const raski_resource_spec *b);
/* Both UNKNOWN, or every part of a at most that of b. */
bool raski_resource_spec_less_or_equal(const raski_resource_spec *a, const raski_resource_spec *b);

/* "64mb", "1 gb", "512": Flink's MemorySize.parse, into bytes. */
RASKI_NODISCARD rask_status raski_memory_size_parse(const char *text, int64_t *ret_bytes,
                                                    raski_error *err);
/* "10 s", "100 ms", "7" (milliseconds), "PT10S": Flink's TimeUtils.parseDuration, into
 * milliseconds. */
RASKI_NODISCARD rask_status raski_duration_parse(const char *text, int64_t *ret_ms,
                                                 raski_error *err);
#endif
