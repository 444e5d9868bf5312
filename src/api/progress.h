/* progress.h - what a person sees while a job runs: records read, their rate, the time left where
 * all sources have splits, and a closing line. On a terminal the line is rewritten in place; when
 * standard error is no terminal there is none, unless RASK_PROGRESS asks for it:
 *   RASK_PROGRESS=lines   a line each second, for files and pipes
 *   RASK_PROGRESS=off     nothing, on terminals too
 * Threads: show is called on the cluster's thread, the rest on the program's. */
#ifndef RASKI_API_PROGRESS_H
#define RASKI_API_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

#include "api/split_coordinator.h"
#include "cluster/job_result.h"
#include "graph/job_graph.h"
#include "rask/stream.h"

enum { RASKI_PROGRESS_INTERVAL_MS = 50 };

typedef struct raski_progress {
    const raski_job_graph *graph;                 /* borrowed */
    const raski_split_coordinators *coordinators; /* borrowed */
    bool wanted, shown;
    bool in_place; /* one line that changes, else a line each second */
    int64_t last_records, last_ms;
    double rate; /* records per second, smoothed */
} raski_progress;

void raski_progress_start(raski_progress *progress, const raski_job_graph *graph,
                          const raski_split_coordinators *coordinators, bool show);
bool raski_progress_wanted(const raski_progress *progress);
void raski_progress_show(void *progress, const raski_job_progress *now);
/* Removes the line of progress, and says how much was done and what the job's
 * functions counted. */
void raski_progress_end(raski_progress *progress, const rask_job_result *result,
                        rask_status status);
#endif
