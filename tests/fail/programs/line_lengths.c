/* line_lengths.c - prints the length and the last byte of each line of its inputs, computed on the
 * other side of an exchange.
 *
 *   line_lengths [-p N] INPUT...
 *   line_lengths --gate N INPUT   at the first line says "at the gate" on standard error and waits
 *                                 until descriptor N, a pipe, is closed by whoever else has it */
#include <rask/rask.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    int64_t length;
    int32_t last;
} measure;
RASK_TYPE(measure, length, last);

static int gate = -1;

typedef struct {
    bool passed;
} waiting;
RASK_INSTANCE(waiting);
RASK_RICH_MAP(wait_for_gate, waiting, self, rask_string, line, rask_string) {
    if (gate < 0 || self->passed) return line;
    self->passed = true;
    static const char text[] = "at the gate\n";
    char byte;
    if (write(2, text, sizeof text - 1) < 0 || read(gate, &byte, 1) != 0)
        (void)rask_fail("cannot wait at the gate");
    return line;
}

RASK_MAP(measured, rask_string, line, measure) {
    return (measure){line.len, line.len ? rask_string_data(&line)[line.len - 1] : -1};
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    int first = 1;
    if (argc > 3 && strcmp(argv[1], "--gate") == 0) {
        gate = (int)strtol(argv[2], NULL, 10);
        first = 3;
    }
    if (argc <= first) return 2;
    rask_stream(rask_string) lines = rask_read_text(env, argv[first]);
    for (int i = first + 1; i < argc; i++) lines = rask_union(lines, rask_read_text(env, argv[i]));
    lines = rask_map(lines, wait_for_gate, .name = "gate");
    rask_print(rask_map(rask_rebalance(lines), measured, .name = "measure"));
    return rask_execute(env, "line lengths");
}
