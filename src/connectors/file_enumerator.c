/* Finds the files of a path and cuts them into splits. Flink: NonSplittingRecursiveEnumerator,
 * BlockSplittingRecursiveEnumerator, DefaultFileFilter. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "connectors/file_split.h"
#include "formats/byte_source.h"

/* Small enough that parallel readers end together, large enough that a split costs nothing. */
static const int64_t SPLIT_BYTES_MIN = 1 << 20;
static const int64_t SPLIT_BYTES_MAX = 16 << 20;
enum { SPLITS_PER_FILE = 16, DEPTH_MAX = 64 };

static rask_status add_split(raski_splits *splits, const char *path, int64_t offset,
                             int64_t length, int64_t file_size) {
    raski_file_split split = {offset, length, file_size, path, strlen(path)};
    size_t size = raski_file_split_size(split.path_length);
    char *bytes = malloc(size);
    if (bytes == NULL) return rask_fail("no memory for the splits of \"%s\"", path);
    raski_file_split_encode(&split, bytes);
    rask_status status = raski_add_split(splits, bytes, size);
    free(bytes);
    return status == RASK_OK ? RASK_OK : rask_fail("no memory for the splits of \"%s\"", path);
}

static rask_status add_file(raski_splits *splits, const char *path, const struct stat *info) {
    if (!S_ISREG(info->st_mode) || raski_is_compressed(path))
        return add_split(splits, path, 0, -1, -1);
    int64_t size = (int64_t)info->st_size;
    int64_t part = size / SPLITS_PER_FILE + 1;
    if (part < SPLIT_BYTES_MIN) part = SPLIT_BYTES_MIN;
    if (part > SPLIT_BYTES_MAX) part = SPLIT_BYTES_MAX;
    for (int64_t offset = 0; offset < size; offset += part) {
        int64_t length = size - offset < part ? size - offset : part;
        rask_status status = add_split(splits, path, offset, length, size);
        if (status != RASK_OK) return status;
    }
    return RASK_OK;
}

static rask_status add_path(raski_splits *splits, const char *path, int depth);

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

static rask_status add_folder(raski_splits *splits, const char *path, int depth) {
    if (depth == DEPTH_MAX)
        return rask_fail("\"%s\" is more than %d folders deep: is there a loop of links?", path,
                         DEPTH_MAX);
    char **names = NULL;
    long count = list_folder(path, &names);
    if (count < 0) return rask_fail("cannot read the folder \"%s\": %s", path, strerror(errno));
    rask_status status = RASK_OK;
    for (long i = 0; i < count && status == RASK_OK; i++) {
        char child[PATH_MAX];
        int length = snprintf(child, sizeof child, "%s/%s", path, names[i]);
        status = length < (int)sizeof child
                     ? add_path(splits, child, depth + 1)
                     : rask_fail("the path of \"%s\" in \"%s\" is too long", names[i], path);
    }
    free_names(names, (size_t)count);
    return status;
}

static size_t common_prefix(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n]) n++;
    return n;
}

/* "; did you mean \"x\"?" for the name in the same folder that begins most alike, or nothing. */
static void suggest(const char *path, char *text, size_t size) {
    text[0] = '\0';
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    if (slash == path) (void)snprintf(folder, sizeof folder, "/");
    char **names = NULL;
    long count = list_folder(folder, &names);
    size_t best = 2; /* less in common is no hint */
    for (long i = 0; i < count; i++) {
        size_t common = common_prefix(names[i], base);
        if (common <= best) continue;
        best = common;
        (void)snprintf(text, size, "; did you mean \"%.*s%s\"?", slash ? (int)(base - path) : 0,
                       path, names[i]);
    }
    if (count > 0) free_names(names, (size_t)count);
}

static rask_status missing(const char *path) {
    char hint[PATH_MAX + 32];
    int problem = errno;
    suggest(path, hint, sizeof hint);
    return rask_fail("cannot read \"%s\": %s%s", path, strerror(problem),
                     problem == ENOENT ? hint : "");
}

static rask_status add_path(raski_splits *splits, const char *path, int depth) {
    struct stat info;
    if (stat(path, &info) != 0) return missing(path);
    return S_ISDIR(info.st_mode) ? add_folder(splits, path, depth)
                                 : add_file(splits, path, &info);
}

static rask_status add_glob(raski_splits *splits, const char *pattern) {
    glob_t found = {0};
    int code = glob(pattern, GLOB_ERR, NULL, &found);
    rask_status status = RASK_OK;
    if (code == GLOB_NOMATCH)
        status = rask_fail("nothing matches \"%s\"", pattern);
    else if (code != 0)
        status = rask_fail("cannot look for \"%s\": %s", pattern,
                           code == GLOB_NOSPACE ? "no memory" : strerror(errno));
    for (size_t i = 0; i < found.gl_pathc && status == RASK_OK; i++)
        status = add_path(splits, found.gl_pathv[i], 0);
    globfree(&found);
    return status;
}

rask_status raski_enumerate_files(const char *path, raski_splits *splits) {
    struct stat info;
    /* A file whose name looks like a pattern is that file. */
    if (strpbrk(path, "*?[") != NULL && stat(path, &info) != 0) return add_glob(splits, path);
    return add_path(splits, path, 0);
}
