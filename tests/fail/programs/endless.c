/* endless.c - counts without end, to be interrupted.
 *
 *   endless [--output FILE] [--stuck] [--collect] [-p N]
 *
 * Prints "open" on standard error when its sink is open in a subtask, "first" at the first record
 * and "close" when it is closed. --stuck: its map never comes back, so that only a second signal
 * helps. --collect: the program takes the results itself. */
#include <rask/rask.h>
#include <stdio.h>
#include <unistd.h>

static bool stuck;

static void say(const char *text) {
    (void)!write(2, text, strlen(text));
}

typedef struct {
    int64_t next;
} counting;
RASK_INSTANCE(counting);
RASK_SOURCE(count_up, counting, self, int64_t, out) {
    for (int i = 0; i < 100; i++) rask_emit(out, ++self->next);
    return RASK_MORE;
}

RASK_MAP(maybe_stuck, int64_t, n, int64_t) {
    if (n == 5 && stuck) {
        say("stuck\n");
        for (;;) (void)pause();
    }
    return n;
}

typedef struct {
    bool told;
} telling;
RASK_INSTANCE(telling);
RASK_SINK(tell, telling, self, int64_t, n) {
    (void)n;
    if (!self->told) say("first\n");
    self->told = true;
}
RASK_OPEN(tell, self) {
    (void)self;
    say("open\n");
    return RASK_OK;
}
RASK_CLOSE(tell, self) {
    (void)self;
    say("close\n");
    return RASK_OK;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    const char *output = NULL;
    bool collect = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--stuck") == 0) stuck = true;
        if (strcmp(argv[i], "--collect") == 0) collect = true;
        if (strcmp(argv[i], "--output") == 0 && i + 1 < argc) output = argv[++i];
    }
    rask_stream(int64_t) numbers = rask_map(rask_source(env, count_up), maybe_stuck);
    if (output) rask_write_text(numbers, output);
    rask_sink(numbers, tell);
    if (!collect) return rask_execute(env, "endless");
    rask_iterator(int64_t) it = rask_execute_and_collect(numbers, "endless");
    int64_t count = 0;
    for (int64_t n; rask_next(&it, &n);) count++;
    return rask_close(&it);
}
