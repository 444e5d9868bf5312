#include "operators/keyed_scope.h"

#include <string.h>

#include "types/layout.h"
#include "types/type_info.h"

/* What rask_value(T) looks like for any T. */
typedef struct any_value {
    rask_ctx *ctx;
    uint32_t offset;
    uint16_t index;
    uint16_t track;
    void *type;
} any_value;

rask_status raski_keyed_scope_init(raski_keyed_scope *scope, raski_keyed_table *table,
                                   rask_ctx *ctx, raski_error *err) {
    *scope = (raski_keyed_scope){.table = table};
    scope->no_key = raski_try_alloc(raski_keyed_table_row_size(table), 64);
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

rask_status raski_keyed_scope_specs(const raski_states *states, raski_state_spec *specs,
                                    size_t *count, raski_error *err) {
    if (*count + states->count > RASKI_STATES_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s has %zu keyed states, at most %zu are possible", states->type,
                          states->count, RASKI_STATES_MAX - *count);
    for (size_t i = 0; i < states->count; i++)
        specs[(*count)++] =
            (raski_state_spec){.name = states->fields[i].name, .type = states->fields[i].type};
    return RASK_OK;
}

static bool has_pointers(const rask_type *type) {
    raski_layout *layout = raski_layout_create(type);
    bool result = layout->has_pointers;
    raski_layout_destroy(layout);
    return result;
}

void raski_keyed_scope_bind(const raski_keyed_scope *scope, rask_ctx *ctx,
                            const raski_states *states, size_t first, void *self) {
    for (size_t i = 0; i < states->count; i++) {
        any_value handle = {.ctx = ctx,
                            .index = (uint16_t)(first + i),
                            .offset = raski_keyed_table_state_offset(scope->table, first + i),
                            .track = has_pointers(states->fields[i].type)};
        memcpy((char *)self + states->fields[i].offset, &handle, sizeof handle);
    }
}

void raski_keyed_scope_fail(raski_operator *op) {
    raski_error error = {0};
    (void)RASKI_FAIL(
        &error, RASK_FAILED, USER,
        "there is no current key: keyed state can be used in the function's body only, "
        "not in its hooks");
    raski_operator_fail(op, &error);
}

void raski_keyed_scope_check(raski_keyed_scope *scope, raski_operator *op) {
    if (*(const uint32_t *)(const void *)scope->no_key != 0) raski_keyed_scope_fail(op);
}

static bool has_key(const rask_ctx *ctx) {
    return ctx->scope != NULL && ctx->rows != &ctx->scope->no_key;
}

void raski_state_track(rask_ctx *ctx, unsigned index) {
    raski_error error = {0};
    if (!has_key(ctx)) {
        raski_keyed_scope_fail(ctx->op);
        return;
    }
    ctx->scope->tracked = true;
    if (raski_keyed_table_track(ctx->scope->table, ctx->rows[ctx->i], index, &error) != RASK_OK)
        raski_operator_fail(ctx->op, &error);
}

void raski_state_clear(rask_ctx *ctx, unsigned index) {
    raski_error error = {0};
    if (!has_key(ctx)) {
        raski_keyed_scope_fail(ctx->op);
        return;
    }
    ctx->scope->cleared = true;
    if (raski_keyed_table_clear(ctx->scope->table, ctx->rows[ctx->i], index, &error) != RASK_OK)
        raski_operator_fail(ctx->op, &error);
}

const void *raski_current_key(rask_ctx *ctx, const rask_type *type) {
    if (has_key(ctx)) {
        const raski_key_spec *in_row = raski_keyed_table_key_in_row(ctx->scope->table);
        if (in_row->part_count - ctx->scope->namespace_parts == 1 &&
            raski_type_equal(in_row->parts[0].type, type))
            return ctx->rows[ctx->i] + in_row->parts[0].offset;
        (void)rask_fail("rask_key: the key is not of type %s", type->name);
    } else {
        raski_keyed_scope_fail(ctx->op);
    }
    void *zeroes = raski_batch_arena_alloc(&ctx->op->env->arena, type->size);
    if (zeroes != NULL) memset(zeroes, 0, type->size);
    return zeroes; /* the function may still read it before it returns */
}
