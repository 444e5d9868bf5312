#include "state/keyed_snapshot.h"

#include "types/key_group.h"

enum {
    PAGE_BYTES = 32 * 1024,
    FRAME_BYTES = 64 * 1024,        /* of a key group, before they are written */
    BUFFERED_MAX = 8 * 1024 * 1024, /* bytes, of all key groups */
    PAGE_SHIFT_MAX = UNIT_SHIFT,    /* a page lies in one unit */
    TIMERS_BLOCK = 64,              /* per look into the rows */
    PHASE_ROWS = 2,
    PHASE_DONE = 3,
};

/* ---------------------------------------------------------------- rows and pages */
/* The number of a row, or UINT32_MAX for one that lies in newer memory. */
static uint32_t row_number(const raski_keyed_snapshot *snapshot, const char *row) {
    uint32_t row_size = snapshot->table->row_size;
    for (size_t i = 0; i < snapshot->run_count; i++) {
        const raski_row_run *run = &snapshot->runs[i];
        uintptr_t at = (uintptr_t)row - (uintptr_t)run->start;
        if (at < (uintptr_t)run->row_count * row_size)
            return run->first_row + (uint32_t)(at / row_size);
    }
    return UINT32_MAX;
}

static const char *page_start(const raski_keyed_snapshot *snapshot, uint32_t page) {
    uint32_t row = page << snapshot->page_shift;
    const raski_row_run *run = snapshot->runs;
    while (row - run->first_row >= run->row_count) run++;
    return run->start + (size_t)(row - run->first_row) * snapshot->table->row_size;
}

static size_t page_bytes(const raski_keyed_snapshot *snapshot) {
    return (size_t)snapshot->table->row_size << snapshot->page_shift;
}

/* The rows of a page that were in use at the beginning: the others may be made meanwhile. */
static size_t page_bytes_used(const raski_keyed_snapshot *snapshot, uint32_t page) {
    uint32_t first = page << snapshot->page_shift;
    uint32_t rows = snapshot->rows_end - first;
    if (rows > UINT32_C(1) << snapshot->page_shift) rows = UINT32_C(1) << snapshot->page_shift;
    return (size_t)rows * snapshot->table->row_size;
}

static bool is_taken(const raski_keyed_snapshot *snapshot, uint32_t page) {
    return atomic_load_explicit(&snapshot->taken[page], memory_order_acquire) != 0;
}
static void mark_taken(raski_keyed_snapshot *snapshot, uint32_t page) {
    atomic_store_explicit(&snapshot->taken[page], 1, memory_order_release);
}

/* Under the lock. */
static void save_page(raski_keyed_snapshot *snapshot, uint32_t page) {
    if (is_taken(snapshot, page)) return;
    char *copy = raski_try_alloc(page_bytes(snapshot), ROW_ALIGN_MAX);
    if (copy)
        memcpy(copy, page_start(snapshot, page), page_bytes_used(snapshot, page));
    else
        snapshot->failed = true;
    snapshot->saved[page] = copy;
    mark_taken(snapshot, page);
}

static void before_write(struct raski_table_snapshot *hook, raski_keyed_table *table, char *row) {
    (void)table;
    raski_keyed_snapshot *snapshot = (raski_keyed_snapshot *)(void *)hook;
    if (atomic_load_explicit(&snapshot->rows_elsewhere, memory_order_relaxed)) return;
    uint32_t number = row_number(snapshot, row);
    if (number >= snapshot->rows_end) return;
    uint32_t page = number >> snapshot->page_shift;
    if (is_taken(snapshot, page)) return;
    raski_mutex_lock(snapshot->rows_lock);
    save_page(snapshot, page);
    raski_mutex_unlock(snapshot->rows_lock);
}

/* ---------------------------------------------------------------- begin and end */
static bool find_runs(raski_keyed_snapshot *snapshot) {
    const raski_keyed_table *table = snapshot->table;
    uint32_t units = (snapshot->rows_end + UNIT_ROWS - 1) / UNIT_ROWS;
    if (units > table->unit_count) units = table->unit_count; /* no row was made yet */
    if (units == 0) return true;
    snapshot->runs = raski_try_alloc(units * sizeof *snapshot->runs, 0);
    if (!snapshot->runs) return false;
    raski_row_run *run = NULL;
    for (uint32_t i = 0; i < units; i++) {
        const char *unit = table->units[i];
        if (run && run->start + (size_t)run->row_count * table->row_size == unit) {
            run->row_count += UNIT_ROWS;
            continue;
        }
        run = &snapshot->runs[snapshot->run_count++];
        *run = (raski_row_run){unit, i * UNIT_ROWS, UNIT_ROWS};
    }
    return true;
}

