/* slot_pool.h - a job's slots: what it asked for, what it was offered, which request has which.
 * Pure bookkeeping of a job master. Flink: jobmaster.slotpool.DeclarativeSlotPool.
 * Requests are served in the order of their bulks, so that one bulk gets all its slots before the
 * next gets any. Threads: the job master's. */
#ifndef RASKI_CLUSTER_SLOT_POOL_H
#define RASKI_CLUSTER_SLOT_POOL_H
#include "actor/actor.h"
#include "base/vec.h"
#include "scheduler/scheduler.h"

typedef struct raski_pool_request {
    uint64_t request, bulk;
    const raski_slot_group *slot_group;
    uint64_t allocation; /* of the slot it has; 0: none yet */
    uint64_t timer;      /* of its timeout */
} raski_pool_request;

typedef struct raski_pool_slot {
    raski_slot slot;
    raski_address address; /* of its task executor */
    uint64_t request;      /* 0: idle */
} raski_pool_slot;

typedef struct raski_slot_pool {
    RASKI_VEC(raski_pool_request) requests; /* in their order */
    RASKI_VEC(raski_pool_slot) slots;
} raski_slot_pool;

void raski_slot_pool_fini(raski_slot_pool *pool);
void raski_slot_pool_add_request(raski_slot_pool *pool, const raski_pool_request *request);
/* Forgets a request; its slot, if it had one, is idle. The request as it was; .request 0: unknown.
 */
raski_pool_request raski_slot_pool_remove_request(raski_slot_pool *pool, uint64_t request);
const raski_pool_request *raski_slot_pool_find_request(const raski_slot_pool *pool,
                                                       uint64_t request);
/* Takes an offered slot when some request waits, idle slots or not; false: it is of no use. */
bool raski_slot_pool_offer(raski_slot_pool *pool, const raski_slot *slot, raski_address address);
/* Gives an idle slot to the first request that waits; NULL: nothing to give or nobody waits. */
const raski_pool_slot *raski_slot_pool_assign(raski_slot_pool *pool);
const raski_pool_slot *raski_slot_pool_find_slot(const raski_slot_pool *pool, uint64_t allocation);
/* Forgets the slots of a task executor; requests that had one of them wait again. */
void raski_slot_pool_remove_task_executor(raski_slot_pool *pool, uint64_t task_executor);
/* Forgets a slot that is idle. */
void raski_slot_pool_remove_idle(raski_slot_pool *pool, size_t place);
#endif
