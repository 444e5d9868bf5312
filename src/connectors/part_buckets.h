/* part_buckets.h - a subtask's part files, one in progress for each bucket (a folder below the
 * sink's): when they are begun, rolled, and handed over to be committed.
 *
 * Clock and bytes come from outside, so all of this can be tested without either.
 * Threads: one owner. Flink: FileWriter, FileWriterBucket, DefaultRollingPolicy, OutputFileConfig.
 */
#ifndef RASKI_CONNECTORS_PART_BUCKETS_H
#define RASKI_CONNECTORS_PART_BUCKETS_H
#include "connectors/part_file.h"

/* When a file in progress is closed and the next one begun. Flink: DefaultRollingPolicy. */
typedef struct raski_rolling_policy {
    int64_t size_max;      /* a record for a file that is larger begins a new one, bytes */
    int64_t rollover_ms;   /* so long after it was created */
    int64_t inactivity_ms; /* so long after it was last written to */
    bool on_checkpoint;    /* at each barrier. Flink: OnCheckpointRollingPolicy */
} raski_rolling_policy;

typedef struct raski_buckets_options {
    const char *folder;          /* of the sink; borrowed */
    const char *prefix, *suffix; /* PREFIX-SUBTASK-COUNTER SUFFIX; borrowed */
    const char *head;            /* stands at the beginning of every file; borrowed */
    size_t head_length;
    int subtask;
    raski_rolling_policy policy;
    int open_max;   /* files that are open at the same time, at least 1 */
    bool are_saved; /* checkpoints may refer to unfinished files: destroy leaves them on the disk */
    /* A folder was made, which is to be removed if nothing is left in it. May be NULL. */
    void (*made_folder)(void *ctx, const char *path);
    void *ctx;
} raski_buckets_options;

typedef struct raski_part_list {
    raski_part_file *items;
    size_t count, capacity;
} raski_part_list;
void raski_part_list_abandon(raski_part_list *list); /* all files, and the list */
/* Commits all or, if one fails, none. */
bool raski_part_list_commit(raski_part_list *list, char *message, size_t size);

typedef struct raski_buckets raski_buckets;

/* Copies options. NULL: no memory. */
raski_buckets *raski_buckets_create(const raski_buckets_options *options);
/* Abandons (or leaves) what is in progress and what is pending and was not taken. NULL is fine. */
void raski_buckets_destroy(raski_buckets *buckets_take);

/* As in part_file.h: false on failure, message says what. */

/* Appends to the bucket's file. id: the folder below the sink's, "" for that itself; must not lead
 * out of it. */
bool raski_buckets_write(raski_buckets *buckets, const char *id, size_t id_length,
                         const char *bytes, size_t length, int64_t now_ms, char *message,
                         size_t size);
/* Closes the files that are due at that time. */
bool raski_buckets_advance_time(raski_buckets *buckets, int64_t now_ms, char *message, size_t size);
/* Moves what was closed to *list. */
bool raski_buckets_take_pending(raski_buckets *buckets, raski_part_list *list, char *message,
                                size_t size);
/* At a barrier, or at the end of input (then all files are closed): what there is to be committed
 * is moved to *list. */
bool raski_buckets_prepare(raski_buckets *buckets, bool end_of_input, raski_part_list *list,
                           char *message, size_t size);
/* After prepare: appends the bytes of the files in progress (docs/formats/part-files.md), which are
 * durable then, and written on. */
bool raski_buckets_snapshot(raski_buckets *buckets, rask_text *text, char *message, size_t size);
/* The files of a snapshot, into buckets that have none of those buckets yet. Files of a bucket that
 * is there already (of another old subtask) become pending. */
bool raski_buckets_restore(raski_buckets *buckets, const void *bytes, size_t length, char *message,
                           size_t size);
#endif
