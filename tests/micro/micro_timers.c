/* micro_timers.c - what event-time timers cost without the engine around them: CPU nanoseconds per
 * timer, registered and fired, for the shapes that streams have. Not a test.
 *
 * micro_timers [TIMERS]    default 10000000 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "state/timer_queue.h"

enum { ROW = 32, BLOCK = 64 };

static double cpu_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}
static uint64_t scramble(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

typedef struct shape {
    const char *name;
    size_t keys;
    int64_t per_ms;             /* timers registered per ms of event time */
    int64_t round_ms, ahead_ms; /* timer at (t / round + 1) * round + ahead */
    bool move;                  /* each registration deletes the key's one before */
} shape;

static void run(const shape *s, size_t timers) {
    char *rows = raski_alloc(s->keys * ROW);
    int64_t *before = raski_calloc(s->keys, sizeof *before);
    raski_timer_queue *queue = raski_timer_queue_create(NULL);
    char *popped[BLOCK];
    int64_t time_ms = 0;
    size_t fired = 0;
    double start = cpu_ns();
    for (size_t i = 0; i < timers; i++) {
        size_t key = (size_t)(scramble(i) % s->keys);
        int64_t t = (int64_t)i / s->per_ms;
        int64_t at = (t / s->round_ms + 1) * s->round_ms + s->ahead_ms;
        if (s->move) {
            if (before[key]) (void)raski_timer_queue_delete(queue, before[key], rows + key * ROW);
            before[key] = at;
        }
        if (raski_timer_queue_register(queue, at, rows + key * ROW, NULL, NULL) != RASK_OK) exit(1);
        if (i % BLOCK != 0) continue;
        for (size_t n; (n = raski_timer_queue_pop(queue, t - 1, popped, BLOCK, &time_ms)) != 0;)
            fired += n;
    }
    size_t live = raski_timer_queue_count(queue), bytes = raski_timer_queue_bytes_used(queue);
    for (size_t n; (n = raski_timer_queue_pop(queue, INT64_MAX, popped, BLOCK, &time_ms)) != 0;)
        fired += n;
    printf("%-28s %8.2f ns/timer  %10zu fired  %9zu live  %5.1f bytes each\n", s->name,
           (cpu_ns() - start) / (double)timers, fired, live, (double)bytes / (double)(live + 1));
    raski_timer_queue_destroy(queue);
    raski_free(before);
    raski_free(rows);
}

int main(int argc, char **argv) {
    size_t timers = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    static const shape SHAPES[] = {
        {"t + 1000, 10 per ms", 10000, 10, 1, 999, false},
        {"t + 1000, 1 per ms", 10000, 1, 1, 999, false},
        {"t + 60000, 100 per ms, 1M", 1000000, 100, 1, 59999, false},
        {"windows of 10 s, 10 per ms", 10000, 10, 10000, -1, false},
        {"windows of 10 s, 1M keys", 1000000, 100, 10000, -1, false},
        {"moved, gap 10 s, 10 per ms", 10000, 10, 1, 9999, true},
        {"moved, gap 10 s, 1M keys", 1000000, 100, 1, 9999, true},
    };
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) run(&SHAPES[i], timers);
    return 0;
}
