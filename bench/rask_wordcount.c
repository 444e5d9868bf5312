/* rask_wordcount.c - running word counts as a Rask job.
 *
 *   rask_wordcount [--p P] [--verify] [-D key=value]... FOLDER
 *
 * The pipeline of examples/wordcount.c; the counts are dropped, or, with --verify, hashed. */
#include <rask/rask.h>

#include "bench/measure.h"
#include "bench/options.h"

typedef struct {
    rask_string word;
    int64_t count;
} word_count;
RASK_TYPE(word_count, word, count);

RASK_FLAT_MAP(tokenize, rask_string, line, word_count, out) {
    rask_string word;
    for (size_t pos = 0; rask_string_next_word(line, &pos, &word);)
        rask_emit(out, (word_count){word, 1});
}

enum { LINE_WORD_MAX = 4096 };

typedef struct {
    bench_digest digest;
} hasher;
RASK_INSTANCE(hasher);

static bench_digest total; /* of all subtasks, added when they close */

RASK_SINK(hash_counts, hasher, self, word_count, c) {
    char line[LINE_WORD_MAX + 32];
    size_t len = c.word.len < LINE_WORD_MAX ? c.word.len : LINE_WORD_MAX;
    memcpy(line, rask_string_data(&c.word), len);
    line[len] = ',';
    char *end = bench_put_u64(line + len + 1, (uint64_t)c.count);
    bench_digest_line(&self->digest, line, (size_t)(end - line));
}
RASK_CLOSE(hash_counts, self) {
    __atomic_fetch_add(&total.count, self->digest.count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&total.sum, self->digest.sum, __ATOMIC_RELAXED);
    return RASK_OK;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"wordcount", NULL};
    int64_t started_ns = bench_now_ns();
    rask_env *env = rask_env_create(&argc, &argv);
    bench_options o;
    bench_options_parse(&o, argc, argv, names);
    if (o.file_count != 1) {
        fprintf(stderr, "usage: %s [--p P] [--verify] [-D key=value]... FILE_OR_FOLDER\n", argv[0]);
        return 2;
    }
    rask_set_parallelism(env, o.parallelism);
    rask_stream(rask_string) lines = rask_read_text(env, o.files[0]);
    rask_stream(word_count) words = rask_flat_map(lines, tokenize);
    rask_stream(word_count) counts = rask_sum(rask_key_by(words, word), count);
    if (o.verify)
        rask_sink(counts, hash_counts);
    else
        rask_discard(counts);

    rask_job_result result;
    int code = rask_execute_job(env, "wordcount", &result);
    rask_env_destroy(env);
    if (code != RASK_EXIT_OK) {
        fprintf(stderr, "%s\n", result.message);
        return code;
    }
    /* every word gives one count, so the records that count as input are those of the sinks */
    bench_report(&(bench_result){.system = "rask",
                                 .workload = "wordcount",
                                 .parallelism = o.parallelism,
                                 .records_in = (uint64_t)result.records_out,
                                 .records_out = (uint64_t)result.records_out,
                                 .wall_ns = bench_now_ns() - started_ns,
                                 .digest = o.verify ? &total : NULL});
    return 0;
}
