/* Records into part files, in buckets, rolled by size and time. What is closed waits in its subtask
 * and is handed to the connector at the end of the input, which commits all when the job has
 * succeeded; with checkpoints, raski_buckets_prepare and _snapshot at barriers take the place of
 * that. Flink: FileSink.forRowFormat, FileWriter, FileCommitter. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connectors/bucket_time.h"
#include "connectors/connectors.h"
#include "connectors/part_buckets.h"
#include "formats/format.h"
#include "rask/function.h"

enum { MESSAGE_BYTES = 1024, KEYS_PER_CALL = 64 };

typedef struct memory memory;

typedef struct writer {
    memory *shared; /* of the connector */
    raski_buckets *buckets;
    rask_format_writer *format; /* NULL: text */
    rask_text text;             /* of one record */
    rask_text head;             /* of every file */
} writer;

static const raski_states writer_states = {"writer", sizeof(writer), NULL, 0};

/* What a subtask has finished; waits for the job's end. */
typedef struct finished_files {
    struct finished_files *next;
    int subtask;
    raski_part_list files; /* owned */
} finished_files;

typedef struct made_folder {
    struct made_folder *next;
    char path[];
} made_folder;

struct memory {
    raski_fn fn;
    writer initial;
    const rask_type *type;
    const raski_fn *bucket;         /* NULL: by time */
    rask_file_sink_options options; /* texts: owned */
    bool has_format;
    raski_record_format format;         /* owned; if has_format */
    _Atomic(finished_files *) finished; /* pushed by subtasks (release), read after they ended */
    _Atomic(made_folder *) made;        /* likewise */
    char folder[];
};

