/* Split sources inside of operators, with their real coordinator: stopped at every step, the bytes
 * of their positions are read on by new readers, and together each record comes exactly once. And
 * the coordinator itself: who gets which split, who waits, what is found later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <rask/rask.h>
#include <zlib.h>

#include "api/split_coordinator.h"
#include "base/alloc.h"
#include "connectors/connectors.h"
#include "operators/operator.h"
#include "state/snapshot.h"
#include "state/value_codec.h"

/* ---------------------------------------------------------------- a coordinator and its readers */
enum { READERS = 3 };
typedef struct message {
    char *bytes; /* NULL: none */
    size_t size;
} message;
typedef struct world {
    raski_operator_definition *def;
    raski_job_operator job;
    raski_job_vertex vertex;
    raski_job_vertex *sorted[1];
    raski_job_graph graph;
    raski_split_coordinators *all;
    raski_coordinator_context context;
    raski_operator_coordinator coordinator;
    message sent[READERS]; /* the last one to each reader */
    int64_t delay_ms;      /* of the last timer it asked for; -1: none */
} world;

static void take_event(void *ctx, int subtask, const void *bytes, size_t length) {
    world *w = ctx;
    assert_null(w->sent[subtask].bytes);
    w->sent[subtask] = (message){raski_memdup(bytes, length), length};
}

static void schedule(void *ctx, int64_t delay_ms) {
    ((world *)ctx)->delay_ms = delay_ms;
}

static void world_init(world *w, const raski_fn *fn, const void *self) {
    raski_error error = {0};
    *w = (world){.delay_ms = -1};
    w->def = raski_operator_definition_create();
    w->def->fn = fn;
    w->def->out = fn->out;
    w->def->self = self ? raski_memdup(self, fn->self->size) : NULL;
    w->job = (raski_job_operator){.name = "source", .payload = w->def};
    w->vertex = (raski_job_vertex){.operators = &w->job, .operator_count = 1};
    w->sorted[0] = &w->vertex;
    w->graph.sorted.items = w->sorted;
    w->graph.sorted.count = 1;
    w->all = raski_split_coordinators_create(&w->graph);
    assert_int_equal(raski_split_coordinators_count(w->all), 1);
    w->context = (raski_coordinator_context){.size = sizeof w->context,
                                             .ctx = w,
                                             .parallelism = READERS,
                                             .operator_name = "source",
                                             .send_event = take_event,
                                             .schedule = schedule};
    const raski_coordinator_provider *provider = raski_split_coordinators_providers(w->all);
    assert_int_equal(provider->create(provider->ctx, &w->context, &w->coordinator, &error),
                     RASK_OK);
}

static void world_start(world *w) {
    raski_error error = {0};
    if (w->coordinator.vtable->start(w->coordinator.self, &error) != RASK_OK)
        fail_msg("%s", error.message);
}

static void world_fini(world *w) {
    w->coordinator.vtable->close(w->coordinator.self);
    raski_split_coordinators_destroy(w->all);
    raski_operator_definition_destroy(w->def);
    for (int i = 0; i < READERS; i++) raski_free(w->sent[i].bytes);
}

static void ask(world *w, int subtask) {
    raski_error error = {0};
    const char request = RASKI_SOURCE_EVENT_REQUEST;
    assert_int_equal(
        w->coordinator.vtable->handle_event(w->coordinator.self, subtask, 0, &request, 1, &error),
        RASK_OK);
}

/* The text of the split that was sent to a reader; "none" for the end, "" for nothing yet. */
static const char *answer(world *w, int subtask) {
    static char text[256];
    message m = w->sent[subtask];
    w->sent[subtask] = (message){0};
    text[0] = '\0';
    if (m.bytes == NULL) return text;
    if (m.bytes[0] == RASKI_SOURCE_EVENT_NO_MORE)
        (void)snprintf(text, sizeof text, "none");
    else
        (void)snprintf(text, sizeof text, "%.*s", (int)m.size - 1, m.bytes + 1);
    raski_free(m.bytes);
    return text;
}

