#include "operators/window/trigger.h"

#include "operators/window/time_window.h"

/* ---------------------------------------------------------------- helpers */
static void register_timer(raski_trigger_context *c, int64_t time_ms, bool processing) {
    c->base.raski_register_timer(&c->base, time_ms, processing);
}
static void delete_timer(raski_trigger_context *c, int64_t time_ms, bool processing) {
    c->base.raski_delete_timer(&c->base, time_ms, processing);
}
static const int64_t *number(raski_trigger_context *c, raski_trigger_slot slot) {
    return c->get(c, slot);
}

unsigned raski_trigger_slots(const raski_trigger *trigger) {
    switch (trigger->kind) {
        case RASKI_TRIGGER_COUNT:
            return 1U << RASKI_TRIGGER_SLOT_COUNT;
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            return 1U << RASKI_TRIGGER_SLOT_FIRE_TIME;
        case RASKI_TRIGGER_DELTA:
            return 1U << RASKI_TRIGGER_SLOT_LAST_ELEMENT;
        case RASKI_TRIGGER_USER:
            return 1U << RASKI_TRIGGER_SLOT_USER;
        case RASKI_TRIGGER_PURGING:
            return raski_trigger_slots(trigger->nested);
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            return raski_trigger_slots(trigger->nested) | 1U << RASKI_TRIGGER_SLOT_TIMEOUT;
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_PROCESSING_TIME:
        case RASKI_TRIGGER_END_OF_STREAM:
            break;
    }
    return 0;
}

const rask_type *raski_trigger_user_type(const raski_trigger *trigger) {
    if (trigger->kind == RASKI_TRIGGER_USER) return trigger->function->window->state;
    return trigger->nested != NULL ? raski_trigger_user_type(trigger->nested) : NULL;
}

/* ---------------------------------------------------------------- continuous triggers */
static void next_fire_time(const raski_trigger *trigger, raski_trigger_context *c,
                           int64_t time_ms) {
    const bool processing = trigger->kind == RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME;
    const int64_t max = raski_trigger_window_max(c);
    int64_t next = raski_wrap_add(time_ms, trigger->interval_ms);
    if (next > max) next = max;
    const int64_t *old = number(c, RASKI_TRIGGER_SLOT_FIRE_TIME);
    const int64_t kept = old != NULL && *old < next ? *old : next;
    c->set(c, RASKI_TRIGGER_SLOT_FIRE_TIME, &kept);
    register_timer(c, next, processing);
}

static void begin_continuous(const raski_trigger *trigger, raski_trigger_context *c,
                             int64_t time_ms) {
    if (number(c, RASKI_TRIGGER_SLOT_FIRE_TIME) != NULL) return;
    next_fire_time(trigger, c, raski_wrap_sub(time_ms, time_ms % trigger->interval_ms));
}

static rask_trigger_result continuous_time(const raski_trigger *trigger, raski_trigger_context *c,
                                           int64_t time_ms) {
    if (time_ms == raski_trigger_window_max(c)) return RASK_FIRE;
    const int64_t *fire_time = number(c, RASKI_TRIGGER_SLOT_FIRE_TIME);
    if (fire_time == NULL || *fire_time != time_ms) return RASK_CONTINUE;
    c->clear(c, RASKI_TRIGGER_SLOT_FIRE_TIME);
    next_fire_time(trigger, c, time_ms);
    return RASK_FIRE;
}

static void merge_continuous(raski_trigger_context *c, bool processing) {
    const int64_t *merged;
    while ((merged = c->take_merged(c, RASKI_TRIGGER_SLOT_FIRE_TIME)) != NULL) {
        const int64_t *old = number(c, RASKI_TRIGGER_SLOT_FIRE_TIME);
        const int64_t kept = old != NULL && *old < *merged ? *old : *merged;
        c->set(c, RASKI_TRIGGER_SLOT_FIRE_TIME, &kept);
    }
    const int64_t *fire_time = number(c, RASKI_TRIGGER_SLOT_FIRE_TIME);
    if (fire_time != NULL) register_timer(c, *fire_time, processing);
}

/* ---------------------------------------------------------------- the others */
static rask_trigger_result count_element(const raski_trigger *trigger, raski_trigger_context *c) {
    const int64_t *old = number(c, RASKI_TRIGGER_SLOT_COUNT);
    const int64_t count = raski_wrap_add(old != NULL ? *old : 0, 1);
    if (count >= trigger->count) {
        c->clear(c, RASKI_TRIGGER_SLOT_COUNT);
        return RASK_FIRE;
    }
    c->set(c, RASKI_TRIGGER_SLOT_COUNT, &count);
    return RASK_CONTINUE;
}

