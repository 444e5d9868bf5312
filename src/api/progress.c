#include "api/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/process.h"

static const char REWRITE[] = "\r\033[K"; /* to the start of the line, which is emptied */
enum { LINE_INTERVAL_MS = 1000 };

void raski_progress_start(raski_progress *progress, const raski_job_graph *graph,
                          const raski_split_coordinators *coordinators, bool show) {
    const char *asked = getenv("RASK_PROGRESS");
    const bool terminal = raski_is_terminal(2);
    const bool lines = asked != NULL && strcmp(asked, "lines") == 0;
    const bool off = asked != NULL && strcmp(asked, "off") == 0;
    *progress = (raski_progress){.graph = graph,
                                 .coordinators = coordinators,
                                 .wanted = show && !off && (terminal || lines),
                                 .in_place = terminal && !lines};
}

bool raski_progress_wanted(const raski_progress *progress) {
    return progress->wanted;
}

static int64_t records_read(const raski_progress *progress, const raski_job_progress *now) {
    int64_t records = 0;
    for (size_t i = 0; i < now->vertex_count && i < progress->graph->sorted.count; i++)
        if (progress->graph->sorted.items[i]->inputs.count == 0)
            records += (int64_t)now->vertices[i].counters.records_in;
    return records;
}

/* "1,234,567" */
static const char *grouped(int64_t number, char text[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    char *end = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-') *end++ = ',';
        *end++ = digits[i];
    }
    *end = '\0';
    return text;
}

/* ", 25 %, 12 s left" where all sources have splits and enough of them are read to tell. */
static void say_time_left(const raski_progress *progress, int64_t running_ms) {
    size_t sources = 0;
    for (size_t i = 0; i < progress->graph->sorted.count; i++)
        sources += progress->graph->sorted.items[i]->inputs.count == 0;
    size_t done = 0;
    size_t total = 0;
    raski_split_coordinators_progress(progress->coordinators, &done, &total);
    const size_t enough = 3;
    if (done == total && total > 0) {
        (void)fputs(", all input read", stderr);
        return;
    }
    if (done < enough || total == 0 ||
        sources != raski_split_coordinators_split_sources(progress->coordinators))
        return;
    double left = (double)running_ms / 1000.0 * (double)(total - done) / (double)done;
    (void)fprintf(stderr, ", %zu %%, %.0f s left", done * 100 / total, left);
}

void raski_progress_show(void *context, const raski_job_progress *now) {
    raski_progress *progress = context;
    int64_t records = records_read(progress, now);
    int64_t ms = now->running_ms - progress->last_ms;
    const bool early = progress->shown ? ms < LINE_INTERVAL_MS : records == 0;
    if (!progress->in_place && early) return;
    if (ms > 0) {
        double rate = (double)(records - progress->last_records) * 1000.0 / (double)ms;
        progress->rate = progress->shown ? 0.5 * progress->rate + 0.5 * rate : rate;
    }
    progress->last_records = records;
    progress->last_ms = now->running_ms;
    progress->shown = true;
    char a[32];
    char b[32];
    (void)fprintf(stderr, "%s%s records, %s/s, %.1f s, %zu of %zu tasks running",
                  progress->in_place ? REWRITE : "", grouped(records, a),
                  grouped((int64_t)progress->rate, b), (double)now->running_ms / 1000.0,
                  now->tasks_running, now->tasks_total);
    say_time_left(progress, now->running_ms);
    if (!progress->in_place) (void)fputc('\n', stderr);
    (void)fflush(stderr);
}

void raski_progress_end(raski_progress *progress, const rask_job_result *result,
                        rask_status status) {
    if (!progress->wanted) return;
    if (progress->shown && progress->in_place) (void)fputs(REWRITE, stderr);
    if (status != RASK_OK) return;
    char a[32];
    char b[32];
    double rate = result->runtime_ms > 0
                      ? (double)result->records_in * 1000.0 / (double)result->runtime_ms
                      : 0.0;
    (void)fprintf(stderr, "%s records in %.2f s (%s/s)\n", grouped(result->records_in, a),
                  (double)result->runtime_ms / 1000.0, grouped((int64_t)rate, b));
    for (size_t i = 0; i < result->counter_count; i++)
        (void)fprintf(stderr, "  %s: %s\n", result->counters[i].name,
                      grouped(result->counters[i].value, a));
}
