#include "formats/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

enum { ENCODED_BYTES = 128 * 1024, GZIP_MAGIC_BYTES = 2 };

typedef enum encoding { PLAIN, GZIP, ZSTD } encoding;

struct raski_byte_source {
    encoding encoding;
    int fd;
    bool is_file; /* reads do not wait */
    char *path;
    z_stream gzip;
    bool gzip_ready;
    ZSTD_DCtx *zstd;
    unsigned char *encoded; /* bytes of the file: those from encoded_begin are not decoded yet */
    size_t encoded_begin, encoded_end;
    bool in_frame;    /* a member or frame has begun and is not at its end */
    bool has_frame;   /* one has ended */
    int64_t position; /* in the file, of what is read next */
};

/* Where a message goes. */
typedef struct report {
    char *message;
    size_t size;
} report;

/* ---------------------------------------------------------------- names */
static bool ends_with(const char *path, const char *suffix) {
    size_t n = strlen(path);
    size_t m = strlen(suffix);
    return n >= m && strcmp(path + n - m, suffix) == 0;
}

static encoding encoding_of(const char *path) {
    if (ends_with(path, ".gz") || ends_with(path, ".gzip")) return GZIP;
    if (ends_with(path, ".zst") || ends_with(path, ".zstd")) return ZSTD;
    return PLAIN;
}

bool raski_is_compressed(const char *path) {
    return encoding_of(path) != PLAIN;
}

/* ---------------------------------------------------------------- opening */
/* A named pipe is opened without waiting for a writer, and then read only when it has something. */
static int open_file(const char *path, int64_t offset, bool *ret_is_file, report to) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0 || (offset > 0 && lseek(fd, (off_t)offset, SEEK_SET) < 0)) {
        (void)snprintf(to.message, to.size, "cannot open \"%s\": %s", path, strerror(errno));
        if (fd >= 0) (void)close(fd);
        return -1;
    }
    if (S_ISDIR(info.st_mode)) {
        (void)snprintf(to.message, to.size, "cannot read \"%s\": it is a folder", path);
        (void)close(fd);
        return -1;
    }
    *ret_is_file = S_ISREG(info.st_mode);
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    (void)posix_fadvise(fd, (off_t)offset, 0, POSIX_FADV_SEQUENTIAL);
    return fd;
}

static bool start_decoder(raski_byte_source *s) {
    if (s->encoding == PLAIN) return true;
    s->encoded = malloc(ENCODED_BYTES);
    if (s->encoding == GZIP)
        s->gzip_ready = inflateInit2(&s->gzip, MAX_WBITS + 16) == Z_OK; /* + 16: gzip only */
    else
        s->zstd = ZSTD_createDCtx();
    return s->encoded != NULL && (s->gzip_ready || s->zstd != NULL);
}

raski_byte_source *raski_byte_source_open(const char *path, int64_t offset, char *message,
                                          size_t size) {
    bool is_file = false;
    int fd = open_file(path, offset, &is_file, (report){message, size});
    if (fd < 0) return NULL;
    raski_byte_source *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->fd = fd;
        s->is_file = is_file;
        s->position = offset;
        s->encoding = encoding_of(path);
        s->path = strdup(path);
        if (s->path != NULL && start_decoder(s)) return s;
        raski_byte_source_close(s);
    } else {
        (void)close(fd);
    }
    (void)snprintf(message, size, "no memory to read \"%s\"", path);
    return NULL;
}

/* ---------------------------------------------------------------- reading */
static int64_t read_file(raski_byte_source *s, void *bytes, size_t size, report to) {
    if (!s->is_file) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        if (poll(&p, 1, 0) == 0) return RASKI_BYTES_LATER;
    }
    ssize_t n = 0;
    do n = read(s->fd, bytes, size);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        (void)snprintf(to.message, to.size, "cannot read \"%s\" at byte %lld: %s", s->path,
                       (long long)s->position, strerror(errno));
        return RASKI_BYTES_FAILED;
    }
    s->position += n;
    return n;
}

/* "cannot decompress "x.gz" at byte 17: what": the byte of the file at encoded_begin. */
static int64_t corrupt(const raski_byte_source *s, const char *what, report to) {
    long long at = (long long)s->position - (long long)(s->encoded_end - s->encoded_begin);
    (void)snprintf(to.message, to.size, "cannot decompress \"%s\" at byte %lld: %s", s->path, at,
                   what);
    return RASKI_BYTES_FAILED;
}

