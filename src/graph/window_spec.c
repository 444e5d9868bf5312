#include "graph/window_spec.h"

#include "rask/detail/window_functions.h"

/* Objects without a toString of their own print their identity in Flink. */
#define PACKAGE "org.apache.flink.streaming.api.windowing."

/* Java's Math.abs. */
static int64_t absolute(int64_t value) {
    return value < 0 && value != INT64_MIN ? -value : value;
}

/* ---------------------------------------------------------------- assigners */
const char *raski_window_assigner_class(const raski_window_assigner *assigner) {
    switch (assigner->shape) {
        case RASKI_WINDOW_TUMBLING:
            return assigner->event_time ? "TumblingEventTimeWindows"
                                        : "TumblingProcessingTimeWindows";
        case RASKI_WINDOW_SLIDING:
            return assigner->event_time ? "SlidingEventTimeWindows"
                                        : "SlidingProcessingTimeWindows";
        case RASKI_WINDOW_SESSION:
            return assigner->event_time ? "EventTimeSessionWindows"
                                        : "ProcessingTimeSessionWindows";
        case RASKI_WINDOW_DYNAMIC_SESSION:
            return assigner->event_time ? "DynamicEventTimeSessionWindows"
                                        : "DynamicProcessingTimeSessionWindows";
        case RASKI_WINDOW_GLOBAL:
        case RASKI_WINDOW_GLOBAL_END_OF_STREAM:
            break;
    }
    return "GlobalWindows";
}

const char *raski_window_assigner_text(const raski_window_assigner *assigner, raski_arena *arena) {
    const char *name = raski_window_assigner_class(assigner);
    switch (assigner->shape) {
        case RASKI_WINDOW_TUMBLING:
            return raski_arena_format(arena, "%s(%jd)", name, (intmax_t)assigner->size_ms);
        case RASKI_WINDOW_SLIDING:
            return raski_arena_format(arena, "%s(%jd, %jd)", name, (intmax_t)assigner->size_ms,
                                      (intmax_t)assigner->slide_ms);
        case RASKI_WINDOW_SESSION:
            return raski_arena_format(arena, "%s(%jd)", name, (intmax_t)assigner->gap_ms);
        case RASKI_WINDOW_DYNAMIC_SESSION:
            return raski_arena_format(arena, "%s()", name);
        case RASKI_WINDOW_GLOBAL:
            return "GlobalWindows(trigger=NeverTrigger)";
        case RASKI_WINDOW_GLOBAL_END_OF_STREAM:
            break;
    }
    return "GlobalWindows(trigger=EndOfStreamTrigger)";
}

bool raski_window_assigner_is_merging(const raski_window_assigner *assigner) {
    return assigner->shape == RASKI_WINDOW_SESSION ||
           assigner->shape == RASKI_WINDOW_DYNAMIC_SESSION;
}

bool raski_window_assigner_is_global(const raski_window_assigner *assigner) {
    return assigner->shape == RASKI_WINDOW_GLOBAL ||
           assigner->shape == RASKI_WINDOW_GLOBAL_END_OF_STREAM;
}

static rask_status check_sliding(const raski_window_assigner *assigner, raski_error *err) {
    enum { WINDOWS_MAX = 10000000 }; /* of an event time assigner per record */
    const char *name = raski_window_assigner_class(assigner);
    if (absolute(assigner->offset_ms) >= assigner->slide_ms || assigner->size_ms <= 0 ||
        assigner->slide_ms <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "%s parameters must satisfy abs(offset) < slide and size > 0", name);
    if (assigner->event_time && assigner->size_ms / assigner->slide_ms > WINDOWS_MAX)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "%s parameters must satisfy size / slide <= %d", name, WINDOWS_MAX);
    return RASK_OK;
}

