/* keyed_scope.h - where the keyed state of running user code is: a table, and the row of the
 * current key. The state handles of an instance reach it through their context (rask_ctx.scope). A
 * keyed function has one scope; a window function has two, for states of its key and of its window.
 * Threads: the task's. */
#ifndef RASKI_OPERATORS_KEYED_SCOPE_H
#define RASKI_OPERATORS_KEYED_SCOPE_H
#include "operators/keyed_input.h"
#include "operators/operator.h"
#include "state/keyed_table.h"

typedef struct raski_keyed_scope {
    raski_keyed_table *table; /* borrowed; NULL: the open hook runs, which may still say how */
    char *no_key; /* a row for hooks, which have no current key; always without state; owned */
    uint32_t namespace_parts; /* at the end of the table's key, which are not the user\'s */
    bool tracked;             /* a state with pointers was written since the last adopt */
    bool cleared;             /* a state was cleared since this was last unset */
    bool read_only;           /* broadcast state, but where its own input is processed */
    bool has_ttl;
    rask_ttl ttls[RASKI_STATES_MAX]; /* that the open hook set; by number in the instance */
    raski_empty_rows *empty;         /* borrowed: where rask_each_key notes rows without state */
} raski_keyed_scope;

/* Before the open hook runs: handles of these states may be given a time-to-live (see ttls), and
 * have no current key. Then _specs, _init and _bind once the hook has run. RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_keyed_scope_prepare(raski_keyed_scope *scope, rask_ctx *ctx,
                                                      const raski_states *states, void *self,
                                                      raski_error *err);

/* A scope over a table (borrowed), for a context that gets it, with no current key; it may have
 * been prepared. RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_keyed_scope_init(raski_keyed_scope *scope,
                                                   raski_keyed_table *table, rask_ctx *ctx,
                                                   raski_error *err);
void raski_keyed_scope_fini(raski_keyed_scope *scope);
/* Appends the specifications of an instance's states to specs, which has count of at most
 * RASKI_STATES_MAX. RASK_E_ARGUMENT: too many. */
RASKI_NODISCARD rask_status raski_keyed_scope_specs(const raski_keyed_scope *scope,
                                                    const raski_states *states,
                                                    raski_state_spec *specs, size_t *count,
                                                    raski_error *err);
/* Points the handles of these states in an instance at ctx and the table; the first of them is
 * state number `first` of the table. */
void raski_keyed_scope_bind(raski_keyed_scope *scope, rask_ctx *ctx, const raski_states *states,
                            size_t first, void *self);
/* No current key from now on. */
static inline void raski_keyed_scope_leave(raski_keyed_scope *scope, rask_ctx *ctx) {
    ctx->rows = &scope->no_key;
    ctx->i = 0;
}
/* Fails the operator when a hook has set a state, unseen, without a key. */
void raski_keyed_scope_check(raski_keyed_scope *scope, raski_operator *op);
/* Fails the operator: it wants a key, and there is none. */
void raski_keyed_scope_fail(raski_operator *op);
/* After user code: what it put into states is copied. */
static inline rask_status raski_keyed_scope_adopt(raski_keyed_scope *scope, raski_error *err) {
    if (!scope->tracked) return RASK_OK;
    scope->tracked = false;
    return raski_keyed_table_adopt(scope->table, err);
}
#endif
