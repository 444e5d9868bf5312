/* window_private.h - the inside of the window operator. */
#ifndef RASKI_OPERATORS_WINDOW_WINDOW_PRIVATE_H
#define RASKI_OPERATORS_WINDOW_WINDOW_PRIVATE_H
#include <string.h>

#include "operators/keyed_backend.h"
#include "operators/keyed_input.h"
#include "operators/keyed_scope.h"
#include "operators/timed_record.h"
#include "operators/timers.h"
#include "operators/window/assigner.h"
#include "operators/window/trigger.h"
#include "operators/window/window_definition.h"
#include "state/memory_limit.h"
#include "state/snapshot.h"
#include "types/layout.h"

/* One (record, window) of a block that is worked on at once. */
typedef struct window_pair {
    uint32_t record; /* index in the block */
    raski_time_window window;
} window_pair;

/* A session in flight: its window, and the one under which its contents are kept. Where timers are
 * lazy, the row of the contents has the session's timer, which may come before its end. */
typedef struct session {
    raski_time_window window, state;
    int64_t timer_ms;
} session;

/* States of a row of keys, for sessions: the one that begins last, and the others by their start.
 */
enum { SESSION_LAST, SESSION_OTHERS };

/* Sliding windows that share work (slices.c). */
typedef struct raski_window_slices raski_window_slices;

typedef struct window_operator {
    raski_operator *op;
    const raski_window_definition *def;

    /* Rows by key and window: contents, slots of the trigger, window states of the function. For
     * sessions the contents are in the row of the session's state window, the rest in that of its
     * window. */
    raski_memory_limit limit; /* of both tables */
    raski_keyed_table *table;
    raski_keyed_scope scope;
    rask_ctx window_ctx; /* of handles to window states */
    uint32_t contents_offset;
    const rask_type *contents_type;
    bool contents_tracked;          /* user code writes pointers into the contents */
    int slots[RASKI_TRIGGER_SLOTS]; /* states of the trigger's slots, -1: not used */
    uint32_t slot_offsets[RASKI_TRIGGER_SLOTS];
    uint32_t row_start_offset, row_end_offset; /* of the window in a row */

    /* Rows by key, if there is need: sessions (state 0, if merging), states of the function. */
    raski_keyed_table *keys;
    raski_keyed_scope key_scope;
    bool merging;

    raski_operator_timers *timers;
    raski_window_slices *slices; /* NULL: each window has what it has */
    raski_aggregate *built_in;   /* BUILT_IN: the rule; has no table */

    /* Where keys are: in a record (or what the selector gives), and in a key record, which is a
     * copy of the key, and a window. */
    raski_key_spec pair_key;      /* of a key record: for the table */
    raski_key_spec pair_only_key; /* of a key record, without the window: for keys */
    uint32_t pair_size, pair_start_offset;

    /* the block */
    const char *records;
    const int64_t *timestamps;
    raski_keyed_input input;
    raski_keys block_keys;
    int64_t *gaps; /* RASKI_LOOKUP_MAX; NULL */
    size_t pair_count;
    window_pair pairs[RASKI_LOOKUP_MAX];
    char *pair_keys; /* RASKI_LOOKUP_MAX key records */
    char *one_key;   /* one more */
    int64_t now_ms;
    bool never_fires_on_element; /* the trigger */
    bool lazy_timers; /* sessions with their own trigger and no lateness: merging_windows.c */
    uint32_t session_offset;     /* of SESSION_LAST */
    RASKI_VEC(session) sessions; /* of the key at hand */
    bool simple; /* aggregates that are emitted and forgotten when their window ends */

    const rask_timer *firing; /* in a timer; else NULL */
    bool earlier;             /* a timer that fires now has registered one for an earlier time */

    /* the call of user code */
    raski_time_window window; /* whose function runs */
    int64_t window_max;       /* its timestamp: op->ctx.ts */
    char *current_row, *current_key_row;
    char *value;       /* an aggregate's result, a folded record */
    char *accumulator; /* of a fold; NULL for others than aggregates */
    /* Buffers that grow: records for the function (RASKI_LOOKUP_MAX at first), a join's inputs,
     * what an evictor works on. */
    char *scratch, *first, *second, *elements, *keep;
    size_t scratch_capacity, first_capacity, second_capacity, elements_capacity, keep_capacity;

    /* the trigger's call */
    raski_trigger_context trigger;
    char *trigger_row;
    char **merged_rows; /* during on_merge: of the windows that merge */
    size_t merged_count, merged_next;
    char *merged_taken;                  /* the row whose slot was given last */
    RASKI_VEC(raski_time_window) merged; /* windows that are merged now */

    rask_counter *late_dropped;
    RASKI_VEC(char *) touched;      /* rows of table that may have become empty */
    RASKI_VEC(char *) touched_keys; /* rows of keys */
} window_operator;

/* ---- window_setup.c */
/* Before the open hook, and behind it: the hook may say how states live. */
RASKI_NODISCARD rask_status raski_window_setup(raski_operator *op, raski_error *err);
RASKI_NODISCARD rask_status raski_window_opened(raski_operator *op, raski_timers_fire *fire,
                                                raski_error *err);
void raski_window_teardown(raski_operator *op);

