/* part_file.h - one file of a file sink, on its way:
 *
 *   IN_PROGRESS  records are appended; a hidden name, .NAME.inprogress.RANDOM
 *   PENDING      closed and durable, still hidden: to be committed, or taken back
 *   FINISHED     under its own name; never changes again
 *
 *   create -> write* -> finish -> commit        any but FINISHED -> abandon (nothing is left of it)
 *
 * An unfinished file is also bytes (encode, recover): those of a PENDING file are what a later
 * commit needs and those of an IN_PROGRESS one what a writer needs to go on where it was, so a
 * two-phase commit puts the former with a checkpoint and calls commit when that is complete. Commit
 * may be repeated. Threads: one owner at a time.
 * Flink: InProgressFileWriter, PendingFileRecoverable, InProgressFileRecoverable. */
#ifndef RASKI_CONNECTORS_PART_FILE_H
#define RASKI_CONNECTORS_PART_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/types.h"

typedef enum raski_part_state {
    RASKI_PART_NONE,
    RASKI_PART_IN_PROGRESS = 1, /* the numbers stand in encoded bytes */
    RASKI_PART_PENDING = 2,
    RASKI_PART_FINISHED,
} raski_part_state;

typedef struct raski_part_file {
    raski_part_state state;
    char *target, *hidden; /* paths; owned */
    int fd;                /* -1: closed (also while parked) */
    int64_t size;          /* bytes written */
    int64_t created_ms, updated_ms;
} raski_part_file;
#define RASKI_PART_FILE_NONE ((raski_part_file){.fd = -1})

/* All that can fail gives false, and message (size bytes) says what, with the file's path. */

/* A new file for FOLDER/NAME; the folder exists. */
bool raski_part_file_create(const char *folder, const char *name, int64_t now_ms,
                            raski_part_file *ret_part, char *message, size_t size);
/* Appends, waiting for the disk. */
bool raski_part_file_write(raski_part_file *part, const char *bytes, size_t length, char *message,
                           size_t size);
/* Closes its descriptor until the next write. */
void raski_part_file_park(raski_part_file *part);
/* IN_PROGRESS: makes what was written durable. */
bool raski_part_file_sync(raski_part_file *part, char *message, size_t size);
/* IN_PROGRESS -> PENDING. */
bool raski_part_file_finish(raski_part_file *part, char *message, size_t size);
/* PENDING -> FINISHED. Fine when an earlier commit of the same bytes did it already; an error when
 * another file stands there. */
bool raski_part_file_commit(raski_part_file *part, char *message, size_t size);
/* FINISHED -> gone, for a commit of several files that failed half-way. */
void raski_part_file_take_back(raski_part_file *part);
/* Closes it and frees its memory; removes it unless it is FINISHED. Fine on NONE and on zeroes. */
void raski_part_file_abandon(raski_part_file *part);
/* Closes it and frees its memory; what is on the disk stays. */
void raski_part_file_leave(raski_part_file *part);

/* Appends an unfinished file's bytes (docs/formats/part-files.md): state, paths, length. RASK_OK or
 * RASK_E_NOMEM. Of an IN_PROGRESS one: sync first. */
rask_status raski_part_file_encode(const raski_part_file *part, rask_text *text);
/* The file of the bytes at *bytes, which are passed: a PENDING one to be committed, or one
 * IN_PROGRESS, cut to what it had then, to be written on. */
bool raski_part_file_recover(const unsigned char **bytes, const unsigned char *end,
                             raski_part_file *ret_part, char *message, size_t size);
#endif