/* ---------------------------------------------------------------- the coordinator */
static int found; /* splits that the next look finds */
static bool again;
typedef struct {
    int unused;
} none;
RASK_INSTANCE(none);
RASK_SPLIT_SOURCE(look_around, none, self, int64_t, out) {
    (void)self, (void)out;
    return RASK_END;
}
RASK_ENUMERATE(look_around, self, splits) {
    char name[16];
    assert_int_equal(self->unused++, 0); /* a new instance each time */
    assert_int_equal(rask_readers(splits), READERS);
    for (int i = 0; i < found; i++) {
        (void)snprintf(name, sizeof name, "s%d", i);
        if (!rask_splits_seen(splits, name)) (void)rask_add_split(splits, name, strlen(name));
    }
    if (found == 99) return rask_fail("lost the folder");
    if (again) rask_enumerate_again_ms(splits, 250);
    return RASK_OK;
}

static void look_again(world *w) {
    raski_error error = {0};
    assert_int_equal(w->delay_ms, 250);
    w->delay_ms = -1;
    assert_int_equal(w->coordinator.vtable->timer(w->coordinator.self, &error), RASK_OK);
}

static void splits_that_are_found_later(void **state) {
    (void)state;
    world w;
    size_t done = 0;
    size_t total = 0;
    world_init(&w, &raski_fn_look_around.base, NULL);
    again = true;
    found = 1;
    world_start(&w);
    ask(&w, 2);
    assert_string_equal(answer(&w, 2), "s0");
    ask(&w, 0);
    ask(&w, 2);
    assert_string_equal(answer(&w, 0), ""); /* waits */
    assert_string_equal(answer(&w, 2), "");
    look_again(&w);
    assert_string_equal(answer(&w, 0), "");
    found = 4;
    look_again(&w);
    assert_string_equal(answer(&w, 0), "s1");
    assert_string_equal(answer(&w, 2), "s2");
    ask(&w, 1);
    assert_string_equal(answer(&w, 1), "s3");
    /* a reader fails: another one that waits gets what it had, and what it had read before */
    ask(&w, 0);
    w.coordinator.vtable->subtask_failed(w.coordinator.self, 2, 0, "gone");
    assert_string_equal(answer(&w, 0), "s0");
    ask(&w, 0);
    assert_string_equal(answer(&w, 0), "s2");
    ask(&w, 1);
    /* no more will come: who waits hears of it */
    again = false;
    look_again(&w);
    assert_string_equal(answer(&w, 1), "none");
    ask(&w, 0);
    assert_string_equal(answer(&w, 0), "none");
    raski_split_coordinators_progress(w.all, &done, &total);
    assert_int_equal(total, 4);
    assert_int_equal(done, 4);
    world_fini(&w);
}

/* What no reader had, and what was found, goes to another coordinator. */
static void coordinators_go_on(void **state) {
    (void)state;
    raski_error error = {0};
    rask_text text = {0};
    world w;
    world_init(&w, &raski_fn_look_around.base, NULL);
    again = true;
    found = 3;
    world_start(&w);
    ask(&w, 0);
    assert_string_equal(answer(&w, 0), "s0");
    assert_int_equal(w.coordinator.vtable->snapshot(w.coordinator.self, &text), RASK_OK);
    world_fini(&w);
    for (int more = 0; more < 2; more++) { /* nothing new, and something */
        world_init(&w, &raski_fn_look_around.base, NULL);
        found = 3 + more;
        assert_int_equal(
            w.coordinator.vtable->restore(w.coordinator.self, text.data, text.length, &error),
            RASK_OK);
        world_start(&w);
        assert_int_equal(w.delay_ms, 250);
        ask(&w, 1);
        assert_string_equal(answer(&w, 1), "s1");
        ask(&w, 1);
        assert_string_equal(answer(&w, 1), "s2");
        ask(&w, 1);
        assert_string_equal(answer(&w, 1), more ? "s3" : "");
        world_fini(&w);
    }
    for (size_t length = 0; length < text.length; length++) {
        world_init(&w, &raski_fn_look_around.base, NULL);
        assert_int_equal(
            w.coordinator.vtable->restore(w.coordinator.self, text.data, length, &error),
            RASK_E_CORRUPT);
        world_fini(&w);
    }
    free(text.data);
}

