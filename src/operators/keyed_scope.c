#include "operators/keyed_scope.h"

#include <string.h>

#include "rask/state.h"
#include "types/layout.h"
#include "types/type_info.h"

/* What a handle of rask/state.h looks like for any type. */
typedef struct any_handle {
    rask_ctx *ctx;
    uint32_t offset;
    uint16_t index;
    uint16_t track;
    void *type;
} any_handle;

enum {
    NUMBER_SHIFT = 8,  /* of the state's number in track */
    NO_INDEX = 31,     /* a bit of `present` that no row in use has */
    NO_KEY_ALIGN = 64, /* of the places in a row that there is no table for yet */
    NO_KEY_HEAD = NO_KEY_ALIGN,
};
_Static_assert((int)NO_INDEX == (int)RASKI_STATES_MAX, "the bit of rows that wait for reuse");

static void put_handle(void *self, const raski_state_field *field, const any_handle *handle) {
    memcpy((char *)self + field->offset, handle, sizeof *handle);
}

rask_status raski_keyed_scope_prepare(raski_keyed_scope *scope, rask_ctx *ctx,
                                      const raski_states *states, void *self, raski_error *err) {
    size_t size = NO_KEY_HEAD;
    for (size_t i = 0; i < states->count && i < RASKI_STATES_MAX; i++) {
        const raski_state_field *field = &states->fields[i];
        any_handle handle = {
            .ctx = ctx,
            .index = NO_INDEX,
            .offset = (uint32_t)size,
            .track = (uint16_t)(i << NUMBER_SHIFT | RASKI_TRACK_POINTERS | RASKI_TRACK_READS)};
        put_handle(self, field, &handle);
        size_t place =
            field->size > sizeof(raski_state_slot) ? field->size : sizeof(raski_state_slot);
        size += (place + NO_KEY_ALIGN - 1) / NO_KEY_ALIGN * NO_KEY_ALIGN;
    }
    raski_free(scope->no_key);
    scope->no_key = raski_try_alloc(size, NO_KEY_ALIGN);
    if (scope->no_key == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    memset(scope->no_key, 0, size);
    ctx->scope = scope;
    raski_keyed_scope_leave(scope, ctx);
    return RASK_OK;
}

rask_status raski_keyed_scope_init(raski_keyed_scope *scope, raski_keyed_table *table,
                                   rask_ctx *ctx, raski_error *err) {
    raski_free(scope->no_key);
    scope->table = table;
    scope->no_key = raski_try_alloc(raski_keyed_table_row_size(table), NO_KEY_ALIGN);
    if (scope->no_key == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    memset(scope->no_key, 0, raski_keyed_table_row_size(table));
    ctx->scope = scope;
    raski_keyed_scope_leave(scope, ctx);
    return RASK_OK;
}

void raski_keyed_scope_fini(raski_keyed_scope *scope) {
    raski_free(scope->no_key);
    scope->no_key = NULL;
}

static raski_state_kind kind_of(raski_handle_kind kind) {
    switch (kind) {
        case RASKI_HANDLE_LIST:
            return RASKI_STATE_LIST;
        case RASKI_HANDLE_MAP:
            return RASKI_STATE_MAP;
        default:
            return RASKI_STATE_VALUE;
    }
}

rask_status raski_keyed_scope_specs(const raski_keyed_scope *scope, const raski_states *states,
                                    raski_state_spec *specs, size_t *count, raski_error *err) {
    if (*count + states->count > RASKI_STATES_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s has %zu keyed states, at most %zu are possible", states->type,
                          states->count, RASKI_STATES_MAX - *count);
    for (size_t i = 0; i < states->count; i++) {
        const raski_state_field *field = &states->fields[i];
        specs[*count] = (raski_state_spec){.name = field->name,
                                           .type = field->type,
                                           .kind = kind_of(field->kind),
                                           .map_key = field->map_key,
                                           .ttl = scope->ttls[i]};
        ++*count;
    }
    return RASK_OK;
}

static bool has_pointers(const rask_type *type) {
    raski_layout *layout = raski_layout_create(type);
    bool result = layout->has_pointers;
    raski_layout_destroy(layout);
    return result;
}

void raski_keyed_scope_bind(raski_keyed_scope *scope, rask_ctx *ctx, const raski_states *states,
                            size_t first, void *self) {
    for (size_t i = 0; i < states->count; i++) {
        const raski_state_field *field = &states->fields[i];
        size_t number = first + i;
        bool is_value = kind_of(field->kind) == RASKI_STATE_VALUE;
        bool ttl = raski_keyed_table_has_ttl(scope->table, number);
        bool reads = ttl || (!is_value && raski_keyed_table_has_store(scope->table));
        unsigned flags = (is_value && has_pointers(field->type) ? RASKI_TRACK_POINTERS : 0U) |
                         (reads ? RASKI_TRACK_READS : 0U);
        any_handle handle = {.ctx = ctx,
                             .index = (uint16_t)(reads ? NO_INDEX : number),
                             .offset = raski_keyed_table_state_offset(scope->table, number),
                             .track = (uint16_t)(number << NUMBER_SHIFT | flags)};
        put_handle(self, field, &handle);
        scope->has_ttl = scope->has_ttl || ttl;
    }
}

void raski_keyed_scope_fail(raski_operator *op) {
    RASKI_LOCAL_ERROR(error);
    (void)RASKI_FAIL(
        &error, RASK_FAILED, USER,
        "there is no current key: keyed state can be used in the function's body only, "
        "not in its hooks");
    raski_operator_fail(op, &error);
}

void raski_keyed_scope_check(raski_keyed_scope *scope, raski_operator *op) {
    if (*(const uint32_t *)(const void *)scope->no_key != 0) raski_keyed_scope_fail(op);
}

/* ---------------------------------------------------------------- what handles call */
/* The scope with a current key, its clock set; NULL, and the operator fails, without one. */
static raski_keyed_scope *with_key(rask_ctx *ctx) {
    raski_keyed_scope *scope = ctx->scope;
    if (scope == NULL || ctx->rows == &scope->no_key) {
        raski_keyed_scope_fail(ctx->op);
        return NULL;
    }
    if (scope->has_ttl) raski_keyed_table_set_now(scope->table, raski_operator_now_ms(ctx->op));
    return scope;
}

/* The same for a change. */
static raski_keyed_scope *with_key_to_write(rask_ctx *ctx) {
    raski_keyed_scope *scope = with_key(ctx);
    if (scope == NULL || !scope->read_only) return scope;
    (void)rask_fail(
        "broadcast state can be changed in RASK_ON_BROADCAST only: elsewhere the "
        "subtasks would differ");
    return NULL;
}

static char *row_of(const rask_ctx *ctx) {
    return ctx->rows[ctx->i];
}

/* Records a failure. */
static void check(const rask_ctx *ctx, rask_status status, const raski_error *error) {
    if (status != RASK_OK) raski_operator_fail(ctx->op, error);
}

/* Zeroes for a function that may still use what it asked for before it returns. */
static void *zeroes(const rask_ctx *ctx, size_t size) {
    void *memory = raski_batch_arena_alloc(&ctx->op->env->arena, size);
    if (memory != NULL) memset(memory, 0, size);
    return memory;
}

unsigned raski_state_track(rask_ctx *ctx, unsigned track) {
    unsigned number = track >> NUMBER_SHIFT;
    RASKI_LOCAL_ERROR(error);
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope == NULL) return 0;
    if (track & RASKI_TRACK_READS) {
        scope->cleared = true;
        check(ctx, raski_keyed_table_touch(scope->table, row_of(ctx), number, &error), &error);
    }
    if (track & RASKI_TRACK_POINTERS) {
        scope->tracked = true;
        check(ctx, raski_keyed_table_track(scope->table, row_of(ctx), number, &error), &error);
    }
    return number;
}

const void *raski_state_read(rask_ctx *ctx, unsigned track) {
    RASKI_LOCAL_ERROR(error);
    const void *value = NULL;
    raski_keyed_scope *scope = with_key(ctx);
    if (scope == NULL) return NULL;
    scope->cleared = true;
    check(ctx,
          raski_keyed_table_read(scope->table, row_of(ctx), track >> NUMBER_SHIFT, &value, &error),
          &error);
    return value;
}

void raski_state_clear(rask_ctx *ctx, unsigned track) {
    RASKI_LOCAL_ERROR(error);
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope == NULL) return;
    scope->cleared = true;
    check(ctx, raski_keyed_table_clear(scope->table, row_of(ctx), track >> NUMBER_SHIFT, &error),
          &error);
}

