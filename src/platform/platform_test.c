/* platform_test.c - files, doorbells, threads, signals. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "platform/clock.h"
#include "platform/doorbell.h"
#include "platform/file.h"
#include "platform/process.h"
#include "platform/thread.h"

static void test_file_errors_name_the_path(void **state) {
    (void)state;
    raski_error err = {0};
    int fd = -1;
    assert_int_equal(raski_file_open("/nonexistent/x", RASKI_OPEN_READ, &fd, &err),
                     RASK_E_NOT_FOUND);
    assert_string_equal(err.message, "cannot open \"/nonexistent/x\": No such file or directory");
    assert_int_equal(fd, -1);
    err = (raski_error){0};
    assert_int_equal(raski_file_open("/", RASKI_OPEN_READ, &fd, &err), RASK_E_IO);
    assert_string_equal(err.message, "cannot open \"/\": Is a directory");
    raski_path_list list = {0};
    err = (raski_error){0};
    assert_int_equal(raski_directory_list("/nonexistent", &list, &err), RASK_E_NOT_FOUND);
    assert_string_equal(err.message,
                        "cannot read directory \"/nonexistent\": No such file or directory");
    assert_int_equal(list.count, 0);
}

static void write_file(const char *directory, const char *name, const char *text) {
    char *path = raski_format("%s/%s", directory, name);
    int fd;
    assert_int_equal(raski_file_open(path, RASKI_OPEN_WRITE, &fd, NULL), RASK_OK);
    assert_int_equal(raski_file_write_all(fd, path, text, strlen(text), NULL), RASK_OK);
    assert_int_equal(raski_file_sync(fd, path, NULL), RASK_OK);
    assert_int_equal(raski_file_close(fd, path, NULL), RASK_OK);
    raski_free(path);
}

static void test_files_and_directories(void **state) {
    (void)state;
    char *root, *deep;
    raski_error err = {0};
    assert_int_equal(raski_directory_create_temporary(NULL, "rask-test-", &root, &err), RASK_OK);
    deep = raski_format("%s/a/b/c", root);
    assert_int_equal(raski_directory_create(deep, &err), RASK_OK);
    assert_int_equal(raski_directory_create(deep, &err), RASK_OK);
    write_file(root, "two.txt", "22");
    write_file(root, "one.txt", "1");
    write_file(deep, "three.txt", "333");

    raski_path_list list = {0};
    assert_int_equal(raski_directory_list(root, &list, &err), RASK_OK);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0], "a");
    assert_string_equal(list.items[2], "two.txt");
    raski_path_list_free(&list);
    char *pattern = raski_format("%s/*.txt", root);
    assert_true(raski_path_is_pattern(pattern));
    assert_int_equal(raski_path_glob(pattern, &list, &err), RASK_OK);
    assert_int_equal(list.count, 2);
    char *bytes;
    size_t size;
    assert_int_equal(raski_file_load(list.items[0], 1, &bytes, &size, &err), RASK_OK);
    assert_string_equal(bytes, "1");
    assert_int_equal(size, 1);
    raski_free(bytes);
    assert_int_equal(raski_file_load(list.items[1], 1, &bytes, &size, &err), RASK_E_IO);

    char *from = raski_format("%s/one.txt", root);
    assert_int_equal(raski_file_rename(from, list.items[1], NULL), RASK_OK);
    assert_false(raski_file_exists(from));
    raski_file_info info;
    assert_int_equal(raski_file_stat(list.items[1], &info, NULL), RASK_OK);
    assert_int_equal(info.size, 1);
    assert_int_equal(info.kind, RASKI_FILE_REGULAR);
    raski_path_list_free(&list);

    int fd;
    assert_int_equal(raski_file_open_temporary(root, &fd, NULL), RASK_OK);
    assert_int_equal(raski_file_pwrite_all(fd, "t", "abcdef", 6, 10, NULL), RASK_OK);
    char got[8];
    assert_int_equal(raski_file_pread(fd, "t", got, 8, 12, &size, NULL), RASK_OK);
    assert_int_equal(size, 4);
    assert_memory_equal(got, "cdef", 4);
    raski_file_close_quietly(fd);

    assert_int_equal(raski_directory_remove(root, NULL), RASK_OK);
    assert_false(raski_file_exists(root));
    assert_int_equal(raski_directory_remove(root, NULL), RASK_OK);
    raski_free(from);
    raski_free(pattern);
    raski_free(deep);
    raski_free(root);
}

/* Two threads hand a number back and forth; a lost ring would hang. */
typedef struct ping_pong {
    raski_doorbell *bells[2];
    _Atomic int turn;
    int rounds;
    int read_fd; /* side 1 waits on this one too; -1: not */
} ping_pong;

