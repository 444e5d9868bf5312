/* failure.h - why a task or a job failed, as a person will read it.
 * Flink: ErrorInfo, ExceptionHistoryEntry and SerializedThrowable.
 * Threads: a value that belongs to its holder. */
#ifndef RASKI_EXECUTIONGRAPH_FAILURE_H
#define RASKI_EXECUTIONGRAPH_FAILURE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "graph/id.h"

/* One attempt to run one subtask. Flink: ExecutionAttemptID. */
typedef struct raski_attempt_id {
    raski_id job_id;
    uint32_t task;    /* number through the job, see execution_topology.h */
    uint32_t attempt; /* from 0 */
} raski_attempt_id;

static inline bool raski_attempt_id_equals(raski_attempt_id a, raski_attempt_id b) {
    return a.task == b.task && a.attempt == b.attempt && raski_id_equals(a.job_id, b.job_id);
}

/* What one attempt of a producer wrote. Partitions are numbered through the job, see
 * execution_graph.h. Flink: ResultPartitionID. */
typedef struct raski_partition_id {
    uint32_t partition;
    uint32_t attempt; /* of the producer */
} raski_partition_id;

enum { RASKI_NO_SUBTASK = -1 };

typedef struct raski_failure {
    raski_error_class error_class;
    char *exception;     /* Flink's simple class name, or NULL; owned */
    char *message;       /* owned, never NULL */
    char *task_name;     /* of the vertex; NULL: not a task's failure; owned */
    int subtask;         /* from 0; RASKI_NO_SUBTASK: of the operator's coordinator */
    int parallelism;     /* of the vertex */
    int attempt;         /* from 0 */
    char *operator_name; /* NULL: none in particular; owned */
    raski_id operator_id;
    int64_t record;   /* number of the operator's input record, from 1; 0: none in particular */
    const char *file; /* of the user's rask_fail; static; NULL: none */
    int line;
    int64_t timestamp_ms;      /* of the executor's clock; 0: not set */
    bool has_failed_partition; /* an input could not be read: its producer must run again */
    raski_partition_id failed_partition;
} raski_failure;

/* A failure with a message. exception may be NULL. Returned to the caller. */
raski_failure *raski_failure_create(raski_error_class error_class, const char *exception,
                                    const char *format, ...) RASKI_PRINTF(3, 4);
/* A failure that says what err says (err must be set). */
raski_failure *raski_failure_from_error(const raski_error *err);
raski_failure *raski_failure_copy(const raski_failure *failure_or_null);
void raski_failure_destroy(raski_failure *failure_take); /* NULL is fine */

/* Appends one line, without a line end: "operator 'Map' (subtask 2 of 4, record 17): message
 * (job.c:12)" as far as each is known. */
void raski_failure_describe(const raski_failure *failure, raski_str *out);
#endif