static bool alloc_pages(raski_keyed_snapshot *snapshot) {
    const raski_keyed_table *table = snapshot->table;
    snapshot->rows_end = table->rows_end;
    while (snapshot->page_shift < PAGE_SHIFT_MAX &&
           (size_t)table->row_size << (snapshot->page_shift + 1) <= PAGE_BYTES)
        snapshot->page_shift++;
    if (!find_runs(snapshot)) return false;
    snapshot->page_count = snapshot->run_count
                               ? (uint32_t)(((uint64_t)snapshot->rows_end +
                                             (UINT32_C(1) << snapshot->page_shift) - 1) >>
                                            snapshot->page_shift)
                               : 0;
    /* From the system, untouched: their size costs nothing now. */
    snapshot->taken = raski_try_calloc((size_t)snapshot->page_count + 1, sizeof *snapshot->taken);
    snapshot->saved = raski_try_calloc((size_t)snapshot->page_count + 1, sizeof *snapshot->saved);
    snapshot->page = raski_try_alloc(page_bytes(snapshot), ROW_ALIGN_MAX);
    return snapshot->taken && snapshot->saved && snapshot->page;
}

rask_status raski_keyed_snapshot_begin(raski_keyed_table *table, raski_timer_queue *event_timers,
                                       raski_timer_queue *processing_timers,
                                       raski_keyed_snapshot **ret_snapshot, raski_error *err) {
    if (table->snapshot)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, INTERNAL,
                          "a snapshot of the state of %s is being written already",
                          table->name ? table->name : "this operator");
    RASKI_ASSERT(table->tracked.count == 0);
    raski_keyed_snapshot *snapshot = RASKI_NEW(raski_keyed_snapshot);
    snapshot->hook.before_write = before_write;
    snapshot->table = table;
    snapshot->queues[0] = event_timers;
    snapshot->queues[1] = processing_timers;
    snapshot->rows_lock = raski_mutex_create();
    raski_row_codec_init(&snapshot->codec, table);
    rask_status status = RASK_OK;
    if (table->cache) status = raski_stored_rows_begin(table, &snapshot->stored_rows, err);
    if (status == RASK_OK && !alloc_pages(snapshot)) status = raski_table_no_memory(table, err);
    if (status != RASK_OK) {
        raski_keyed_snapshot_end(snapshot);
        return status;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!snapshot->queues[i]) continue;
        raski_timer_snapshot_begin(&snapshot->timers[i], snapshot->queues[i], snapshot->rows_lock);
        snapshot->timers_begun[i] = true;
    }
    table->epoch++;
    /* Of a table with a store, only timers need the rows in memory. */
    if (!snapshot->stored_rows || event_timers || processing_timers)
        table->snapshot = &snapshot->hook;
    *ret_snapshot = snapshot;
    return RASK_OK;
}

void raski_keyed_snapshot_end(raski_keyed_snapshot *snapshot_take_or_null) {
    raski_keyed_snapshot *snapshot = snapshot_take_or_null;
    if (!snapshot) return;
    for (unsigned i = 0; i < 2; i++)
        if (snapshot->timers_begun[i])
            raski_timer_snapshot_end(&snapshot->timers[i], snapshot->queues[i]);
    if (snapshot->table->snapshot == &snapshot->hook) {
        snapshot->table->snapshot = NULL;
        raski_table_free_garbage(snapshot->table);
    }
    for (uint32_t i = 0; snapshot->saved && i < snapshot->page_count; i++)
        raski_free(snapshot->saved[i]);
    for (uint32_t i = 0; snapshot->groups && i < snapshot->group_count; i++)
        raski_byte_writer_fini(&snapshot->groups[i].bytes);
    raski_stored_rows_end(snapshot->stored_rows);
    raski_row_codec_fini(&snapshot->codec);
    raski_mutex_destroy(snapshot->rows_lock);
    raski_free(snapshot->current);
    raski_free(snapshot->groups);
    raski_free(snapshot->runs);
    raski_free((void *)(uintptr_t)snapshot->taken);
    raski_free(snapshot->saved);
    raski_free(snapshot->page);
    raski_free(snapshot);
}

static rask_status no_memory(raski_error *err) {
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a snapshot of keyed state");
}

/* The row as it was, in a copy or under the lock. */
static const char *old_row(const raski_keyed_snapshot *snapshot, const char *row) {
    uint32_t number = row_number(snapshot, row);
    RASKI_ASSERT(number < snapshot->rows_end);
    uint32_t page = number >> snapshot->page_shift;
    if (!is_taken(snapshot, page)) return row;
    if (!snapshot->saved[page]) return NULL; /* it could not be copied */
    return snapshot->saved[page] +
           (size_t)(number - (page << snapshot->page_shift)) * snapshot->table->row_size;
}

