/* running.h - the jobs that run in this process, so that Ctrl-C, a closed pipe or the program
 * itself can cancel them. A job is here from before it is planned until nothing of it is left: a
 * wish to cancel that comes before there is a cluster is not lost, one that comes too late does
 * nothing. Signals are handled while at least one job wants them. Threads: any, for all functions.
 */
#ifndef RASKI_API_RUNNING_H
#define RASKI_API_RUNNING_H
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"
#include "cluster/mini_cluster.h"

typedef struct raski_running_job {
    struct raski_running_job *next; /* these two: guarded by the registry's lock */
    raski_mini_cluster *cluster;    /* NULL: none yet, or no longer */
    bool handles_signals;           /* of the thread that begins and ends the job */
    _Atomic bool cancelled;         /* why: one of the next two, or the program wanted it */
    _Atomic bool interrupted;       /* by a signal */
    _Atomic bool pipe_closed;       /* rask_pipe_closed */
} raski_running_job;

/* Puts the job (which stays where it is until raski_running_end) into the registry. handle_signals:
 * SIGINT and SIGTERM cancel it. On failure (of signals) the job is not there. */
RASKI_NODISCARD rask_status raski_running_begin(raski_running_job *job, bool handle_signals,
                                                raski_error *err);
/* What does nothing when begin failed or was not called (all zero). */
void raski_running_end(raski_running_job *job);
/* The cluster that runs the job from now on; NULL before it is destroyed. */
void raski_running_set_cluster(raski_running_job *job, raski_mini_cluster *cluster_or_null);

void raski_running_cancel(raski_running_job *job);
static inline bool raski_running_is_cancelled(const raski_running_job *job) {
    return atomic_load_explicit(&job->cancelled, memory_order_acquire);
}
/* The reader of this process' output has gone: cancels all jobs. */
void raski_running_pipe_closed(void);
#endif
