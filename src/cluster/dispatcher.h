/* dispatcher.h - takes jobs, gives each a job master, tells how they ended.
 * Flink: runtime.dispatcher.Dispatcher. An actor; messages.h says what it takes.
 * Threads: create and destroy on the executor (or while it does not run). */
#ifndef RASKI_CLUSTER_DISPATCHER_H
#define RASKI_CLUSTER_DISPATCHER_H
#include "actor/actor.h"
#include "cluster/cluster_options.h"

typedef struct raski_dispatcher raski_dispatcher;

/* Borrows options until destroy. */
raski_dispatcher *raski_dispatcher_create(raski_executor *executor, raski_address resource_manager,
                                          const raski_cluster_options *options);
/* NULL is fine. No job may run any more. */
void raski_dispatcher_destroy(raski_dispatcher *dispatcher_take);
raski_address raski_dispatcher_address(const raski_dispatcher *dispatcher);
size_t raski_dispatcher_job_count(const raski_dispatcher *dispatcher);
#endif