void raski_state_set_ttl(rask_ctx *ctx, unsigned track, rask_ttl ttl) {
    raski_keyed_scope *scope = ctx->scope;
    if (scope == NULL || scope->table != NULL)
        (void)rask_fail("rask_state_ttl belongs into RASK_OPEN");
    else if (ttl.time_ms <= 0)
        (void)rask_fail("rask_state_ttl: a time of %lld ms, it must be positive",
                        (long long)ttl.time_ms);
    else
        scope->ttls[track >> NUMBER_SHIFT] = ttl;
}

/* ---------------------------------------------------------------- lists */
raski_any_list raski_state_list_read(rask_ctx *ctx, unsigned track) {
    RASKI_LOCAL_ERROR(error);
    raski_list_view view = {0};
    raski_keyed_scope *scope = with_key(ctx);
    if (scope == NULL) return (raski_any_list){0};
    scope->cleared = true;
    check(ctx,
          raski_keyed_table_list(scope->table, row_of(ctx), track >> NUMBER_SHIFT, &view, &error),
          &error);
    return (raski_any_list){.count = view.count, .items = view.items};
}

void raski_state_list_change(rask_ctx *ctx, unsigned track, const void *items, size_t count,
                             bool replace) {
    unsigned number = track >> NUMBER_SHIFT;
    RASKI_LOCAL_ERROR(error);
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope == NULL) return;
    if (count > UINT32_MAX) {
        (void)rask_fail("a list of %zu items: at most %u are possible", count, UINT32_MAX);
        return;
    }
    if (replace) {
        scope->cleared = true;
        check(ctx,
              raski_keyed_table_list_replace(scope->table, row_of(ctx), number, items,
                                             (uint32_t)count, &error),
              &error);
    } else {
        check(ctx,
              raski_keyed_table_list_add(scope->table, row_of(ctx), number, items, (uint32_t)count,
                                         &error),
              &error);
    }
}

