#include "operators/aggregate.h"

#include "base/alloc.h"
#include "operators/aggregate_private.h"
#include "state/key_order.h"
#include "state/keyed_table_inline.h"
#include "state/state_store.h"
#include "types/compare.h"
#include "types/type_info.h"

enum { FINISH_BLOCK = 256 };

/* ---------------------------------------------------------------- creation */
/* The Java class that Flink's message names. */
static const char *java_class(rask_kind kind) {
    switch (kind) {
        case RASK_KIND_STRING:
            return "String";
        case RASK_KIND_BOOLEAN:
            return "Boolean";
        case RASK_KIND_BYTES:
            return "byte[]";
        case RASK_KIND_LIST:
            return "List";
        case RASK_KIND_OPTIONAL:
            return "Optional";
        default:
            return "Tuple";
    }
}

static bool is_integer(rask_kind kind) {
    return kind == RASK_KIND_BYTE || kind == RASK_KIND_SHORT || kind == RASK_KIND_INT ||
           kind == RASK_KIND_LONG || kind == RASK_KIND_TIMESTAMP;
}

static rask_status check_field(const raski_aggregate_options *options, raski_error *err) {
    if (options->kind == RASKI_AGGREGATE_REDUCE) return RASK_OK;
    rask_kind kind = options->field->kind;
    bool number = is_integer(kind) || kind == RASK_KIND_FLOAT || kind == RASK_KIND_DOUBLE;
    if (options->kind == RASKI_AGGREGATE_SUM && !number)
        return RASKI_THROW(err, "RuntimeException",
                           "DataStream cannot be summed because the class %s does not support the "
                           "+ operator.",
                           java_class(kind));
    if (!number && kind != RASK_KIND_STRING && kind != RASK_KIND_BOOLEAN)
        return RASKI_THROW(err, "ClassCastException",
                           "a field of type %s has no order: min, max, minBy and maxBy need a "
                           "number, a boolean, a string or a timestamp",
                           raski_kind_name(kind));
    return RASK_OK;
}

static field_op op_of(raski_aggregate_kind kind, rask_kind field) {
    bool is_float = field == RASK_KIND_FLOAT, is_double = field == RASK_KIND_DOUBLE;
    if (!is_float && !is_double && !is_integer(field) && field != RASK_KIND_BOOLEAN)
        return FIELD_OTHER;
    switch (kind) {
        case RASKI_AGGREGATE_SUM:
            return is_float ? FIELD_SUM_FLOAT : is_double ? FIELD_SUM_DOUBLE : FIELD_SUM_INTEGER;
        case RASKI_AGGREGATE_MIN:
            return is_float ? FIELD_MIN_FLOAT : is_double ? FIELD_MIN_DOUBLE : FIELD_MIN_INTEGER;
        case RASKI_AGGREGATE_MAX:
            return is_float ? FIELD_MAX_FLOAT : is_double ? FIELD_MAX_DOUBLE : FIELD_MAX_INTEGER;
        default:
            return FIELD_OTHER;
    }
}

/* Whether the stored record can serve as the row's key: not when its key may come to differ from
 * the key it is stored under. */
static bool record_keeps_key(const raski_aggregate_options *options) {
    if (options->key_apart || options->kind == RASKI_AGGREGATE_REDUCE) return false;
    uint32_t field_end = options->field_offset + options->field->size;
    for (uint32_t i = 0; i < options->key->part_count; i++) {
        const raski_key_field *part = &options->key->parts[i];
        if (options->field_offset < part->offset + part->type->size && part->offset < field_end)
            return false;
    }
    return true;
}

rask_status raski_aggregate_create(const raski_aggregate_options *options,
                                   raski_aggregate **ret_aggregate, raski_error *err) {
    rask_status checked = check_field(options, err);
    if (checked != RASK_OK) {
        if (options->backend) raski_state_store_destroy(options->backend->store);
        return checked;
    }
    raski_aggregate *aggregate = RASKI_NEW(raski_aggregate);
    raski_layout *layout = raski_layout_create(options->record);
    aggregate->has_pointers = layout->has_pointers;
    raski_layout_destroy(layout);
    aggregate->kind = options->kind;
    aggregate->record = options->record;
    aggregate->record_size = options->record->size;
    if (options->key != NULL) aggregate->key = *options->key;
    aggregate->first = options->first;
    aggregate->reduce = options->reduce;
    aggregate->function = options->function;
    aggregate->op = FIELD_OTHER;
    if (options->kind != RASKI_AGGREGATE_REDUCE) {
        aggregate->field = options->field;
        aggregate->field_offset = options->field_offset;
        aggregate->field_bits = options->field->size * 8;
        aggregate->op = op_of(options->kind, options->field->kind);
    }
    aggregate->scratch = raski_calloc(RASKI_LOOKUP_MAX, aggregate->record_size);
    if (options->key == NULL) {
        *ret_aggregate = aggregate;
        return RASK_OK;
    }
    /* Only a reduce writes strings into the state in place, which needs tracking. */
    aggregate->permanent = options->kind != RASKI_AGGREGATE_REDUCE || !aggregate->has_pointers;
    raski_keyed_table_options table = {0};
    if (options->backend) table = *options->backend;
    if (table.store) aggregate->permanent = false; /* rows come and go */
    raski_state_spec state = {.name = "_op_state", .type = options->record};
    table.key = options->key;
    table.states = &state;
    table.state_count = 1;
    table.key_in_state = record_keeps_key(options);
    table.permanent = aggregate->permanent;
    table.bytes_max = options->bytes_max;
    bool stored = table.store != NULL;
    rask_status status = raski_keyed_table_create(&table, &aggregate->table, err);
    if (status != RASK_OK) {
        raski_aggregate_destroy(aggregate);
        return status;
    }
    aggregate->state_offset = raski_keyed_table_state_offset(aggregate->table, 0);
    *ret_aggregate = aggregate;
    if (stored) return RASK_OK; /* kernels know nothing of a store */
    aggregate->kernel = raski_aggregate_kernel(aggregate, true);
    aggregate->kernel_uncached = raski_aggregate_kernel(aggregate, false);
    return RASK_OK;
}

