/* execute_and_collect: a sink hands batches to the program through a bounded queue, while the job
 * runs on a thread of its own. Flink: DataStream.executeAndCollect, CollectSinkOperator. */
#include <stdatomic.h>
#include <string.h>

#include "api/environment.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "types/layout.h"

enum { QUEUE_BYTES_MAX = 4 * 1024 * 1024 };
static const int64_t LOOK_NS =
    50000000; /* how often a waiting sink looks whether it is cancelled */

typedef struct batch {
    struct batch *next;
    size_t count, size; /* records; bytes behind this head */
    _Alignas(16) char bytes[];
} batch;

struct raski_iterator {
    rask_env *env;
    const rask_type *type;
    raski_layout *layout;
    char *job_name;
    raski_fn fn; /* of the sink */
    raski_thread *thread;
    raski_running_job job;

    raski_mutex *queue_lock; /* guards what follows, to message */
    raski_cond *changed;
    batch *first, *last;
    size_t queued_bytes;
    bool ended, closed;
    rask_status status;
    char *message;

    batch *current; /* the program's */
    size_t position;
};

typedef struct collector {
    raski_iterator *iterator;
} collector;

/* ---------------------------------------------------------------- the sink */
static bool queue_has_room(const raski_iterator *it) {
    return it->queued_bytes < QUEUE_BYTES_MAX || it->first == NULL;
}

static void put(raski_iterator *it, batch *b) {
    raski_mutex_lock(it->queue_lock);
    /* a person cancels the job, or another task has failed */
    while (!it->closed && !queue_has_room(it) && !raski_running_is_cancelled(&it->job) &&
           !rask_cancelled())
        (void)raski_cond_wait(it->changed, it->queue_lock, raski_now_ns() + LOOK_NS);
    if (it->closed) {
        raski_free(b);
    } else {
        if (it->last != NULL)
            it->last->next = b;
        else
            it->first = b;
        it->last = b;
        it->queued_bytes += b->size;
        raski_cond_broadcast(it->changed);
    }
    raski_mutex_unlock(it->queue_lock);
}

static size_t collect(void *self, const void *in, size_t n, rask_ctx *ctx) {
    (void)ctx;
    raski_iterator *it = ((collector *)self)->iterator;
    size_t records = n * it->type->size;
    size_t heap = (records + 15) / 16 * 16;
    size_t size = heap + raski_records_extra_size(it->layout, in, n);
    batch *b = raski_try_alloc(sizeof *b + size, 0);
    if (b == NULL) {
        (void)rask_fail("no memory to collect %zu records", n);
        return 0;
    }
    *b = (batch){.count = n, .size = size};
    memcpy(b->bytes, in, records);
    (void)raski_records_write_extra(it->layout, b->bytes, n, b->bytes, heap);
    put(it, b);
    return 0;
}

static const raski_states collector_states = {"collector", sizeof(collector), NULL, 0};

/* ---------------------------------------------------------------- the job */
static void run_job(void *context) {
    raski_iterator *it = context;
    rask_job_result result;
    char *message = NULL;
    rask_status status = raski_env_run(it->env, it->job_name, &it->job, false, &result, &message);
    raski_mutex_lock(it->queue_lock);
    it->status = status;
    it->message = message;
    it->ended = true;
    raski_cond_broadcast(it->changed);
    raski_mutex_unlock(it->queue_lock);
}

