/* coordinators.h - the operator coordinators of a job, as its job master holds them.
 * Flink: OperatorCoordinatorHandler, OperatorCoordinatorHolder. Threads: the job master's. */
#ifndef RASKI_CLUSTER_COORDINATORS_H
#define RASKI_CLUSTER_COORDINATORS_H
#include "executiongraph/execution_graph.h"
#include "executiongraph/operator_coordinator.h"

typedef struct raski_coordinators raski_coordinators;

/* What coordinators want of the job master; called from inside their functions. */
typedef struct raski_coordinator_host {
    void *ctx;
    /* To an attempt that is ready. Borrows bytes. */
    void (*send_event)(void *ctx, size_t task, raski_id operator_id, const void *bytes,
                       size_t length);
    /* Hands the number to raski_coordinators_timer after that time. */
    void (*schedule)(void *ctx, int64_t delay_ms, uint64_t number);
    /* Takes the failure. Must not act on it before it has returned. */
    void (*fail_job)(void *ctx, raski_failure *failure_take);
} raski_coordinator_host;

/* Borrows graph and providers until destroy; copies *host. Errors: a provider for an operator that
 * the job does not have. */
RASKI_NODISCARD rask_status raski_coordinators_create(const raski_execution_graph *graph,
                                                      const raski_coordinator_provider *providers,
                                                      size_t provider_count,
                                                      const raski_coordinator_host *host,
                                                      raski_coordinators **ret_coordinators,
                                                      raski_error *err);
void raski_coordinators_destroy(raski_coordinators *coordinators_take); /* NULL is fine */

/* Creates and starts all. */
RASKI_NODISCARD rask_status raski_coordinators_start(raski_coordinators *coordinators,
                                                     raski_error *err);
/* Closes all. They may be started again. */
void raski_coordinators_close(raski_coordinators *coordinators);

/* An attempt can take events; it ended without finishing, or must run again though it finished. */
void raski_coordinators_attempt_ready(raski_coordinators *coordinators, size_t task);
void raski_coordinators_attempt_failed(raski_coordinators *coordinators, size_t task,
                                       const char *message);
/* A time that a coordinator asked for has come. One that was closed meanwhile hears nothing. */
void raski_coordinators_timer(raski_coordinators *coordinators, uint64_t number);
/* An event of an attempt. An event of one that is not ready (any more) is dropped. */
void raski_coordinators_handle_event(raski_coordinators *coordinators, raski_attempt_id attempt,
                                     raski_id operator_id, const void *bytes, size_t length);
#endif
