/* Finds the files of a path and cuts them into splits. Flink: NonSplittingRecursiveEnumerator,
 * BlockSplittingRecursiveEnumerator, DefaultFileFilter. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "connectors/file_split.h"
#include "formats/byte_source.h"
#include "rask/function.h"

/* Small enough that parallel readers end together, large enough that a split costs nothing. */
static const int64_t SPLIT_BYTES_MIN = 1 << 20;
static const int64_t SPLIT_BYTES_MAX = 16 << 20;
enum { SPLITS_PER_FILE = 16, DEPTH_MAX = 64 };

typedef struct enumeration {
    raski_splits *splits;
    int64_t split_bytes; /* 0: by the file's size */
    bool monitors;       /* looks again and again: what is gone meanwhile does no harm */
    bool is_later;       /* not for the first time */
    const raski_file_cutter *cutter;
} enumeration;

/* Folders on the way to the one that is read, to notice links that lead back. */
typedef struct folder {
    const struct folder *parent;
    dev_t device;
    ino_t inode;
    int depth;
} folder;

static rask_status add_split(enumeration *e, const char *path, int64_t offset, int64_t length,
                             int64_t file_size) {
    raski_file_split split = {.offset = offset,
                              .length = length,
                              .file_size = file_size,
                              .path = path,
                              .path_length = strlen(path)};
    size_t size = raski_file_split_size(split.path_length);
    char *bytes = malloc(size);
    if (bytes == NULL) return rask_fail("no memory for the splits of \"%s\"", path);
    raski_file_split_encode(&split, bytes);
    rask_status status = raski_add_split(e->splits, bytes, size);
    free(bytes);
    return status == RASK_OK ? RASK_OK : rask_fail("no memory for the splits of \"%s\"", path);
}

static rask_status add_file(enumeration *e, const char *path, const struct stat *info) {
    if (e->monitors && rask_splits_seen(e->splits, path)) return RASK_OK;
    /* Pipes have no size, and neither have files that are made while they are read (/proc). */
    if (!S_ISREG(info->st_mode) || info->st_size == 0 || raski_is_compressed(path))
        return add_split(e, path, 0, -1, -1);
    int64_t size = (int64_t)info->st_size;
    int64_t part = size / SPLITS_PER_FILE + 1;
    if (part < SPLIT_BYTES_MIN) part = SPLIT_BYTES_MIN;
    if (part > SPLIT_BYTES_MAX) part = SPLIT_BYTES_MAX;
    if (e->split_bytes > 0) part = e->split_bytes;
    int64_t end = 0;
    for (int64_t offset = 0; offset < size; offset = end) {
        rask_status status = RASK_OK;
        end = size - offset < part ? size : offset + part;
        if (end < size && e->cutter->find_cut != NULL)
            status = e->cutter->find_cut(e->cutter->context, path, size, end, &end);
        if (status == RASK_OK) status = add_split(e, path, offset, end - offset, size);
        if (status != RASK_OK) return status;
    }
    return RASK_OK;
}

static rask_status add_path(enumeration *e, const char *path, const folder *parent);

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
}

/* Sorted entries of a folder, without hidden ones; -1 with errno on failure. */
static long list_folder(const char *path, char ***ret_names) {
    DIR *dir = opendir(path);
    if (dir == NULL) return -1;
    char **names = NULL;
    size_t count = 0;
    size_t capacity = 0;
    errno = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; errno = 0, entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || entry->d_name[0] == '_') continue;
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            char **more = realloc(names, capacity * sizeof *names);
            if (more == NULL) break;
            names = more;
        }
        names[count] = strdup(entry->d_name);
        if (names[count] == NULL) break;
        count++;
    }
    int problem = errno;
    (void)closedir(dir);
    if (problem != 0) {
        free_names(names, count);
        errno = problem;
        return -1;
    }
    if (count > 0) qsort(names, count, sizeof *names, compare_names);
    *ret_names = names;
    return (long)count;
}

static rask_status add_folder(enumeration *e, const char *path, const struct stat *info,
                              const folder *parent) {
    const folder here = {parent, info->st_dev, info->st_ino, parent ? parent->depth + 1 : 0};
    for (const folder *f = parent; f != NULL; f = f->parent)
        if (f->device == here.device && f->inode == here.inode)
            return rask_fail("\"%s\" leads back to a folder that it is in: remove that link", path);
    if (here.depth == DEPTH_MAX)
        return rask_fail("\"%s\" is more than %d folders deep", path, DEPTH_MAX);
    char **names = NULL;
    long count = list_folder(path, &names);
    if (count < 0 && errno == ENOENT && e->monitors) return RASK_OK;
    if (count < 0) return rask_fail("cannot read the folder \"%s\": %s", path, strerror(errno));
    rask_status status = RASK_OK;
    for (long i = 0; i < count && status == RASK_OK; i++) {
        const bool has_slash = path[strlen(path) - 1] == '/';
        char child[PATH_MAX];
        int length = snprintf(child, sizeof child, "%s%s%s", path, has_slash ? "" : "/", names[i]);
        status = length < (int)sizeof child
                     ? add_path(e, child, &here)
                     : rask_fail("the path of \"%s\" in \"%s\" is too long", names[i], path);
    }
    free_names(names, (size_t)count);
    return status;
}