void raski_state_list_remove(rask_ctx *ctx, unsigned track, size_t from, size_t count) {
    RASKI_LOCAL_ERROR(error);
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope == NULL) return;
    unsigned number = track >> NUMBER_SHIFT;
    uint32_t present =
        raski_row_count(row_of(ctx), raski_keyed_table_state_offset(scope->table, number));
    if (from > present || count > present - from) {
        (void)rask_fail("rask_list_remove: there are no items %zu to %zu in a list of %u", from,
                        from + count, present);
        return;
    }
    scope->cleared = true;
    check(ctx,
          raski_keyed_table_list_remove(scope->table, row_of(ctx), number, (uint32_t)from,
                                        (uint32_t)count, &error),
          &error);
}

/* ---------------------------------------------------------------- maps */
const void *raski_state_map_get(rask_ctx *ctx, unsigned track, const void *key) {
    RASKI_LOCAL_ERROR(error);
    const void *value = NULL;
    raski_keyed_scope *scope = with_key(ctx);
    if (scope == NULL) return NULL;
    if (scope->has_ttl) scope->cleared = true;
    check(ctx,
          raski_keyed_table_map_get(scope->table, row_of(ctx), track >> NUMBER_SHIFT, key, &value,
                                    &error),
          &error);
    return value;
}

void *raski_state_map_ref(rask_ctx *ctx, unsigned track, const void *key, size_t size) {
    RASKI_LOCAL_ERROR(error);
    void *value = NULL;
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope != NULL) {
        scope->tracked = true;
        check(ctx,
              raski_keyed_table_map_ref(scope->table, row_of(ctx), track >> NUMBER_SHIFT, key,
                                        &value, NULL, &error),
              &error);
    }
    return value != NULL ? value : zeroes(ctx, size);
}

void raski_state_map_put(rask_ctx *ctx, unsigned track, const void *key, const void *value) {
    RASKI_LOCAL_ERROR(error);
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope == NULL) return;
    check(ctx,
          raski_keyed_table_map_put(scope->table, row_of(ctx), track >> NUMBER_SHIFT, key, value,
                                    &error),
          &error);
}