/* One that looked once does not look again. */
static void a_coordinator_that_looked_once(void **state) {
    (void)state;
    raski_error error = {0};
    rask_text text = {0};
    world w;
    again = false;
    found = 2;
    world_init(&w, &raski_fn_look_around.base, NULL);
    world_start(&w);
    ask(&w, 0);
    assert_string_equal(answer(&w, 0), "s0");
    assert_int_equal(w.coordinator.vtable->snapshot(w.coordinator.self, &text), RASK_OK);
    world_fini(&w);
    found = 5;
    world_init(&w, &raski_fn_look_around.base, NULL);
    assert_int_equal(
        w.coordinator.vtable->restore(w.coordinator.self, text.data, text.length, &error), RASK_OK);
    world_start(&w);
    ask(&w, 0);
    assert_string_equal(answer(&w, 0), "s1");
    ask(&w, 0);
    assert_string_equal(answer(&w, 0), "none");
    world_fini(&w);
    free(text.data);
}

static void looking_again_fails(void **state) {
    (void)state;
    world w;
    raski_error error = {0};
    world_init(&w, &raski_fn_look_around.base, NULL);
    again = true;
    found = 0;
    world_start(&w);
    found = 99;
    assert_int_not_equal(w.coordinator.vtable->timer(w.coordinator.self, &error), RASK_OK);
    assert_non_null(strstr(error.message, "lost the folder"));
    world_fini(&w);
}

/* ---------------------------------------------------------------- readers */
typedef struct texts {
    char *items[4096];
    size_t count;
} texts;
static texts got;
static const rask_type *got_type;

static size_t take_records(void *self, const void *in, size_t n, rask_ctx *ctx) {
    (void)self, (void)ctx;
    for (size_t i = 0; i < n; i++) {
        rask_text text = {0};
        assert_int_equal(
            rask_text_append_record(&text, got_type, (const char *)in + i * got_type->size),
            RASK_OK);
        assert_int_equal(rask_text_append(&text, "", 1), RASK_OK);
        assert_true(got.count < sizeof got.items / sizeof *got.items);
        got.items[got.count++] = text.data;
    }
    return 0;
}

static void forget(void) {
    for (size_t i = 0; i < got.count; i++) free(got.items[i]);
    got.count = 0;
}

typedef struct reader {
    raski_operator_env env;
    raski_fn sink;
    raski_operator_definition *sink_def;
    raski_job_operator sink_job;
    raski_operator *source, *end;
    world *w;
} reader;

static void request(void *context, raski_operator *op, const void *bytes, size_t size) {
    reader *r = context;
    (void)op, (void)bytes;
    assert_int_equal(size, 1);
    ask(r->w, 0);
}

static void reader_init(reader *r, world *w, size_t batch) {
    raski_error error = {0};
    *r = (reader){.env = {.runtime = {.job_name = "job", .task_name = "task", .parallelism = 1},
                          .send_event = request},
                  .w = w};
    r->env.context = r;
    raski_batch_arena_init(&r->env.arena, 0);
    got_type = w->def->out;
    r->sink = (raski_fn){.abi = RASKI_FN_ABI,
                         .size = sizeof(raski_fn),
                         .kind = RASKI_FN_SINK,
                         .name = "take",
                         .file = "",
                         .in = got_type,
                         .run = take_records};
    r->sink_def = raski_operator_definition_create();
    r->sink_def->fn = &r->sink;
    r->sink_def->in = got_type;
    r->sink_job = (raski_job_operator){.name = "take", .payload = r->sink_def};
    assert_int_equal(raski_operator_create(&r->sink_job, &r->env, &r->end, &error), RASK_OK);
    assert_int_equal(raski_operator_create(&w->job, &r->env, &r->source, &error), RASK_OK);
    raski_operator_add_chained(r->source, NULL, r->end, 0);
    raski_operator_open(r->end);
    raski_operator_open(r->source);
    if (batch < r->source->staging_capacity) r->source->staging_capacity = batch;
}