/* ---------------------------------------------------------------- open */
static void note_folder(void *ctx, const char *path) {
    memory *shared = ctx;
    size_t size = strlen(path) + 1;
    made_folder *f = malloc(sizeof *f + size);
    if (f == NULL) return; /* then it stays, empty */
    memcpy(f->path, path, size);
    f->next = atomic_load_explicit(&shared->made, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&shared->made, &f->next, f, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

static rask_status open_format(writer *self) {
    const memory *shared = self->shared;
    char message[MESSAGE_BYTES];
    if (!shared->has_format) return RASK_OK;
    self->format =
        raski_record_format_writer(&shared->format, shared->type, message, sizeof message);
    if (self->format == NULL) return rask_fail("%s", message);
    if (!self->format->writes_header) return RASK_OK;
    rask_status status = rask_csv_append_header(self->format, &self->head);
    if (status == RASK_OK) status = rask_text_append(&self->head, "\n", 1);
    return status == RASK_OK ? RASK_OK : rask_fail("no memory to write \"%s\"", shared->folder);
}

static rask_status open_writer(void *self_p) {
    writer *self = self_p;
    memory *shared = self->shared;
    const rask_file_sink_options *o = &shared->options;
    struct stat info;
    if (stat(shared->folder, &info) == 0 && !S_ISDIR(info.st_mode))
        return rask_fail(
            "\"%s\" is a file, but a file sink writes a folder of files: remove it, or "
            "give another name",
            shared->folder);
    rask_status status = open_format(self);
    if (status != RASK_OK) return status;
    const raski_buckets_options options = {
        .folder = shared->folder,
        .prefix = o->part_prefix,
        .suffix = o->part_suffix,
        .head = self->head.data,
        .head_length = self->head.length,
        .subtask = rask_runtime()->subtask_index,
        .policy = {.size_max = o->part_size_max,
                   .rollover_ms = o->rollover_interval_ms,
                   .inactivity_ms = o->inactivity_interval_ms,
                   .on_checkpoint = o->roll_on_checkpoint},
        .open_max = o->open_files_max,
        .made_folder = note_folder,
        .ctx = shared,
    };
    self->buckets = raski_buckets_create(&options);
    if (self->buckets == NULL) return rask_fail("no memory to write \"%s\"", shared->folder);
    rask_wake_at(rask_now_ms() + o->check_interval_ms);
    return RASK_OK;
}

/* ---------------------------------------------------------------- write */
static rask_status encode(writer *self, const void *record) {
    rask_format_error error;
    char text[sizeof error.field + sizeof error.message + 64];
    self->text.length = 0;
    rask_status status = self->format
                             ? rask_format_append(self->format, &self->text, record, &error)
                             : rask_text_append_record(&self->text, self->shared->type, record);
    if (status == RASK_E_CORRUPT) {
        rask_format_error_text(&error, text, sizeof text);
        return rask_fail("cannot write a record to \"%s\": %s", self->shared->folder, text);
    }
    if (status == RASK_OK) status = rask_text_append(&self->text, "\n", 1);
    if (status == RASK_OK) return RASK_OK;
    return rask_fail("no memory to write a record to \"%s\"", self->shared->folder);
}

static rask_status write_one(writer *self, const char *id, size_t id_length, const void *record,
                             int64_t now_ms) {
    char message[MESSAGE_BYTES];
    rask_status status = encode(self, record);
    if (status != RASK_OK) return status;
    return raski_buckets_write(self->buckets, id, id_length, self->text.data, self->text.length,
                               now_ms, message, sizeof message)
               ? RASK_OK
               : rask_fail("%s", message);
}

/* What was closed so far, where nothing else is waited for. */
static rask_status commit_rolled(writer *self) {
    raski_part_list list = {0};
    char message[MESSAGE_BYTES];
    if (!self->shared->options.commit_when_rolled) return RASK_OK;
    bool ok = raski_buckets_take_pending(self->buckets, &list, message, sizeof message);
    /* one by one: what has appeared stays */
    for (size_t i = 0; i < list.count && ok; i++)
        ok = raski_part_file_commit(&list.items[i], message, sizeof message);
    raski_part_list_abandon(&list);
    return ok ? RASK_OK : rask_fail("%s", message);
}

static void write_by_time(writer *self, const char *records, size_t n, int64_t now_ms,
                          rask_ctx *ctx) {
    char id[RASKI_BUCKET_TIME_BYTES];
    const size_t size = self->shared->type->size;
    size_t length = raski_bucket_time_format(self->shared->options.bucket_format, now_ms, id);
    for (size_t i = 0; i < n; i++) {
        ctx->i = i;
        if (write_one(self, id, length, records + i * size, now_ms) != RASK_OK) return;
    }
}

static void write_by_key(writer *self, const char *records, size_t n, int64_t now_ms,
                         rask_ctx *ctx) {
    rask_string ids[KEYS_PER_CALL];
    const size_t size = self->shared->type->size;
    for (size_t begin = 0; begin < n; begin += KEYS_PER_CALL) {
        size_t count = n - begin < KEYS_PER_CALL ? n - begin : KEYS_PER_CALL;
        ctx->i = begin;
        self->shared->bucket->select_keys(records + begin * size, count, ids);
        for (size_t i = 0; i < count && !ctx->failed; i++) {
            ctx->i = begin + i;
            if (write_one(self, rask_string_data(&ids[i]), ids[i].len, records + (begin + i) * size,
                          now_ms) != RASK_OK)
                return;
        }
        if (ctx->failed) return;
    }
}

static size_t write_records(void *self_p, const void *in, size_t n, rask_ctx *ctx) {
    writer *self = self_p;
    const int64_t now_ms = rask_now_ms();
    if (self->shared->bucket != NULL)
        write_by_key(self, in, n, now_ms, ctx);
    else
        write_by_time(self, in, n, now_ms, ctx);
    if (!ctx->failed) (void)commit_rolled(self);
    return 0;
}

static rask_status wake_writer(void *self_p, int64_t now_ms) {
    writer *self = self_p;
    char message[MESSAGE_BYTES];
    if (!raski_buckets_advance_time(self->buckets, now_ms, message, sizeof message))
        return rask_fail("%s", message);
    rask_wake_at(now_ms + self->shared->options.check_interval_ms);
    return commit_rolled(self);
}

/* ---------------------------------------------------------------- the end */
static rask_status finish_writer(void *self_p) {
    writer *self = self_p;
    memory *shared = self->shared;
    char message[MESSAGE_BYTES];
    finished_files *f = calloc(1, sizeof *f);
    if (f == NULL) return rask_fail("no memory to finish \"%s\"", shared->folder);
    if (!raski_buckets_prepare(self->buckets, true, &f->files, message, sizeof message)) {
        raski_part_list_abandon(&f->files);
        free(f);
        return rask_fail("%s", message);
    }
    f->subtask = rask_runtime()->subtask_index;
    f->next = atomic_load_explicit(&shared->finished, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&shared->finished, &f->next, f,
                                                  memory_order_release, memory_order_relaxed)) {
    }
    return RASK_OK;
}

static rask_status close_writer(void *self_p) {
    writer *self = self_p;
    raski_buckets_destroy(self->buckets);
    rask_format_writer_destroy(self->format);
    free(self->text.data);
    free(self->head.data);
    self->buckets = NULL;
    self->format = NULL;
    self->text = self->head = (rask_text){0};
    return RASK_OK;
}

/* Of two attempts of a subtask the later one, which stands before f, wrote everything again. */
static bool is_finished_again(const finished_files *finished, const finished_files *f) {
    for (; finished != f; finished = finished->next)
        if (finished->subtask == f->subtask) return true;
    return false;
}

/* Commits all files of all subtasks, or none. */
static bool commit_all(finished_files *finished, char *message, size_t size) {
    for (finished_files *f = finished; f != NULL; f = f->next) {
        if (is_finished_again(finished, f)) continue;
        if (raski_part_list_commit(&f->files, message, size)) continue;
        for (finished_files *done = finished; done != f; done = done->next)
            for (size_t i = 0; i < done->files.count; i++)
                raski_part_file_take_back(&done->files.items[i]);
        return false;
    }
    return true;
}

/* The deepest first; what holds something stays. */
static void remove_folders(made_folder *made) {
    while (made != NULL) {
        made_folder **deepest = &made;
        for (made_folder **f = &made; *f != NULL; f = &(*f)->next)
            if (strlen((*f)->path) > strlen((*deepest)->path)) deepest = f;
        made_folder *gone = *deepest;
        *deepest = gone->next;
        (void)rmdir(gone->path);
        free(gone);
    }
}

static bool end_job(raski_connector *connector, bool succeeded, char *message, size_t size) {
    memory *m = connector->memory;
    finished_files *finished = atomic_exchange_explicit(&m->finished, NULL, memory_order_acquire);
    made_folder *made = atomic_exchange_explicit(&m->made, NULL, memory_order_acquire);
    bool ok = succeeded && commit_all(finished, message, size);
    while (finished != NULL) {
        finished_files *next = finished->next;
        raski_part_list_abandon(&finished->files);
        free(finished);
        finished = next;
    }
    if (ok)
        while (made != NULL) {
            made_folder *next = made->next;
            free(made);
            made = next;
        }
    else
        remove_folders(made);
    return ok || !succeeded;
}

static const raski_hook open_hook = {.open = open_writer};
static const raski_hook wake_hook = {.wake = wake_writer};
static const raski_hook finish_hook = {.finish = finish_writer};
static const raski_hook close_hook = {.close = close_writer};

/* ---------------------------------------------------------------- the connector */
bool raski_file_sink_check_buckets(const char *bucket_format, char *message, size_t size) {
    return raski_bucket_time_check(bucket_format, message, size);
}

static void destroy(raski_connector *connector) {
    memory *m = connector->memory;
    char message[MESSAGE_BYTES];
    (void)end_job(connector, false, message, sizeof message);
    if (m->has_format) raski_record_format_fini(&m->format);
    free((char *)(uintptr_t)m->options.bucket_format);
    free((char *)(uintptr_t)m->options.part_prefix);
    free((char *)(uintptr_t)m->options.part_suffix);
    free(m);
}

static int64_t or_default(int64_t value, int64_t otherwise) {
    return value != 0 ? value : otherwise;
}

static bool copy_options(memory *m, const rask_file_sink_options *options) {
    rask_file_sink_options *o = &m->options;
    *o = *options;
    o->bucket_format = strdup(o->bucket_format ? o->bucket_format : "yyyy-MM-dd--HH");
    o->part_prefix = strdup(o->part_prefix ? o->part_prefix : "part");
    o->part_suffix = strdup(o->part_suffix ? o->part_suffix : "");
    o->part_size_max = or_default(o->part_size_max, (int64_t)128 << 20);
    o->rollover_interval_ms = or_default(o->rollover_interval_ms, 60000);
    o->inactivity_interval_ms = or_default(o->inactivity_interval_ms, 60000);
    o->check_interval_ms = or_default(o->check_interval_ms, 60000);
    o->open_files_max = (int)or_default(o->open_files_max, 128);
    return o->bucket_format != NULL && o->part_prefix != NULL && o->part_suffix != NULL;
}

raski_connector raski_file_sink_connector(const rask_type *type, const char *folder,
                                          const raski_fn *bucket,
                                          const rask_file_sink_options *options,
                                          const raski_record_format *format) {
    size_t size = strlen(folder) + 1;
    memory *m = calloc(1, sizeof *m + size);
    if (m == NULL) return (raski_connector){0};
    memcpy(m->folder, folder, size);
    while (size > 2 && m->folder[size - 2] == '/') m->folder[--size - 1] = '\0';
    m->type = type;
    m->bucket = bucket;
    m->initial.shared = m;
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SINK,
                       .name = "file sink",
                       .file = __FILE__,
                       .line = __LINE__,
                       .in = type,
                       .run = write_records,
                       .self = &writer_states,
                       .open = &open_hook,
                       .wake = &wake_hook,
                       .finish = &finish_hook,
                       .close = &close_hook};
    raski_connector connector = {.fn = &m->fn,
                                 .self = &m->initial,
                                 .memory = m,
                                 .writes_to = m->folder,
                                 .end_job = end_job,
                                 .destroy = destroy};
    m->has_format = format != NULL && raski_record_format_copy(&m->format, format);
    if (!copy_options(m, options) || (format != NULL && !m->has_format)) {
        destroy(&connector);
        return (raski_connector){0};
    }
    return connector;
}