static void add_sink(raski_stream *in, raski_iterator *it, const char *file, int line) {
    rask_env *env = in->env;
    it->fn = (raski_fn){.abi = RASKI_FN_ABI,
                        .size = sizeof(raski_fn),
                        .kind = RASKI_FN_SINK,
                        .name = "collect",
                        .file = file,
                        .line = line,
                        .in = in->type,
                        .run = collect,
                        .self = &collector_states};
    const collector initial = {it};
    const rask_options options = {.self = {&initial, sizeof initial, "collector"}};
    raski_operator_definition *def = raski_env_define(env, &it->fn, &options, file, line);
    if (def == NULL || in->transformation == NULL) return;
    const raski_operator_factory factory = {0};
    raski_error error = {0};
    raski_transformation *t = raski_transformation_legacy_sink(
        in->transformation, "Data stream collect sink", &factory, in->plan_key);
    t->payload = def;
    raski_transformation_set_location(t, file, line);
    if (raski_transformation_set_parallelism(t, 1, &error) != RASK_OK)
        raski_env_mistake(env, &error, "collect", file, line);
}

raski_iterator *raski_collect(raski_stream *in, const char *job_name, const char *file, int line) {
    raski_iterator *it = RASKI_NEW(raski_iterator);
    raski_error error = {0};
    it->env = in->env;
    it->type = in->type;
    it->layout = raski_layout_create(in->type);
    it->job_name = raski_strdup(job_name ? job_name : "Flink Streaming Job");
    it->queue_lock = raski_mutex_create();
    it->changed = raski_cond_create();
    add_sink(in, it, file, line);
    rask_status status = raski_running_begin(&it->job, true, &error);
    if (status == RASK_OK)
        status = raski_thread_create("collect", 0, run_job, it, &it->thread, &error);
    if (status != RASK_OK) {
        it->ended = true;
        it->status = status;
        it->message = raski_strdup(error.message);
    }
    return it;
}

/* ---------------------------------------------------------------- the program's side */
static bool take_batch(raski_iterator *it) {
    raski_free(it->current);
    raski_mutex_lock(it->queue_lock);
    while (it->first == NULL && !it->ended)
        (void)raski_cond_wait(it->changed, it->queue_lock, RASKI_FOREVER);
    it->current = it->first;
    if (it->current != NULL) {
        it->first = it->current->next;
        if (it->first == NULL) it->last = NULL;
        it->queued_bytes -= it->current->size;
        raski_cond_broadcast(it->changed);
    }
    raski_mutex_unlock(it->queue_lock);
    it->position = 0;
    if (it->current == NULL) return false;
    size_t heap = (it->current->count * it->type->size + 15) / 16 * 16;
    size_t end = 0;
    rask_status status = raski_records_fix(it->layout, it->current->bytes, it->current->count,
                                           it->current->bytes, heap, it->current->size, &end, NULL);
    RASKI_ASSERT(status == RASK_OK); /* our own bytes, of this process */
    return true;
}

bool raski_iterator_next(raski_iterator *it, void *ret_record, size_t size) {
    RASKI_ASSERT(size == it->type->size);
    if (it->current == NULL || it->position == it->current->count)
        if (!take_batch(it)) return false;
    memcpy(ret_record, it->current->bytes + it->position++ * size, size);
    return true;
}

int raski_iterator_close(raski_iterator *it) {
    raski_mutex_lock(it->queue_lock);
    const bool early = !it->ended;
    it->closed = true;
    raski_cond_broadcast(it->changed);
    raski_mutex_unlock(it->queue_lock);
    if (early) raski_running_cancel(&it->job);
    raski_thread_join(it->thread);
    raski_running_end(&it->job);
    const bool asked = atomic_load(&it->job.interrupted) || atomic_load(&it->job.pipe_closed);
    int code = RASK_EXIT_OK; /* a job that the program no longer wants has not failed */
    if (!early || asked || it->status != RASK_E_CANCELLED)
        code = raski_report(it->job_name, &it->job, it->status, it->message);
    for (batch *b = it->first; b != NULL;) {
        batch *next = b->next;
        raski_free(b);
        b = next;
    }
    raski_free(it->current);
    raski_layout_destroy(it->layout);
    raski_mutex_destroy(it->queue_lock);
    raski_cond_destroy(it->changed);
    raski_free(it->message);
    raski_free(it->job_name);
    rask_env_destroy(it->env);
    raski_free(it);
    return code;
}