static void reader_fini(reader *r) {
    if (r->env.failed) fail_msg("%s", r->env.error.message);
    raski_operator_close(r->source);
    raski_operator_close(r->end);
    raski_operator_destroy(r->source);
    raski_operator_destroy(r->end);
    raski_operator_definition_destroy(r->sink_def);
    raski_batch_arena_fini(&r->env.arena);
}

/* Runs up to so many steps that gave records; false: it has read everything. */
static bool run(reader *r, size_t steps) {
    for (; steps > 0; steps--) {
        const size_t before = got.count;
        raski_source_result result = raski_source_step(r->source);
        if (got.count == before && steps < SIZE_MAX) steps++;
        if (r->env.failed) fail_msg("%s", r->env.error.message);
        if (result == RASKI_SOURCE_END) return false;
        if (result != RASKI_SOURCE_WAIT) continue;
        message m = r->w->sent[0];
        r->w->sent[0] = (message){0};
        assert_non_null(m.bytes);
        raski_source_handle_event(r->source, m.bytes, m.size);
        raski_free(m.bytes);
    }
    return true;
}

static message pieces[8];
static size_t piece_count;
static void take_piece(void *ctx, const void *bytes, size_t size) {
    (void)ctx;
    assert_true(piece_count < sizeof pieces / sizeof *pieces);
    pieces[piece_count++] = (message){raski_memdup(bytes, size), size};
}

/* Reads with a new reader after every so many steps, until everything is read. */
static void read_in_steps(raski_connector *source, size_t steps, size_t batch) {
    world w;
    world_init(&w, source->fn, source->self);
    world_start(&w);
    for (bool more = true; more;) {
        reader r;
        reader_init(&r, &w, batch);
        for (size_t i = 0; i < piece_count; i++) {
            raski_source_restore(r.source, pieces[i].bytes, pieces[i].size);
            raski_free(pieces[i].bytes);
        }
        piece_count = 0;
        more = run(&r, steps);
        raski_source_positions(r.source, take_piece, NULL);
        if (!more) assert_int_equal(piece_count, 0);
        reader_fini(&r);
    }
    world_fini(&w);
}

static void check_positions(raski_connector source) {
    forget();
    read_in_steps(&source, SIZE_MAX, SIZE_MAX);
    static texts expected;
    expected = got;
    got.count = 0;
    assert_true(expected.count > 20);
    for (size_t steps = 1; steps <= 20; steps += steps < 4 ? 1 : 5)
        for (size_t batch = 1; batch <= 7; batch += 3) {
            read_in_steps(&source, steps, batch);
            assert_int_equal(got.count, expected.count);
            for (size_t i = 0; i < got.count; i++)
                assert_string_equal(got.items[i], expected.items[i]);
            forget();
        }
    for (size_t i = 0; i < expected.count; i++) free(expected.items[i]);
    raski_connector_destroy(&source);
}

static void positions_in_sequences(void **state) {
    (void)state;
    check_positions(raski_sequence_source(1, 100));
    check_positions(raski_sequence_source(INT64_MAX - 90, INT64_MAX));
    check_positions(raski_sequence_source(INT64_MIN, INT64_MIN + 1500));
}

typedef struct {
    rask_string name;
    int64_t n;
} named;
RASK_TYPE(named, name, n);
static void positions_among_values(void **state) {
    (void)state;
    named values[40];
    for (int i = 0; i < 40; i++)
        values[i] = (named){i % 2 ? rask_string_from("a name that is not stored inside")
                                  : rask_string_from("short"),
                            i};
    check_positions(raski_values_source(&rask_type_named, values, 40));
}

/* Lines of every kind of end, empty ones, long ones, none at the end of the last. */
static size_t make_text(char *text) {
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    size_t length = 0;
    for (int i = 0; i < 150; i++)
        length += (size_t)snprintf(text + length, 8192 - length, "%.*s%d%s", i * 7 % 23,
                                   "abcdefghijklmnopqrstuvwxyz", i, ends[i % 11 % 3]);
    return length + (size_t)snprintf(text + length, 8192 - length, "\n\nlast");
}

