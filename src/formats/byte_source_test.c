/* Bytes of plain and compressed files: whole ones, concatenated ones, and each way of being wrong.
 */
#include <fcntl.h>
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
#include <zlib.h>
#include <zstd.h>

#include "formats/byte_source.h"

typedef struct blob {
    size_t length;
    unsigned char bytes[400000];
} blob;

static char folder[] = "/tmp/rask-bytes-XXXXXX";
static char path[64];

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void write_file(const char *suffix, const void *bytes, size_t length) {
    if (*path) (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/x%s", folder, suffix);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void add_gzip(blob *to, const void *bytes, size_t length) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (unsigned)length;
    z.next_out = to->bytes + to->length;
    z.avail_out = (unsigned)(sizeof to->bytes - to->length);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->length += z.total_out;
    (void)deflateEnd(&z);
}

static void add_zstd(blob *to, const void *bytes, size_t length) {
    size_t n =
        ZSTD_compress(to->bytes + to->length, sizeof to->bytes - to->length, bytes, length, 3);
    assert_false(ZSTD_isError(n));
    to->length += n;
}

/* All bytes of the file at path, read in pieces of up to `piece`; false: it failed with message. */
static bool read_all(size_t piece, blob *ret, char *message, size_t size) {
    ret->length = 0;
    raski_byte_source *source = raski_byte_source_open(path, 0, message, size);
    if (source == NULL) return false;
    int64_t n = 1;
    while (n > 0) {
        assert_true(ret->length < sizeof ret->bytes);
        size_t room = sizeof ret->bytes - ret->length;
        n = raski_byte_source_read(source, ret->bytes + ret->length, piece < room ? piece : room,
                                   message, size);
        if (n > 0) ret->length += (size_t)n;
    }
    raski_byte_source_close(source);
    return n == RASKI_BYTES_END;
}

/* Text that is neither too regular nor without any order. */
static void make_text(blob *ret, size_t length) {
    uint32_t x = 12345;
    for (size_t i = 0; i < length; i++) {
        x = x * 1664525 + 1013904223;
        ret->bytes[i] = (unsigned char)(x >> 28 ? x >> 24 : '\n');
    }
    ret->length = length;
}

static blob original, encoded, decoded;

static void names(void **state) {
    (void)state;
    assert_true(raski_is_compressed("a.gz") && raski_is_compressed("a.gzip"));
    assert_true(raski_is_compressed("a.zst") && raski_is_compressed("/b/a.zstd"));
    assert_false(raski_is_compressed("gz") || raski_is_compressed("a.gz.txt"));
    assert_false(raski_is_compressed("") || raski_is_compressed("a.GZ"));
}

static void check_members(const char *suffix, void (*add)(blob *, const void *, size_t)) {
    char message[256];
    make_text(&original, 300000);
    for (size_t members = 1; members <= 5; members += 2) {
        encoded.length = 0;
        size_t done = 0;
        for (size_t m = 0; m < members; m++) {
            size_t end = m + 1 == members ? original.length : done + original.length / members;
            add(&encoded, original.bytes + done, end - done);
            add(&encoded, "", 0); /* an empty one between them */
            done = end;
        }
        write_file(suffix, encoded.bytes, encoded.length);
        static const size_t pieces[] = {400000, 65536, 4097, 100};
        for (size_t p = 0; p < 4; p++) {
            if (!read_all(pieces[p], &decoded, message, sizeof message)) fail_msg("%s", message);
            assert_int_equal(decoded.length, original.length);
            assert_memory_equal(decoded.bytes, original.bytes, original.length);
        }
    }
}

static void members_of_gzip(void **state) {
    (void)state;
    check_members(".gz", add_gzip);
}

static void frames_of_zstd(void **state) {
    (void)state;
    check_members(".zst", add_zstd);
}

/* Cut anywhere, it fails, but between members. */
static void check_cut(const char *suffix, void (*add)(blob *, const void *, size_t)) {
    char message[256];
    make_text(&original, 300);
    encoded.length = 0;
    add(&encoded, original.bytes, 200);
    size_t between = encoded.length;
    add(&encoded, original.bytes + 200, 100);
    for (size_t cut = 0; cut < encoded.length; cut++) {
        write_file(suffix, encoded.bytes, cut);
        bool ok = read_all(77, &decoded, message, sizeof message);
        if (ok != (cut == between)) fail_msg("cut at %zu of %zu", cut, encoded.length);
        if (!ok) assert_non_null(strstr(message, cut ? "ends in the middle" : "is empty"));
        if (!ok) assert_non_null(strstr(message, path));
    }
}

static void cut_anywhere(void **state) {
    (void)state;
    check_cut(".gz", add_gzip);
    check_cut(".zst", add_zstd);
}

/* No byte that is changed makes it crash or hang; gzip has a checksum and notices all but those of
 * its header that mean nothing. */
static void changed_anywhere(void **state) {
    (void)state;
    char message[256];
    make_text(&original, 300);
    encoded.length = 0;
    add_gzip(&encoded, original.bytes, 300);
    for (size_t at = 0; at < encoded.length; at++) {
        encoded.bytes[at] ^= 0x41;
        write_file(".gz", encoded.bytes, encoded.length);
        bool ok = read_all(4096, &decoded, message, sizeof message);
        if (ok && at >= 10) fail_msg("byte %zu of %zu was not noticed", at, encoded.length);
        encoded.bytes[at] ^= 0x41;
    }
    encoded.length = 0;
    add_zstd(&encoded, original.bytes, 300);
    for (size_t at = 0; at < encoded.length; at++) {
        encoded.bytes[at] ^= 0x41;
        write_file(".zst", encoded.bytes, encoded.length);
        (void)read_all(4096, &decoded, message, sizeof message);
        encoded.bytes[at] ^= 0x41;
    }
}

static void what_is_not_compressed(void **state) {
    (void)state;
    char message[256];
    write_file(".gz", "plain text\n", 11);
    assert_false(read_all(4096, &decoded, message, sizeof message));
    assert_non_null(strstr(message, "it is no gzip"));
    write_file(".zst", "plain text\n", 11);
    assert_false(read_all(4096, &decoded, message, sizeof message));
    assert_non_null(strstr(message, "cannot decompress"));
}

static void what_follows_the_end(void **state) {
    (void)state;
    char message[256];
    encoded.length = 0;
    add_gzip(&encoded, "text\n", 5);
    memset(encoded.bytes + encoded.length, 0, 1000); /* padding */
    write_file(".gz", encoded.bytes, encoded.length + 1000);
    assert_true(read_all(4096, &decoded, message, sizeof message));
    assert_int_equal(decoded.length, 5);
    encoded.bytes[encoded.length + 10] = 'x';
    write_file(".gz", encoded.bytes, encoded.length + 1000);
    assert_false(read_all(4096, &decoded, message, sizeof message));
    assert_non_null(strstr(message, "what follows its end is no gzip"));
}

static void plain_files_from_an_offset(void **state) {
    (void)state;
    char message[256];
    char bytes[16] = "";
    write_file(".txt", "0123456789", 10);
    for (int64_t offset = 0; offset <= 12; offset += 4) {
        raski_byte_source *source = raski_byte_source_open(path, offset, message, sizeof message);
        assert_non_null(source);
        int64_t left = offset < 10 ? 10 - offset : 0;
        assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message), left);
        if (left > 0) assert_memory_equal(bytes, &"0123456789"[offset], (size_t)left);
        assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message),
                         RASKI_BYTES_END);
        raski_byte_source_close(source);
    }
}

