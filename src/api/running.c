#include "api/running.h"

#include <threads.h>

#include "platform/process.h"
#include "platform/thread.h"

static raski_mutex *jobs_lock;    /* guards first and the jobs' next and cluster */
static raski_mutex *signals_lock; /* guards signal_users; never taken inside jobs_lock */
static once_flag locks_once = ONCE_FLAG_INIT;
static raski_running_job *first;
static int signal_users; /* jobs that handle signals */

static void make_locks(void) {
    jobs_lock = raski_mutex_create();
    signals_lock = raski_mutex_create();
}

/* ---------------------------------------------------------------- cancelling */
/* With jobs_lock, so that the cluster is still there. */
static void cancel_locked(raski_running_job *job) {
    atomic_store_explicit(&job->cancelled, true, memory_order_release);
    if (job->cluster != NULL) raski_mini_cluster_cancel(job->cluster);
}

void raski_running_cancel(raski_running_job *job) {
    call_once(&locks_once, make_locks);
    raski_mutex_lock(jobs_lock);
    cancel_locked(job);
    raski_mutex_unlock(jobs_lock);
}

void raski_running_pipe_closed(void) {
    call_once(&locks_once, make_locks);
    raski_mutex_lock(jobs_lock);
    for (raski_running_job *job = first; job != NULL; job = job->next) {
        atomic_store_explicit(&job->pipe_closed, true, memory_order_release);
        cancel_locked(job);
    }
    raski_mutex_unlock(jobs_lock);
}

/* On the signals' helper thread. */
static void on_interrupt(void *context) {
    (void)context;
    raski_mutex_lock(jobs_lock);
    for (raski_running_job *job = first; job != NULL; job = job->next) {
        if (!job->handles_signals) continue;
        atomic_store_explicit(&job->interrupted, true, memory_order_release);
        cancel_locked(job);
    }
    raski_mutex_unlock(jobs_lock);
}

/* ---------------------------------------------------------------- begin and end */
static rask_status begin_signals(raski_error *err) {
    raski_mutex_lock(signals_lock);
    rask_status status =
        signal_users == 0 ? raski_interrupt_init(on_interrupt, NULL, err) : RASK_OK;
    if (status == RASK_OK) signal_users++;
    raski_mutex_unlock(signals_lock);
    return status;
}

/* Waits for on_interrupt, which needs jobs_lock. */
static void end_signals(void) {
    raski_mutex_lock(signals_lock);
    if (--signal_users == 0) raski_interrupt_fini();
    raski_mutex_unlock(signals_lock);
}

static void add(raski_running_job *job) {
    raski_mutex_lock(jobs_lock);
    job->next = first;
    first = job;
    raski_mutex_unlock(jobs_lock);
}

static void remove_job(raski_running_job *job) {
    raski_mutex_lock(jobs_lock);
    for (raski_running_job **at = &first; *at != NULL; at = &(*at)->next) {
        if (*at != job) continue;
        *at = job->next;
        break;
    }
    raski_mutex_unlock(jobs_lock);
}

rask_status raski_running_begin(raski_running_job *job, bool handle_signals, raski_error *err) {
    call_once(&locks_once, make_locks);
    *job = (raski_running_job){.handles_signals = handle_signals};
    add(job); /* first: a signal that comes from now on finds it */
    rask_status status = handle_signals ? begin_signals(err) : RASK_OK;
    if (status == RASK_OK) return RASK_OK;
    remove_job(job);
    job->handles_signals = false;
    return status;
}

void raski_running_end(raski_running_job *job) {
    call_once(&locks_once, make_locks);
    remove_job(job);
    if (job->handles_signals) end_signals();
    job->handles_signals = false;
}

void raski_running_set_cluster(raski_running_job *job, raski_mini_cluster *cluster_or_null) {
    raski_mutex_lock(jobs_lock);
    job->cluster = cluster_or_null;
    if (job->cluster != NULL && raski_running_is_cancelled(job))
        raski_mini_cluster_cancel(job->cluster);
    raski_mutex_unlock(jobs_lock);
}