static void positions_in_files(void **state) {
    (void)state;
    char text[8192];
    size_t length = make_text(text);
    char path[64] = "/tmp/rask-positions-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    (void)close(fd);
    check_positions(raski_text_source_sized(path, 0, 0, 64));
    check_positions(raski_text_source_sized(path, 0, 100, 16));
    check_positions(raski_text_source_sized(path, 0, 1, 8));
    (void)unlink(path);
    char compressed[80];
    (void)snprintf(compressed, sizeof compressed, "%s.gz", path);
    gzFile file = gzopen(compressed, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)length), length);
    assert_int_equal(gzclose(file), Z_OK);
    check_positions(raski_text_source_sized(compressed, 0, 0, 64));
    (void)unlink(compressed);
}

RASK_GENERATOR(make_named, named, index, random) {
    return (named){rask_random_hex(random, (size_t)index % 30), index};
}
static void positions_among_generated_records(void **state) {
    (void)state;
    const rask_datagen_options options = {.rows = 100, .seed = 3};
    check_positions(
        raski_datagen_source(&raski_fn_make_named.base, raski_fn_make_named.generate, &options));
}

/* Records over several lines, split anywhere, and compressed. */
static void positions_in_records(void **state) {
    (void)state;
    char path[64] = "/tmp/rask-positions-XXXXXX";
    char text[8192];
    size_t length = (size_t)snprintf(text, 8192, "n,name\n");
    for (int i = 0; i < 60; i++)
        length += (size_t)snprintf(text + length, 8192 - length, "%d,\"%.*s\n%d\"\r\n", i, i % 20,
                                   "a text that is cut off", i);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    (void)close(fd);
    const raski_record_format csv = {.is_csv = true, .csv = {.header = RASK_CSV_HEADER_NAMES}};
    check_positions(raski_record_source_sized(&rask_type_named, path, 0, &csv, 0, 64));
    check_positions(raski_record_source_sized(&rask_type_named, path, 0, &csv, 100, 32));
    (void)unlink(path);
    char compressed[80];
    (void)snprintf(compressed, sizeof compressed, "%s.gz", path);
    gzFile file = gzopen(compressed, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)length), length);
    assert_int_equal(gzclose(file), Z_OK);
    check_positions(raski_record_source_sized(&rask_type_named, compressed, 0, &csv, 0, 64));
    (void)unlink(compressed);
}

RASK_GENERATOR(next_number, int64_t, index, random) {
    (void)random;
    return index + 1;
}

/* Three readers stop, their snapshots are restored into two. */
static void snapshots_of_readers(void **state) {
    (void)state;
    world w;
    const raski_operator_ops *ops = &raski_source_ops;
    raski_byte_writer bytes[READERS] = {0};
    raski_snapshot_input inputs[READERS];
    raski_error error = {0};
    const rask_datagen_options options = {.rows = 2000};
    raski_connector source =
        raski_datagen_source(&raski_fn_next_number.base, raski_fn_next_number.generate, &options);
    world_init(&w, source.fn, source.self);
    world_start(&w);
    forget();
    for (int i = 0; i < READERS; i++) {
        reader r;
        reader_init(&r, &w, 7);
        assert_true(run(&r, 2));
        const raski_snapshot_info info = {.operator_name = "source",
                                          .max_parallelism = 128,
                                          .parallelism = READERS,
                                          .subtask = (uint32_t)i};
        raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
        assert_int_equal(ops->snapshot(r.source, writer, &error), RASK_OK);
        assert_int_equal(raski_snapshot_write_all(writer, &bytes[i], &error), RASK_OK);
        raski_snapshot_writer_destroy(writer);
        inputs[i] = (raski_snapshot_input){"a snapshot", bytes[i].bytes, bytes[i].size};
        reader_fini(&r);
    }
    for (uint32_t i = 0; i < 2; i++) {
        reader r;
        reader_init(&r, &w, 7);
        const raski_snapshot_info info = {
            .operator_name = "source", .max_parallelism = 128, .parallelism = 2, .subtask = i};
        raski_operator_snapshot_reader *restored = NULL;
        if (raski_snapshot_reader_create(inputs, READERS, &info, &restored, &error) != RASK_OK)
            fail_msg("%s", error.message);
        assert_int_equal(ops->restore(r.source, restored, &error), RASK_OK);
        raski_snapshot_reader_destroy(restored);
        if (i == 0) /* the other one reads what is left of all */
            assert_true(run(&r, 1));
        else
            assert_false(run(&r, SIZE_MAX));
        raski_source_positions(r.source, take_piece, NULL);
        reader_fini(&r);
    }
    assert_true(piece_count > 0); /* what the first one had not read yet */
    reader r;
    reader_init(&r, &w, 7);
    while (piece_count > 0) {
        piece_count--;
        raski_source_restore(r.source, pieces[piece_count].bytes, pieces[piece_count].size);
        raski_free(pieces[piece_count].bytes);
    }
    assert_false(run(&r, SIZE_MAX));
    reader_fini(&r);
    bool seen[2001] = {false};
    assert_int_equal(got.count, 2000);
    for (size_t i = 0; i < got.count; i++) {
        long n = strtol(got.items[i], NULL, 10);
        assert_in_range(n, 1, 2000);
        assert_false(seen[n]);
        seen[n] = true;
    }
    forget();
    for (int i = 0; i < READERS; i++) raski_byte_writer_fini(&bytes[i]);
    world_fini(&w);
    raski_connector_destroy(&source);
}