rask_status raski_keyed_snapshot_copy_row(raski_keyed_snapshot *snapshot, const char *row,
                                          char **ret_row, raski_error *err) {
    char *copy = raski_try_alloc(snapshot->table->row_size, ROW_ALIGN_MAX);
    if (!copy) return no_memory(err);
    raski_mutex_lock(snapshot->rows_lock);
    const char *old = old_row(snapshot, row);
    if (old) memcpy(copy, old, snapshot->table->row_size);
    raski_mutex_unlock(snapshot->rows_lock);
    if (!old) {
        raski_free(copy);
        return no_memory(err);
    }
    *ret_row = copy;
    return RASK_OK;
}

/* ---------------------------------------------------------------- key groups */
void raski_keyed_snapshot_set_groups(raski_keyed_snapshot *snapshot, uint32_t id,
                                     uint32_t max_parallelism, uint32_t first_group,
                                     uint32_t group_count) {
    snapshot->id = id;
    snapshot->max_parallelism = max_parallelism;
    snapshot->first_group = first_group;
    snapshot->group_count = group_count;
    snapshot->groups = RASKI_NEW_ARRAY(raski_group_buffer, group_count);
}

raski_group_buffer *raski_keyed_snapshot_group(raski_keyed_snapshot *snapshot, uint32_t group,
                                               raski_error *err) {
    if (group - snapshot->first_group < snapshot->group_count)
        return &snapshot->groups[group - snapshot->first_group];
    (void)RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL,
                     "%s has state of key group %u, which is not one of its groups %u to %u",
                     snapshot->table->name ? snapshot->table->name : "an operator", group,
                     snapshot->first_group, snapshot->first_group + snapshot->group_count - 1);
    return NULL;
}

static raski_frame_kind kind_of_phase(unsigned phase) {
    switch (phase) {
        case 0:
            return RASKI_FRAME_EVENT_TIMERS;
        case 1:
            return RASKI_FRAME_PROCESSING_TIMERS;
        default:
            return RASKI_FRAME_ROWS;
    }
}

static rask_status write_group(raski_keyed_snapshot *snapshot, uint32_t group,
                               raski_frame_stream *stream, const raski_snapshot_sink *sink,
                               raski_error *err) {
    raski_group_buffer *buffer = &snapshot->groups[group];
    if (buffer->bytes.failed) return no_memory(err);
    if (buffer->count == 0) return RASK_OK;
    raski_frame_header header = {.kind = (uint16_t)kind_of_phase(snapshot->phase),
                                 .key_group = snapshot->first_group + group,
                                 .id = snapshot->id,
                                 .count = buffer->count};
    RASKI_TRY(
        raski_frame_write(stream, header, buffer->bytes.bytes, buffer->bytes.size, sink, err));
    snapshot->buffered -= buffer->bytes.size;
    buffer->bytes.size = 0;
    buffer->count = 0;
    return RASK_OK;
}

static rask_status write_full_groups(raski_keyed_snapshot *snapshot, size_t frame_bytes,
                                     raski_frame_stream *stream, const raski_snapshot_sink *sink,
                                     raski_error *err) {
    for (uint32_t i = 0; i < snapshot->group_count; i++)
        if (snapshot->groups[i].bytes.size >= frame_bytes || snapshot->groups[i].bytes.failed)
            RASKI_TRY(write_group(snapshot, i, stream, sink, err));
    snapshot->look_at = snapshot->buffered + 4 * (size_t)FRAME_BYTES;
    return RASK_OK;
}

/* ---------------------------------------------------------------- timers */
/* Under the lock: encodes a few timers of the current bucket. */
static rask_status encode_timers(raski_keyed_snapshot *snapshot, raski_error *err) {
    const raski_saved_timers *timers = snapshot->current;
    uint32_t end = snapshot->current_at + TIMERS_BLOCK;
    if (end > timers->count) end = timers->count;
    for (; snapshot->current_at < end; snapshot->current_at++) {
        const char *row = old_row(snapshot, timers->rows[snapshot->current_at]);
        if (!row) return no_memory(err);
        uint32_t group =
            raski_keyed_table_key_group(snapshot->table, row, snapshot->max_parallelism);
        raski_group_buffer *buffer = raski_keyed_snapshot_group(snapshot, group, err);
        if (!buffer) return RASK_E_INTERNAL;
        size_t before = buffer->bytes.size;
        raski_write_u64(&buffer->bytes, (uint64_t)timers->time_ms);
        raski_row_codec_write_key(&snapshot->codec, row, &buffer->bytes);
        buffer->count++;
        snapshot->buffered += buffer->bytes.size - before;
    }
    return RASK_OK;
}

