/* operator_coordinator.h - the part of an operator that exists once per job, in the job master: for
 * a source the split enumerator.
 * Flink: runtime.operators.coordination.OperatorCoordinator (SourceCoordinator with its
 * enumerator).
 *
 * All functions of a coordinator run on the job master's thread and must not block for long; what
 * it says to subtasks goes through its context. Events are opaque bytes: coordinator and operator
 * agree on them.
 *
 * Order of calls: create, start, then any of the others, close (always, also when start failed).
 * subtask_ready(subtask, attempt) comes when an attempt may be sent events, before the first of
 * its events is handed over; after subtask_failed of that attempt nothing of it comes any more.
 * When a job restarts as a whole, coordinators are closed and created again.
 * Threads: the job master's. */
#ifndef RASKI_EXECUTIONGRAPH_OPERATOR_COORDINATOR_H
#define RASKI_EXECUTIONGRAPH_OPERATOR_COORDINATOR_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "graph/id.h"
#include "rask/types.h"

/* What a coordinator may do. Borrowed; valid until close returned. */
typedef struct raski_coordinator_context {
    size_t size; /* sizeof this struct */
    void *ctx;
    int parallelism; /* of the operator's vertex */
    const char *operator_name;
    /* Sends bytes (copied) to the current attempt of a subtask. An attempt that is not ready or is
     * gone never sees them. */
    void (*send_event)(void *ctx, int subtask, const void *bytes, size_t length);
    /* Calls the coordinator's timer once, after that time (at least 0). */
    void (*schedule)(void *ctx, int64_t delay_ms);
    /* Fails the job (the failover strategy decides what that means). Copies err, which is set. */
    void (*fail_job)(void *ctx, const raski_error *err);
} raski_coordinator_context;

typedef struct raski_operator_coordinator_vtable {
    size_t size; /* sizeof this struct */
    const char *name;
    uint32_t version;
    /* Makes ready to answer. A failure fails the job. */
    rask_status (*start)(void *self, raski_error *err);
    /* An event of a ready subtask. Borrows bytes. A failure fails the job. */
    rask_status (*handle_event)(void *self, int subtask, int attempt, const void *bytes,
                                size_t length, raski_error *err);
    void (*subtask_ready)(void *self, int subtask, int attempt);
    /* An attempt ended without finishing; what it was given and did not finish is to be given
     * again. message may be NULL. */
    void (*subtask_failed)(void *self, int subtask, int attempt, const char *message);
    /* A time that it asked for has come. NULL: it never asks. A failure fails the job. */
    rask_status (*timer)(void *self, raski_error *err);
    /* Its state, appended to text as bytes of its own that begin with a version: what it has not
     * given to any subtask yet (that is the subtask's then). RASK_OK or RASK_E_NOMEM. NULL: it has
     * none. */
    rask_status (*snapshot)(void *self, rask_text *text);
    /* Between create and start: goes on where those bytes say. */
    rask_status (*restore)(void *self, const void *bytes, size_t length, raski_error *err);
    /* Frees the coordinator. */
    void (*close)(void *self_take);
} raski_operator_coordinator_vtable;

typedef struct raski_operator_coordinator {
    const raski_operator_coordinator_vtable *vtable;
    void *self;
} raski_operator_coordinator;

/* Makes the coordinator of one operator, for each start of a job anew. */
typedef struct raski_coordinator_provider {
    raski_id operator_id;
    void *ctx;
    /* Borrows context until close. */
    rask_status (*create)(void *ctx, const raski_coordinator_context *context,
                          raski_operator_coordinator *ret_coordinator, raski_error *err);
} raski_coordinator_provider;
#endif