static void write_whole(const char *path, const char *text, size_t length) {
    gzFile file = gzopen(path, strstr(path, ".gz") != NULL ? "wb" : "wbT"); /* T: not compressed */
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)length), length);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Records over several lines, blank lines, bad ones that are left out, a header in each file. */
static void positions_among_bad_records(void **state) {
    (void)state;
    static char csv[16384], json[16384];
    size_t csv_length = (size_t)snprintf(csv, sizeof csv, "\xef\xbb\xbfn,name\r\n");
    size_t json_length = 0;
    for (int i = 0; i < 100; i++) {
        const char *text = i % 9 == 0 ? "x" : "";
        csv_length += (size_t)snprintf(
            csv + csv_length, sizeof csv - csv_length, "%d%s,\"name\n,%.*s\"\"%d\"%s", i, text,
            i % 31, "a name that is not stored inside", i, i % 5 ? "\r\n" : "\n\n");
        json_length += (size_t)snprintf(
            json + json_length, sizeof json - json_length, "{\"name\":\"%.*s\\n%d\",\"n\":%d%s}%s",
            i % 31, "a name that is not stored inside", i, i, text, i % 5 ? "\n" : "\r\n\n");
    }
    const raski_record_format as_csv = {
        .is_csv = true, .csv = {.header = RASK_CSV_HEADER_NAMES, .ignore_parse_errors = true}};
    const raski_record_format as_json = {.json = {.ignore_parse_errors = true}};
    for (int i = 0; i < 2; i++) {
        char path[80];
        (void)snprintf(path, sizeof path,
                       i ? "/tmp/rask-positions-%ld.gz" : "/tmp/rask-positions-%ld",
                       (long)getpid());
        write_whole(path, csv, csv_length);
        check_positions(raski_record_source_sized(&rask_type_named, path, 0, &as_csv, 0, 64));
        check_positions(raski_record_source_sized(&rask_type_named, path, 0, &as_csv, 100, 16));
        check_positions(raski_record_source_sized(&rask_type_named, path, 0, &as_csv, 1, 8));
        write_whole(path, json, json_length);
        check_positions(raski_record_source_sized(&rask_type_named, path, 0, &as_json, 0, 64));
        check_positions(raski_record_source_sized(&rask_type_named, path, 0, &as_json, 100, 16));
        check_positions(raski_record_source_sized(&rask_type_named, path, 0, &as_json, 1, 8));
        (void)unlink(path);
    }
}

/* ---------------------------------------------------------------- a source that cannot tell */
typedef struct {
    int64_t left;
} counting;
RASK_INSTANCE(counting);
RASK_SPLIT_SOURCE(count_down, counting, self, int64_t, out) {
    if (self->left == 0) return RASK_END;
    rask_emit(out, self->left--);
    return RASK_MORE;
}
RASK_ENUMERATE(count_down, self, splits) {
    (void)self;
    (void)rask_add_split(splits, "5", 1);
    return rask_add_split(splits, "3", 1);
}
RASK_ADD_SPLIT(count_down, self, split) {
    self->left = *(const char *)rask_bytes_data(&split) - '0';
    return RASK_OK;
}

