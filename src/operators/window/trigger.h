/* trigger.h - triggers as state machines. A trigger has no memory of its own: what it remembers of
 * a window lies in slots that the operator keeps per key and window, and timers are the operator's.
 * Several triggers that are nested share a slot of one kind, as they share the state of one name in
 * Flink. Flink: Trigger and its implementations. Threads: pure but for the context. */
#ifndef RASKI_OPERATORS_WINDOW_TRIGGER_H
#define RASKI_OPERATORS_WINDOW_TRIGGER_H
#include "graph/window_spec.h"
#include "rask/detail/window_functions.h"

/* What triggers remember. */
typedef enum raski_trigger_slot {
    RASKI_TRIGGER_SLOT_COUNT,        /* int64_t: records since the last firing */
    RASKI_TRIGGER_SLOT_FIRE_TIME,    /* int64_t: of the next continuous firing */
    RASKI_TRIGGER_SLOT_TIMEOUT,      /* int64_t: of the timeout */
    RASKI_TRIGGER_SLOT_LAST_ELEMENT, /* a record */
    RASKI_TRIGGER_SLOT_USER,         /* the state of a user's trigger */
    RASKI_TRIGGER_SLOTS,
} raski_trigger_slot;

/* Time and place of a call. The public part has the window, the time, and the timers. */
typedef struct raski_trigger_context raski_trigger_context;
struct raski_trigger_context {
    rask_trigger_context base; /* first */
    /* The slot of the current window; NULL when it is not set. */
    const void *(*get)(raski_trigger_context *context, raski_trigger_slot slot);
    /* The slot to be changed in place; zeroed when it was not set. NULL: the operator has failed.
     */
    void *(*ref)(raski_trigger_context *context, raski_trigger_slot slot);
    void (*set)(raski_trigger_context *context, raski_trigger_slot slot, const void *value);
    void (*clear)(raski_trigger_context *context, raski_trigger_slot slot);
    /* During on_merge: takes the slot out of the next window that is merged into the current one
     * and has it; NULL: no more. Good until the next call. */
    const void *(*take_merged)(raski_trigger_context *context, raski_trigger_slot slot);
};

static inline int64_t raski_trigger_window_max(const raski_trigger_context *context) {
    return (int64_t)((uint64_t)context->base.window_end_ms - 1);
}

/* Bit s is set when the trigger, or one inside of it, uses slot s. */
unsigned raski_trigger_slots(const raski_trigger *trigger);
/* The type of the user's slot; NULL: there is no user's trigger. */
const rask_type *raski_trigger_user_type(const raski_trigger *trigger);

/* A record was added to the window. */
rask_trigger_result raski_trigger_on_element(const raski_trigger *trigger,
                                             raski_trigger_context *context, const void *record,
                                             int64_t timestamp);
rask_trigger_result raski_trigger_on_event_time(const raski_trigger *trigger,
                                                raski_trigger_context *context, int64_t time_ms);
rask_trigger_result raski_trigger_on_processing_time(const raski_trigger *trigger,
                                                     raski_trigger_context *context,
                                                     int64_t time_ms);
/* Other windows were merged into the context's. */
void raski_trigger_on_merge(const raski_trigger *trigger, raski_trigger_context *context);
/* The window goes: its slots and timers too. */
void raski_trigger_clear(const raski_trigger *trigger, raski_trigger_context *context);
#endif