/* One step of a decoder: decodes from encoded into bytes, moves encoded_begin, sets in_frame and
 * has_frame; the number of bytes, maybe 0, or FAILED. */
static int64_t step_gzip(raski_byte_source *s, void *bytes, size_t size, report to) {
    s->gzip.next_in = s->encoded + s->encoded_begin;
    s->gzip.avail_in = (unsigned)(s->encoded_end - s->encoded_begin);
    s->gzip.next_out = bytes;
    s->gzip.avail_out = (unsigned)(size > 1U << 30 ? 1U << 30 : size);
    s->in_frame = true;
    int code = inflate(&s->gzip, Z_NO_FLUSH);
    s->encoded_begin = s->encoded_end - s->gzip.avail_in;
    if (code == Z_STREAM_END) {
        s->in_frame = false;
        s->has_frame = true;
        code = inflateReset(&s->gzip);
    }
    if (code == Z_DATA_ERROR && s->gzip.total_out == 0 && s->gzip.total_in <= GZIP_MAGIC_BYTES)
        return corrupt(s, s->has_frame ? "what follows its end is no gzip" : "it is no gzip", to);
    if (code == Z_NEED_DICT) return corrupt(s, "it needs a dictionary", to);
    if (code != Z_OK && code != Z_BUF_ERROR)
        return corrupt(s, s->gzip.msg ? s->gzip.msg : "no memory", to);
    return (char *)s->gzip.next_out - (char *)bytes;
}

static int64_t step_zstd(raski_byte_source *s, void *bytes, size_t size, report to) {
    ZSTD_inBuffer in = {s->encoded + s->encoded_begin, s->encoded_end - s->encoded_begin, 0};
    ZSTD_outBuffer out = {bytes, size, 0};
    size_t more = ZSTD_decompressStream(s->zstd, &out, &in);
    if (ZSTD_isError(more)) return corrupt(s, ZSTD_getErrorName(more), to);
    s->encoded_begin += in.pos;
    s->in_frame = more != 0;
    s->has_frame = s->has_frame || more == 0;
    return (int64_t)out.pos;
}

/* Zeroes behind the last member are the padding of tapes and block devices, as gzip has it. */
static void skip_padding(raski_byte_source *s) {
    while (s->encoded_begin < s->encoded_end && s->encoded[s->encoded_begin] == 0)
        s->encoded_begin++;
}

static int64_t read_encoded(raski_byte_source *s, void *bytes, size_t size, report to) {
    for (;;) {
        if (s->encoding == GZIP && !s->in_frame && s->has_frame) skip_padding(s);
        /* A decoder may hold output back for which there was no room: it is asked before the file.
         */
        if (s->encoded_begin < s->encoded_end || s->in_frame) {
            int64_t n =
                s->encoding == GZIP ? step_gzip(s, bytes, size, to) : step_zstd(s, bytes, size, to);
            if (n != 0) return n;
            if (s->encoded_begin < s->encoded_end) continue;
        }
        int64_t n = read_file(s, s->encoded, ENCODED_BYTES, to);
        if (n < 0) return n;
        s->encoded_begin = 0;
        s->encoded_end = (size_t)n;
        if (n > 0) continue;
        if (s->in_frame) return corrupt(s, "it ends in the middle of its data", to);
        if (!s->has_frame) return corrupt(s, "it is empty", to);
        return RASKI_BYTES_END;
    }
}

int64_t raski_byte_source_read(raski_byte_source *source, void *bytes, size_t size, char *message,
                               size_t message_size) {
    report to = {message, message_size};
    return source->encoding == PLAIN ? read_file(source, bytes, size, to)
                                     : read_encoded(source, bytes, size, to);
}

int raski_byte_source_fd(const raski_byte_source *source) {
    return source->fd;
}

void raski_byte_source_close(raski_byte_source *source_take) {
    raski_byte_source *s = source_take;
    if (s == NULL) return;
    if (s->gzip_ready) (void)inflateEnd(&s->gzip);
    (void)ZSTD_freeDCtx(s->zstd);
    (void)close(s->fd);
    free(s->encoded);
    free(s->path);
    free(s);
}
