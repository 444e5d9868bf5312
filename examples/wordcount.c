/* wordcount.c - counts the words of a text.
 *
 *   wordcount [-p N] [-D key=value]... [--output FILE] [--digest] INPUT...
 *
 * A word is a run of the letters A-Z and a-z, in lower case. In streaming mode every word gives its
 * running count, in batch mode (-D execution.runtime-mode=BATCH) each word gives its total once.
 *   --output FILE   lines "word,count" into FILE, which appears whole at the end
 *   --digest        one line {"count": N, "digest": "16 hex digits"} that does not depend on order
 *   neither         the results are printed
 * The text is counted once, also when both are asked for. */
#include <rask/rask.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { rask_string word; int64_t count; } word_count;
RASK_TYPE(word_count, word, count);

RASK_FLAT_MAP(tokenize, rask_string, line, word_count, out) {
    rask_string word;
    for (size_t pos = 0; rask_string_next_word(line, &pos, &word);)
        rask_emit(out, (word_count){word, 1});
}

/* ---------------------------------------------------------------- "word,count" */
/* Writes the decimal digits of a count that is at least 0; returns where they end. */
static char *put_count(char *p, int64_t count) {
    char digits[20];
    int n = 0;
    do digits[n++] = (char)('0' + count % 10);
    while ((count /= 10) > 0);
    while (n > 0) *p++ = digits[--n];
    return p;
}

RASK_MAP(to_line, word_count, r, rask_string) {
    char number[20];
    size_t digits = (size_t)(put_count(number, r.count) - number);
    return rask_string_format("%.*s,%.*s", RASK_STR(r.word), (int)digits, number);
}

/* ---------------------------------------------------------------- a digest that ignores order */
typedef struct { int64_t count, sum; } digest;
RASK_TYPE(digest, count, sum);

static uint64_t hash_line(const char *bytes, size_t length) {
    const uint64_t multiplier = 0xff51afd7ed558ccdU;
    uint64_t h = 0x9e3779b97f4a7c15U ^ (uint64_t)length * multiplier;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, length - i < 8 ? length - i : 8);
        h = (h ^ word) * multiplier;
        h ^= h >> 32;
    }
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
    return h ^ (h >> 31);
}

typedef struct { digest sum; } digester;
RASK_INSTANCE(digester);

/* Adds up what a subtask sees, and emits it once, when the input has ended. */
RASK_PROCESS(add_up, digester, self, rask_string, line, digest, out) {
    (void)out;
    self->sum.count++;
    self->sum.sum += (int64_t)hash_line(rask_string_data(&line), line.len);
}
RASK_ON_END(add_up, self, out) { rask_emit(out, self->sum); }

static int print_digest(rask_stream(rask_string) lines) {
    digest total = {0, 0};
    rask_iterator(digest) it = rask_execute_and_collect(rask_process(lines, add_up), "WordCount");
    for (digest part; rask_next(&it, &part);) {
        total.count += part.count;
        total.sum = (int64_t)((uint64_t)total.sum + (uint64_t)part.sum);
    }
    int code = rask_close(&it);
    if (code == RASK_EXIT_OK)
        printf("{\"count\": %lld, \"digest\": \"%016llx\"}\n", (long long)total.count,
               (unsigned long long)total.sum);
    return code;
}

/* ---------------------------------------------------------------- the command line */
typedef struct { const char *output; bool digest; int inputs; char **input; } arguments;

static void usage(FILE *to) {
    fprintf(to, "usage: wordcount [-p N] [-D key=value]... [--output FILE] [--digest] INPUT...\n"
                "counts the words (runs of letters) of files, folders or globs\n");
}

/* false: the program ends with *ret_code. */
static bool parse(int argc, char **argv, arguments *args, int *ret_code) {
    *ret_code = 2;
    args->input = argv; /* inputs move to the front */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            usage(stdout);
            *ret_code = 0;
            return false;
        }
        if (strcmp(argv[i], "--digest") == 0) {
            args->digest = true;
        } else if (strcmp(argv[i], "--output") == 0 && i + 1 < argc) {
            args->output = argv[++i];
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            fprintf(stderr, "wordcount: %s %s\n",
                    strcmp(argv[i], "--output") == 0 ? "no file given after" : "unknown option",
                    argv[i]);
            usage(stderr);
            return false;
        } else {
            args->input[args->inputs++] = argv[i];
        }
    }
    if (args->inputs > 0) return true;
    fprintf(stderr, "wordcount: no input given\n");
    usage(stderr);
    return false;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    arguments args = {0};
    int code = 0;
    if (!parse(argc, argv, &args, &code)) {
        rask_env_destroy(env);
        return code;
    }
    rask_stream(rask_string) lines = rask_read_text(env, args.input[0]);
    for (int i = 1; i < args.inputs; i++)
        lines = rask_union(lines, rask_read_text(env, args.input[i]));
    rask_stream(word_count) words = rask_flat_map(lines, tokenize);
    rask_stream(word_count) counts = rask_sum(rask_key_by(words, word), count, .uid = "counts");
    if (!args.digest && !args.output) {
        rask_print(counts);
        return rask_execute(env, "WordCount");
    }
    rask_stream(rask_string) results = rask_map(counts, to_line);
    if (args.output) rask_write_text(results, args.output, .parallelism = 1);
    return args.digest ? print_digest(results) : rask_execute(env, "WordCount");
}
