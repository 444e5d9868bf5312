#include "formats/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

enum { GZIP_BUFFER = 128 * 1024 };

typedef enum encoding { PLAIN, GZIP, ZSTD } encoding;

struct raski_byte_source {
    encoding encoding;
    int fd; /* GZIP: owned by gzip */
    char *path;
    gzFile gzip;
    ZSTD_DCtx *zstd;
    char *encoded; /* ZSTD: bytes of the file that are not decoded yet */
    size_t encoded_capacity;
    ZSTD_inBuffer in;
    bool in_frame; /* ZSTD: a frame is not at its end */
    int64_t position; /* in the file, for messages */
};

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

static bool start_decoder(raski_byte_source *s) {
    if (s->encoding == GZIP) {
        s->gzip = gzdopen(s->fd, "rb");
        if (s->gzip == NULL) return false;
        s->fd = -1;
        return gzbuffer(s->gzip, GZIP_BUFFER) == 0;
    }
    s->zstd = ZSTD_createDCtx();
    s->encoded_capacity = ZSTD_DStreamInSize();
    s->encoded = malloc(s->encoded_capacity);
    s->in = (ZSTD_inBuffer){s->encoded, 0, 0};
    return s->zstd != NULL && s->encoded != NULL;
}

static int open_file(const char *path, int64_t offset, char *message, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0 ||
        (offset > 0 && lseek(fd, (off_t)offset, SEEK_SET) < 0)) {
        (void)snprintf(message, size, "cannot open \"%s\": %s", path, strerror(errno));
        if (fd >= 0) (void)close(fd);
        return -1;
    }
    if (S_ISDIR(info.st_mode)) {
        (void)snprintf(message, size, "cannot read \"%s\": it is a folder", path);
        (void)close(fd);
        return -1;
    }
    (void)posix_fadvise(fd, (off_t)offset, 0, POSIX_FADV_SEQUENTIAL);
    return fd;
}

raski_byte_source *raski_byte_source_open(const char *path, int64_t offset, char *message,
                                          size_t size) {
    int fd = open_file(path, offset, message, size);
    if (fd < 0) return NULL;
    raski_byte_source *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->fd = fd;
        s->position = offset;
        s->encoding = encoding_of(path);
        s->path = strdup(path);
        if (s->path != NULL && (s->encoding == PLAIN || start_decoder(s))) return s;
        raski_byte_source_close(s);
    } else {
        (void)close(fd);
    }
    (void)snprintf(message, size, "no memory to read \"%s\"", path);
    return NULL;
}

static int64_t read_file(raski_byte_source *s, void *bytes, size_t size, char *message,
                         size_t message_size) {
    ssize_t n = 0;
    do n = read(s->fd, bytes, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        (void)snprintf(message, message_size, "cannot read \"%s\" at byte %lld: %s", s->path,
                       (long long)s->position, strerror(errno));
    else
        s->position += n;
    return n;
}

static int64_t read_gzip(raski_byte_source *s, void *bytes, size_t size, char *message,
                         size_t message_size) {
    int n = gzread(s->gzip, bytes, (unsigned)(size > 1U << 30 ? 1U << 30 : size));
    int code = Z_OK;
    const char *text = gzerror(s->gzip, &code);
    if (n < 0 || (n == 0 && code != Z_OK && code != Z_STREAM_END)) {
        (void)snprintf(message, message_size,
                       "cannot decompress \"%s\" behind byte %lld of its text: %s", s->path,
                       (long long)gztell(s->gzip), code == Z_ERRNO ? strerror(errno) : text);
        return -1;
    }
    return n;
}

static int64_t read_zstd(raski_byte_source *s, void *bytes, size_t size, char *message,
                         size_t message_size) {
    ZSTD_outBuffer out = {bytes, size, 0};
    while (out.pos == 0) {
        if (s->in.pos == s->in.size) {
            int64_t n = read_file(s, s->encoded, s->encoded_capacity, message, message_size);
            if (n < 0) return -1;
            if (n == 0 && !s->in_frame) return 0;
            if (n == 0) {
                (void)snprintf(message, message_size,
                               "cannot decompress \"%s\": it ends in the middle of a frame, at "
                               "byte %lld",
                               s->path, (long long)s->position);
                return -1;
            }
            s->in = (ZSTD_inBuffer){s->encoded, (size_t)n, 0};
        }
        size_t more = ZSTD_decompressStream(s->zstd, &out, &s->in);
        if (ZSTD_isError(more)) {
            (void)snprintf(message, message_size,
                           "cannot decompress \"%s\" before byte %lld of the file: %s", s->path,
                           (long long)s->position, ZSTD_getErrorName(more));
            return -1;
        }
        s->in_frame = more != 0;
    }
    return (int64_t)out.pos;
}

int64_t raski_byte_source_read(raski_byte_source *source, void *bytes, size_t size, char *message,
                               size_t message_size) {
    switch (source->encoding) {
    case GZIP:
        return read_gzip(source, bytes, size, message, message_size);
    case ZSTD:
        return read_zstd(source, bytes, size, message, message_size);
    default:
        return read_file(source, bytes, size, message, message_size);
    }
}

void raski_byte_source_close(raski_byte_source *source_take) {
    raski_byte_source *s = source_take;
    if (s == NULL) return;
    if (s->gzip != NULL) (void)gzclose_r(s->gzip);
    if (s->zstd != NULL) (void)ZSTD_freeDCtx(s->zstd);
    if (s->fd >= 0) (void)close(s->fd);
    free(s->encoded);
    free(s->path);
    free(s);
}
