/* buffer_image_test.c - records of every kind of field, through images and through exchanges; and
 * images with wrong bytes, which are refused or harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exchange/buffer_image.h"
#include "exchange/input_gate.h"
#include "exchange/network_pool.h"
#include "exchange/result_writer.h"
#include "platform/file.h"
#include "types/compare.h"
#include "types/test_records.h"

enum { ROUNDS = 200, RECORDS = 60 };

static void must(rask_status status, const raski_error *err) {
    if (status != RASK_OK) fail_msg("%s", err->message);
}

typedef struct sample {
    raski_arena *arena;
    everything records[RECORDS];
    uint32_t count, mark_count;
} sample;

static void make_sample(sample *s) {
    s->arena = raski_arena_create(0);
    s->count = test_random(RECORDS + 1);
    s->mark_count = test_random(5);
    for (uint32_t i = 0; i < s->count; i++) s->records[i] = test_everything(s->arena);
}

static int64_t timestamp_of(uint32_t i) {
    return (int64_t)i * 1000 - 7;
}
static raski_event event_of(uint32_t i) {
    static const char options[] = "checkpoint options";
    raski_event event = {.kind = i % 2 ? RASKI_EVENT_BARRIER : RASKI_EVENT_WATERMARK, .value = i};
    if (i % 2) event.options_size = i;
    if (i % 2) event.options = options;
    return event;
}

/* A filled buffer, with columns, marks at its start and end. */
static raski_buffer *make_buffer(const sample *s, const raski_buffer_format *format) {
    size_t heap = raski_records_extra_size(format->layout, s->records, s->count);
    raski_buffer *buffer =
        raski_buffer_alloc(RECORDS * (size_t)format->bytes_per_record + heap + 1024);
    assert_non_null(buffer);
    raski_buffer_reset(buffer, format, RECORDS);
    for (uint32_t i = 0; i < s->mark_count / 2; i++) {
        raski_event event = event_of(i);
        raski_buffer_add_mark(buffer, &event);
    }
    memcpy(buffer->data, s->records, s->count * sizeof *s->records);
    char *at = raski_buffer_take_heap(buffer, heap);
    (void)raski_records_write_extra(format->layout, buffer->data, s->count, NULL,
                                    (size_t)(uintptr_t)at);
    for (uint32_t i = 0; i < s->count; i++) {
        buffer->timestamps[i] = timestamp_of(i);
        buffer->hashes[i] = (int32_t)i;
    }
    buffer->record_count = s->count;
    for (uint32_t i = s->mark_count / 2; i < s->mark_count; i++) {
        raski_event event = event_of(i);
        raski_buffer_add_mark(buffer, &event);
    }
    return buffer;
}

static void check_buffer(const sample *s, const raski_buffer *buffer,
                         const raski_buffer_format *format) {
    assert_int_equal(buffer->record_count, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        const void *record = raski_buffer_record(buffer, format, i);
        assert_true(raski_value_equal(&everything_type, record, &s->records[i]));
        assert_int_equal(buffer->timestamps[i], timestamp_of(i));
        assert_int_equal(buffer->hashes[i], i);
    }
    const raski_mark *mark = buffer->first_mark;
    for (uint32_t i = 0; i < s->mark_count; i++, mark = mark->next) {
        raski_event event = event_of(i);
        assert_int_equal(mark->position, i < s->mark_count / 2 ? 0 : s->count);
        assert_int_equal(mark->event.kind, event.kind);
        assert_int_equal(mark->event.value, event.value);
        assert_int_equal(mark->event.options_size, event.options_size);
        if (event.options_size > 0) {
            assert_memory_equal(mark->event.options, event.options, event.options_size);
        }
    }
    assert_null(mark);
}