static void play(ping_pong *game, int side) {
    for (int i = 0; i < game->rounds; i++) {
        for (;;) {
            uint32_t seen = raski_doorbell_sequence(game->bells[side]);
            if (atomic_load(&game->turn) == side) break;
            if (side == 1 && game->read_fd >= 0) {
                assert_int_equal(raski_doorbell_wait_fd(game->bells[side], seen, game->read_fd,
                                                        false, RASKI_FOREVER),
                                 RASKI_DOORBELL_RUNG);
            } else {
                assert_true(raski_doorbell_wait(game->bells[side], seen, RASKI_FOREVER));
            }
        }
        atomic_store(&game->turn, 1 - side);
        raski_doorbell_ring(game->bells[1 - side]);
    }
}

static void play_one(void *context) {
    play(context, 1);
}

static void play_all(int read_fd) {
    ping_pong game = {.rounds = 2000, .read_fd = read_fd};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(raski_doorbell_create(&game.bells[i], NULL), RASK_OK);
    }
    raski_thread *thread;
    assert_int_equal(raski_thread_create("ping", 0, play_one, &game, &thread, NULL), RASK_OK);
    play(&game, 0);
    raski_thread_join(thread);
    for (int i = 0; i < 2; i++) raski_doorbell_unref(game.bells[i]);
}

static void test_doorbell_loses_no_ring(void **state) {
    (void)state;
    play_all(-1);
}

static void test_doorbell_with_descriptor(void **state) {
    (void)state;
    assert_int_equal(raski_interrupt_init(NULL, NULL, NULL), RASK_OK);
    play_all(raski_interrupt_fd()); /* a descriptor that is not readable */
    raski_doorbell *bell;
    assert_int_equal(raski_doorbell_create(&bell, NULL), RASK_OK);
    uint32_t seen = raski_doorbell_sequence(bell);
    assert_int_equal(raski_doorbell_wait_fd(bell, seen, raski_interrupt_fd(), false, 0),
                     RASKI_DOORBELL_TIMEOUT);
    assert_false(raski_doorbell_wait(bell, seen, raski_now_ns() + 1000));
    assert_false(raski_interrupt_requested());
    assert_int_equal(raise(SIGINT), 0);
    assert_true(raski_interrupt_requested());
    assert_int_equal(raski_interrupt_signal(), SIGINT);
    assert_int_equal(raski_doorbell_wait_fd(bell, seen, raski_interrupt_fd(), false, RASKI_FOREVER),
                     RASKI_DOORBELL_FD);
    raski_doorbell_ring(bell);
    assert_int_equal(raski_doorbell_wait_fd(bell, seen, raski_interrupt_fd(), false, RASKI_FOREVER),
                     RASKI_DOORBELL_RUNG);
    assert_true(raski_doorbell_wait(bell, seen, 0));
    raski_doorbell_unref(bell);
    raski_interrupt_fini();
}

static void count_interrupt(void *context) {
    raski_doorbell_ring(context);
}

static void test_interrupt_calls_the_hook(void **state) {
    (void)state;
    raski_doorbell *bell;
    assert_int_equal(raski_doorbell_create(&bell, NULL), RASK_OK);
    assert_int_equal(raski_interrupt_init(count_interrupt, bell, NULL), RASK_OK);
    uint32_t seen = raski_doorbell_sequence(bell);
    assert_int_equal(raise(SIGTERM), 0);
    assert_true(raski_doorbell_wait(bell, seen, RASKI_FOREVER));
    raski_interrupt_fini();
    raski_doorbell_unref(bell);
}

static void test_process_facts(void **state) {
    (void)state;
    raski_process_usage usage;
    raski_process_usage_get(&usage);
    assert_true(usage.rss_peak_bytes >= usage.rss_bytes && usage.rss_bytes > 0);
    assert_true(raski_memory_total_bytes() > 0);
    assert_true(raski_processor_count() >= 1);
    assert_true(raski_coarse_now_ns() <= raski_now_ns());
    assert_true(raski_deadline_ns(-1) == RASKI_FOREVER);
    char *program = raski_process_program_path();
    assert_true(strstr(program, "test_platform") != NULL);
    raski_free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_errors_name_the_path),
        cmocka_unit_test(test_files_and_directories),
        cmocka_unit_test(test_doorbell_loses_no_ring),
        cmocka_unit_test(test_doorbell_with_descriptor),
        cmocka_unit_test(test_interrupt_calls_the_hook),
        cmocka_unit_test(test_process_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