/* *ret_more: there are timers left in this queue. */
static rask_status step_timers(raski_keyed_snapshot *snapshot, unsigned domain, bool *ret_more,
                               raski_error *err) {
    *ret_more = false;
    if (!snapshot->queues[domain]) return RASK_OK;
    if (!snapshot->current) {
        RASKI_TRY(raski_timer_snapshot_next(&snapshot->timers[domain], snapshot->queues[domain],
                                            &snapshot->current, err));
        snapshot->current_at = 0;
        if (!snapshot->current) return RASK_OK;
    }
    *ret_more = true;
    raski_mutex_lock(snapshot->rows_lock);
    rask_status status = encode_timers(snapshot, err);
    raski_mutex_unlock(snapshot->rows_lock);
    if (snapshot->current_at == snapshot->current->count) {
        raski_free(snapshot->current);
        snapshot->current = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------- rows */
/* The page as it was; NULL when it could not be copied. */
static char *take_page(raski_keyed_snapshot *snapshot, uint32_t page) {
    char *taken = snapshot->page;
    raski_mutex_lock(snapshot->rows_lock);
    if (is_taken(snapshot, page)) {
        taken = snapshot->saved[page];
        snapshot->saved[page] = NULL;
    } else {
        memcpy(taken, page_start(snapshot, page), page_bytes_used(snapshot, page));
        mark_taken(snapshot, page);
    }
    raski_mutex_unlock(snapshot->rows_lock);
    return taken;
}

static rask_status encode_page(raski_keyed_snapshot *snapshot, const char *page, uint32_t number,
                               raski_error *err) {
    const raski_keyed_table *table = snapshot->table;
    size_t bytes = page_bytes_used(snapshot, number);
    for (size_t at = number == 0 ? table->row_size : 0; at < bytes; at += table->row_size) {
        const char *row = page + at;
        uint32_t present = *(const uint32_t *)(const void *)row;
        if (!table->permanent && (present == 0 || (present & ROW_FREE))) continue;
        raski_group_buffer *buffer = raski_keyed_snapshot_group(
            snapshot, raski_keyed_table_key_group(table, row, snapshot->max_parallelism), err);
        if (!buffer) return RASK_E_INTERNAL;
        size_t before = buffer->bytes.size;
        raski_row_codec_write_row(&snapshot->codec, row, &buffer->bytes);
        buffer->count++;
        snapshot->buffered += buffer->bytes.size - before;
    }
    return RASK_OK;
}

static rask_status step_rows(raski_keyed_snapshot *snapshot, bool *ret_more, raski_error *err) {
    if (snapshot->stored_rows) {
        bool done = false;
        RASKI_TRY(raski_stored_rows_step(snapshot, PAGE_BYTES, &done, err));
        *ret_more = !done;
        return RASK_OK;
    }
    *ret_more = snapshot->next_page < snapshot->page_count;
    if (!*ret_more) return RASK_OK;
    uint32_t number = snapshot->next_page++;
    char *page = take_page(snapshot, number);
    if (!page) return no_memory(err);
    rask_status status = encode_page(snapshot, page, number, err);
    if (page != snapshot->page) raski_free(page);
    return status;
}

rask_status raski_keyed_snapshot_step(raski_keyed_snapshot *snapshot, size_t bytes_wanted,
                                      raski_frame_stream *stream, const raski_snapshot_sink *sink,
                                      bool *ret_done, raski_error *err) {
    size_t encoded = 0;
    while (snapshot->phase < PHASE_DONE && encoded < bytes_wanted) {
        size_t before = snapshot->buffered;
        bool more = false;
        if (snapshot->phase < PHASE_ROWS)
            RASKI_TRY(step_timers(snapshot, snapshot->phase, &more, err));
        else
            RASKI_TRY(step_rows(snapshot, &more, err));
        encoded += snapshot->buffered - before;
        size_t frame_bytes = !more || snapshot->buffered > BUFFERED_MAX ? 0 : FRAME_BYTES;
        if (!more || snapshot->buffered >= snapshot->look_at)
            RASKI_TRY(write_full_groups(snapshot, frame_bytes, stream, sink, err));
        if (!more) snapshot->phase++;
        if (snapshot->stored_rows && snapshot->phase == PHASE_ROWS)
            atomic_store_explicit(&snapshot->rows_elsewhere, true, memory_order_relaxed);
    }
    *ret_done = snapshot->phase == PHASE_DONE;
    return RASK_OK;
}