/* A buffer of just the room that an image needs, so that the sanitizer sees each byte beyond. */
static raski_buffer *copy_of_image(const char *image, size_t size, size_t mark_count) {
    raski_buffer *copy = raski_buffer_alloc(raski_buffer_image_room(size, mark_count));
    assert_non_null(copy);
    memcpy(copy->data, image, size);
    return copy;
}

static void test_image_gives_the_buffer_back(void **state) {
    (void)state;
    raski_buffer_format format;
    raski_buffer_format_init(&format, &everything_type, true, true);
    for (int round = 0; round < ROUNDS; round++) {
        sample s;
        make_sample(&s);
        raski_buffer *buffer = make_buffer(&s, &format);
        size_t size = raski_buffer_image_size(buffer, &format);
        char *image = raski_try_alloc(size, 64);
        assert_int_equal(raski_buffer_image_write(buffer, &format, image), size);
        raski_buffer *copy = copy_of_image(image, size, s.mark_count);
        raski_buffer_free(buffer); /* nothing points into it any more */
        raski_error err = {0};
        must(raski_buffer_image_open(copy, size, &format, &err), &err);
        check_buffer(&s, copy, &format);
        raski_buffer_free(copy);
        raski_free(image);
        raski_arena_destroy(s.arena);
    }
    raski_buffer_format_fini(&format);
}

static void test_wrong_bytes_are_refused_or_harmless(void **state) {
    (void)state;
    raski_buffer_format format;
    raski_buffer_format_init(&format, &everything_type, true, true);
    sample s;
    make_sample(&s);
    raski_buffer *buffer = make_buffer(&s, &format);
    size_t size = raski_buffer_image_size(buffer, &format);
    char *image = raski_try_alloc(size, 64);
    (void)raski_buffer_image_write(buffer, &format, image);
    int refused = 0;
    for (int round = 0; round < 50 * ROUNDS; round++) {
        size_t left = test_random(10) ? size : test_random((uint32_t)size + 1);
        raski_buffer *copy = copy_of_image(image, left, s.mark_count);
        /* the header and the events are where the decisions are */
        size_t range =
            test_random(2) && left > RASKI_IMAGE_HEADER_SIZE ? RASKI_IMAGE_HEADER_SIZE : left;
        for (uint32_t i = test_random(3); i > 0 && range > 0; i--) {
            copy->data[test_random((uint32_t)range)] ^= (char)(1 << test_random(8));
        }
        raski_error err = {0};
        rask_status status = raski_buffer_image_open(copy, left, &format, &err);
        if (status != RASK_OK) {
            assert_int_equal(status, RASK_E_CORRUPT);
            assert_true(err.message[0] != '\0');
            refused++;
        }
        raski_buffer_free(copy);
    }
    assert_true(refused > ROUNDS);
    raski_buffer_free(buffer);
    raski_free(image);
    raski_arena_destroy(s.arena);
    raski_buffer_format_fini(&format);
}

typedef struct exchange {
    raski_network_pool *pool;
    raski_doorbell *bell;
    raski_result_partition *partition;
    raski_result_writer *writer;
    raski_input_gate *gate;
} exchange;

static void open_exchange(exchange *x, raski_result_partition_options options,
                          raski_channel_selector_kind kind) {
    raski_error err = {0};
    x->pool = options.pool = raski_network_pool_create(16);
    options.type = &everything_type;
    options.subpartition_count = 1;
    must(raski_doorbell_create(&x->bell, &err), &err);
    must(raski_result_partition_create(&options, &x->partition, &err), &err);
    raski_result_writer_options writer_options = {
        .selector = {.kind = kind, .max_parallelism = 128}, .never_wait = true};
    must(raski_result_writer_create(x->partition, &writer_options, &x->writer, &err), &err);
    x->gate = raski_input_gate_create(x->bell);
    must(raski_input_gate_add(x->gate, x->partition, 0, 0, &err), &err);
}

