/* The simulated executor: a heap of events ordered by virtual time, and a random number generator.
 * A message gets an arrival time between now and now + delay_max_ms. ORDERED messages of one stream
 * to one receiver never arrive before an earlier one of the same pair; LOSSY ones may, or never. */
#include "actor/executor.h"
#include "actor/executor_private.h"
#include "base/alloc.h"
#include "base/log.h"

/* The latest arrival on its way from one sender to one receiver. */
typedef struct lane {
    uint64_t stream, receiver;
    int64_t last_ms;
    uint64_t last_tie;
} lane;

typedef struct simulation {
    raski_executor base;
    raski_simulation_options options;
    uint64_t random_state;
    int64_t now_ms;
    RASKI_VEC(lane) lanes;
    bool is_closed;
} simulation;

static simulation *self_of(raski_executor *executor) {
    return (simulation *)(void *)executor;
}

/* splitmix64 */
static uint64_t next_random(simulation *self) {
    uint64_t z = (self->random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t raski_simulation_random(raski_executor *executor, uint64_t bound) {
    return next_random(self_of(executor)) % bound;
}

static bool is_lost(simulation *self) {
    return (double)(next_random(self) >> 11) * 0x1p-53 < self->options.loss;
}

/* Lanes whose last message has arrived say nothing any more: one of them is used again. */
static lane *find_lane(simulation *self, uint64_t stream, uint64_t receiver) {
    lane *unused = NULL;
    for (size_t i = 0; i < self->lanes.count; i++) {
        lane *l = &self->lanes.items[i];
        if (l->stream == stream && l->receiver == receiver) return l;
        if (l->last_ms < self->now_ms) unused = l;
    }
    lane fresh = {.stream = stream, .receiver = receiver};
    if (unused == NULL) {
        raski_vec_push(&self->lanes, fresh);
        return &self->lanes.items[self->lanes.count - 1];
    }
    *unused = fresh;
    return unused;
}

static bool simulation_enqueue(raski_executor *executor, raski_message *message) {
    simulation *self = self_of(executor);
    if (self->is_closed) return false;
    bool is_ordered = message->type->delivery == RASKI_DELIVERY_ORDERED;
    if (!is_ordered && is_lost(self)) {
        RASKI_LOG(DEBUG, "simulation", "message %s is lost", message->type->name);
        executor->cancelled++;
        raski_message_destroy(message);
        return true;
    }
    raski_timer_entry entry = {
        .deadline_ms = self->now_ms,
        .sequence = ++executor->last_sequence,
        .message = message,
    };
    if (self->options.delay_max_ms > 0) {
        entry.deadline_ms +=
            (int64_t)(next_random(self) % (uint64_t)(self->options.delay_max_ms + 1));
        entry.tie = next_random(self);
        lane *l = is_ordered ? find_lane(self, message->stream, message->to.actor) : NULL;
        if (l != NULL) {
            if (entry.deadline_ms < l->last_ms) entry.deadline_ms = l->last_ms;
            /* Equal ties fall back to the sequence. */
            if (entry.deadline_ms == l->last_ms && entry.tie < l->last_tie) entry.tie = l->last_tie;
            l->last_ms = entry.deadline_ms;
            l->last_tie = entry.tie;
        }
    }
    raski_timer_heap_push(&executor->timers, entry);
    return true;
}

static int64_t simulation_now_ms(const raski_executor *executor) {
    return ((const simulation *)(const void *)executor)->now_ms;
}

static bool simulation_on_thread(const raski_executor *executor) {
    (void)executor;
    return true;
}

static void simulation_timers_changed(raski_executor *executor) {
    (void)executor;
}

static rask_status simulation_start(raski_executor *executor, raski_error *err) {
    (void)executor;
    (void)err;
    return RASK_OK;
}

bool raski_simulation_step(raski_executor *executor) {
    simulation *self = self_of(executor);
    RASKI_ASSERT(executor->started);
    if (executor->timers.count == 0) return false;
    raski_timer_entry entry = raski_timer_heap_pop(&executor->timers);
    if (entry.deadline_ms > self->now_ms) self->now_ms = entry.deadline_ms;
    raski_executor_deliver(executor, entry.message);
    return true;
}

static void simulation_stop(raski_executor *executor) {
    simulation *self = self_of(executor);
    self->is_closed = true;
    /* What was accepted is run, in its order; timers are cancelled by the caller. */
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < executor->timers.count && !found; i++)
            found = !executor->timers.items[i].is_timer;
        if (!found) break;
        raski_timer_entry entry = raski_timer_heap_pop(&executor->timers);
        if (entry.is_timer || !executor->started) {
            raski_message_destroy(entry.message);
            executor->cancelled++;
        } else {
            raski_executor_deliver(executor, entry.message);
        }
    }
}

static void simulation_destroy(raski_executor *executor) {
    simulation *self = self_of(executor);
    raski_vec_free(&self->lanes);
    raski_executor_fini(executor);
    raski_free(self);
}

static size_t simulation_waiting(const raski_executor *executor) {
    size_t count = 0;
    for (size_t i = 0; i < executor->timers.count; i++)
        count += !executor->timers.items[i].is_timer;
    return count;
}

static const raski_executor_ops simulation_ops = {
    .size = sizeof(raski_executor_ops),
    .name = "simulation",
    .version = 1,
    .enqueue = simulation_enqueue,
    .now_ms = simulation_now_ms,
    .on_thread = simulation_on_thread,
    .timers_changed = simulation_timers_changed,
    .start = simulation_start,
    .stop = simulation_stop,
    .destroy = simulation_destroy,
    .waiting = simulation_waiting,
};

raski_executor *raski_executor_create_simulation(const raski_simulation_options *options) {
    RASKI_ASSERT(options->delay_max_ms >= 0 && options->loss >= 0 && options->loss <= 1);
    simulation *self = RASKI_NEW(simulation);
    raski_executor_init(&self->base, &simulation_ops);
    self->options = *options;
    self->random_state = options->seed;
    return &self->base;
}