static void merge_counts(raski_trigger_context *c) {
    const int64_t *merged;
    while ((merged = c->take_merged(c, RASKI_TRIGGER_SLOT_COUNT)) != NULL) {
        const int64_t *old = number(c, RASKI_TRIGGER_SLOT_COUNT);
        const int64_t count = raski_wrap_add(old != NULL ? *old : 0, *merged);
        c->set(c, RASKI_TRIGGER_SLOT_COUNT, &count);
    }
}

static rask_trigger_result delta_element(const raski_trigger *trigger, raski_trigger_context *c,
                                         const void *record) {
    const void *last = c->get(c, RASKI_TRIGGER_SLOT_LAST_ELEMENT);
    if (last != NULL && !(trigger->function->window->delta(last, record) > trigger->threshold))
        return RASK_CONTINUE;
    c->set(c, RASKI_TRIGGER_SLOT_LAST_ELEMENT, record);
    return last != NULL ? RASK_FIRE : RASK_CONTINUE;
}

static rask_trigger_result timeout_element(const raski_trigger *trigger, raski_trigger_context *c,
                                           const void *record, int64_t timestamp) {
    rask_trigger_result result = raski_trigger_on_element(trigger->nested, c, record, timestamp);
    if ((result & RASK_FIRE) != 0) {
        raski_trigger_clear(trigger, c);
        return result;
    }
    const int64_t *timeout = number(c, RASKI_TRIGGER_SLOT_TIMEOUT);
    if (timeout != NULL && !trigger->reset_on_record) return result;
    if (timeout != NULL) delete_timer(c, *timeout, true);
    const int64_t next = raski_wrap_add(c->base.processing_time_ms, trigger->interval_ms);
    c->set(c, RASKI_TRIGGER_SLOT_TIMEOUT, &next);
    register_timer(c, next, true);
    return result;
}

/* Whatever timer fires, the window does. */
static rask_trigger_result timeout_time(const raski_trigger *trigger, raski_trigger_context *c,
                                        rask_trigger_result nested) {
    if (trigger->clear_on_timeout) raski_trigger_clear(trigger, c);
    return (nested & RASK_PURGE) != 0 ? RASK_FIRE_AND_PURGE : RASK_FIRE;
}

static rask_trigger_result purging(rask_trigger_result nested) {
    return (nested & RASK_FIRE) != 0 ? RASK_FIRE_AND_PURGE : nested;
}

static rask_trigger_result user_time(const raski_window_hook *hook, raski_trigger_context *c,
                                     int64_t time_ms) {
    if (hook->timer == NULL) return RASK_CONTINUE;
    void *state = c->ref(c, RASKI_TRIGGER_SLOT_USER);
    return state != NULL ? hook->timer(state, time_ms, &c->base) : RASK_CONTINUE;
}

static void merge_user(const raski_trigger *trigger, raski_trigger_context *c) {
    const raski_window_hook *hook = trigger->function->window->trigger_merge;
    const void *merged;
    while ((merged = c->take_merged(c, RASKI_TRIGGER_SLOT_USER)) != NULL) {
        void *state = c->ref(c, RASKI_TRIGGER_SLOT_USER);
        if (state == NULL) return;
        hook->trigger_merge(state, merged, &c->base);
    }
}

/* ---------------------------------------------------------------- calls */
rask_trigger_result raski_trigger_on_element(const raski_trigger *trigger, raski_trigger_context *c,
                                             const void *record, int64_t timestamp) {
    const int64_t max = raski_trigger_window_max(c);
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME:
            if (max <= c->base.watermark_ms) return RASK_FIRE; /* it has passed already */
            register_timer(c, max, false);
            return RASK_CONTINUE;
        case RASKI_TRIGGER_END_OF_STREAM:
            register_timer(c, max, false);
            return RASK_CONTINUE;
        case RASKI_TRIGGER_PROCESSING_TIME:
            register_timer(c, max, true);
            return RASK_CONTINUE;
        case RASKI_TRIGGER_COUNT:
            return count_element(trigger, c);
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
            if (max <= c->base.watermark_ms) return RASK_FIRE;
            register_timer(c, max, false);
            begin_continuous(trigger, c, timestamp);
            return RASK_CONTINUE;
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            begin_continuous(trigger, c, c->base.processing_time_ms);
            return RASK_CONTINUE;
        case RASKI_TRIGGER_PURGING:
            return purging(raski_trigger_on_element(trigger->nested, c, record, timestamp));
        case RASKI_TRIGGER_DELTA:
            return delta_element(trigger, c, record);
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            return timeout_element(trigger, c, record, timestamp);
        case RASKI_TRIGGER_USER: {
            void *state = c->ref(c, RASKI_TRIGGER_SLOT_USER);
            if (state == NULL) return RASK_CONTINUE;
            c->base.timestamp_ms = timestamp;
            return trigger->function->window->on_element(state, record, &c->base);
        }
        case RASKI_TRIGGER_NEVER:
            break;
    }
    return RASK_CONTINUE;
}

