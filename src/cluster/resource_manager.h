/* resource_manager.h - knows all task executors and their slots, and gives slots to the jobs that
 * require them. Flink: runtime.resourcemanager (StandaloneResourceManager with its SlotManager).
 * An actor; messages.h says what it takes.
 *
 * A job declares how many slots it requires; whatever is missing of that is taken from free slots,
 * jobs in the order in which they came. When all expected task executors are there and the cluster
 * has fewer slots than a job requires, the job is told (but for clusters that make slots as
 * needed). Threads: create and destroy on the executor (or while it does not run). */
#ifndef RASKI_CLUSTER_RESOURCE_MANAGER_H
#define RASKI_CLUSTER_RESOURCE_MANAGER_H
#include "actor/actor.h"
#include "cluster/cluster_options.h"

typedef struct raski_resource_manager raski_resource_manager;

raski_resource_manager *raski_resource_manager_create(raski_executor *executor,
                                                      const raski_cluster_options *options);
void raski_resource_manager_destroy(raski_resource_manager *manager_take); /* NULL is fine */
raski_address raski_resource_manager_address(const raski_resource_manager *manager);
/* Slots that are given to a job, as far as the manager knows. */
size_t raski_resource_manager_slots_in_use(const raski_resource_manager *manager);
#endif
