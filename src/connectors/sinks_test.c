/* Text, print and discarding sinks, through whole small jobs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <rask/rask.h>

/* ---------------------------------------------------------------- a folder of its own */
static char folder[64];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/rask-sinks-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

/* Names in a folder but . and .., sorted, with a space behind each. */
static const char *names_in(const char *path) {
    static char text[1024];
    size_t used = 0;
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            int written = snprintf(text + used, sizeof text - used, "%s ", name);
            used += (size_t)written;
            assert_true(used < sizeof text);
        }
        free(entries[i]);
    }
    free(entries);
    return count < 0 ? "(no such folder)" : text;
}

static const char *in_folder(const char *name) {
    static char path[2][256];
    static int next;
    next = 1 - next;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *read_file(const char *name) {
    static char text[4096];
    FILE *file = fopen(in_folder(name), "rb");
    if (file == NULL) return "(no such file)";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* ---------------------------------------------------------------- text sink */
static rask_env *environment(int parallelism) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    return env;
}

static int run(rask_env *env, rask_job_result *result) {
    int code = rask_execute_job(env, "sinks", result);
    rask_env_destroy(env);
    return code;
}

/* One to `to`, one line each, into a file or folder of that name. */
static int write_numbers(const char *name, int64_t to, int parallelism, bool append) {
    rask_job_result result;
    rask_env *env = environment(parallelism);
    rask_write_text(rask_rebalance(rask_sequence(env, 1, to, .parallelism = 1)), in_folder(name),
                    .append = append);
    int code = run(env, &result);
    if (code != RASK_EXIT_OK) print_message("%s\n", result.message);
    return code;
}

static void one_file(void **state) {
    (void)state;
    assert_int_equal(write_numbers("out", 3, 1, false), RASK_EXIT_OK);
    assert_string_equal(read_file("out"), "1\n2\n3\n");
    assert_int_equal(write_numbers("out", 2, 1, false), RASK_EXIT_OK);
    assert_string_equal(read_file("out"), "1\n2\n");
    assert_int_equal(write_numbers("a/b/out", 1, 1, false), RASK_EXIT_OK);
    assert_string_equal(read_file("a/b/out"), "1\n");
    assert_string_equal(names_in(folder), "a out ");
}

static void empty_file(void **state) {
    (void)state;
    assert_int_equal(write_numbers("out", 0, 1, false), RASK_EXIT_OK);
    assert_string_equal(read_file("out"), "");
}

static void appended(void **state) {
    (void)state;
    assert_int_equal(write_numbers("out", 2, 1, true), RASK_EXIT_OK);
    assert_int_equal(write_numbers("out", 1, 1, true), RASK_EXIT_OK);
    assert_string_equal(read_file("out"), "1\n2\n1\n");
}

static void parallel_subtasks_write_a_folder(void **state) {
    (void)state;
    assert_int_equal(write_numbers("out", 400, 4, false), RASK_EXIT_OK);
    assert_string_equal(names_in(in_folder("out")), "part-0 part-1 part-2 part-3 ");
    assert_int_equal(write_numbers("out", 4, 2, false), RASK_EXIT_OK);
    assert_string_equal(names_in(in_folder("out")), "part-0 part-1 ");
    size_t bytes = strlen(read_file("out/part-0"));
    assert_int_equal(bytes + strlen(read_file("out/part-1")), 8);
}

RASK_MAP(fail_at_90, int64_t, n, int64_t) {
    if (n == 90) (void)rask_fail("ninety");
    return n;
}

/* The parts of subtasks that finished well do not appear either when another one fails. */
static void after_a_failure_nothing_is_there(void **state) {
    (void)state;
    for (int parallelism = 1; parallelism <= 3; parallelism++) {
        rask_job_result result;
        rask_env *env = environment(parallelism);
        rask_write_text(rask_map(rask_sequence(env, 1, 100), fail_at_90), in_folder("out"));
        assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
        assert_non_null(strstr(result.message, "ninety"));
        assert_string_equal(names_in(folder), "");
    }
}

static void after_a_failure_the_old_content_is_there(void **state) {
    (void)state;
    assert_int_equal(write_numbers("out", 6, 3, false), RASK_EXIT_OK);
    rask_job_result result;
    rask_env *env = environment(3);
    rask_write_text(rask_map(rask_sequence(env, 1, 100), fail_at_90), in_folder("out"));
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    assert_string_equal(names_in(in_folder("out")), "part-0 part-1 part-2 ");
    assert_int_equal(strlen(read_file("out/part-0")), 4);
}

/* One of two sinks is done long before the other one fails: neither leaves a file. */
static void two_sinks_are_one_job(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(1);
    rask_write_text(rask_sequence(env, 1, 3), in_folder("first"));
    rask_write_text(rask_map(rask_sequence(env, 1, 1000), fail_at_90), in_folder("second"));
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    assert_string_equal(names_in(folder), "");
}

static atomic_bool has_failed; /* whichever subtask is given the record */

RASK_MAP(fail_at_90_once, int64_t, n, int64_t) {
    if (n == 90 && !atomic_exchange(&has_failed, true)) (void)rask_fail("ninety");
    return n;
}

/* Files of the attempt that failed are written again, whole, by the next one. */
static void a_restarted_job_writes_all_once(void **state) {
    (void)state;
    for (int parallelism = 1; parallelism <= 3; parallelism++) {
        rask_job_result result;
        rask_env *env = environment(parallelism);
        atomic_store(&has_failed, false);
        rask_set_option(env, "restart-strategy.type", "fixed-delay");
        rask_set_option(env, "restart-strategy.fixed-delay.attempts", "2");
        rask_set_option(env, "restart-strategy.fixed-delay.delay", "1 ms");
        rask_write_text(rask_map(rask_sequence(env, 1, 100), fail_at_90_once), in_folder("out"));
        if (run(env, &result) != RASK_EXIT_OK) fail_msg("%s", result.message);
        size_t bytes = parallelism == 1 ? strlen(read_file("out")) : 0;
        for (int part = 0; part < parallelism && parallelism > 1; part++) {
            char name[32];
            (void)snprintf(name, sizeof name, "out/part-%d", part);
            bytes += strlen(read_file(name));
        }
        assert_int_equal(bytes, 9 * 2 + 90 * 3 + 4);
        assert_string_equal(names_in(folder), "out ");
        if (parallelism == 1) assert_int_equal(unlink(in_folder("out")), 0);
    }
}

static void the_same_environment_twice(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(2);
    rask_write_text(rask_rebalance(rask_sequence(env, 1, 4, .parallelism = 1)), in_folder("out"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rask_execute_job(env, "sinks", &result), RASK_EXIT_OK);
        assert_string_equal(names_in(in_folder("out")), "part-0 part-1 ");
    }
    rask_env_destroy(env);
}

static void wrong_places(void **state) {
    (void)state;
    rask_job_result result;
    write_file("file", "old\n");
    rask_env *env = environment(2);
    rask_write_text(rask_sequence(env, 1, 4), in_folder("file"));
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "is a file, but 2 subtasks write a folder of files"));
    env = environment(1);
    rask_write_text(rask_sequence(env, 1, 4), folder);
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "is a folder, but one subtask writes a file"));
    env = environment(1);
    rask_write_text(rask_sequence(env, 1, 4), in_folder("file/below"));
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "Not a directory"));
    assert_string_equal(read_file("file"), "old\n");
}