static void a_split_without_positions_is_read_again(void **state) {
    (void)state;
    world w;
    reader r;
    world_init(&w, &raski_fn_count_down.base, NULL);
    world_start(&w);
    forget();
    reader_init(&r, &w, 2);
    assert_true(run(&r, 1)); /* 5 4 */
    raski_source_positions(r.source, take_piece, NULL);
    reader_fini(&r);
    assert_int_equal(piece_count, 1);
    assert_int_equal(pieces[0].size, 1);
    assert_int_equal(pieces[0].bytes[0], '5');
    reader_init(&r, &w, 2);
    raski_source_restore(r.source, pieces[0].bytes, 1);
    raski_source_restore(r.source, pieces[0].bytes, 1);
    raski_free(pieces[0].bytes);
    piece_count = 0;
    assert_true(run(&r, 1)); /* 5 4 of the first; the second waits */
    raski_source_positions(r.source, take_piece, NULL);
    assert_int_equal(piece_count, 2);
    while (piece_count > 0) raski_free(pieces[--piece_count].bytes);
    assert_false(run(&r, 100));
    reader_fini(&r);
    assert_int_equal(got.count, 2 + 5 + 5 + 3);
    forget();
    world_fini(&w);
}

/* A source without splits. */
typedef struct {
    int64_t next;
} plain;
RASK_INSTANCE(plain);
RASK_SOURCE(plain_numbers, plain, self, int64_t, out) {
    rask_emit(out, self->next++);
    return self->next == 10 ? RASK_END : RASK_MORE;
}
RASK_POSITION(plain_numbers, self, text) {
    return rask_text_append(text, (const char *)&self->next, sizeof self->next);
}
RASK_RESTORE(plain_numbers, self, position) {
    if (position.len != sizeof self->next) return rask_fail("%u bytes", position.len);
    memcpy(&self->next, rask_bytes_data(&position), sizeof self->next);
    return RASK_OK;
}

static void a_source_without_splits(void **state) {
    (void)state;
    raski_operator_definition *def = raski_operator_definition_create();
    world w = {.def = def, .job = {.name = "source", .payload = def}};
    def->fn = &raski_fn_plain_numbers.base;
    def->out = &rask_type_int64_t;
    reader r;
    forget();
    reader_init(&r, &w, 4);
    assert_true(run(&r, 1));
    raski_source_positions(r.source, take_piece, NULL);
    reader_fini(&r);
    assert_int_equal(piece_count, 1);
    reader_init(&r, &w, 4);
    raski_source_restore(r.source, pieces[0].bytes, pieces[0].size);
    assert_false(run(&r, 10));
    reader_fini(&r);
    assert_int_equal(got.count, 10);
    assert_string_equal(got.items[9], "9");
    reader_init(&r, &w, 4);
    raski_source_restore(r.source, pieces[0].bytes, 3);
    assert_int_equal(raski_source_step(r.source), RASKI_SOURCE_END);
    assert_true(r.env.failed);
    assert_string_equal(r.env.error.message, "3 bytes");
    r.env.failed = false;
    reader_fini(&r);
    raski_free(pieces[0].bytes);
    piece_count = 0;
    forget();
    raski_operator_definition_destroy(def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_that_are_found_later),
        cmocka_unit_test(looking_again_fails),
        cmocka_unit_test(coordinators_go_on),
        cmocka_unit_test(a_coordinator_that_looked_once),
        cmocka_unit_test(positions_in_sequences),
        cmocka_unit_test(positions_among_values),
        cmocka_unit_test(positions_in_files),
        cmocka_unit_test(positions_among_generated_records),
        cmocka_unit_test(positions_in_records),
        cmocka_unit_test(positions_among_bad_records),
        cmocka_unit_test(snapshots_of_readers),
        cmocka_unit_test(a_split_without_positions_is_read_again),
        cmocka_unit_test(a_source_without_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
