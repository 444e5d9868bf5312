/* output_file.h - a file that appears whole or not at all: it is written beside its place under a
 * hidden name, made durable when it is finished, and renamed when its job has succeeded.
 *
 *   open -> (write to fd) -> finish -> commit
 *             any of them -> abandon (after commit: only frees)
 *
 * What is not a plain file (/dev/stdout, a named pipe) and what is appended to is written in its
 * place. Threads: one owner at a time. Flink: in-progress, pending and finished part files. */
#ifndef RASKI_CONNECTORS_OUTPUT_FILE_H
#define RASKI_CONNECTORS_OUTPUT_FILE_H
#include <stdbool.h>
#include <stddef.h>

typedef struct raski_output_file {
    int fd;            /* to write to; -1: closed */
    char *target;      /* with links resolved; owned */
    char *in_progress; /* owned; NULL: written in place */
} raski_output_file;
#define RASKI_OUTPUT_FILE_NONE ((raski_output_file){.fd = -1})

/* Opens a new file for path; number tells the files of one process apart. An existing plain file
 * must be writable, and gives the new one its permissions. On failure false, message (size bytes)
 * says why, and *ret_file is NONE. */
bool raski_output_file_open(const char *path, bool append, unsigned number,
                            raski_output_file *ret_file, char *message, size_t size);
/* Makes the content durable and closes it. */
bool raski_output_file_finish(raski_output_file *file, char *message, size_t size);
/* Moves a finished file to its place. */
bool raski_output_file_commit(raski_output_file *file, char *message, size_t size);
/* Closes and frees; removes what was not committed. Fine on NONE and on zeroes. */
void raski_output_file_abandon(raski_output_file *file);
#endif