/* ---------------------------------------------------------------- print sink */
typedef struct {
    rask_string word;
    int64_t count;
} word_count;
RASK_TYPE(word_count, word, count);

/* What a job prints on descriptor fd. */
static const char *printed(int fd, bool to_stderr, int parallelism) {
    static char text[4096];
    (void)fflush(NULL);
    int before = dup(fd);
    int file = open(in_folder("printed"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(before >= 0 && file >= 0);
    assert_int_equal(dup2(file, fd), fd);
    rask_env *env = environment(parallelism);
    rask_stream(word_count) s = rask_values(env, word_count, {rask_string_from("a"), 1},
                                            {rask_string_from("b, \"c\""), -2});
    s = rask_rebalance(s);
    if (to_stderr)
        rask_print_err(s);
    else
        rask_print(s);
    rask_job_result result;
    int code = run(env, &result);
    assert_int_equal(dup2(before, fd), fd);
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    (void)close(before);
    (void)close(file);
    assert_int_equal(code, RASK_EXIT_OK);
    assert_true(length >= 0);
    text[length] = '\0';
    return text;
}

static void one_printer(void **state) {
    (void)state;
    assert_string_equal(printed(1, false, 1), "(a,1)\n(b, \"c\",-2)\n");
    assert_string_equal(printed(2, true, 1), "(a,1)\n(b, \"c\",-2)\n");
}

static void printers_say_which_they_are(void **state) {
    (void)state;
    for (int fd = 1; fd <= 2; fd++) {
        const char *text = printed(fd, fd == 2, 2);
        if (strcmp(text, "1> (a,1)\n2> (b, \"c\",-2)\n") == 0) continue;
        if (strcmp(text, "2> (b, \"c\",-2)\n1> (a,1)\n") == 0) continue;
        if (strcmp(text, "2> (a,1)\n1> (b, \"c\",-2)\n") == 0) continue;
        assert_string_equal(text, "1> (b, \"c\",-2)\n2> (a,1)\n");
    }
}

RASK_MAP(to_word, int64_t, n, rask_string) {
    return rask_string_format("word number %lld", (long long)n);
}

/* Lines of parallel printers do not mix on a pipe. */
static void lines_stay_whole_on_a_pipe(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    int ends[2];
    (void)fflush(NULL);
    int before = dup(1);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], 1), 1);
    (void)close(ends[1]);
    pid_t child = fork();
    if (child == 0) {
        rask_env *env = environment(4);
        rask_print(rask_map(rask_sequence(env, 1, COUNT), to_word));
        rask_job_result result;
        _exit(run(env, &result));
    }
    assert_int_equal(dup2(before, 1), 1);
    (void)close(before);
    FILE *from = fdopen(ends[0], "r");
    assert_non_null(from);
    char line[256];
    int count = 0;
    int64_t sum = 0;
    for (; fgets(line, sizeof line, from) != NULL; count++) {
        int subtask = 0;
        long long n = 0;
        char end = 0;
        if (sscanf(line, "%d> word number %lld%c", &subtask, &n, &end) != 3 || end != '\n')
            fail_msg("\"%s\"", line);
        sum += n;
    }
    (void)fclose(from);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count, COUNT);
    assert_int_equal(sum, (int64_t)COUNT * (COUNT + 1) / 2);
}

static void discarded(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(2);
    rask_discard(rask_sequence(env, 1, 1000));
    assert_int_equal(run(env, &result), RASK_EXIT_OK);
    assert_int_equal(result.records_in, 1000);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(one_file),
        IN_A_FOLDER(empty_file),
        IN_A_FOLDER(appended),
        IN_A_FOLDER(parallel_subtasks_write_a_folder),
        IN_A_FOLDER(after_a_failure_nothing_is_there),
        IN_A_FOLDER(after_a_failure_the_old_content_is_there),
        IN_A_FOLDER(two_sinks_are_one_job),
        IN_A_FOLDER(a_restarted_job_writes_all_once),
        IN_A_FOLDER(the_same_environment_twice),
        IN_A_FOLDER(wrong_places),
        IN_A_FOLDER(one_printer),
        IN_A_FOLDER(printers_say_which_they_are),
        cmocka_unit_test(lines_stay_whole_on_a_pipe),
        cmocka_unit_test(discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