void raski_aggregate_destroy(raski_aggregate *aggregate_take_or_null) {
    if (!aggregate_take_or_null) return;
    raski_keyed_table_destroy(aggregate_take_or_null->table);
    raski_free(aggregate_take_or_null->scratch);
    raski_free(aggregate_take_or_null);
}

raski_keyed_table *raski_aggregate_table(raski_aggregate *aggregate) {
    return aggregate->table;
}

/* ---------------------------------------------------------------- one record, in general */
static void combine_field(const raski_aggregate *aggregate, char *stored, const char *in) {
    size_t size = aggregate->field_bits / 8;
    uint64_t a = 0, b = 0;
    memcpy(&a, stored + aggregate->field_offset, size);
    memcpy(&b, in + aggregate->field_offset, size);
    uint64_t result = combine_bits(aggregate->op, aggregate->field_bits, a, b);
    memcpy(stored + aggregate->field_offset, &result, size);
}

/* Whether the new record (or its field) takes the place of the stored one: Flink's Comparator. */
static bool new_one_wins(const raski_aggregate *aggregate, const char *stored, const char *in) {
    int order = raski_value_compare(aggregate->field, stored + aggregate->field_offset,
                                    in + aggregate->field_offset);
    bool by =
        aggregate->kind == RASKI_AGGREGATE_MIN_BY || aggregate->kind == RASKI_AGGREGATE_MAX_BY;
    if (order == 0) return !by || !aggregate->first;
    bool minimum =
        aggregate->kind == RASKI_AGGREGATE_MIN || aggregate->kind == RASKI_AGGREGATE_MIN_BY;
    return minimum ? order > 0 : order < 0;
}

void raski_aggregate_fold(const raski_aggregate *aggregate, void *stored, const void *in) {
    if (aggregate->op != FIELD_OTHER) {
        combine_field(aggregate, stored, in);
    } else if (new_one_wins(aggregate, stored, in)) {
        const bool by =
            aggregate->kind == RASKI_AGGREGATE_MIN_BY || aggregate->kind == RASKI_AGGREGATE_MAX_BY;
        const size_t from = by ? 0 : aggregate->field_offset;
        memcpy((char *)stored + from, (const char *)in + from,
               by ? aggregate->record_size : aggregate->field->size);
    }
}

bool raski_aggregate_folds_in_place(const raski_aggregate *aggregate) {
    return aggregate->op != FIELD_OTHER;
}

static rask_status update_row(raski_aggregate *aggregate, char *row, const char *in,
                              raski_error *err) {
    char *stored = row + aggregate->state_offset;
    if (aggregate->op != FIELD_OTHER) {
        combine_field(aggregate, stored, in);
        return RASK_OK;
    }
    if (!new_one_wins(aggregate, stored, in)) return RASK_OK;
    const char *record = in;
    if (aggregate->kind == RASKI_AGGREGATE_MIN || aggregate->kind == RASKI_AGGREGATE_MAX) {
        memcpy(aggregate->scratch, stored, aggregate->record_size);
        memcpy(aggregate->scratch + aggregate->field_offset, in + aggregate->field_offset,
               aggregate->field->size);
        record = aggregate->scratch;
    }
    return raski_keyed_table_store(aggregate->table, row, 0, record, err);
}

/* ---------------------------------------------------------------- blocks */
static rask_status run_general(raski_aggregate *aggregate, const char *keys, size_t key_size,
                               const char *in, size_t n, char *out, raski_error *err) {
    char *rows[RASKI_LOOKUP_MAX];
    uint64_t inserted = 0;
    size_t size = aggregate->record_size;
    RASKI_TRY(raski_keyed_table_lookup(aggregate->table, &aggregate->key, keys, key_size, n, rows,
                                       &inserted, err));
    for (size_t i = 0; i < n; i++, in += size) {
        if (inserted >> i & 1)
            RASKI_TRY(raski_keyed_table_store(aggregate->table, rows[i], 0, in, err));
        else
            RASKI_TRY(update_row(aggregate, rows[i], in, err));
        if (out) memcpy(out + i * size, rows[i] + aggregate->state_offset, size);
    }
    return RASK_OK;
}

