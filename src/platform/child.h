/* child.h - other programs: replacing this process by one, or running one and reading what it
 * prints. Programs are named by path and not searched in PATH; they get this process's environment,
 * standard input and standard error. Threads: any. */
#ifndef RASKI_PLATFORM_CHILD_H
#define RASKI_PLATFORM_CHILD_H
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"

typedef struct raski_child_end {
    int exit_code; /* when signal is 0 */
    int signal;    /* the signal that ended it, 0: it exited */
} raski_child_end;

/* Whether this process may execute the file. */
bool raski_file_is_executable(const char *path);

/* Becomes the program; argv ends with NULL and starts with its name. Returns only on failure, with
 * err filled: "cannot run \"x\": reason". */
void raski_process_replace(const char *path, char *const *argv, raski_error *err);
/* Runs the program to its end and collects its standard output. More than limit bytes end it and
 * are an error. *output is the caller's, also on failure (what was printed until then). @blocks */
RASKI_NODISCARD rask_status raski_process_capture(const char *path, char *const *argv, size_t limit,
                                                  raski_str *output, raski_child_end *ret_end,
                                                  raski_error *err);
#endif
