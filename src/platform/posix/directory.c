#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "platform/file.h"
#include "platform/posix/file_private.h"

void raski_path_list_free(raski_path_list *list) {
    for (size_t i = 0; i < list->count; i++) raski_free(list->items[i]);
    raski_vec_free(list);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_from(raski_path_list *list, size_t first) {
    if (list->count > first) {
        qsort(list->items + first, list->count - first, sizeof *list->items, compare_texts);
    }
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

rask_status raski_directory_list(const char *path, raski_path_list *list, raski_error *err) {
    DIR *directory = opendir(path);
    if (directory == NULL) return raski_file_fail(err, "read directory", path, errno);
    size_t first = list->count;
    struct dirent *entry;
    for (errno = 0; (entry = readdir(directory)) != NULL; errno = 0) {
        if (!is_dots(entry->d_name)) raski_vec_push(list, raski_strdup(entry->d_name));
    }
    int reason = errno;
    (void)closedir(directory);
    if (reason != 0) {
        while (list->count > first) raski_free(list->items[--list->count]);
        return raski_file_fail(err, "read directory", path, reason);
    }
    sort_from(list, first);
    return RASK_OK;
}

bool raski_path_is_pattern(const char *path) {
    return strpbrk(path, "*?[") != NULL;
}

/* glob() passes no context to its error hook; it asks it for the errno of an unreadable directory.
 */
static int stop_on_error(const char *path, int reason) {
    (void)path;
    return reason == ENOENT || reason == ENOTDIR ? 0 : 1;
}

rask_status raski_path_glob(const char *pattern, raski_path_list *list, raski_error *err) {
    glob_t found;
    memset(&found, 0, sizeof found);
    int result = glob(pattern, GLOB_NOSORT, stop_on_error, &found);
    int reason = errno;
    if (result == GLOB_NOSPACE || result == GLOB_ABORTED) {
        globfree(&found);
        return raski_file_fail(err, "read", pattern, result == GLOB_NOSPACE ? ENOMEM : reason);
    }
    size_t first = list->count;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        raski_vec_push(list, raski_strdup(found.gl_pathv[i]));
    }
    globfree(&found);
    sort_from(list, first);
    return RASK_OK;
}

rask_status raski_directory_create(const char *path, raski_error *err) {
    char *part = raski_strdup(path);
    rask_status status = RASK_OK;
    for (char *p = part + 1; *part != '\0' && status == RASK_OK; p++) {
        if (*p != '/' && *p != '\0') continue;
        char end = *p;
        *p = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            status = raski_file_fail(err, "make directory", part, errno);
        }
        if (end == '\0') break;
        *p = end;
    }
    raski_free(part);
    raski_file_info info;
    if (status == RASK_OK) status = raski_file_stat(path, &info, err);
    if (status == RASK_OK && info.kind != RASKI_FILE_DIRECTORY) {
        status = raski_file_fail(err, "make directory", path, ENOTDIR);
    }
    return status;
}

rask_status raski_directory_sync(const char *path, raski_error *err) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return raski_file_fail(err, "open directory", path, errno);
    rask_status status = raski_file_sync(fd, path, err);
    raski_file_close_quietly(fd);
    return status;
}

rask_status raski_directory_create_temporary(const char *parent_or_null, const char *prefix,
                                             char **ret_path, raski_error *err) {
    const char *parent = parent_or_null;
    if (parent == NULL) parent = getenv("TMPDIR");
    if (parent == NULL || *parent == '\0') parent = "/tmp";
    char *path = raski_format("%s/%sXXXXXX", parent, prefix);
    if (mkdtemp(path) == NULL) {
        int reason = errno;
        raski_free(path);
        return raski_file_fail(err, "make a temporary directory in", parent, reason);
    }
    *ret_path = path;
    return RASK_OK;
}

rask_status raski_directory_remove(const char *path, raski_error *err) {
    struct stat info;
    if (lstat(path, &info) != 0) {
        return errno == ENOENT ? RASK_OK : raski_file_fail(err, "remove", path, errno);
    }
    if (!S_ISDIR(info.st_mode)) return raski_file_remove(path, err);
    raski_path_list names = {0};
    rask_status status = raski_directory_list(path, &names, err);
    for (size_t i = 0; i < names.count && status == RASK_OK; i++) {
        char *child = raski_format("%s/%s", path, names.items[i]);
        status = raski_directory_remove(child, err);
        raski_free(child);
    }
    raski_path_list_free(&names);
    if (status == RASK_OK && rmdir(path) != 0 && errno != ENOENT) {
        status = raski_file_fail(err, "remove", path, errno);
    }
    return status;
}
