/* keyed_snapshot.h - one keyed table with its timers, as it was when a snapshot began, while the
 * task goes on. Private to snapshots.
 *
 * Rows are taken a page at a time: by the snapshot in their order, or by the task, which copies a
 * page before its first change to it. What rows point to stays as it is meanwhile (the table keeps
 * its garbage, and changes copies of maps), so copies of rows are enough. Timers come first: they
 * need the keys of rows that may go. A table with a store gives its rows from an iterator of the
 * store.
 *
 * Invariants, under the lock: a page is taken or as it was at the beginning; while timers are being
 * written, a taken page has a copy in `saved`.
 * Threads: begin and end on the table's thread, step on any one. */
#ifndef RASKI_STATE_KEYED_SNAPSHOT_H
#define RASKI_STATE_KEYED_SNAPSHOT_H
#include <stdatomic.h>

#include "platform/thread.h"
#include "state/keyed_table_private.h"
#include "state/snapshot_frame.h"
#include "state/state_store.h"
#include "state/timer_snapshot.h"

/* Neighbouring units of rows. */
typedef struct raski_row_run {
    const char *start;
    uint32_t first_row, row_count;
} raski_row_run;

/* What is to be written of one key group. */
typedef struct raski_group_buffer {
    raski_byte_writer bytes;
    uint32_t count;
} raski_group_buffer;

/* How a table's values become bytes. Immutable. */
typedef struct raski_row_codec {
    const raski_keyed_table *table;
    raski_value_codec *key[RASKI_KEY_PARTS_MAX];
    raski_value_codec *value[RASKI_STATES_MAX];   /* of values, items, a map's values */
    raski_value_codec *map_key[RASKI_STATES_MAX]; /* NULL: no map */
} raski_row_codec;

void raski_row_codec_init(raski_row_codec *codec, const raski_keyed_table *table);
void raski_row_codec_fini(raski_row_codec *codec);
void raski_row_codec_write_key(const raski_row_codec *codec, const char *row,
                               raski_byte_writer *out);
/* Key and states of a row, whose lists and maps are in memory. */
void raski_row_codec_write_row(const raski_row_codec *codec, const char *row,
                               raski_byte_writer *out);
/* The contents of a list or map that is present. */
void raski_row_codec_write_container(const raski_row_codec *codec, const char *row, unsigned state,
                                     raski_byte_writer *out);

typedef struct raski_keyed_snapshot {
    struct raski_table_snapshot hook; /* first */
    raski_keyed_table *table;
    raski_timer_queue *queues[2]; /* event time, processing time; NULL: none */
    raski_timer_snapshot timers[2];
    bool timers_begun[2];
    raski_mutex *rows_lock;

    raski_row_run *runs;
    size_t run_count;
    uint32_t rows_end, page_shift, page_count;
    _Atomic unsigned char *taken; /* per page */
    char **saved;                 /* per page, copies that were not written yet; under the lock */
    bool failed;                  /* a copy could not be made; under the lock */
    _Atomic bool rows_elsewhere;  /* pages are of no use any more: rows come from the store */

    /* of the thread that writes */
    raski_row_codec codec;
    uint32_t id, max_parallelism, first_group, group_count;
    raski_group_buffer *groups;
    size_t buffered; /* bytes in groups */
    size_t look_at;  /* so many, and groups that are full are searched */
    unsigned phase;  /* 0, 1: timers; 2: rows; 3: done */
    uint32_t next_page, next_group;
    raski_saved_timers *current; /* timers that are being written */
    uint32_t current_at;
    char *page;                            /* room for one */
    struct raski_stored_rows *stored_rows; /* of a store; else NULL */
} raski_keyed_snapshot;

/* The time of this does not depend on the size of the state, but for 8 bytes per 8192 rows; with a
 * store, what the cache has of changed rows is written. RASK_E_ARGUMENT: a snapshot of the table is
 * running; RASK_E_NOMEM; errors of the store. */
RASKI_NODISCARD rask_status raski_keyed_snapshot_begin(raski_keyed_table *table,
                                                       raski_timer_queue *event_timers,
                                                       raski_timer_queue *processing_timers,
                                                       raski_keyed_snapshot **ret_snapshot,
                                                       raski_error *err);
/* Only for the rows' memory: nothing is written (operator states). *ret_row (row_size bytes, for
 * the caller to free) is a copy of a row as it was at the beginning. */
RASKI_NODISCARD rask_status raski_keyed_snapshot_copy_row(raski_keyed_snapshot *snapshot,
                                                          const char *row, char **ret_row,
                                                          raski_error *err);
/* Before the first step: the number of the table, and the key groups of the subtask. */
void raski_keyed_snapshot_set_groups(raski_keyed_snapshot *snapshot, uint32_t id,
                                     uint32_t max_parallelism, uint32_t first_group,
                                     uint32_t group_count);
/* Writes about bytes_wanted bytes; *ret_done: that was all. */
RASKI_NODISCARD rask_status raski_keyed_snapshot_step(raski_keyed_snapshot *snapshot,
                                                      size_t bytes_wanted,
                                                      raski_frame_stream *stream,
                                                      const raski_snapshot_sink *sink,
                                                      bool *ret_done, raski_error *err);
void raski_keyed_snapshot_end(raski_keyed_snapshot *snapshot_take_or_null);

/* ---- between the files of this */
/* The buffer of a key group, or NULL with RASK_E_INTERNAL: the group is not the subtask's. */
raski_group_buffer *raski_keyed_snapshot_group(raski_keyed_snapshot *snapshot, uint32_t group,
                                               raski_error *err);
/* keyed_snapshot_store.c: the rows of a table with a store. */
RASKI_NODISCARD rask_status raski_stored_rows_begin(raski_keyed_table *table,
                                                    struct raski_stored_rows **ret_rows,
                                                    raski_error *err);
/* Encodes rows into the groups until these have about bytes_wanted bytes more. */
RASKI_NODISCARD rask_status raski_stored_rows_step(raski_keyed_snapshot *snapshot,
                                                   size_t bytes_wanted, bool *ret_done,
                                                   raski_error *err);
void raski_stored_rows_end(struct raski_stored_rows *rows_take_or_null);
#endif
