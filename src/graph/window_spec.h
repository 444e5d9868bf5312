/* window_spec.h - what a program says about its windows: how records are assigned to windows, when
 * windows fire, what is taken out of them before. Values that the planner prints, building calls
 * check and operators/window runs. Nothing here calls user code.
 * Flink: WindowAssigner, Trigger, Evictor and their toString. Threads: pure. */
#ifndef RASKI_GRAPH_WINDOW_SPEC_H
#define RASKI_GRAPH_WINDOW_SPEC_H
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "rask/runtime.h"

typedef enum raski_window_shape {
    RASKI_WINDOW_TUMBLING,
    RASKI_WINDOW_SLIDING,
    RASKI_WINDOW_SESSION,         /* a fixed gap */
    RASKI_WINDOW_DYNAMIC_SESSION, /* each record has a gap of its own */
    RASKI_WINDOW_GLOBAL,          /* one window per key; fires only by a trigger of the program */
    RASKI_WINDOW_GLOBAL_END_OF_STREAM, /* one window per key, which fires when all input has ended
                                        */
} raski_window_shape;

typedef struct raski_window_assigner {
    raski_window_shape shape;
    bool event_time;     /* else processing time; global windows: false, as in Flink */
    int64_t size_ms;     /* TUMBLING, SLIDING */
    int64_t slide_ms;    /* SLIDING */
    int64_t offset_ms;   /* TUMBLING, SLIDING */
    int64_t gap_ms;      /* SESSION */
    const raski_fn *gap; /* DYNAMIC_SESSION: select_keys gives one int64_t per record. Borrowed */
} raski_window_assigner;

typedef enum raski_trigger_kind {
    RASKI_TRIGGER_NEVER,
    RASKI_TRIGGER_EVENT_TIME,            /* when the watermark passes the end of the window */
    RASKI_TRIGGER_PROCESSING_TIME,       /* when the clock does */
    RASKI_TRIGGER_COUNT,                 /* each `count` records */
    RASKI_TRIGGER_CONTINUOUS_EVENT_TIME, /* each interval of event time, and at the end */
    RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME,
    RASKI_TRIGGER_PURGING, /* fires when nested does, and forgets the records */
    RASKI_TRIGGER_DELTA,   /* when delta(record of the last firing, this record) > threshold */
    RASKI_TRIGGER_PROCESSING_TIMEOUT, /* when nested does, or interval_ms after a record */
    RASKI_TRIGGER_END_OF_STREAM,
    RASKI_TRIGGER_USER,
} raski_trigger_kind;

typedef struct raski_trigger raski_trigger;
struct raski_trigger {
    raski_trigger_kind kind;
    int64_t count;               /* COUNT */
    int64_t interval_ms;         /* CONTINUOUS_*, PROCESSING_TIMEOUT */
    double threshold;            /* DELTA */
    bool reset_on_record;        /* PROCESSING_TIMEOUT: each record starts the time again */
    bool clear_on_timeout;       /* PROCESSING_TIMEOUT: firing clears the nested trigger */
    const raski_trigger *nested; /* PURGING, PROCESSING_TIMEOUT; never NULL there */
    const raski_fn *function;    /* DELTA, USER. Borrowed */
};

typedef enum raski_evictor_kind {
    RASKI_EVICTOR_NONE,
    RASKI_EVICTOR_COUNT, /* keeps the last count records */
    RASKI_EVICTOR_TIME,  /* keeps records younger than size_ms before the youngest one */
    RASKI_EVICTOR_DELTA, /* removes records with delta(record, last record) >= threshold */
} raski_evictor_kind;

typedef struct raski_evictor {
    raski_evictor_kind kind;
    int64_t count;            /* COUNT */
    int64_t size_ms;          /* TIME */
    double threshold;         /* DELTA */
    bool after;               /* after the window's function, instead of before it */
    const raski_fn *function; /* DELTA. Borrowed */
} raski_evictor;

/* ---- assigners */
/* RASK_OK or Flink's IllegalArgumentException. Sizes below one are always refused (Flink lets some
 * pass and divides by zero at the first record). */
RASKI_NODISCARD rask_status raski_window_assigner_check(const raski_window_assigner *assigner,
                                                        raski_error *err);
/* "TumblingEventTimeWindows". Static. */
const char *raski_window_assigner_class(const raski_window_assigner *assigner);
/* "TumblingEventTimeWindows(5000)": Flink's toString. In the arena. */
const char *raski_window_assigner_text(const raski_window_assigner *assigner, raski_arena *arena);
bool raski_window_assigner_is_merging(const raski_window_assigner *assigner);
bool raski_window_assigner_is_global(const raski_window_assigner *assigner);

/* ---- triggers */
/* The trigger that an assigner has when the program gives none. */
raski_trigger raski_trigger_default(const raski_window_assigner *assigner);
/* A copy with all nested ones, in the arena. */
const raski_trigger *raski_trigger_copy(const raski_trigger *trigger, raski_arena *arena);
/* Whether windows with this trigger can be merged. */
bool raski_trigger_can_merge(const raski_trigger *trigger);
/* A trigger with its assigner: RASK_OK; Flink's UnsupportedOperationException for one that cannot
 * merge on sessions; intervals below one, which in Flink divide by zero or fire for ever; a nested
 * trigger that is missing. */
RASKI_NODISCARD rask_status raski_trigger_check(const raski_trigger *trigger,
                                                const raski_window_assigner *assigner,
                                                raski_error *err);
/* "CountTrigger". Static, or the user's name of it. */
const char *raski_trigger_class(const raski_trigger *trigger);
/* "CountTrigger(10)": Flink's toString; "CLASS@HASH" where it prints an identity. In the arena. */
const char *raski_trigger_text(const raski_trigger *trigger, raski_arena *arena);

/* ---- evictors */
RASKI_NODISCARD rask_status raski_evictor_check(const raski_evictor *evictor, raski_error *err);
const char *raski_evictor_class(const raski_evictor *evictor);
const char *raski_evictor_text(const raski_evictor *evictor, raski_arena *arena);

/* ---- lateness */
RASKI_NODISCARD rask_status raski_window_lateness_check(int64_t allowed_lateness_ms,
                                                        raski_error *err);
#endif
