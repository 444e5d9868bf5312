#include "actor/executor.h"

#include "actor/executor_private.h"
#include "base/alloc.h"
#include "base/log.h"

/* ---------------------------------------------------------------- messages */

raski_message *raski_message_create(const raski_message_type *type) {
    raski_message *message = raski_calloc(1, sizeof *message + type->payload_size);
    message->type = type;
    return message;
}

void raski_message_destroy(raski_message *message_take) {
    if (message_take == NULL) return;
    if (message_take->type->fini != NULL) message_take->type->fini(message_take->payload);
    raski_free(message_take);
}

/* ---------------------------------------------------------------- timers */

static bool is_before(const raski_timer_entry *a, const raski_timer_entry *b) {
    if (a->deadline_ms != b->deadline_ms) return a->deadline_ms < b->deadline_ms;
    if (a->tie != b->tie) return a->tie < b->tie;
    return a->sequence < b->sequence;
}

static void swap(raski_timer_heap *heap, size_t a, size_t b) {
    raski_timer_entry entry = heap->items[a];
    heap->items[a] = heap->items[b];
    heap->items[b] = entry;
}

static void sift_up(raski_timer_heap *heap, size_t place) {
    while (place > 0) {
        size_t parent = (place - 1) / 2;
        if (!is_before(&heap->items[place], &heap->items[parent])) return;
        swap(heap, place, parent);
        place = parent;
    }
}

static void sift_down(raski_timer_heap *heap, size_t place) {
    for (;;) {
        size_t first = place;
        for (size_t child = 2 * place + 1; child <= 2 * place + 2 && child < heap->count; child++)
            if (is_before(&heap->items[child], &heap->items[first])) first = child;
        if (first == place) return;
        swap(heap, place, first);
        place = first;
    }
}

void raski_timer_heap_push(raski_timer_heap *heap, raski_timer_entry entry) {
    raski_vec_push(heap, entry);
    sift_up(heap, heap->count - 1);
}

raski_timer_entry raski_timer_heap_remove(raski_timer_heap *heap, size_t place) {
    RASKI_ASSERT(place < heap->count);
    raski_timer_entry entry = heap->items[place];
    heap->items[place] = heap->items[--heap->count];
    if (place < heap->count) {
        sift_down(heap, place);
        sift_up(heap, place);
    }
    return entry;
}

raski_timer_entry raski_timer_heap_pop(raski_timer_heap *heap) {
    return raski_timer_heap_remove(heap, 0);
}

/* ---------------------------------------------------------------- executors */

void raski_executor_init(raski_executor *executor, const raski_executor_ops *ops) {
    executor->ops = ops;
}

void raski_executor_fini(raski_executor *executor) {
    RASKI_ASSERT(executor->actors.count == 0);
    RASKI_ASSERT(executor->timers.count == 0);
    raski_map_free(&executor->actors);
    raski_vec_free(&executor->timers);
}

void raski_executor_deliver(raski_executor *executor, raski_message *message_take) {
    const raski_actor *actor = raski_map_get_number(&executor->actors, message_take->to.actor);
    bool fenced = actor != NULL && actor->epoch != 0 && message_take->epoch != 0 &&
                  actor->epoch != message_take->epoch;
    if (actor == NULL || fenced) {
        RASKI_LOG(DEBUG, "actor", "message %s is cancelled: its receiver %s",
                  message_take->type->name, fenced ? "has a new epoch" : "is gone");
        executor->cancelled++;
    } else {
        executor->delivered++;
        executor->running = actor;
        actor->receive(actor->self, message_take);
        executor->running = NULL;
    }
    raski_message_destroy(message_take);
}

rask_status raski_executor_start(raski_executor *executor, raski_error *err) {
    RASKI_ASSERT(!executor->started);
    executor->started = true; /* before there is a thread that looks at it */
    rask_status status = executor->ops->start(executor, err);
    if (status != RASK_OK) executor->started = false;
    return status;
}

static void cancel_timers(raski_executor *executor) {
    while (executor->timers.count > 0) {
        raski_message_destroy(raski_timer_heap_pop(&executor->timers).message);
        executor->cancelled++;
    }
}

void raski_executor_stop(raski_executor *executor) {
    if (executor->stopped) return;
    executor->ops->stop(executor);
    executor->stopped = true;
    cancel_timers(executor);
}

