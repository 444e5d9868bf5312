/* micro_aggregate.c - what a keyed running sum costs, without sources, exchanges and sinks around
 * it: CPU nanoseconds a record for probe and update, by the number of keys. Not a test; to compare
 * with the counter of bench/limit, which does the same by hand.
 *
 * micro_aggregate [RECORDS]    default 20000000 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "operators/aggregate.h"

enum { BATCH = 1024, ROUND = 4 * BATCH, DRAWS = 1 << 20, WORD_MAX = 16 };

typedef struct counter {
    int64_t key, count;
} counter;
typedef struct word_count {
    rask_string word;
    int64_t count;
} word_count;
static const rask_field COUNTER_FIELDS[] = {
    {"key", offsetof(counter, key), 8, &rask_type_int64_t, 0},
    {"count", offsetof(counter, count), 8, &rask_type_int64_t, 0}};
static const rask_type COUNTER = {
    "counter", RASK_KIND_RECORD, sizeof(counter), 8, 2, COUNTER_FIELDS, NULL, 0, NULL};
static const rask_field WORD_COUNT_FIELDS[] = {
    {"word", offsetof(word_count, word), 16, &rask_type_rask_string, 0},
    {"count", offsetof(word_count, count), 8, &rask_type_int64_t, 0}};
static const rask_type WORD_COUNT = {
    "word_count", RASK_KIND_RECORD, sizeof(word_count), 8, 2, WORD_COUNT_FIELDS, NULL, 0, NULL};

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

static raski_aggregate *make_sum(const rask_type *record, const rask_type *key) {
    raski_key_spec spec = {1, {{0, key}}};
    raski_error err = {0};
    raski_aggregate *sum = NULL;
    if (raski_aggregate_create(&(raski_aggregate_options){.kind = RASKI_AGGREGATE_SUM,
                                                          .record = record,
                                                          .key = &spec,
                                                          .field_offset = record->fields[1].offset,
                                                          .field = &rask_type_int64_t},
                               &sum, &err) != RASK_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return sum;
}

static double process(raski_aggregate *sum, const void *records, size_t size, void *out) {
    double start = cpu_ns();
    for (size_t i = 0; i < ROUND; i += BATCH) {
        const char *in = (const char *)records + i * size;
        raski_error err = {0};
        if (raski_aggregate_process(sum, in, size, in, BATCH, out, &err) != RASK_OK) {
            (void)fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
    }
    return cpu_ns() - start;
}

static void report(const char *what, uint64_t keys, uint64_t records, double ns,
                   raski_aggregate *sum) {
    const raski_keyed_table *table = raski_aggregate_table(sum);
    double rows = (double)raski_keyed_table_count(table);
    printf("%-12s %9llu keys  %7.2f ns/record  %6.1f bytes/key\n", what, (unsigned long long)keys,
           ns / (double)records, (double)raski_keyed_table_bytes_used(table) / rows);
}

static void count_longs(uint64_t keys, uint64_t records) {
    static counter in[ROUND], out[BATCH];
    raski_aggregate *sum = make_sum(&COUNTER, &rask_type_int64_t);
    double ns = 0;
    for (uint64_t at = 0; at < records; at += ROUND) {
        for (uint64_t i = 0; i < ROUND; i++) {
            uint64_t draw = scramble(42 + (at + i + 1) * UINT64_C(0x9e3779b97f4a7c15));
            in[i] = (counter){(int64_t)((draw >> 32) * keys >> 32), 1};
        }
        ns += process(sum, in, sizeof in[0], out);
    }
    report("int64", keys, records, ns, sum);
    raski_aggregate_destroy(sum);
}

/* Words of 2 to 10 letters, some of 14; frequencies by Zipf's law. */
static void count_words(uint64_t words, uint64_t records) {
    static word_count in[ROUND], out[BATCH];
    char(*texts)[WORD_MAX] = raski_calloc(words, sizeof *texts);
    rask_string *dictionary = RASKI_NEW_ARRAY(rask_string, words);
    double *below = RASKI_NEW_ARRAY(double, words), total = 0;
    uint32_t *draws = RASKI_NEW_ARRAY(uint32_t, DRAWS);
    for (uint64_t i = 0; i < words; i++) {
        size_t length = scramble(i + 7) % 50 == 0 ? 14 : 2 + scramble(i) % 9, digits = 0;
        memset(texts[i], 'a', WORD_MAX);
        for (uint64_t rest = i + 1; rest; rest /= 26) texts[i][digits++] = (char)('a' + rest % 26);
        dictionary[i] = rask_string_of(texts[i], digits > length ? digits : length);
        below[i] = total += 1 / (double)(i + 1);
    }
    for (size_t i = 0; i < DRAWS; i++) {
        double point = (double)(scramble(i * 77 + 5) >> 11) * ldexp(total, -53);
        uint64_t low = 0, high = words - 1;
        while (low < high) {
            uint64_t middle = (low + high) / 2;
            if (below[middle] < point)
                low = middle + 1;
            else
                high = middle;
        }
        draws[i] = (uint32_t)low;
    }
    raski_aggregate *sum = make_sum(&WORD_COUNT, &rask_type_rask_string);
    double ns = 0;
    for (uint64_t at = 0; at < records; at += ROUND) {
        for (uint64_t i = 0; i < ROUND; i++)
            in[i] = (word_count){dictionary[draws[(at + i) % DRAWS]], 1};
        ns += process(sum, in, sizeof in[0], out);
    }
    report("Zipf words", words, records, ns, sum);
    raski_aggregate_destroy(sum);
    raski_free(texts);
    raski_free(dictionary);
    raski_free(below);
    raski_free(draws);
}

int main(int argc, char **argv) {
    uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000000;
    if (records == 0) {
        (void)fprintf(stderr, "usage: micro_aggregate [RECORDS]\n");
        return 2;
    }
    records = (records + ROUND - 1) / ROUND * ROUND;
    static const uint64_t keys[] = {100, 10000, 100000, 1000000, 10000000};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) count_longs(keys[i], records);
    count_words(1000, records);
    count_words(100000, records);
    return 0;
}