rask_status raski_window_assigner_check(const raski_window_assigner *assigner, raski_error *err) {
    const char *name = raski_window_assigner_class(assigner);
    switch (assigner->shape) {
        case RASKI_WINDOW_TUMBLING:
            if (absolute(assigner->offset_ms) >= assigner->size_ms || assigner->size_ms <= 0)
                return RASKI_THROW(err, "IllegalArgumentException",
                                   "%s parameters must satisfy abs(offset) < size", name);
            return RASK_OK;
        case RASKI_WINDOW_SLIDING:
            return check_sliding(assigner, err);
        case RASKI_WINDOW_SESSION:
            if (assigner->gap_ms <= 0)
                return RASKI_THROW(err, "IllegalArgumentException",
                                   "%s parameters must satisfy 0 < size", name);
            return RASK_OK;
        case RASKI_WINDOW_DYNAMIC_SESSION:
            if (assigner->gap == NULL)
                return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                                  "%s needs a RASK_SESSION_GAP function", name);
            return RASK_OK;
        case RASKI_WINDOW_GLOBAL:
        case RASKI_WINDOW_GLOBAL_END_OF_STREAM:
            return RASK_OK;
    }
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "there is no window assigner of kind %d",
                      (int)assigner->shape);
}

rask_status raski_window_lateness_check(int64_t allowed_lateness_ms, raski_error *err) {
    if (allowed_lateness_ms < 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The allowed lateness cannot be negative.");
    return RASK_OK;
}

/* ---------------------------------------------------------------- triggers */
raski_trigger raski_trigger_default(const raski_window_assigner *assigner) {
    if (assigner->shape == RASKI_WINDOW_GLOBAL) return (raski_trigger){.kind = RASKI_TRIGGER_NEVER};
    if (assigner->shape == RASKI_WINDOW_GLOBAL_END_OF_STREAM)
        return (raski_trigger){.kind = RASKI_TRIGGER_END_OF_STREAM};
    return (raski_trigger){.kind = assigner->event_time ? RASKI_TRIGGER_EVENT_TIME
                                                        : RASKI_TRIGGER_PROCESSING_TIME};
}

const raski_trigger *raski_trigger_copy(const raski_trigger *trigger, raski_arena *arena) {
    raski_trigger *copy = raski_arena_alloc(arena, sizeof *copy);
    *copy = *trigger;
    if (trigger->nested != NULL) copy->nested = raski_trigger_copy(trigger->nested, arena);
    return copy;
}

bool raski_trigger_can_merge(const raski_trigger *trigger) {
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_PROCESSING_TIME:
        case RASKI_TRIGGER_COUNT:
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            return true;
        case RASKI_TRIGGER_PURGING:
            return raski_trigger_can_merge(trigger->nested);
        case RASKI_TRIGGER_USER:
            return trigger->function->window->trigger_merge->trigger_merge != NULL;
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_DELTA:
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
        case RASKI_TRIGGER_END_OF_STREAM:
            break;
    }
    return false;
}

static rask_status check_one(const raski_trigger *trigger, const raski_window_assigner *assigner,
                             raski_error *err) {
    const char *name = raski_trigger_class(trigger);
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_PROCESSING_TIME:
            if (raski_window_assigner_is_global(assigner))
                return RASKI_THROW(err, "ClassCastException",
                                   "%s fires at the end of a window, but global windows have none; "
                                   "use another trigger or another window",
                                   name);
            return RASK_OK;
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            if (trigger->interval_ms <= 0)
                return RASKI_THROW(err, "IllegalArgumentException",
                                   "%s parameters must satisfy 0 < interval, but it is %jd ms",
                                   name, (intmax_t)trigger->interval_ms);
            return RASK_OK;
        case RASKI_TRIGGER_DELTA:
        case RASKI_TRIGGER_USER:
            if (trigger->function == NULL)
                return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs a function", name);
            return RASK_OK;
        case RASKI_TRIGGER_PURGING:
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            if (trigger->nested == NULL)
                return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs another trigger inside",
                                  name);
            return check_one(trigger->nested, assigner, err);
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_COUNT:
        case RASKI_TRIGGER_END_OF_STREAM:
            return RASK_OK;
    }
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "there is no trigger of kind %d",
                      (int)trigger->kind);
}