void raski_executor_destroy(raski_executor *executor_take) {
    if (executor_take == NULL) return;
    raski_executor_stop(executor_take);
    executor_take->ops->destroy(executor_take);
}

int64_t raski_executor_now_ms(const raski_executor *executor) {
    return executor->ops->now_ms(executor);
}

raski_executor_census raski_executor_count(const raski_executor *executor) {
    raski_executor_census census = {
        .actors = executor->actors.count,
        .messages = executor->ops->waiting(executor),
        .delivered = executor->delivered,
        .cancelled = executor->cancelled,
    };
    for (size_t i = 0; i < executor->timers.count; i++)
        census.timers += executor->timers.items[i].is_timer;
    return census;
}

/* ---------------------------------------------------------------- actors */

void raski_actor_init(raski_actor *actor, raski_executor *executor, const char *name,
                      raski_receive_fn receive, void *self) {
    RASKI_ASSERT(executor->ops->on_thread(executor));
    *actor = (raski_actor){.name = name, .executor = executor, .receive = receive, .self = self};
    actor->id = ++executor->last_actor_id;
    raski_map_put_number(&executor->actors, actor->id, actor);
}

void raski_actor_close(raski_actor *actor) {
    if (actor->id == 0) return;
    raski_executor *executor = actor->executor;
    RASKI_ASSERT(executor->ops->on_thread(executor));
    for (size_t i = 0; i < executor->timers.count;) {
        const raski_timer_entry *entry = &executor->timers.items[i];
        if (!entry->is_timer || entry->message->to.actor != actor->id) {
            i++;
            continue;
        }
        raski_message_destroy(raski_timer_heap_remove(&executor->timers, i).message);
        executor->cancelled++;
        i = 0; /* removing may move any entry behind places that were looked at */
    }
    executor->ops->timers_changed(executor);
    (void)raski_map_remove_number(&executor->actors, actor->id);
    actor->id = 0;
}

raski_address raski_actor_address(const raski_actor *actor) {
    return (raski_address){.executor = actor->executor, .actor = actor->id};
}

void raski_actor_assert_self(const raski_actor *actor) {
    const raski_executor *executor = actor->executor;
    RASKI_ASSERT(executor->ops->on_thread(executor));
    RASKI_ASSERT(executor->running == actor || !executor->started || executor->stopped);
}

rask_status raski_post(raski_address to, raski_message *message_take) {
    message_take->to = to;
    if (to.executor != NULL && to.executor->ops->enqueue(to.executor, message_take)) return RASK_OK;
    raski_message_destroy(message_take);
    return RASK_E_CLOSED;
}

void raski_actor_send(raski_actor *actor, raski_address to, raski_message *message_take) {
    message_take->reply_to = raski_actor_address(actor);
    message_take->stream = actor->id;
    (void)raski_post(to, message_take); /* refused: cancelled, which is what the contract says */
}

uint64_t raski_actor_schedule(raski_actor *actor, int64_t delay_ms, raski_message *message_take) {
    raski_executor *executor = actor->executor;
    RASKI_ASSERT(executor->ops->on_thread(executor) && delay_ms >= 0);
    if (actor->id == 0 || executor->stopped) {
        raski_message_destroy(message_take);
        return UINT64_MAX;
    }
    message_take->to = raski_actor_address(actor);
    message_take->reply_to = message_take->to;
    uint64_t timer = ++executor->last_sequence;
    int64_t now_ms = executor->ops->now_ms(executor);
    raski_timer_heap_push(
        &executor->timers,
        (raski_timer_entry){
            .deadline_ms = delay_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + delay_ms,
            .sequence = timer,
            .is_timer = true,
            .message = message_take,
        });
    executor->ops->timers_changed(executor);
    return timer;
}

bool raski_actor_cancel_timer(raski_actor *actor, uint64_t timer) {
    raski_executor *executor = actor->executor;
    RASKI_ASSERT(executor->ops->on_thread(executor));
    for (size_t i = 0; i < executor->timers.count; i++) {
        const raski_timer_entry *entry = &executor->timers.items[i];
        if (!entry->is_timer || entry->sequence != timer) continue;
        raski_message_destroy(raski_timer_heap_remove(&executor->timers, i).message);
        executor->cancelled++;
        executor->ops->timers_changed(executor);
        return true;
    }
    return false;
}

int64_t raski_actor_now_ms(const raski_actor *actor) {
    return actor->executor->ops->now_ms(actor->executor);
}