/* How many letters must be put in, taken out, replaced or swapped with their neighbour to make b of
 * a; more than any name's length when a name is too long to look at. */
static unsigned edit_distance(const char *a, const char *b) {
    enum { LENGTH_MAX = 255 };
    unsigned rows[3][LENGTH_MAX + 1];
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n > LENGTH_MAX || m > LENGTH_MAX) return UINT_MAX;
    for (size_t j = 0; j <= m; j++) rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *last = rows[(i + 2) % 3];
        const unsigned *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned cost = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < cost) cost = last[j] + 1;
            if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < cost)
                cost = before[j - 2] + 1;
            row[j] = cost;
        }
    }
    return rows[n % 3][m];
}

/* "; did you mean \"x\"?" for the most similar name in the same folder, or nothing. */
static void suggest(const char *path, char *text, size_t size) {
    text[0] = '\0';
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char parent[PATH_MAX];
    (void)snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    if (slash == path) (void)snprintf(parent, sizeof parent, "/");
    char **names = NULL;
    long count = list_folder(parent, &names);
    unsigned best = (unsigned)strlen(base) / 3 + 1; /* more is no similarity */
    for (long i = 0; i < count; i++) {
        unsigned distance = edit_distance(base, names[i]);
        if (distance > best) continue;
        best = distance - (distance > 0);
        (void)snprintf(text, size, "; did you mean \"%.*s%s\"?", slash ? (int)(base - path) : 0,
                       path, names[i]);
    }
    if (count >= 0) free_names(names, (size_t)count);
}

static rask_status missing(const char *path) {
    char hint[PATH_MAX + 32];
    int problem = errno;
    suggest(path, hint, sizeof hint);
    return rask_fail("cannot read \"%s\": %s%s", path, strerror(problem),
                     problem == ENOENT ? hint : "");
}

static rask_status add_path(enumeration *e, const char *path, const folder *parent) {
    struct stat info;
    if (stat(path, &info) != 0) {
        const bool may_be_gone = e->is_later || (e->monitors && parent != NULL);
        return errno == ENOENT && may_be_gone ? RASK_OK : missing(path);
    }
    return S_ISDIR(info.st_mode) ? add_folder(e, path, &info, parent) : add_file(e, path, &info);
}

static rask_status add_glob(enumeration *e, const char *pattern) {
    glob_t found = {0};
    int code = glob(pattern, GLOB_ERR, NULL, &found);
    rask_status status = RASK_OK;
    const bool may_be_none = e->monitors && (code == GLOB_NOMATCH || errno == ENOENT);
    if (code != 0 && code != GLOB_NOSPACE && may_be_none)
        status = RASK_OK;
    else if (code == GLOB_NOMATCH)
        status = rask_fail("nothing matches \"%s\"", pattern);
    else if (code != 0)
        status = rask_fail("cannot look for \"%s\": %s", pattern,
                           code == GLOB_NOSPACE ? "no memory" : strerror(errno));
    for (size_t i = 0; i < found.gl_pathc && status == RASK_OK; i++)
        status = add_path(e, found.gl_pathv[i], NULL);
    globfree(&found);
    return status;
}

rask_status raski_enumerate_files(const char *path, int64_t split_bytes, int64_t monitor_ms,
                                  raski_splits *splits) {
    const raski_file_cutter anywhere = {0};
    return raski_enumerate_files_cut(path, split_bytes, monitor_ms, &anywhere, splits);
}

rask_status raski_enumerate_files_cut(const char *path, int64_t split_bytes, int64_t monitor_ms,
                                      const raski_file_cutter *cutter, raski_splits *splits) {
    enumeration e = {
        .splits = splits, .split_bytes = split_bytes, .monitors = monitor_ms > 0, .cutter = cutter};
    struct stat info;
    if (e.monitors) {
        e.is_later = rask_splits_seen(splits, ""); /* which is no path */
        rask_enumerate_again_ms(splits, monitor_ms);
    }
    /* A file whose name looks like a pattern is that file. */
    if (strpbrk(path, "*?[") != NULL && stat(path, &info) != 0) return add_glob(&e, path);
    return add_path(&e, path, NULL);
}
