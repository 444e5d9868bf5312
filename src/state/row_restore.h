/* row_restore.h - rows and timers of a snapshot, into a table that may have other states meanwhile.
 * Private to snapshots. Threads: the table's owner. */
#ifndef RASKI_STATE_ROW_RESTORE_H
#define RASKI_STATE_ROW_RESTORE_H
#include "state/keyed_table_private.h"
#include "state/snapshot_frame.h"
#include "state/timer_queue.h"

/* A state of the snapshot: what to do with its values. */
typedef struct raski_stored_state {
    const char *name;
    raski_state_kind kind;
    bool has_time;              /* values come with the time of their last access */
    int target;                 /* a state of the table; -1: it has none of this name */
    raski_value_codec *value;   /* into the table, or past it */
    raski_value_codec *map_key; /* NULL: no map */
} raski_stored_state;

/* How the rows of one table in one snapshot become rows of a table. */
typedef struct raski_row_restore {
    raski_keyed_table *table;
    const char *snapshot; /* its name, for messages */
    uint32_t max_parallelism;
    raski_value_codec *key[RASKI_KEY_PARTS_MAX];
    raski_stored_state states[RASKI_STATES_MAX];
    raski_value_codec *skip_value[RASKI_STATES_MAX], *skip_key[RASKI_STATES_MAX];
    uint32_t state_count;
    raski_arena *arena;    /* of what is read of a few rows */
    char *records;         /* RASKI_LOOKUP_MAX rows' keys */
    char *value, *map_key; /* room for one */
} raski_row_restore;

/* Reads the description of a table (payload of a frame KEYED, behind its name); strings and types
 * go into the reader's arena, which outlives the restore. operator_name and snapshot are borrowed.
 * RASK_E_ARGUMENT: the key or a state has changed; RASK_E_CORRUPT. Also after a failure, fini. */
RASKI_NODISCARD rask_status raski_row_restore_init(raski_row_restore *restore,
                                                   raski_keyed_table *table,
                                                   raski_byte_reader *description,
                                                   const char *operator_name, const char *snapshot,
                                                   uint32_t max_parallelism, raski_error *err);
void raski_row_restore_fini(raski_row_restore *restore);
/* A frame ROWS. */
RASKI_NODISCARD rask_status raski_row_restore_rows(raski_row_restore *restore,
                                                   const raski_frame *frame, raski_error *err);
/* A frame of timers. */
RASKI_NODISCARD rask_status raski_row_restore_timers(raski_row_restore *restore,
                                                     raski_timer_queue *queue,
                                                     const raski_frame *frame, raski_error *err);
#endif