static rask_status run_reduce(raski_aggregate *aggregate, const char *keys, size_t key_size,
                              const char *in, size_t n, char *out, raski_error *err) {
    char *rows[RASKI_LOOKUP_MAX], *states[RASKI_LOOKUP_MAX];
    uint64_t inserted = 0;
    RASKI_TRY(raski_keyed_table_lookup(aggregate->table, &aggregate->key, keys, key_size, n, rows,
                                       &inserted, err));
    for (size_t i = 0; i < n; i++) {
        states[i] = rows[i] + aggregate->state_offset;
        if (!aggregate->permanent)
            RASKI_TRY(raski_keyed_table_track(aggregate->table, rows[i], 0, err));
    }
    aggregate->reduce(aggregate->function, in, n, states, inserted, out);
    if (!aggregate->permanent)
        for (size_t i = 0; i < n; i++) raski_row_set(rows[i], 0);
    return RASK_OK;
}

static rask_status run_block(raski_aggregate *aggregate, const char *keys, size_t key_size,
                             const char *in, size_t n, char *out, raski_error *err) {
    if (aggregate->kind == RASKI_AGGREGATE_REDUCE)
        return run_reduce(aggregate, keys, key_size, in, n, out, err);
    /* A running snapshot has to hear of each row before it changes. */
    if (!aggregate->kernel || aggregate->table->snapshot)
        return run_general(aggregate, keys, key_size, in, n, out, err);
    raski_keyed_table *table = aggregate->table;
    if (__builtin_expect(!raski_table_has_room(table, n), 0))
        RASKI_TRY(raski_table_reserve(table, n, err));
    aggregate_kernel *kernel =
        raski_table_is_cached(table, n) ? aggregate->kernel : aggregate->kernel_uncached;
    if (!out) out = aggregate->scratch;
    if (__builtin_expect(kernel(aggregate, keys, key_size, in, n, out), 1)) return RASK_OK;
    return raski_table_no_memory(table, err);
}

static rask_status run_all(raski_aggregate *aggregate, const char *keys, size_t key_size,
                           const char *in, size_t n, char *out, raski_error *err) {
    rask_status status = RASK_OK;
    for (size_t done = 0; done < n && status == RASK_OK; done += RASKI_LOOKUP_MAX) {
        size_t count = n - done < RASKI_LOOKUP_MAX ? n - done : RASKI_LOOKUP_MAX;
        status = run_block(aggregate, keys + done * key_size, key_size,
                           in + done * aggregate->record_size, count,
                           out ? out + done * aggregate->record_size : NULL, err);
    }
    if (aggregate->kind != RASKI_AGGREGATE_REDUCE) return status;
    rask_status adopted = raski_keyed_table_adopt(aggregate->table, err);
    return status != RASK_OK ? status : adopted;
}

rask_status raski_aggregate_process(raski_aggregate *aggregate, const void *keys, size_t key_size,
                                    const void *in, size_t n, void *out, raski_error *err) {
    return run_all(aggregate, keys, key_size, in, n, out, err);
}

rask_status raski_aggregate_accumulate(raski_aggregate *aggregate, const void *keys,
                                       size_t key_size, const void *in, size_t n,
                                       raski_error *err) {
    rask_status status = run_all(aggregate, keys, key_size, in, n, NULL, err);
    raski_keyed_table_end_batch(aggregate->table);
    return status;
}

void raski_aggregate_end_batch(raski_aggregate *aggregate) {
    raski_keyed_table_end_batch(aggregate->table);
}

/* ---------------------------------------------------------------- end of a bounded input */
rask_status raski_aggregate_finish(raski_aggregate *aggregate, raski_aggregate_emit *emit,
                                   void *ctx, raski_error *err) {
    raski_keyed_table *table = aggregate->table;
    size_t count = raski_keyed_table_count(table), size = aggregate->record_size;
    char **rows = NULL;
    RASKI_TRY(raski_keyed_table_in_key_order(table, &rows, err));
    char *records = raski_calloc(FINISH_BLOCK, size);
    rask_status status = RASK_OK;
    for (size_t done = 0; done < count && status == RASK_OK; done += FINISH_BLOCK) {
        size_t n = count - done < FINISH_BLOCK ? count - done : FINISH_BLOCK;
        for (size_t i = 0; i < n; i++) {
            if (i + 8 < n) __builtin_prefetch(rows[done + i + 8]);
            memcpy(records + i * size, rows[done + i] + aggregate->state_offset, size);
        }
        status = emit(ctx, records, n, err);
    }
    raski_free(records);
    raski_free(rows);
    return status;
}
