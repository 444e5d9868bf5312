/* mistaken.c - programs that are wrong in a way that no compiler sees: mistaken MISTAKE */
#include <rask/rask.h>
#include <stdio.h>

typedef struct {
    int64_t n;
} first;
RASK_INSTANCE(first);
typedef struct {
    int64_t n;
    char more[8];
} second;
RASK_INSTANCE(second);

RASK_RICH_MAP(uses_first, first, self, int64_t, n, int64_t) {
    return n + self->n;
}
RASK_MAP(twice, int64_t, n, int64_t) {
    return n * 2;
}
RASK_SPLIT_SOURCE(no_enumerator, first, self, int64_t, out) {
    rask_emit(out, self->n);
    return RASK_END;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    if (argc < 2) return 2;
    const char *mistake = argv[1];
    rask_stream(int64_t) s = rask_sequence(env, 1, 10);
    if (strcmp(mistake, "self") == 0)
        s = rask_map(s, uses_first, .self = RASK_SELF(second, .n = 1));
    if (strcmp(mistake, "uid") == 0)
        s = rask_map(rask_map(s, twice, .uid = "x"), twice, .uid = "x");
    if (strcmp(mistake, "uid hash") == 0) s = rask_map(s, twice, .uid_hash = "xyz");
    if (strcmp(mistake, "forward") == 0) {
        s = rask_map(s, twice, .parallelism = 1);
        s = rask_map(rask_forward(s), twice, .parallelism = 2);
    }
    if (strcmp(mistake, "path") == 0) rask_print(rask_read_text(env, argc > 2 ? argv[2] : NULL));
    if (strcmp(mistake, "port") == 0) rask_print(rask_socket_text(env, "localhost", 0));
    if (strcmp(mistake, "enumerator") == 0) s = rask_source(env, no_enumerator);
    if (strcmp(mistake, "two sinks") == 0) rask_write_text(s, "/tmp/same");
    if (strcmp(mistake, "two sinks") == 0) rask_write_text(s, "/tmp/same");
    if (strcmp(mistake, "no sink") != 0) rask_print(s);
    return rask_execute(env, "mistaken");
}
