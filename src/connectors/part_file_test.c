/* Part files: every step of their way, what is on the disk after it, and what a second process
 * finds that has only the bytes. */
#include "connectors/part_file.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char message[1024];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/rask-part-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* Names in the folder, sorted; what is random in hidden ones as *. */
static const char *names(void) {
    static char text[1024];
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        char *name = entries[i]->d_name;
        char *random = strstr(name, ".inprogress.");
        if (random != NULL) memcpy(random + strlen(".inprogress."), "*", 2);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s ", name);
        free(entries[i]);
    }
    free(entries);
    return text;
}

static const char *content(const char *name) {
    static char text[256];
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return "(none)";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static raski_part_file begin(const char *name, const char *text) {
    raski_part_file part;
    assert_true(raski_part_file_create(folder, name, 1000, &part, message, sizeof message));
    assert_true(raski_part_file_write(&part, text, strlen(text), message, sizeof message));
    return part;
}

static void finish(raski_part_file *part) {
    assert_true(raski_part_file_finish(part, message, sizeof message));
}

static bool commit(raski_part_file *part) {
    return raski_part_file_commit(part, message, sizeof message);
}

static rask_text encode(const raski_part_file *part) {
    rask_text text = {0};
    assert_int_equal(raski_part_file_encode(part, &text), RASK_OK);
    return text;
}

static bool recover(rask_text text, raski_part_file *ret_part) {
    const unsigned char *p = (const unsigned char *)text.data;
    return raski_part_file_recover(&p, p + text.length, ret_part, message, sizeof message);
}

static void the_whole_way(void **state) {
    (void)state;
    raski_part_file part = begin("a", "one\n");
    assert_int_equal(part.state, RASKI_PART_IN_PROGRESS);
    assert_string_equal(names(), ".a.inprogress.* ");
    raski_part_file_park(&part);
    assert_true(raski_part_file_write(&part, "two\n", 4, message, sizeof message));
    assert_int_equal(part.size, 8);
    finish(&part);
    assert_int_equal(part.state, RASKI_PART_PENDING);
    assert_string_equal(names(), ".a.inprogress.* ");
    assert_true(commit(&part));
    assert_int_equal(part.state, RASKI_PART_FINISHED);
    assert_string_equal(names(), "a ");
    assert_string_equal(content("a"), "one\ntwo\n");
    assert_true(commit(&part)); /* again */
    raski_part_file_abandon(&part);
    assert_string_equal(names(), "a ");
}

static void abandoned_at_every_step(void **state) {
    (void)state;
    raski_part_file part = begin("a", "x");
    raski_part_file_abandon(&part);
    assert_string_equal(names(), "");
    part = begin("a", "x");
    raski_part_file_park(&part);
    raski_part_file_abandon(&part);
    assert_string_equal(names(), "");
    part = begin("a", "x");
    finish(&part);
    raski_part_file_abandon(&part);
    assert_string_equal(names(), "");
    part = begin("a", "x");
    finish(&part);
    assert_true(commit(&part));
    raski_part_file_take_back(&part);
    assert_string_equal(names(), "");
    raski_part_file_abandon(&part);
    raski_part_file_abandon(&part);
    part = RASKI_PART_FILE_NONE;
    raski_part_file_abandon(&part);
}

/* A process that dies between closing and committing: another one commits by the bytes, twice. */
static void pending_files_are_committed_by_their_bytes(void **state) {
    (void)state;
    raski_part_file part = begin("a", "text");
    finish(&part);
    rask_text bytes = encode(&part);
    raski_part_file_leave(&part);
    for (int i = 0; i < 2; i++) {
        assert_true(recover(bytes, &part));
        assert_int_equal(part.state, RASKI_PART_PENDING);
        assert_int_equal(part.size, 4);
        assert_int_equal(part.created_ms, 1000);
        if (!commit(&part)) fail_msg("%s", message);
        raski_part_file_leave(&part);
        assert_string_equal(content("a"), "text");
        assert_string_equal(names(), "a ");
    }
    /* what stands there is not what was committed */
    char path[128];
    (void)snprintf(path, sizeof path, "%s/a", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_true(recover(bytes, &part));
    assert_false(commit(&part));
    assert_non_null(strstr(message, "cannot find the unfinished file of"));
    raski_part_file_leave(&part);
    free(bytes.data);
}

/* What was written after the bytes were made is gone, and writing goes on. */
static void files_in_progress_go_on(void **state) {
    (void)state;
    raski_part_file part = begin("a", "one\n");
    assert_true(raski_part_file_sync(&part, message, sizeof message));
    rask_text bytes = encode(&part);
    assert_true(raski_part_file_write(&part, "lost\n", 5, message, sizeof message));
    raski_part_file_leave(&part);
    assert_true(recover(bytes, &part));
    assert_int_equal(part.state, RASKI_PART_IN_PROGRESS);
    assert_true(raski_part_file_write(&part, "two\n", 4, message, sizeof message));
    finish(&part);
    assert_true(commit(&part));
    assert_string_equal(content("a"), "one\ntwo\n");
    raski_part_file_leave(&part);
    /* the unfinished file is gone now: the bytes are of no use any more */
    assert_false(recover(bytes, &part));
    assert_non_null(strstr(message, "No such file"));
    free(bytes.data);
}

static void lost_bytes_are_told(void **state) {
    (void)state;
    raski_part_file part = begin("a", "0123456789");
    rask_text bytes = encode(&part);
    assert_int_equal(truncate(part.hidden, 7), 0);
    raski_part_file other;
    assert_false(recover(bytes, &other));
    assert_non_null(strstr(message, "has lost bytes: it had 10, now it has 7"));
    raski_part_file_abandon(&part);
    free(bytes.data);
}

static void another_file_is_never_replaced(void **state) {
    (void)state;
    raski_part_file first = begin("a", "first");
    raski_part_file second = begin("a", "second");
    finish(&first);
    finish(&second);
    assert_true(commit(&first));
    assert_false(commit(&second));
    assert_non_null(strstr(message, "File exists"));
    assert_string_equal(content("a"), "first");
    raski_part_file_abandon(&first);
    raski_part_file_abandon(&second);
    assert_string_equal(names(), "a ");
}

static void wrong_bytes_are_refused(void **state) {
    (void)state;
    raski_part_file part = begin("a", "x");
    finish(&part);
    rask_text bytes = encode(&part);
    raski_part_file other;
    const size_t length = bytes.length;
    for (bytes.length = 0; bytes.length < length; bytes.length++) {
        assert_false(recover(bytes, &other));
        assert_non_null(strstr(message, "not the bytes of a part file"));
    }
    static const size_t places[] = {0, 4, 12, 29, 32, 33};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char before = bytes.data[places[i]];
        bytes.data[places[i]] = places[i] == 33 ? '\0' : (char)0x99;
        assert_false(recover(bytes, &other));
        bytes.data[places[i]] = before;
    }
    raski_part_file_abandon(&part);
    free(bytes.data);
}

static void what_the_disk_says(void **state) {
    (void)state;
    raski_part_file part;
    assert_false(raski_part_file_create("/no/such/folder", "a", 0, &part, message, sizeof message));
    assert_string_equal(message, "cannot create \"/no/such/folder/a\": No such file or directory");
    raski_part_file_abandon(&part);
    if (access("/dev/full", W_OK) != 0) return;
    part = begin("a", "x");
    raski_part_file_park(&part);
    assert_int_equal(unlink(part.hidden), 0);
    assert_int_equal(symlink("/dev/full", part.hidden), 0);
    assert_false(raski_part_file_write(&part, "y", 1, message, sizeof message));
    assert_non_null(strstr(message, "/a\": No space left on device"));
    raski_part_file_abandon(&part);
    assert_string_equal(names(), "");
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(the_whole_way),
        WITH_FOLDER(abandoned_at_every_step),
        WITH_FOLDER(pending_files_are_committed_by_their_bytes),
        WITH_FOLDER(files_in_progress_go_on),
        WITH_FOLDER(lost_bytes_are_told),
        WITH_FOLDER(another_file_is_never_replaced),
        WITH_FOLDER(wrong_bytes_are_refused),
        WITH_FOLDER(what_the_disk_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