static void close_exchange(exchange *x) {
    raski_input_gate_destroy(x->gate);
    raski_result_writer_destroy(x->writer);
    raski_result_partition_unref(x->partition);
    assert_int_equal(raski_network_pool_in_use(x->pool), 0);
    raski_network_pool_destroy(x->pool);
    raski_doorbell_unref(x->bell);
}

/* Returns the number of records seen, all of them equal to those of the sample over and over. */
static uint32_t read_all(exchange *x, const sample *s) {
    uint32_t seen = 0;
    for (;;) {
        raski_error err = {0};
        raski_gate_item item;
        must(raski_input_gate_poll(x->gate, &item, &err), &err);
        if (item.kind == RASKI_GATE_END) return seen;
        for (size_t i = 0; i < item.count; i++, seen++) {
            const everything *record = &((const everything *)item.records)[i];
            assert_true(raski_value_equal(&everything_type, record, &s->records[seen % s->count]));
            if (item.timestamps != NULL) {
                assert_int_equal(item.timestamps[i], timestamp_of(seen % s->count));
            }
        }
        raski_input_gate_release(x->gate, &item);
    }
}

static void test_every_kind_of_field_passes_an_exchange(void **state) {
    (void)state;
    sample s;
    do make_sample(&s);
    while (s.count == 0);
    int64_t timestamps[RECORDS];
    int32_t hashes[RECORDS] = {0};
    for (uint32_t i = 0; i < RECORDS; i++) timestamps[i] = timestamp_of(i);
    for (int variant = 0; variant < 8; variant++) {
        exchange x;
        raski_result_partition_options options = {
            .storage = variant & 1 ? RASKI_STORAGE_BLOCKING : RASKI_STORAGE_PIPELINED,
            .has_timestamps = variant & 2};
        open_exchange(&x, options, variant & 4 ? RASKI_SELECT_HASH : RASKI_SELECT_FORWARD);
        raski_error err = {0};
        for (int round = 0; round < 100; round++) {
            must(raski_result_writer_write(x.writer, s.records, s.count, timestamps, hashes, &err),
                 &err);
        }
        must(raski_result_writer_finish(x.writer, &err), &err);
        assert_int_equal(read_all(&x, &s), 100 * s.count);
        close_exchange(&x);
    }
    raski_arena_destroy(s.arena);
}

#ifdef __linux__
#include <sys/mount.h>

static void test_full_disk_is_an_error(void **state) {
    (void)state;
    char *directory;
    raski_error err = {0};
    must(raski_directory_create_temporary(NULL, "rask-full-", &directory, &err), &err);
    if (mount("tmpfs", directory, "tmpfs", 0, "size=64k") != 0) { /* needs a privilege */
        must(raski_directory_remove(directory, &err), &err);
        raski_free(directory);
        skip();
    }
    sample s;
    do make_sample(&s);
    while (s.count == 0);
    exchange x;
    raski_result_partition_options options = {.storage = RASKI_STORAGE_BLOCKING,
                                              .spill_directory = directory};
    open_exchange(&x, options, RASKI_SELECT_FORWARD);
    rask_status status = RASK_OK;
    for (int round = 0; round < 1000 && status == RASK_OK; round++) {
        status = raski_result_writer_write(x.writer, s.records, s.count, NULL, NULL, &err);
    }
    assert_int_equal(status, RASK_E_IO);
    assert_int_equal(err.error_class, RASKI_CLASS_EXTERNAL);
    assert_non_null(strstr(err.message, directory));
    assert_non_null(strstr(err.message, "No space left on device"));
    close_exchange(&x);
    assert_int_equal(umount(directory), 0);
    must(raski_directory_remove(directory, NULL), &err);
    raski_free(directory);
    raski_arena_destroy(s.arena);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_image_gives_the_buffer_back),
        cmocka_unit_test(test_wrong_bytes_are_refused_or_harmless),
        cmocka_unit_test(test_every_kind_of_field_passes_an_exchange),
#ifdef __linux__
        cmocka_unit_test(test_full_disk_is_an_error),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