bool raski_state_map_remove(rask_ctx *ctx, unsigned track, const void *key) {
    RASKI_LOCAL_ERROR(error);
    bool removed = false;
    raski_keyed_scope *scope = with_key_to_write(ctx);
    if (scope == NULL) return false;
    scope->cleared = true;
    check(ctx,
          raski_keyed_table_map_remove(scope->table, row_of(ctx), track >> NUMBER_SHIFT, key,
                                       &removed, &error),
          &error);
    return removed;
}

uint32_t raski_state_map_count(rask_ctx *ctx, unsigned track) {
    raski_keyed_scope *scope = with_key(ctx);
    if (scope == NULL) return 0;
    return raski_row_count(row_of(ctx),
                           raski_keyed_table_state_offset(scope->table, track >> NUMBER_SHIFT));
}

bool raski_state_map_next(rask_ctx *ctx, unsigned track, uint32_t *position, const void **ret_key,
                          const void **ret_value) {
    RASKI_LOCAL_ERROR(error);
    raski_keyed_scope *scope = with_key(ctx);
    if (scope == NULL) return false;
    if (scope->has_ttl) scope->cleared = true;
    rask_status status = raski_keyed_table_map_next(
        scope->table, row_of(ctx), track >> NUMBER_SHIFT, position, ret_key, ret_value, &error);
    check(ctx, status, &error);
    return status == RASK_OK && *ret_key != NULL;
}

/* ---------------------------------------------------------------- all keys */
struct raski_key_loop {
    raski_keyed_walk *walk;
    char *rows[RASKI_LOOKUP_MAX];
    size_t at, count;
    char *const *outer_rows; /* of the context, before */
    size_t outer_i;
    char *row; /* the current key's */
};

static void leave_row(const rask_ctx *ctx, struct raski_key_loop *loop) {
    RASKI_LOCAL_ERROR(error);
    if (loop->row == NULL || ctx->scope->empty == NULL) return;
    check(ctx, raski_empty_rows_note(ctx->scope->empty, &loop->row, 1, &error), &error);
    loop->row = NULL;
}

bool raski_next_key(raski_key_cursor *cursor, rask_ctx *ctx, unsigned track) {
    raski_keyed_scope *scope = ctx->scope;
    struct raski_key_loop *loop = cursor->loop;
    RASKI_LOCAL_ERROR(error);
    if (scope == NULL || scope->table == NULL) {
        raski_keyed_scope_fail(ctx->op);
        return false;
    }
    if (loop == NULL) {
        loop = RASKI_NEW(struct raski_key_loop);
        loop->outer_rows = ctx->rows;
        loop->outer_i = ctx->i;
        cursor->loop = loop;
        cursor->ctx = ctx;
        rask_status status = raski_keyed_walk_begin(scope->table, &loop->walk, &error);
        check(ctx, status, &error);
        if (status != RASK_OK) return false;
    }
    leave_row(ctx, loop);
    while (!ctx->failed) {
        if (loop->at == loop->count) {
            loop->at = 0;
            rask_status status =
                raski_keyed_walk_next(loop->walk, loop->rows, &loop->count, &error);
            check(ctx, status, &error);
            if (status != RASK_OK || loop->count == 0) return false;
        }
        char *row = loop->rows[loop->at++];
        if (!raski_row_has(row, track >> NUMBER_SHIFT)) continue;
        loop->row = row;
        ctx->rows = &loop->row;
        ctx->i = 0;
        return true;
    }
    return false;
}

void raski_end_keys(raski_key_cursor *cursor) {
    struct raski_key_loop *loop = cursor->loop;
    if (loop == NULL) return;
    leave_row(cursor->ctx, loop);
    cursor->ctx->rows = loop->outer_rows;
    cursor->ctx->i = loop->outer_i;
    raski_keyed_walk_end(loop->walk);
    raski_free(loop);
    cursor->loop = NULL;
}

const void *raski_current_key(rask_ctx *ctx, const rask_type *type) {
    raski_keyed_scope *scope = with_key(ctx);
    if (scope != NULL) {
        const raski_key_spec *in_row = raski_keyed_table_key_in_row(scope->table);
        if (in_row->part_count - scope->namespace_parts == 1 &&
            raski_type_equal(in_row->parts[0].type, type))
            return row_of(ctx) + in_row->parts[0].offset;
        (void)rask_fail("rask_key: the key is not of type %s", type->name);
    }
    return zeroes(ctx, type->size); /* the function may still read it before it returns */
}