rask_trigger_result raski_trigger_on_event_time(const raski_trigger *trigger,
                                                raski_trigger_context *c, int64_t time_ms) {
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_END_OF_STREAM:
            return time_ms == raski_trigger_window_max(c) ? RASK_FIRE : RASK_CONTINUE;
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
            return continuous_time(trigger, c, time_ms);
        case RASKI_TRIGGER_PURGING:
            return purging(raski_trigger_on_event_time(trigger->nested, c, time_ms));
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            return timeout_time(trigger, c,
                                raski_trigger_on_event_time(trigger->nested, c, time_ms));
        case RASKI_TRIGGER_USER:
            return user_time(trigger->function->window->event_timer, c, time_ms);
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_PROCESSING_TIME:
        case RASKI_TRIGGER_COUNT:
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
        case RASKI_TRIGGER_DELTA:
            break;
    }
    return RASK_CONTINUE;
}

rask_trigger_result raski_trigger_on_processing_time(const raski_trigger *trigger,
                                                     raski_trigger_context *c, int64_t time_ms) {
    switch (trigger->kind) {
        case RASKI_TRIGGER_PROCESSING_TIME:
            return RASK_FIRE;
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            return continuous_time(trigger, c, time_ms);
        case RASKI_TRIGGER_PURGING:
            return purging(raski_trigger_on_processing_time(trigger->nested, c, time_ms));
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            return timeout_time(trigger, c,
                                raski_trigger_on_processing_time(trigger->nested, c, time_ms));
        case RASKI_TRIGGER_USER:
            return user_time(trigger->function->window->processing_timer, c, time_ms);
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_COUNT:
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
        case RASKI_TRIGGER_DELTA:
        case RASKI_TRIGGER_END_OF_STREAM:
            break;
    }
    return RASK_CONTINUE;
}

void raski_trigger_on_merge(const raski_trigger *trigger, raski_trigger_context *c) {
    const int64_t max = raski_trigger_window_max(c);
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME: /* where it has passed, on_element fires */
            if (max > c->base.watermark_ms) register_timer(c, max, false);
            return;
        case RASKI_TRIGGER_PROCESSING_TIME:
            if (max > c->base.processing_time_ms) register_timer(c, max, true);
            return;
        case RASKI_TRIGGER_COUNT:
            merge_counts(c);
            return;
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            merge_continuous(c, trigger->kind == RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME);
            return;
        case RASKI_TRIGGER_PURGING:
            raski_trigger_on_merge(trigger->nested, c);
            return;
        case RASKI_TRIGGER_USER:
            merge_user(trigger, c);
            return;
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_DELTA:
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
        case RASKI_TRIGGER_END_OF_STREAM:
            return;
    }
}

/* Deletes the timer that a slot names, and the slot. */
static void clear_timer_slot(raski_trigger_context *c, raski_trigger_slot slot, bool processing) {
    const int64_t *time_ms = number(c, slot);
    if (time_ms == NULL) return;
    delete_timer(c, *time_ms, processing);
    c->clear(c, slot);
}

void raski_trigger_clear(const raski_trigger *trigger, raski_trigger_context *c) {
    switch (trigger->kind) {
        case RASKI_TRIGGER_EVENT_TIME:
        case RASKI_TRIGGER_PROCESSING_TIME:
            delete_timer(c, raski_trigger_window_max(c),
                         trigger->kind == RASKI_TRIGGER_PROCESSING_TIME);
            return;
        case RASKI_TRIGGER_COUNT:
            c->clear(c, RASKI_TRIGGER_SLOT_COUNT);
            return;
        case RASKI_TRIGGER_CONTINUOUS_EVENT_TIME:
            clear_timer_slot(c, RASKI_TRIGGER_SLOT_FIRE_TIME, false);
            return;
        case RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME:
            clear_timer_slot(c, RASKI_TRIGGER_SLOT_FIRE_TIME, true);
            return;
        case RASKI_TRIGGER_DELTA:
            c->clear(c, RASKI_TRIGGER_SLOT_LAST_ELEMENT);
            return;
        case RASKI_TRIGGER_PURGING:
            raski_trigger_clear(trigger->nested, c);
            return;
        case RASKI_TRIGGER_PROCESSING_TIMEOUT:
            clear_timer_slot(c, RASKI_TRIGGER_SLOT_TIMEOUT, true);
            raski_trigger_clear(trigger->nested, c);
            return;
        case RASKI_TRIGGER_USER: {
            const raski_window_hook *hook = trigger->function->window->trigger_clear;
            void *state = hook->trigger_clear != NULL ? c->ref(c, RASKI_TRIGGER_SLOT_USER) : NULL;
            if (state != NULL) hook->trigger_clear(state, &c->base);
            c->clear(c, RASKI_TRIGGER_SLOT_USER);
            return;
        }
        case RASKI_TRIGGER_NEVER:
        case RASKI_TRIGGER_END_OF_STREAM:
            return;
    }
}
