/* main.c - rask-golden: replays folders of facts, prints one line per kind.
 *
 *   rask-golden DIR [kind...]        all kinds that DIR has, or those named
 *   rask-golden --default DIR        the folder of $GOLDEN, else DIR; exit 77 when it is not there
 *
 * Exit: 0 all passed, 1 some failed, 2 wrong arguments, 77 no folder (with --default). */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "golden/golden.h"

/* name, function, raw; in the order in which they are replayed */
static const golden_kind kinds[] = {
    {"plan/cases", golden_check_plan, false},
    {"plan/random", golden_check_plan, false},
    {"failover/edge_distribution", golden_check_edge_distribution, false},
    {"failover/region_scheduling", golden_region_scheduling, false},
    {"failover/restart_backoff", golden_restart_backoff, false},
    {"failover/restart_region", golden_restart_region, false},
    {"failover/slot_sharing", golden_slot_sharing, false},
    {"failover/vertexwise_scheduling", golden_vertexwise_scheduling, false},
    {"keys/keys", golden_keys, true}, /* raw: lone surrogates are not JSON */
    {"keys/murmur_int", golden_keys_murmur, false},
    {"keys/key_types", golden_key_types, false},
    {"keygroups/keygroups", golden_key_groups, false},
    {"keygroups/keygroups_large", golden_key_groups_large, false},
    {"keygroups/operator_index", golden_operator_index, false},
    {"keygroups/default_max_parallelism", golden_default_max_parallelism, false},
    {"keygroups/keygroups_errors", golden_key_groups_errors, false},
    {"mappers/mappers", golden_mappers, false},
    {"mappers/partitioner_mappers", golden_partitioner_mappers, false},
    {"rescale/operator_state", golden_operator_state, false},
    {"windows/watermark_valve", golden_watermark_valve, false},
    {"windows/watermark_generators", golden_watermark_generators, false},
    {"windows/watermark_multiplexer", golden_watermark_multiplexer, false},
    {"windows/window_assign", golden_window_assign, false},
    {"windows/windows", golden_windows, false},
    {"windows/window_join_cogroup", golden_window_join, false},
    {"windows/timers", golden_timers, false},
    {"windows/connected", golden_connected, false},
    {"windows/interval_join", golden_interval_join, false},
    {"batch/batch", golden_batch, false},
    {NULL, NULL, false}, /* the end */
};
enum {
    PROCESSES = 2,
    PRINTED_CASES = 5, /* failed cases of a kind whose differences each process prints */
};

typedef struct tally {
    uint64_t passed, failed;
} tally;

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

/* The file of a kind, or NULL; the caller frees it. */
static char *find_file(const char *dir, const golden_kind *kind) {
    static const char *const suffixes[] = {".jsonl", ".jsonl.gz", ".json", ".json.gz"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *path = raski_format("%s/%s%s", dir, kind->name, suffixes[i]);
        if (exists(path)) return path;
        raski_free(path);
    }
    return NULL;
}

static void run_case(const golden_kind *kind, const raski_str *text, size_t number, tally *t) {
    golden_case c = {.text = raski_str_text(text), .length = text->length, .number = number};
    snprintf(c.name, sizeof c.name, "line %zu", number);
    c.quiet = t->failed >= PRINTED_CASES;
    json_t *json = NULL;
    if (!kind->raw) {
        json_error_t error;
        json = json_loadb(text->data, text->length, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
        c.json = json;
        if (json == NULL) golden_differ(&c, "", "not JSON: %s", error.text);
    }
    if (kind->raw || json) kind->check(&c);
    json_decref(json);
    if (c.differences > 0)
        t->failed++;
    else
        t->passed++;
}

/* Reads one line (or, whole, the file) without its line end; false at the end. */
static bool read_case(gzFile file, bool whole, raski_str *text) {
    char chunk[1 << 16];
    raski_str_truncate(text, 0);
    while (gzgets(file, chunk, sizeof chunk) != NULL) {
        raski_str_append(text, chunk);
        if (!whole && text->length > 0 && text->data[text->length - 1] == '\n') {
            raski_str_truncate(text, text->length - 1);
            break;
        }
    }
    return text->length > 0;
}

/* Runs the cases that fall to process number share. */
static tally run_share(const char *path, const golden_kind *kind, size_t share) {
    tally t = {0};
    gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
        t.failed = 1;
        return t;
    }
    bool whole = strstr(path, ".jsonl") == NULL;
    raski_str text = {0};
    for (size_t number = 1; read_case(file, whole, &text); number++)
        if (number % PROCESSES == share) run_case(kind, &text, number, &t);
    raski_str_free(&text);
    gzclose(file);
    return t;
}