/* ---- window_operator.c */
/* Fails the operator unless status is RASK_OK, which it returns whether it is. */
bool raski_window_ok(window_operator *w, rask_status status, const raski_error *error);
static inline raski_time_window window_of_row(const window_operator *w, const char *row) {
    raski_time_window window;
    memcpy(&window.start_ms, row + w->row_start_offset, sizeof window.start_ms);
    memcpy(&window.end_ms, row + w->row_end_offset, sizeof window.end_ms);
    return window;
}
/* Java's cleanupTime: end - 1 and the lateness; INT64_MAX: never. */
int64_t raski_window_cleanup_time(const window_operator *w, raski_time_window window);
bool raski_window_is_late(const window_operator *w, raski_time_window window);
void raski_window_register_cleanup(window_operator *w, raski_time_window window, char *row);
void raski_window_delete_cleanup(window_operator *w, raski_time_window window, const char *row);
/* Points the trigger's context at a window and its row. */
void raski_window_enter_trigger(window_operator *w, raski_time_window window, char *row);
/* No record of the block went into a window that is kept: it is late, or is forgotten. */
void raski_window_skipped(window_operator *w, uint32_t record);
void raski_window_touch(window_operator *w, char *row);
/* Contents' row (may be the window's own); the trigger said result. */
void raski_window_apply_result(window_operator *w, rask_trigger_result result,
                               raski_time_window window, char *contents_row);
/* The window goes: its contents, trigger, states; for sessions the caller retires it. */
void raski_window_clear_all(window_operator *w, raski_time_window window, char *row,
                            char *contents_row);
/* Writes the key of a record of the block, or of a row of table, into a key record. */
void raski_window_key_of_record(const window_operator *w, uint32_t record, char *ret_key);
void raski_window_key_of_row(const window_operator *w, const char *row, char *ret_key);
/* The row of a key record's key and a window, made if need be; NULL: the operator failed. */
char *raski_window_row(window_operator *w, char *key, raski_time_window window);
/* The row by key of a key record; NULL: the operator failed. */
char *raski_window_key_row(window_operator *w, const char *key);

/* ---- window_contents.c. false: the operator failed. */
bool raski_window_add(window_operator *w, char *row, uint32_t record);
/* All pairs of the block; rows: theirs. */
bool raski_window_add_all(window_operator *w, char **rows);
bool raski_window_clear_contents(window_operator *w, char *row);
/* Adds what one row's contents are to another's, and clears them. */
bool raski_window_merge_contents(window_operator *w, char *into_row, char *from_row);
/* Records (stride apart, count of them), folded by the reduce, aggregate or built-in function into
 * w->value. */
bool raski_window_fold(window_operator *w, const char *records, uint32_t count, size_t stride);
/* The value of contents that are no list: in the row, or in w->value; NULL: the operator failed. */
const void *raski_window_value(window_operator *w, char *row);

/* ---- window_emit.c */
/* Calls the function with the contents (which are there), and evicts. */
void raski_window_emit(window_operator *w, raski_time_window window, char *contents_row);
/* Emits the results of n windows of one end, which are aggregates without a process function. */
void raski_window_emit_results(window_operator *w, char **rows, size_t n);
/* The function's clear hook. */
void raski_window_call_clear(window_operator *w, raski_time_window window, char *row);

/* ---- merging_windows.c */
/* A block of records into sessions. */
void raski_window_process_merging(window_operator *w, size_t n);
/* Finds the session of a window, by the row of its key; NULL: there is none. */
bool raski_window_find_session(window_operator *w, char *key_row, raski_time_window window,
                               session *ret_session);
void raski_window_retire(window_operator *w, char *key_row, raski_time_window window);
/* A lazy timer of a row of contents has fired. */
void raski_window_fire_session(window_operator *w, rask_timer timer, char *row);

/* ---- slices.c: sliding windows of one aggregate share panes */
bool raski_window_can_share(const window_operator *w);
RASKI_NODISCARD rask_status raski_window_slices_create(window_operator *w, raski_error *err);
void raski_window_slices_destroy(raski_window_slices *slices_take_or_null);
/* Whether a record of this time goes into a pane. */
bool raski_window_is_shared(const window_operator *w, int64_t timestamp);
/* The pane of a record, if it is open; else the record is dealt with. false: the operator failed.
 */
bool raski_window_slices_assign(window_operator *w, uint32_t record, window_pair *ret_pair,
                                bool *ret_paired);
/* Those of rows that are panes close: what they have goes to their keys. Leaves the other rows at
 * the beginning; their number. */
size_t raski_window_slices_close(window_operator *w, char **rows, size_t n);
/* Panes close and windows fire, in the order of time. */
void raski_window_slices_advance(window_operator *w, int64_t watermark);
void raski_window_slices_end_batch(raski_window_slices *slices);
/* As if each window had its timer. */
size_t raski_window_slices_timer_count(window_operator *w);
RASKI_NODISCARD rask_status raski_window_slices_snapshot(raski_window_slices *slices,
                                                         raski_operator_snapshot_writer *writer,
                                                         raski_error *err);
/* After the windows' table: makes windows of all panes; nothing is shared after. */
RASKI_NODISCARD rask_status raski_window_slices_restore(window_operator *w,
                                                        raski_operator_snapshot_reader *reader,
                                                        raski_error *err);
#endif
