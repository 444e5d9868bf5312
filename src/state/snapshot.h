/* snapshot.h - all state of one operator subtask as one stream of bytes, and back: at the same or
 * at another parallelism, from either state backend to either. docs/snapshot-format.md has the
 * bytes.
 *
 * Writing has two parts. The synchronous one is a call per table, queue or state, between two
 * batches, on the task's thread; its time does not grow with the state. From then on whatever the
 * task changes is copied before its first change, a page of rows, a bucket of timers or a map at a
 * time. The second part, raski_snapshot_step again and again, writes the state as it was at that
 * moment; any one thread may run it while the task goes on.
 *
 * Threads: create, add and destroy belong to the task's thread, step to any one thread at a time.
 * What a writer was given (tables, queues) must outlive it. Flink: SnapshotStrategyRunner,
 * FullSnapshotAsyncWriter, OperatorSnapshotFutures; StateInitializationContext. */
#ifndef RASKI_STATE_SNAPSHOT_H
#define RASKI_STATE_SNAPSHOT_H
#include "base/status.h"
#include "graph/id.h"
#include "rask/string.h"
#include "state/keyed_table.h"
#include "state/operator_state.h"
#include "state/snapshot_frame.h"
#include "state/timer_queue.h"

/* Whose state it is. */
typedef struct raski_snapshot_info {
    raski_id operator_id;
    const char *operator_name; /* for messages; copied */
    uint32_t max_parallelism, parallelism, subtask;
} raski_snapshot_info;

typedef struct raski_operator_snapshot_writer raski_operator_snapshot_writer;
typedef struct raski_operator_snapshot_reader raski_operator_snapshot_reader;

/* ---- writing */
/* Nothing is added yet. Never NULL. */
raski_operator_snapshot_writer *raski_snapshot_writer_create(const raski_snapshot_info *info);
/* Ends the snapshot, whether it is complete or not: tables forget about it and free what they kept
 * for it. */
void raski_snapshot_writer_destroy(raski_operator_snapshot_writer *writer_take_or_null);

/* A keyed table with its timers (NULL: it has none), under a name that is its own in the operator.
 * Between two batches; nothing may be tracked. Rows that the operator keeps across batches without
 * a lookup must be announced from now on (raski_keyed_table_before_write). A table with a store
 * writes its changed rows to the store. RASK_E_ARGUMENT: a snapshot of this table is running. */
RASKI_NODISCARD rask_status raski_snapshot_writer_add_keyed(
    raski_operator_snapshot_writer *writer, const char *name, raski_keyed_table *table,
    raski_timer_queue *event_timers, raski_timer_queue *processing_timers, raski_error *err);
/* All operator states of an operator. */
RASKI_NODISCARD rask_status raski_snapshot_writer_add_operator_states(
    raski_operator_snapshot_writer *writer, raski_operator_states *states, raski_error *err);
/* A list of opaque items that is spread over the subtasks of a restore (source positions, splits),
 * with a version of the caller's. Copied. */
RASKI_NODISCARD rask_status raski_snapshot_writer_add_items(
    raski_operator_snapshot_writer *writer, const char *name, raski_operator_state_mode mode,
    uint32_t version, const rask_bytes *items, size_t count, raski_error *err);
/* Opaque bytes of this subtask, with a version of the caller's. Copied. */
RASKI_NODISCARD rask_status raski_snapshot_writer_add_bytes(raski_operator_snapshot_writer *writer,
                                                            const char *name, uint32_t version,
                                                            const void *bytes, size_t size,
                                                            raski_error *err);

/* Writes the next piece, about bytes_wanted bytes of it. *ret_done: that was all. After a failure
 * (of the sink; RASK_E_NOMEM) the snapshot is to be destroyed. */
RASKI_NODISCARD rask_status raski_snapshot_step(raski_operator_snapshot_writer *writer,
                                                size_t bytes_wanted,
                                                const raski_snapshot_sink *sink, bool *ret_done,
                                                raski_error *err);
/* All steps, into memory. */
RASKI_NODISCARD rask_status raski_snapshot_write_all(raski_operator_snapshot_writer *writer,
                                                     raski_byte_writer *out, raski_error *err);

/* ---- reading */
/* The snapshot of one old subtask; borrowed while the reader lives. */
typedef struct raski_snapshot_input {
    const char *name; /* a file, for messages */
    const void *bytes;
    size_t size;
} raski_snapshot_input;

/* A reader of the snapshots of all old subtasks of an operator (keyed state alone needs only those
 * that raski_snapshot_reads_subtask names), for one new subtask. Checks every byte of them.
 * RASK_E_CORRUPT, RASK_E_ARGUMENT: damaged, of another version or operator, of several snapshots,
 * or with another max parallelism where there is keyed state. */
RASKI_NODISCARD rask_status raski_snapshot_reader_create(
    const raski_snapshot_input *inputs, size_t count, const raski_snapshot_info *target,
    raski_operator_snapshot_reader **ret_reader, raski_error *err);
void raski_snapshot_reader_destroy(raski_operator_snapshot_reader *reader_take_or_null);

/* Puts the rows and timers of the target's key groups into an empty table and its queues (NULL:
 * timers are left out). States are matched by name: new ones are empty, others are left out, fields
 * of records are matched by name. Nothing happens when there is no table of this name.
 * RASK_E_ARGUMENT: the key or the kind of a state has changed (says which); RASK_E_CORRUPT;
 * RASK_E_NOMEM. The table is to be destroyed after a failure. */
RASKI_NODISCARD rask_status raski_snapshot_reader_keyed(raski_operator_snapshot_reader *reader,
                                                        const char *name, raski_keyed_table *table,
                                                        raski_timer_queue *event_timers,
                                                        raski_timer_queue *processing_timers,
                                                        raski_error *err);
/* This subtask's part of all operator states, into states that are empty. Errors as above. */
RASKI_NODISCARD rask_status raski_snapshot_reader_operator_states(
    raski_operator_snapshot_reader *reader, raski_operator_states *states, raski_error *err);
/* This subtask's part of a list of opaque items; item is borrowed during the call, which ends the
 * iteration with a status other than RASK_OK. */
typedef rask_status raski_snapshot_item_visitor(void *context, uint32_t version, const void *item,
                                                size_t size, raski_error *err);
RASKI_NODISCARD rask_status raski_snapshot_reader_items(raski_operator_snapshot_reader *reader,
                                                        const char *name,
                                                        raski_snapshot_item_visitor *visit,
                                                        void *context, raski_error *err);
/* The next opaque bytes of this name, from all old subtasks; start with *position = 0. false: there
 * are none left. Borrowed from the reader. */
bool raski_snapshot_reader_bytes(const raski_operator_snapshot_reader *reader, const char *name,
                                 size_t *position, uint32_t *ret_old_subtask, uint32_t *ret_version,
                                 const void **ret_bytes, size_t *ret_size);

/* Whether a new subtask reads keyed state of an old one: their ranges of key groups overlap. */
bool raski_snapshot_reads_subtask(uint32_t max_parallelism, uint32_t new_parallelism,
                                  uint32_t new_subtask, uint32_t old_parallelism,
                                  uint32_t old_subtask);
#endif
