/* The executor on libuv.
 *
 *   any thread --push--> inbox (lock-free stack) --uv_async--> loop thread: takes the whole stack,
 *                                                              turns it round, runs it
 *   loop thread --append--> local queue -------------------> run before the loop sleeps again
 *
 * The inbox is closed by putting a mark on it that is not a message: a push that meets the mark is
 * refused, so no message can be lost between the last look and the end of the thread. */
#include <stdatomic.h>

#include <uv.h>

#include "actor/executor.h"
#include "actor/executor_private.h"
#include "base/alloc.h"
#include "platform/thread.h"

typedef struct loop_executor {
    raski_executor base;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t timer;
    raski_thread *thread;
    _Atomic(raski_message *) inbox; /* newest first; &closed_mark: refuses */
    raski_message *local_first, *local_last;
    size_t local_count;
    atomic_bool stopping;
} loop_executor;

static raski_message closed_mark; /* only its address is used */
/* The executor whose loop this thread runs; NULL elsewhere. */
static _Thread_local const loop_executor *current_loop;

static loop_executor *self_of(raski_executor *executor) {
    return (loop_executor *)(void *)executor;
}

static void local_append(loop_executor *self, raski_message *message) {
    message->next = NULL;
    if (self->local_last == NULL)
        self->local_first = message;
    else
        self->local_last->next = message;
    self->local_last = message;
    self->local_count++;
}

static bool loop_enqueue(raski_executor *executor, raski_message *message) {
    loop_executor *self = self_of(executor);
    /* Relaxed: only the address is compared; the CAS below publishes the message. */
    raski_message *head = atomic_load_explicit(&self->inbox, memory_order_relaxed);
    if (current_loop == self) {
        if (head == &closed_mark) return false;
        local_append(self, message);
        return true;
    }
    do {
        if (head == &closed_mark) return false;
        message->next = head;
        /* Release: what was written into the message is seen by the thread that takes it. */
    } while (!atomic_compare_exchange_weak_explicit(&self->inbox, &head, message,
                                                    memory_order_release, memory_order_relaxed));
    /* The loop looks at the whole inbox when it wakes, so one wake-up per non-empty inbox does. */
    if (head == NULL) (void)uv_async_send(&self->wake); /* message may be gone by now */
    return true;
}

/* Moves the inbox behind the local queue, oldest first; replacement is what it holds after. */
static void take_inbox(loop_executor *self, raski_message *replacement) {
    /* Acquire: pairs with the release of the push. */
    raski_message *newest =
        atomic_exchange_explicit(&self->inbox, replacement, memory_order_acquire);
    if (newest == &closed_mark) return;
    raski_message *oldest = NULL;
    while (newest != NULL) {
        raski_message *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest != NULL) {
        raski_message *next = oldest->next;
        local_append(self, oldest);
        oldest = next;
    }
}

static raski_message *local_take(loop_executor *self) {
    raski_message *message = self->local_first;
    if (message == NULL) return NULL;
    self->local_first = message->next;
    if (self->local_first == NULL) self->local_last = NULL;
    self->local_count--;
    return message;
}

static void run_local(loop_executor *self) {
    for (raski_message *message; (message = local_take(self)) != NULL;)
        raski_executor_deliver(&self->base, message);
}

static int64_t loop_now_ms(const raski_executor *executor) {
    (void)executor;
    return (int64_t)(uv_hrtime() / 1000000U);
}

static bool loop_on_thread(const raski_executor *executor) {
    const loop_executor *self = (const loop_executor *)(const void *)executor;
    return current_loop == self || !executor->started || executor->stopped;
}

static void on_timer(uv_timer_t *timer);

static void loop_timers_changed(raski_executor *executor) {
    loop_executor *self = self_of(executor);
    if (executor->stopped || atomic_load_explicit(&self->stopping, memory_order_relaxed)) return;
    if (executor->timers.count == 0) {
        (void)uv_timer_stop(&self->timer);
        return;
    }
    int64_t delay_ms = executor->timers.items[0].deadline_ms - loop_now_ms(executor);
    uv_update_time(&self->loop);
    (void)uv_timer_start(&self->timer, on_timer, delay_ms > 0 ? (uint64_t)delay_ms : 0, 0);
}