rask_status raski_trigger_check(const raski_trigger *trigger, const raski_window_assigner *assigner,
                                raski_error *err) {
    RASKI_TRY(check_one(trigger, assigner, err));
    if (raski_window_assigner_is_merging(assigner) && !raski_trigger_can_merge(trigger))
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "A merging window assigner cannot be used with a trigger that does not "
                           "support merging.");
    return RASK_OK;
}

const char *raski_trigger_class(const raski_trigger *trigger) {
    switch (trigger->kind) {
        case RASKI_TRIGGER_NEVER:
            return "NeverTrigger";
        case RASKI_TRIGGER_EVENT_TIME:
            return "EventTimeTrigger";
        case RASKI_TRIGGER_PROCESSING_TIME:
            return "ProcessingTimeTrigger";
        case RASKI_TRIGGER_COUNT:
            return "CountTrigger";
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
            return "ContinuousEventTimeTrigger";
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            return "ContinuousProcessingTimeTrigger";
        case RASKI_TRIGGER_PURGING:
            return "PurgingTrigger";
        case RASKI_TRIGGER_DELTA:
            return "DeltaTrigger";
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            return "ProcessingTimeoutTrigger";
        case RASKI_TRIGGER_END_OF_STREAM:
            return "EndOfStreamTrigger";
        case RASKI_TRIGGER_USER:
            break;
    }
    return trigger->function != NULL ? trigger->function->name : "Trigger";
}

const char *raski_trigger_text(const raski_trigger *trigger, raski_arena *arena) {
    const char *name = raski_trigger_class(trigger);
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_PROCESSING_TIME:
            return raski_arena_format(arena, "%s()", name);
        case RASKI_TRIGGER_COUNT:
            return raski_arena_format(arena, "%s(%jd)", name, (intmax_t)trigger->count);
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            return raski_arena_format(arena, "%s(%jd)", name, (intmax_t)trigger->interval_ms);
        case RASKI_TRIGGER_PURGING:
            return raski_arena_format(arena, "%s(%s)", name,
                                      raski_trigger_text(trigger->nested, arena));
        case RASKI_TRIGGER_DELTA:
            return raski_arena_format(arena, "%s(%s@HASH, %g)", name, trigger->function->name,
                                      trigger->threshold);
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            return raski_arena_format(arena, "TimeoutTrigger(%s)",
                                      raski_trigger_text(trigger->nested, arena));
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_END_OF_STREAM:
            return raski_arena_format(arena, PACKAGE "assigners.GlobalWindows$%s@HASH", name);
        case RASKI_TRIGGER_USER:
            break;
    }
    return raski_arena_format(arena, "%s@HASH", name);
}

/* ---------------------------------------------------------------- evictors */
rask_status raski_evictor_check(const raski_evictor *evictor, raski_error *err) {
    if (evictor->kind == RASKI_EVICTOR_DELTA && evictor->function == NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s needs a function",
                          raski_evictor_class(evictor));
    return RASK_OK;
}

const char *raski_evictor_class(const raski_evictor *evictor) {
    switch (evictor->kind) {
        case RASKI_EVICTOR_COUNT:
            return "CountEvictor";
        case RASKI_EVICTOR_TIME:
            return "TimeEvictor";
        case RASKI_EVICTOR_DELTA:
            return "DeltaEvictor";
        case RASKI_EVICTOR_NONE:
            break;
    }
    return "Evictor";
}

const char *raski_evictor_text(const raski_evictor *evictor, raski_arena *arena) {
    const char *name = raski_evictor_class(evictor);
    if (evictor->kind == RASKI_EVICTOR_TIME)
        return raski_arena_format(arena, "%s(%jd)", name, (intmax_t)evictor->size_ms);
    if (evictor->kind == RASKI_EVICTOR_DELTA)
        return raski_arena_format(arena, "%s(%s@HASH, %g)", name, evictor->function->name,
                                  evictor->threshold);
    return raski_arena_format(arena, PACKAGE "evictors.%s@HASH", name);
}
