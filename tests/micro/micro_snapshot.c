/* micro_snapshot.c - what a snapshot costs: the part that the task waits for, by the number of
 * keys; then writing and restoring, in ns of CPU per key. Rows have a number, a short text and a
 * timer. Not a test.
 *
 * micro_snapshot [KEYS]    default 4000000, the largest */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "state/snapshot.h"

static double now_ns(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}
static void must(rask_status status, const raski_error *err) {
    if (status == RASK_OK) return;
    (void)fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static const raski_key_spec KEY = {1, {{0, &rask_type_int64_t}}};
static const raski_state_spec STATES[] = {{.name = "count", .type = &rask_type_int64_t},
                                          {.name = "text", .type = &rask_type_rask_string}};

typedef struct state {
    raski_keyed_table *table;
    raski_timer_queue *timers;
} state;

static state make(void) {
    raski_error err = {0};
    state s = {0};
    must(raski_keyed_table_create(
             &(raski_keyed_table_options){
                 .key = &KEY, .states = STATES, .state_count = 2, .timers = true},
             &s.table, &err),
         &err);
    s.timers = raski_timer_queue_create(s.table);
    return s;
}
static void destroy(state *s) {
    raski_timer_queue_destroy(s->timers);
    raski_keyed_table_destroy(s->table);
}

static void fill(state *s, int64_t keys) {
    raski_error err = {0};
    for (int64_t key = 0; key < keys; key++) {
        char *row = NULL;
        rask_string text = rask_string_from("short");
        must(raski_keyed_table_lookup(s->table, &KEY, &key, 8, 1, &row, NULL, &err), &err);
        must(raski_keyed_table_store(s->table, row, 0, &key, &err), &err);
        must(raski_keyed_table_store(s->table, row, 1, &text, &err), &err);
        must(raski_timer_queue_register_new(s->timers, key % 10000, row, &err), &err);
    }
    raski_keyed_table_end_batch(s->table);
}

static rask_status count(void *context, const void *bytes, size_t size, raski_error *err) {
    (void)err;
    raski_write_bytes(context, bytes, size);
    return RASK_OK;
}

static void run(int64_t keys) {
    raski_error err = {0};
    state s = make();
    fill(&s, keys);
    const raski_snapshot_info info = {
        .operator_name = "micro", .max_parallelism = 128, .parallelism = 1};
    raski_byte_writer bytes = {0};
    raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
    double begun = now_ns(CLOCK_MONOTONIC);
    must(raski_snapshot_writer_add_keyed(writer, "keyed", s.table, s.timers, NULL, &err), &err);
    double waited = now_ns(CLOCK_MONOTONIC) - begun, start = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const raski_snapshot_sink sink = {&bytes, count};
    for (bool done = false; !done;)
        must(raski_snapshot_step(writer, 1 << 20, &sink, &done, &err), &err);
    double written = now_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    raski_snapshot_writer_destroy(writer);
    destroy(&s);

    s = make();
    start = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const raski_snapshot_input input = {"micro", bytes.bytes, bytes.size};
    raski_operator_snapshot_reader *reader = NULL;
    must(raski_snapshot_reader_create(&input, 1, &info, &reader, &err), &err);
    must(raski_snapshot_reader_keyed(reader, "keyed", s.table, s.timers, NULL, &err), &err);
    double restored = now_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    printf(
        "%9lld keys  waits %7.1f us  writes %6.1f ns/key  restores %6.1f ns/key  %5.1f bytes/key\n",
        (long long)keys, waited / 1e3, written / (double)keys, restored / (double)keys,
        (double)bytes.size / (double)keys);
    raski_snapshot_reader_destroy(reader);
    raski_byte_writer_fini(&bytes);
    destroy(&s);
}

int main(int argc, char **argv) {
    int64_t most = argc > 1 ? strtoll(argv[1], NULL, 10) : 4000000;
    for (int64_t keys = most >= 1000 ? 1000 : most; keys < most; keys *= 10) run(keys);
    run(most);
    return 0;
}