static void on_timer(uv_timer_t *timer) {
    loop_executor *self = timer->data;
    raski_executor *executor = &self->base;
    int64_t now_ms = loop_now_ms(executor);
    while (executor->timers.count > 0 && executor->timers.items[0].deadline_ms <= now_ms)
        local_append(self, raski_timer_heap_pop(&executor->timers).message);
    run_local(self);
    loop_timers_changed(executor);
}

static void on_wake(uv_async_t *wake) {
    loop_executor *self = wake->data;
    bool stopping = atomic_load_explicit(&self->stopping, memory_order_acquire);
    take_inbox(self, stopping ? &closed_mark : NULL);
    run_local(self);
    if (!stopping) return;
    /* Closed handles end uv_run. */
    uv_close((uv_handle_t *)&self->wake, NULL);
    uv_close((uv_handle_t *)&self->timer, NULL);
}

static void loop_thread(void *argument) {
    loop_executor *self = argument;
    current_loop = self;
    run_local(self); /* what actors sent each other before the start */
    loop_timers_changed(&self->base);
    (void)uv_run(&self->loop, UV_RUN_DEFAULT);
    current_loop = NULL;
}

static rask_status loop_start(raski_executor *executor, raski_error *err) {
    loop_executor *self = self_of(executor);
    take_inbox(self, NULL);
    /* No signal may interrupt it: handlers post messages. */
    return raski_thread_create("rask-control", 0, loop_thread, self, &self->thread, err);
}

static void close_all(uv_handle_t *handle, void *argument) {
    (void)argument;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void loop_stop(raski_executor *executor) {
    loop_executor *self = self_of(executor);
    if (executor->started) {
        atomic_store_explicit(&self->stopping, true, memory_order_release);
        (void)uv_async_send(&self->wake);
        raski_thread_join(self->thread);
    } else {
        take_inbox(self, &closed_mark);
        uv_walk(&self->loop, close_all, NULL);
        (void)uv_run(&self->loop, UV_RUN_DEFAULT);
    }
    for (raski_message *message; (message = local_take(self)) != NULL;) {
        raski_message_destroy(message);
        executor->cancelled++;
    }
}

static void loop_destroy(raski_executor *executor) {
    loop_executor *self = self_of(executor);
    int code = uv_loop_close(&self->loop);
    RASKI_ASSERT(code == 0);
    raski_executor_fini(executor);
    raski_free(self);
}

static size_t loop_waiting(const raski_executor *executor) {
    const loop_executor *self = (const loop_executor *)(const void *)executor;
    size_t count = self->local_count;
    const raski_message *message = atomic_load_explicit(&self->inbox, memory_order_acquire);
    if (message == &closed_mark) return count;
    for (; message != NULL; message = message->next) count++;
    return count;
}

static const raski_executor_ops loop_ops = {
    .size = sizeof(raski_executor_ops),
    .name = "loop",
    .version = 1,
    .enqueue = loop_enqueue,
    .now_ms = loop_now_ms,
    .on_thread = loop_on_thread,
    .timers_changed = loop_timers_changed,
    .start = loop_start,
    .stop = loop_stop,
    .destroy = loop_destroy,
    .waiting = loop_waiting,
};

rask_status raski_executor_create_loop(raski_executor **ret_executor, raski_error *err) {
    loop_executor *self = RASKI_NEW(loop_executor);
    raski_executor_init(&self->base, &loop_ops);
    int code = uv_loop_init(&self->loop);
    if (code != 0) {
        raski_free(self);
        return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot make an event loop: %s",
                          uv_strerror(code));
    }
    code = uv_async_init(&self->loop, &self->wake, on_wake);
    if (code != 0) {
        (void)uv_loop_close(&self->loop);
        raski_free(self);
        return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot make an event loop: %s",
                          uv_strerror(code));
    }
    (void)uv_timer_init(&self->loop, &self->timer); /* cannot fail */
    self->wake.data = self;
    self->timer.data = self;
    *ret_executor = &self->base;
    return RASK_OK;
}

bool raski_executor_is_simulation(const raski_executor *executor) {
    return executor->ops != &loop_ops;
}
