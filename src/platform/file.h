/* file.h - files and directories, with errors a person can act on: every failure says what was
 * tried, on which path, and why ("cannot open \"x\": No such file or directory"). Class EXTERNAL;
 * status NOT_FOUND when it does not exist, NOMEM for a full memory, IO for the rest. EINTR is
 * handled. Threads: any; a descriptor is its user's. Paths are borrowed. */
#ifndef RASKI_PLATFORM_FILE_H
#define RASKI_PLATFORM_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum raski_open_mode {
    RASKI_OPEN_READ,
    RASKI_OPEN_WRITE,     /* made if absent, emptied if present */
    RASKI_OPEN_WRITE_NEW, /* fails if present */
    RASKI_OPEN_APPEND,    /* made if absent */
} raski_open_mode;

typedef enum raski_file_kind {
    RASKI_FILE_REGULAR,
    RASKI_FILE_DIRECTORY,
    RASKI_FILE_OTHER, /* a pipe, a device, ... */
} raski_file_kind;

typedef struct raski_file_info {
    raski_file_kind kind;
    int64_t size;        /* bytes */
    int64_t modified_ms; /* since 1970 */
    uint64_t device, inode;
} raski_file_info;

/* The descriptor is the caller's, closed on exec. A directory is refused. */
RASKI_NODISCARD rask_status raski_file_open(const char *path, raski_open_mode mode, int *ret_fd,
                                            raski_error *err);
/* A file without a name in directory, for reading and writing; gone when closed. */
RASKI_NODISCARD rask_status raski_file_open_temporary(const char *directory, int *ret_fd,
                                                      raski_error *err);
/* Up to size bytes; *ret_size 0 means the end. path is only for the message. */
RASKI_NODISCARD rask_status raski_file_read(int fd, const char *path, void *bytes, size_t size,
                                            size_t *ret_size, raski_error *err);
/* Bytes at offset until size are read or the file ends. */
RASKI_NODISCARD rask_status raski_file_pread(int fd, const char *path, void *bytes, size_t size,
                                             int64_t offset, size_t *ret_size, raski_error *err);
/* All of it, or an error ("cannot write to \"x\": No space left on device"); waits for slow pipes.
 */
RASKI_NODISCARD rask_status raski_file_write_all(int fd, const char *path, const void *bytes,
                                                 size_t size, raski_error *err);
RASKI_NODISCARD rask_status raski_file_pwrite_all(int fd, const char *path, const void *bytes,
                                                  size_t size, int64_t offset, raski_error *err);
/* Tells the kernel that all of fd will be read in order. */
void raski_file_will_read_all(int fd);
/* Makes the content durable. */
RASKI_NODISCARD rask_status raski_file_sync(int fd, const char *path, raski_error *err);
/* Closes; an error of an earlier write may surface here. -1 is fine. */
RASKI_NODISCARD rask_status raski_file_close(int fd, const char *path, raski_error *err);
/* Closes and ignores errors: for descriptors that were only read, and on error paths. */
void raski_file_close_quietly(int fd);

/* Follows links. */
RASKI_NODISCARD rask_status raski_file_stat(const char *path, raski_file_info *ret_info,
                                            raski_error *err);
RASKI_NODISCARD rask_status raski_file_stat_fd(int fd, const char *path, raski_file_info *ret_info,
                                               raski_error *err);
bool raski_file_exists(const char *path);
/* Replaces to atomically. */
RASKI_NODISCARD rask_status raski_file_rename(const char *from, const char *to, raski_error *err);
/* An absent file is fine. */
RASKI_NODISCARD rask_status raski_file_remove(const char *path, raski_error *err);
/* With all parents; present is fine. */
RASKI_NODISCARD rask_status raski_directory_create(const char *path, raski_error *err);
/* Makes an entry (a rename, a new file) in the directory durable. */
RASKI_NODISCARD rask_status raski_directory_sync(const char *path, raski_error *err);
/* PARENT/PREFIXxxxxxx; *ret_path is the caller's (raski_free). parent NULL: $TMPDIR or /tmp. */
RASKI_NODISCARD rask_status raski_directory_create_temporary(const char *parent_or_null,
                                                             const char *prefix, char **ret_path,
                                                             raski_error *err);
/* With everything in it; does not follow links; absent is fine. */
RASKI_NODISCARD rask_status raski_directory_remove(const char *path, raski_error *err);

/* Sorted names or paths, owned; zero-initialised is empty. */
typedef struct raski_path_list {
    char **items;
    size_t count, capacity;
} raski_path_list;
void raski_path_list_free(raski_path_list *list);
/* Entry names (without the directory, without . and ..) in byte order, added to list. */
RASKI_NODISCARD rask_status raski_directory_list(const char *path, raski_path_list *list,
                                                 raski_error *err);
/* Paths that match a shell pattern (* ? [ ]), in byte order, added to list; none is fine. */
RASKI_NODISCARD rask_status raski_path_glob(const char *pattern, raski_path_list *list,
                                            raski_error *err);
/* True when path has * ? or [. */
bool raski_path_is_pattern(const char *path);
/* The whole file (bytes and a NUL behind them); *ret_bytes is the caller's. limit in bytes: larger
 * files are an error. */
RASKI_NODISCARD rask_status raski_file_load(const char *path, size_t limit, char **ret_bytes,
                                            size_t *ret_size, raski_error *err);
#endif
