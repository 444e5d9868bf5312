/* write.h - writes of sinks to files, pipes and terminals, without getting stuck in them.
 * Threads: tasks' threads. */
#ifndef RASKI_CONNECTORS_WRITE_H
#define RASKI_CONNECTORS_WRITE_H
#include <stddef.h>

#include "rask/runtime.h"

/* Writes all of bytes. Waits for the reader of a pipe, but not for one that does not read while the
 * task is cancelled: then RASK_E_CANCELLED. Lines of up to PIPE_BUF bytes stay whole among those of
 * other writers. Other failures are told with rask_fail and call the file name ("standard output").
 * A closed pipe ends the job, see rask_pipe_closed. */
rask_status raski_write(int fd, const char *bytes, size_t length, const char *name);
#endif