static void what_cannot_be_opened(void **state) {
    (void)state;
    char message[256];
    assert_null(raski_byte_source_open("/no/such/file", 0, message, sizeof message));
    assert_string_equal(message, "cannot open \"/no/such/file\": No such file or directory");
    assert_null(raski_byte_source_open(folder, 0, message, sizeof message));
    assert_non_null(strstr(message, "it is a folder"));
}

static void pipes_say_later(void **state) {
    (void)state;
    char message[256];
    char bytes[16];
    if (*path) (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    raski_byte_source *source = raski_byte_source_open(path, 0, message, sizeof message);
    assert_non_null(source);
    assert_true(raski_byte_source_fd(source) >= 0);
    assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message),
                     RASKI_BYTES_LATER); /* nobody has opened it to write yet */
    int writer = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(writer >= 0);
    assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message),
                     RASKI_BYTES_LATER);
    assert_int_equal(write(writer, "abc", 3), 3);
    assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message), 3);
    assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message),
                     RASKI_BYTES_LATER);
    assert_int_equal(close(writer), 0);
    assert_int_equal(raski_byte_source_read(source, bytes, 16, message, sizeof message),
                     RASKI_BYTES_END);
    raski_byte_source_close(source);
    raski_byte_source_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(members_of_gzip),
        cmocka_unit_test(frames_of_zstd),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(changed_anywhere),
        cmocka_unit_test(what_is_not_compressed),
        cmocka_unit_test(what_follows_the_end),
        cmocka_unit_test(plain_files_from_an_offset),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(pipes_say_later),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
