/* rask/state.h - keyed state: what a function remembers of each key.
 *
 *   typedef struct {
 *       rask_value(int64_t) seen;
 *       rask_list_state(visit) last;
 *       rask_map_state(rask_string, int64_t) by_page;
 *   } visitor;
 *   RASK_STATE(visitor, seen, (last, visit), by_page);
 *
 * The fields of an instance struct are handles; in the body of a keyed function they reach the
 * state of the current key. RASK_STATE lists them all; types that C cannot tell are written beside
 * the name: (field, T) for records, timestamps, lists and optionals of records, (field, K, V) for
 * maps. Hooks have no current key, and fail the job when they ask for it. Strings and list items
 * that are put into state may be borrowed: state copies them. Pointers into state are good until
 * the body returns; what is emitted may borrow from them.
 *
 * Threads: the task's. Flink: ValueState, ListState, MapState, ReducingState, AggregatingState,
 * StateTtlConfig. */
#ifndef RASK_STATE_H
#define RASK_STATE_H
#include "rask/record.h"

#ifndef __cplusplus
/* ---------------------------------------------------------------- handles */
typedef struct raski_no_key {
    char none;
} raski_no_key;
/* track: RASKI_TRACK_* in the lower byte, the state's number in the upper one. index: the state's
 * bit in a row, or where reading takes more than a look at the row a bit that no row has. */
enum { RASKI_TRACK_POINTERS = 1, RASKI_TRACK_READS = 2 };
#define RASKI_HANDLE(KIND, K, T, extra) \
    struct { \
        rask_ctx *ctx; \
        uint32_t offset; \
        uint16_t index; \
        uint16_t track; \
        union { \
            T *type; \
            K *raski_key; \
            char (*raski_kind)[KIND]; \
            extra \
        }; \
    }