/* Takes path: children have their own copy to free. */
static tally run_kind(char *path, const golden_kind *kind) {
    int pipes[PROCESSES][2];
    pid_t children[PROCESSES];
    tally sum = {0};
    fflush(NULL);
    for (size_t i = 0; i < PROCESSES; i++) {
        if (pipe(pipes[i]) != 0 || (children[i] = fork()) < 0) {
            perror("rask-golden");
            exit(2);
        }
        if (children[i] == 0) {
            tally t = run_share(path, kind, i);
            raski_free(path);
            fflush(NULL);
            ssize_t written = write(pipes[i][1], &t, sizeof t);
            exit(written == (ssize_t)sizeof t ? 0 : 2);
        }
        close(pipes[i][1]);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        tally t = {0};
        int status = 0;
        if (read(pipes[i][0], &t, sizeof t) != (ssize_t)sizeof t) t = (tally){.failed = 1};
        close(pipes[i][0]);
        waitpid(children[i], &status, 0);
        if (status != 0) {
            fprintf(stderr, "%s: a process ended with status %#x\n", kind->name, (unsigned)status);
            if (t.failed == 0) t.failed = 1;
        }
        sum.passed += t.passed;
        sum.failed += t.failed;
    }
    raski_free(path);
    return sum;
}

/* A kind is wanted when no names were given, or its name or its folder is among them. */
static bool is_wanted(const golden_kind *kind, char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(kind->name, names[i], length) == 0 &&
            (kind->name[length] == '\0' || kind->name[length] == '/'))
            return true;
    }
    return count == 0;
}

int main(int argc, char **argv) {
    const char *dir = argc > 1 ? argv[1] : NULL;
    int first_name = 2;
    if (argc == 3 && strcmp(argv[1], "--default") == 0) {
        const char *chosen = getenv("GOLDEN");
        dir = chosen && *chosen ? chosen : argv[2];
        first_name = 3;
        if (!exists(dir)) {
            printf("%s is not there: skipped\n", dir);
            return 77;
        }
    }
    if (dir == NULL || dir[0] == '-') {
        fprintf(stderr, "usage: rask-golden DIR [kind...]\n");
        return 2;
    }
    if (!exists(dir)) {
        fprintf(stderr, "rask-golden: %s: %s\n", dir, strerror(errno));
        return 2;
    }
    bool failed = false;
    bool found = false;
    for (size_t i = 0; kinds[i].name != NULL; i++) {
        char *path = find_file(dir, &kinds[i]);
        if (path == NULL || !is_wanted(&kinds[i], argv + first_name, argc - first_name)) {
            raski_free(path);
            continue;
        }
        tally t = run_kind(path, &kinds[i]);
        printf("%s: %ju passed, %ju failed\n", kinds[i].name, (uintmax_t)t.passed,
               (uintmax_t)t.failed);
        fflush(stdout);
        if (t.failed > 0) failed = true;
        found = true;
    }
    if (!found) fprintf(stderr, "rask-golden: %s has no kind of fact that Rask replays\n", dir);
    return failed ? 1 : 0;
}
