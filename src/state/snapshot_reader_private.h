/* snapshot_reader_private.h - the inside of a reader of snapshots. Threads: one owner. */
#ifndef RASKI_STATE_SNAPSHOT_READER_PRIVATE_H
#define RASKI_STATE_SNAPSHOT_READER_PRIVATE_H
#include "base/vec.h"
#include "state/snapshot.h"
#include "types/key_group.h"

typedef struct input_frames {
    const char *name;
    raski_snapshot_info info;
    raski_key_group_range range;
    RASKI_VEC(raski_frame) frames;
} input_frames;

/* An operator state in one input. */
typedef struct stored_state {
    size_t input;
    uint32_t id, version;
    const char *name;
    raski_operator_state_mode mode;
    const raski_stored_type *type, *map_key; /* map_key NULL: a list */
} stored_state;

struct raski_operator_snapshot_reader {
    raski_snapshot_info target; /* the name is in the arena */
    raski_key_group_range range;
    input_frames *inputs;
    size_t input_count;
    raski_arena *arena;
    uint32_t old_parallelism;
    RASKI_VEC(stored_state) states;
    RASKI_VEC(raski_operator_state_part) parts; /* of states, one to one */
    raski_operator_state_piece *pieces;         /* of all new subtasks */
    size_t piece_count;
};

/* snapshot_reader.c: frames that do not fit together. */
RASKI_COLD rask_status raski_snapshot_damaged(const input_frames *input, raski_error *err);
/* snapshot_reader_states.c: finds the operator states of all inputs, and who gets what of them. */
RASKI_NODISCARD rask_status raski_snapshot_assign_states(raski_operator_snapshot_reader *reader,
                                                         raski_error *err);
#endif
