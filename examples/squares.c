/* squares.c - a source and a sink of one's own, with open, close and errors: reads numbers from one
 * file, writes their squares to another.
 *
 *   squares INPUT OUTPUT */
#include <rask/rask.h>
#include <errno.h>
#include <stdio.h>

typedef struct { const char *path; FILE *file; int64_t line; } reader;
RASK_INSTANCE(reader);

RASK_SOURCE(read_numbers, reader, self, int64_t, out) {
    char text[64];
    if (!fgets(text, sizeof text, self->file)) return RASK_END;
    self->line++;
    long long n;
    if (sscanf(text, "%lld", &n) != 1)
        return rask_fail("%s:%lld: not a number: %.20s", self->path, (long long)self->line, text);
    rask_emit(out, n);
    return RASK_MORE;
}
RASK_OPEN(read_numbers, self) {
    self->file = fopen(self->path, "r");
    return self->file ? RASK_OK : rask_fail("cannot open %s: %s", self->path, strerror(errno));
}
RASK_CLOSE(read_numbers, self) {
    if (self->file) fclose(self->file);
    return RASK_OK;
}

RASK_MAP(square, int64_t, n, int64_t) { return n * n; }

typedef struct { const char *path; FILE *file; } writer;
RASK_INSTANCE(writer);

RASK_SINK(write_numbers, writer, self, int64_t, n) {
    if (fprintf(self->file, "%lld\n", (long long)n) < 0)
        rask_fail("cannot write %s: %s", self->path, strerror(errno));
}
RASK_OPEN(write_numbers, self) {
    self->file = fopen(self->path, "w");
    return self->file ? RASK_OK : rask_fail("cannot create %s: %s", self->path, strerror(errno));
}
RASK_CLOSE(write_numbers, self) {
    if (self->file && fclose(self->file) != 0)
        return rask_fail("cannot write %s: %s", self->path, strerror(errno));
    return RASK_OK;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    if (argc != 3) {
        fprintf(stderr, "usage: squares INPUT OUTPUT\n");
        rask_env_destroy(env);
        return 2;
    }
    rask_stream(int64_t) numbers =
        rask_source(env, read_numbers, .parallelism = 1, .bounded = true,
                    .self = RASK_SELF(reader, .path = argv[1]));
    rask_sink(rask_map(numbers, square), write_numbers, .parallelism = 1,
              .self = RASK_SELF(writer, .path = argv[2]));
    return rask_execute(env, "Squares");
}