/* One value of T per key. */
#define rask_value(T) RASKI_HANDLE(RASKI_HANDLE_VALUE, raski_no_key, T, )
/* A list of T per key. */
#define rask_list_state(T) RASKI_HANDLE(RASKI_HANDLE_LIST, raski_no_key, T, )
/* A map from K to V per key. It iterates in the order in which keys came. */
#define rask_map_state(K, V) RASKI_HANDLE(RASKI_HANDLE_MAP, K, V, )
/* One value of T per key, to which T fn(T a, T b) (an ordinary function or a RASK_REDUCE) adds. */
#define rask_reducing_state(T, fn) \
    RASKI_HANDLE(RASKI_HANDLE_REDUCING, raski_no_key, T, char(*raski_adds_with_##fn)[1];)
/* One accumulator per key, of fn, a RASK_AGGREGATE (rask/window.h). */
#define rask_aggregating_state(fn) \
    RASKI_HANDLE(RASKI_HANDLE_AGGREGATING, raski_no_key, raski_acc_##fn, \
                 char(*raski_adds_with_##fn)[1];)

/* Which kind of state a handle is for, as a constant. */
#define RASKI_KIND_OF(s) sizeof(*(s).raski_kind)
#define RASKI_IS_KIND(s, KIND) (RASKI_KIND_OF(s) == (KIND))
/* An error in the user's line unless condition, which is made of RASKI_IS_KIND. */
#define RASKI_STATE_NEEDS(condition, message) \
    ((void)sizeof(struct { \
        _Static_assert(RASKI_QUIET(condition), message); \
        char raski_member; \
    }))
#define RASKI_NEEDS_VALUE(s, op) \
    RASKI_STATE_NEEDS( \
        RASKI_IS_KIND(s, RASKI_HANDLE_VALUE) || RASKI_IS_KIND(s, RASKI_HANDLE_REDUCING), op \
        " takes a rask_value: lists, maps and aggregating states have calls of " \
        "their own (rask/state.h)")
#define RASKI_NEEDS_LIST(s, op) \
    RASKI_STATE_NEEDS(RASKI_IS_KIND(s, RASKI_HANDLE_LIST), op " takes a rask_list_state")
#define RASKI_NEEDS_MAP(s, op) \
    RASKI_STATE_NEEDS(RASKI_IS_KIND(s, RASKI_HANDLE_MAP), op " takes a rask_map_state")

/* The address of a value of the type that member of the handle points to. The condition insists on
 * that type: initialising alone would take a number for the first member of a record. */
#define RASKI_STATE_ITEM(s, member, ...) \
    (&(__typeof__(*(s).member)[]){(1 ? (__VA_ARGS__) : *(s).member)}[0])

/* ---------------------------------------------------------------- RASK_STATE */
#define RASKI_STATE_FIELD(S, f, U, TYPE, KEY) \
    {.name = #f, \
     .offset = offsetof(S, f), \
     .size = sizeof(U), \
     .kind = (raski_handle_kind)RASKI_KIND_OF(RASKI_AT(S, f)), \
     .type = TYPE, \
     .map_key = KEY},
#define RASKI_STATE_0(S, f) \
    RASKI_STATE_FIELD(S, f, *RASKI_AT(S, f).type, RASKI_TYPE_OF(*RASKI_AT(S, f).type), \
                      RASKI_TYPE_OF(*RASKI_AT(S, f).raski_key))
#define RASKI_STATE_1(S, f) RASKI_STATE_1_(S, RASKI_UNPAREN f)
#define RASKI_STATE_1_(S, ...) RASKI_CAT(RASKI_STATE_OF_, RASKI_COUNT(__VA_ARGS__))(S, __VA_ARGS__)
#define RASKI_STATE_OF_2(S, f, U) RASKI_STATE_FIELD(S, f, U, &RASKI_CAT(rask_type_, U), NULL)
#define RASKI_STATE_OF_3(S, f, K, V) \
    RASKI_STATE_FIELD(S, f, V, &RASKI_CAT(rask_type_, V), &RASKI_CAT(rask_type_, K))
#define RASKI_STATE(S, f) RASKI_CAT(RASKI_STATE_, RASKI_IS_PAREN(f))(S, f)
#define RASKI_STATE_CHECK_0(S, f) \
    _Static_assert(RASKI_QUIET(RASKI_IS_KIND(RASKI_AT(S, f), RASKI_HANDLE_MAP) || \
                               RASKI_IS_KNOWN(*RASKI_AT(S, f).type)), \
                   "RASK_STATE(" #S "): state '" #f "' is a record: write (" #f ", its_type)"); \
    _Static_assert(RASKI_QUIET(!RASKI_IS_KIND(RASKI_AT(S, f), RASKI_HANDLE_MAP) || \
                               (RASKI_IS_KNOWN(*RASKI_AT(S, f).type) && \
                                RASKI_IS_KNOWN(*RASKI_AT(S, f).raski_key))), \
                   "RASK_STATE(" #S "): map '" #f "' has records: write (" #f \
                   ", its_key_type, its_value_type)");
#define RASKI_STATE_CHECK_1(S, f) RASKI_STATE_CHECK_1_(S, RASKI_UNPAREN f)
#define RASKI_STATE_CHECK_1_(S, ...) \
    RASKI_CAT(RASKI_STATE_CHECK_OF_, RASKI_COUNT(__VA_ARGS__))(S, __VA_ARGS__)
#define RASKI_STATE_CHECK_OF_2(S, f, U) \
    _Static_assert(RASKI_QUIET(!RASKI_IS_KIND(RASKI_AT(S, f), RASKI_HANDLE_MAP)), \
                   "RASK_STATE(" #S "): '" #f "' is a map: write (" #f \
                   ", its_key_type, its_value_type)"); \
    _Static_assert(__builtin_types_compatible_p(__typeof__(*RASKI_AT(S, f).type), U), \
                   "RASK_STATE(" #S "): state '" #f "' is not of type " #U);
#define RASKI_STATE_CHECK_OF_3(S, f, K, V) \
    _Static_assert(RASKI_QUIET(RASKI_IS_KIND(RASKI_AT(S, f), RASKI_HANDLE_MAP)), \
                   "RASK_STATE(" #S "): '" #f "' is no map: write (" #f ", its_type)"); \
    _Static_assert(__builtin_types_compatible_p(__typeof__(*RASKI_AT(S, f).raski_key), K), \
                   "RASK_STATE(" #S "): keys of map '" #f "' are not of type " #K); \
    _Static_assert(__builtin_types_compatible_p(__typeof__(*RASKI_AT(S, f).type), V), \
                   "RASK_STATE(" #S "): values of map '" #f "' are not of type " #V);
#define RASKI_STATE_CHECK(S, f) RASKI_CAT(RASKI_STATE_CHECK_, RASKI_IS_PAREN(f))(S, f)
/* An instance struct with keyed states: all its handles (see the head of this file). */
#define RASK_STATE(SELF, ...) \
    RASKI_EACH(RASKI_STATE_CHECK, SELF, __VA_ARGS__) \
    RASKI_UNUSED static const raski_state_field raski_state_fields_##SELF[] = { \
        RASKI_EACH(RASKI_STATE, SELF, __VA_ARGS__)}; \
    RASKI_UNUSED static const raski_states raski_states_##SELF = { \
        #SELF, sizeof(SELF), raski_state_fields_##SELF, RASKI_COUNT(__VA_ARGS__)}; \
    struct raski_semicolon

/* ---------------------------------------------------------------- values */
static inline const void *raski_state_get(rask_ctx *ctx, uint32_t offset, unsigned index,
                                          unsigned track) {
    char *row = ctx->rows[ctx->i];
    if (*(uint32_t *)(void *)row >> index & 1U) return row + offset;
    return RASKI_UNLIKELY(track & RASKI_TRACK_READS) ? raski_state_read(ctx, track) : NULL;
}
static inline void *raski_state_ref(rask_ctx *ctx, uint32_t offset, unsigned index,
                                    unsigned track) {
    if (RASKI_UNLIKELY(track & (RASKI_TRACK_POINTERS | RASKI_TRACK_READS)))
        index = raski_state_track(ctx, track);
    char *row = ctx->rows[ctx->i];
    uint32_t *present = (uint32_t *)(void *)row;
    if (RASKI_UNLIKELY(!(*present >> index & 1U))) *present |= 1U << index; /* a store less */
    return row + offset;
}
/* const T *: the value of the current key; NULL when it is not set. Flink: ValueState.value. */
#define rask_get(s) \
    (RASKI_NEEDS_VALUE(s, "rask_get"), \
     (const __typeof__(*(s).type) *)raski_state_get((s).ctx, (s).offset, (s).index, (s).track))
/* T: the value, or another one when it is not set: rask_get_or(self->seen, 0). */
#define rask_get_or(s, ...) \
    (*(const __typeof__(*(s).type) *)raski_either(rask_get(s), \
                                                  RASKI_STATE_ITEM(s, type, __VA_ARGS__)))
static inline const void *raski_either(const void *a, const void *b) {
    return a ? a : b;
}
/* T *: the value, to be changed in place; zeroed when it was not set. */
#define rask_ref(s) \
    (RASKI_NEEDS_VALUE(s, "rask_ref"), \
     (__typeof__((s).type))raski_state_ref((s).ctx, (s).offset, (s).index, (s).track))
/* Sets it. Flink: ValueState.update. */
#define rask_set(s, ...) ((void)(*rask_ref(s) = (__VA_ARGS__)))
/* Of every kind of state: the key has none any more. Flink: State.clear. */
#define rask_clear(s) \
    (RASKI_STATE_NEEDS(RASKI_KIND_OF(s) > 0, ""), raski_state_clear((s).ctx, (s).track))

/* ---------------------------------------------------------------- lists */
static inline raski_any_list raski_state_list_of(rask_ctx *ctx, uint32_t offset, unsigned track) {
    if (RASKI_UNLIKELY(track & RASKI_TRACK_READS)) return raski_state_list_read(ctx, track);
    const struct {
        const void *items;
        uint32_t count, capacity;
    } *slot = (const void *)(ctx->rows[ctx->i] + offset);
    return (raski_any_list){.count = slot->count, .items = slot->items};
}
/* const T *: the items, rask_list_count(s) of them, which stay as they are also when the list
 * changes. Flink: ListState.get. */
#define rask_list_items(s) \
    (RASKI_NEEDS_LIST(s, "rask_list_items"), \
     (const __typeof__(*(s).type) *)raski_state_list_of((s).ctx, (s).offset, (s).track).items)
/* uint32_t: how many items there are. */
#define rask_list_count(s) \
    (RASKI_NEEDS_LIST(s, "rask_list_count"), raski_state_list_of((s).ctx, (s).offset, (s).track).count)
/* Appends an item: rask_list_add(self->last, v). Flink: ListState.add. */
#define rask_list_add(s, ...) \
    (RASKI_NEEDS_LIST(s, "rask_list_add"), \
     raski_state_list_change((s).ctx, (s).track, RASKI_STATE_ITEM(s, type, __VA_ARGS__), 1, \
                       false))
/* Appends n items from an array of T. Flink: ListState.addAll. */
#define rask_list_add_all(s, array, n) \
    (RASKI_NEEDS_LIST(s, "rask_list_add_all"), \
     raski_state_list_change((s).ctx, (s).track, (const __typeof__(*(s).type) *){(array)}, (n), false))
/* The list becomes n items from an array of T; none: it is cleared. Flink: ListState.update. */
#define rask_list_replace(s, array, n) \
    (RASKI_NEEDS_LIST(s, "rask_list_replace"), \
     raski_state_list_change((s).ctx, (s).track, (const __typeof__(*(s).type) *){(array)}, (n), true))
/* Removes n items, the first of them number `from` (from 0). They must exist. Flink's lists are
 * written anew for that. */
#define rask_list_remove(s, from, n) \
    (RASKI_NEEDS_LIST(s, "rask_list_remove"), raski_state_list_remove((s).ctx, (s).track, (from), (n)))

/* ---------------------------------------------------------------- maps */
#define RASKI_MAP_KEY(s, key) RASKI_STATE_ITEM(s, raski_key, key)
/* const V *: the value of a key; NULL when it is not in the map. Flink: MapState.get. */
#define rask_map_get(s, key) \
    (RASKI_NEEDS_MAP(s, "rask_map_get"), \
     (const __typeof__(*(s).type) *)raski_state_map_get((s).ctx, (s).track, RASKI_MAP_KEY(s, key)))
/* bool: whether it is in the map. Flink: MapState.contains. */
#define rask_map_contains(s, key) \
    (RASKI_NEEDS_MAP(s, "rask_map_contains"), \
     raski_state_map_get((s).ctx, (s).track, RASKI_MAP_KEY(s, key)) != NULL)
/* V *: the value of a key, to be changed in place; put into the map, zeroed, when it was not there.
 */
#define rask_map_ref(s, key) \
    (RASKI_NEEDS_MAP(s, "rask_map_ref"), \
     (__typeof__((s).type))raski_state_map_ref((s).ctx, (s).track, RASKI_MAP_KEY(s, key), \
                                               sizeof(*(s).type)))
/* Flink: MapState.put. */
#define rask_map_put(s, key, ...) \
    (RASKI_NEEDS_MAP(s, "rask_map_put"), \
     raski_state_map_put((s).ctx, (s).track, RASKI_MAP_KEY(s, key), \
                   RASKI_STATE_ITEM(s, type, __VA_ARGS__)))
/* bool: whether it was there. Flink: MapState.remove. */
#define rask_map_remove(s, key) \
    (RASKI_NEEDS_MAP(s, "rask_map_remove"), \
     raski_state_map_remove((s).ctx, (s).track, RASKI_MAP_KEY(s, key)))
/* uint32_t: entries (with time-to-live also those that have expired and were not met yet). */
#define rask_map_count(s) \
    (RASKI_NEEDS_MAP(s, "rask_map_count"), raski_state_map_count((s).ctx, (s).track))
/* A loop over the entries, in the order in which their keys came; e is a name of yours:
 *   rask_map_each(self->by_page, e) sum += *e.value;   e.key: const K *, e.value: V *
 * The entry may be removed in the loop. Flink: MapState.entries. */
#define rask_map_each(s, e) \
    for ( \
        struct { \
            uint32_t raski_position; \
            const __typeof__(*(s).raski_key) *key; \
            const __typeof__(*(s).type) *value; \
        } e = {0, NULL, NULL}; \
        RASKI_NEEDS_MAP(s, "rask_map_each"), \
          raski_state_map_next((s).ctx, (s).track, &e.raski_position, (const void **)&e.key, \
                         (const void **)&e.value);)

/* ---------------------------------------------------------------- reducing, aggregating */
/* Adds to a rask_reducing_state(T, fn), which rask_get reads: rask_add(self->most, larger, v).
 * Flink: ReducingState.add. */
#define rask_add(s, fn, ...) \
    __extension__({ \
        RASKI_STATE_NEEDS(RASKI_IS_KIND(s, RASKI_HANDLE_REDUCING), \
                          "rask_add takes a rask_reducing_state"); \
        (void)sizeof((s).raski_adds_with_##fn); \
        const __typeof__(*(s).type) *raski_old_ = rask_get(s); \
        __typeof__(*(s).type) raski_new_ = (__VA_ARGS__); \
        if (raski_old_) raski_new_ = fn(*raski_old_, raski_new_); \
        *rask_ref(s) = raski_new_; \
    })
/* Adds to a rask_aggregating_state(fn): rask_aggregate(self->mean, mean, v).
 * Flink: AggregatingState.add. */
#define rask_aggregate(s, fn, ...) \
    __extension__({ \
        RASKI_STATE_NEEDS(RASKI_IS_KIND(s, RASKI_HANDLE_AGGREGATING), \
                          "rask_aggregate takes a rask_aggregating_state"); \
        (void)sizeof((s).raski_adds_with_##fn); \
        fn((__VA_ARGS__), \
           (raski_acc_##fn *)raski_state_ref((s).ctx, (s).offset, (s).index, (s).track)); \
    })
/* bool: whether something was added; then *ret gets the result of the accumulator.
 * Flink: AggregatingState.get. */
#define rask_result(s, fn, ret) \
    __extension__({ \
        RASKI_STATE_NEEDS(RASKI_IS_KIND(s, RASKI_HANDLE_AGGREGATING), \
                          "rask_result takes a rask_aggregating_state"); \
        (void)sizeof((s).raski_adds_with_##fn); \
        const raski_acc_##fn *raski_acc_ = \
            (const raski_acc_##fn *)raski_state_get((s).ctx, (s).offset, (s).index, (s).track); \
        if (raski_acc_) *(ret) = raski_result_##fn(raski_acc_); \
        raski_acc_ != NULL; \
    })

/* ---------------------------------------------------------------- time-to-live, all keys */
/* In RASK_OPEN: values of this state, items of this list, entries of this map live so long.
 *   rask_state_ttl(&self->seen, .time_ms = 3600000, .update = RASK_TTL_ON_READ_AND_WRITE);
 * Flink: StateDescriptor.enableTimeToLive. */
#define rask_state_ttl(s, ...) \
    (RASKI_STATE_NEEDS(RASKI_KIND_OF(*(s)) > 0, ""), \
     raski_state_set_ttl((s)->ctx, (s)->track, (rask_ttl){__VA_ARGS__}))
/* A loop over all keys of this subtask for which state s is set, in no particular order; inside,
 * the current key (rask_key, all states) is each of them in turn. Also in functions of a broadcast
 * input, which have no current key. Keys must not be added meanwhile: only the current one's state
 * may change. With the rocksdb backend all these keys come into memory for the batch.
 *   rask_each_key(out, self->seen) rask_emit(out, (total){*rask_key(out, int64_t),
 * *rask_get(self->seen)}); Flink: KeyedBroadcastProcessFunction.Context.applyToKeyedState. */
#define rask_each_key(out, s) \
    for (raski_key_cursor raski_cursor_ __attribute__((cleanup(raski_end_keys))) = {0}; \
         raski_next_key(&raski_cursor_, (out)->ctx, (s).track);)
#endif /* !__cplusplus */
#endif
