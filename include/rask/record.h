/* rask/record.h - RASK_TYPE: describes a record struct, and the typed stream handles of it.
 *
 *   typedef struct { rask_string word; int64_t count; } word_count;
 *   RASK_TYPE(word_count, word, count);
 *
 * Lists every field in the order of the struct; kinds come from the C types: int8_t .. int64_t,
 * float, double, bool, rask_string, rask_bytes, the decimals, dates and times of rask/values.h, fixed
 * arrays of them, and lists and optionals of them (rask_list(int64_t), rask_optional(double)). What
 * C cannot tell by itself is written (field, its_type): nested records, enumerations, variants and
 * maps, lists, optionals and arrays of those, timestamps:
 *
 *   typedef struct { rask_timestamp at; place where; rask_optional(place) before; } move;
 *   RASK_TYPE(move, (at, rask_timestamp), (where, place), (before, rask_optional(place)));
 *
 * Up to 32 fields; nest records for more. A forgotten, misspelt or reordered field is a compile
 * error. Unsigned integers, plain enums and pointers have no Flink counterpart and are refused.
 * Expands to static descriptions and typedefs (rask_stream_T, rask_keyed_T, rask_list_T, ...);
 * use it once per translation unit, at file scope, after the struct. T is one identifier.
 *
 *   RASK_ENUM(color, RED, GREEN, BLUE);                  an enum with its names
 *
 *   typedef struct { int32_t which; union { circle round; square angular; }; } shape;
 *   RASK_VARIANT(shape, (round, circle), (angular, square));   one of several; shape_round is 0, ...
 *
 *   RASK_MAP_OF(rask_string, int64_t);                   rask_map_of(rask_string, int64_t)
 *
 * each likewise once per translation unit, before it is used. */
#ifndef RASK_RECORD_H
#define RASK_RECORD_H
#include "rask/detail/foreach.h"
#include "rask/runtime.h"

#ifndef __cplusplus
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define RASKI_CLEAR_PADDING(p) __builtin_clear_padding(p)
#endif
#endif

typedef bool rask_bool; /* bool as one word, for handles: rask_stream(rask_bool) */
typedef struct raski_stream raski_stream;

#define rask_stream(T) rask_stream_##T
#define rask_keyed(T) rask_keyed_##T
#define rask_list(T) rask_list_##T         /* { uint32_t count; const T *items; } */
#define rask_optional(T) rask_optional_##T /* { bool present; T value; } */
#define rask_iterator(T) rask_iterator_##T
#define rask_some(T, ...) ((rask_optional_##T){true, __VA_ARGS__})
#define rask_none(T) ((rask_optional_##T){.present = false})

/* Typed handles by value, so that a mismatch is an error in every compiler, not a warning. */
#define RASKI_HANDLES(T) \
    typedef struct rask_iterator_##T { \
        struct raski_iterator *it; \
        const T *rec; \
    } rask_iterator_##T; \
    typedef union rask_stream_##T rask_stream_##T; \
    typedef union rask_windowed_##T rask_windowed_##T; \
    typedef union rask_keyed_##T { \
        raski_stream *node; \
        const T *rec; \
        const T *raski_needs_key_by; \
        rask_stream_##T *stream; \
        rask_windowed_##T *windowed; \
    } rask_keyed_##T; \
    union rask_windowed_##T { \
        raski_stream *node; \
        const T *rec; \
        const T *raski_needs_window; \
        rask_keyed_##T *keyed; \
        rask_stream_##T *stream; \
    }; \
    union rask_stream_##T { \
        raski_stream *node; \
        const T *rec; \
        rask_keyed_##T *keyed; \
        rask_windowed_##T *windowed; \
        rask_stream_##T *stream; \
        rask_iterator_##T *iterator; \
    }; \
    typedef struct rask_out_##T { \
        rask_ctx *ctx; \
        T *cur, *end; \
    } rask_out_##T; \
    typedef struct rask_request_##T { \
        struct raski_async_request *raski_request; \
        const T *rec; \
    } rask_request_##T; \
    RASKI_UNUSED static inline raski_stream *raski_take_##T(rask_stream_##T s) { \
        return s.node; \
    } \
    RASKI_UNUSED static inline raski_stream *raski_take_keyed_##T(rask_keyed_##T s) { \
        return s.node; \
    } \
    RASKI_UNUSED static inline raski_stream *raski_take_windowed_##T(rask_windowed_##T s) { \
        return s.node; \
    } \
    RASKI_UNUSED static inline const T *raski_same_##T(const T *p) { \
        return p; \
    }
#define RASKI_CONTAINERS(T) \
    typedef struct rask_list_##T { \
        uint32_t count; \
        uint32_t raski_reserved; \
        const T *items; \
    } rask_list_##T; \
    typedef struct rask_optional_##T { \
        bool present; \
        T value; \
    } rask_optional_##T; \
    RASKI_UNUSED static const rask_type rask_type_rask_list_##T = { \
        .name = "rask_list(" #T ")", \
        .kind = RASK_KIND_LIST, \
        .size = sizeof(rask_list_##T), \
        .align = _Alignof(rask_list_##T), \
        .element = &rask_type_##T}; \
    RASKI_UNUSED static const rask_type rask_type_rask_optional_##T = { \
        .name = "rask_optional(" #T ")", \
        .kind = RASK_KIND_OPTIONAL, \
        .size = sizeof(rask_optional_##T), \
        .align = _Alignof(rask_optional_##T), \
        .element = &rask_type_##T, \
        .value_offset = offsetof(rask_optional_##T, value)};

RASKI_CONTAINERS(int8_t)
RASKI_CONTAINERS(int16_t)
RASKI_CONTAINERS(int32_t)
RASKI_CONTAINERS(int64_t)
RASKI_CONTAINERS(float)
RASKI_CONTAINERS(double)
RASKI_CONTAINERS(rask_bool)
RASKI_CONTAINERS(rask_string)
RASKI_CONTAINERS(rask_bytes)
RASKI_CONTAINERS(rask_decimal)
RASKI_CONTAINERS(rask_date)
RASKI_CONTAINERS(rask_time)
RASKI_CONTAINERS(rask_datetime)
RASKI_CONTAINERS(rask_instant)
RASKI_CONTAINERS(rask_duration)
RASKI_CONTAINERS(rask_timestamp) /* (f, rask_list(rask_timestamp)): to C they are int64_t */

/* The description of an expression's type; NULL where C cannot tell. m is applied to each known
 * type. */
#define RASKI_BY_TYPE(x, m, otherwise) \
    _Generic((x), int8_t: m(int8_t), int16_t: m(int16_t), int32_t: m(int32_t), \
        int64_t: m(int64_t), float: m(float), double: m(double), _Bool: m(rask_bool), \
        rask_string: m(rask_string), rask_bytes: m(rask_bytes), \
        rask_decimal: m(rask_decimal), rask_date: m(rask_date), rask_time: m(rask_time), \
        rask_datetime: m(rask_datetime), rask_instant: m(rask_instant), \
        rask_duration: m(rask_duration), \
        rask_list_int8_t: m(rask_list_int8_t), rask_list_int16_t: m(rask_list_int16_t), \
        rask_list_int32_t: m(rask_list_int32_t), rask_list_int64_t: m(rask_list_int64_t), \
        rask_list_float: m(rask_list_float), rask_list_double: m(rask_list_double), \
        rask_list_rask_bool: m(rask_list_rask_bool), \
        rask_list_rask_string: m(rask_list_rask_string), \
        rask_list_rask_bytes: m(rask_list_rask_bytes), \
        rask_optional_int8_t: m(rask_optional_int8_t), \
        rask_optional_int16_t: m(rask_optional_int16_t), \
        rask_optional_int32_t: m(rask_optional_int32_t), \
        rask_optional_int64_t: m(rask_optional_int64_t), \
        rask_optional_float: m(rask_optional_float), \
        rask_optional_double: m(rask_optional_double), \
        rask_optional_rask_bool: m(rask_optional_rask_bool), \
        rask_optional_rask_string: m(rask_optional_rask_string), \
        rask_optional_rask_bytes: m(rask_optional_rask_bytes), \
        rask_list_rask_decimal: m(rask_list_rask_decimal), \
        rask_optional_rask_decimal: m(rask_optional_rask_decimal), \
        rask_list_rask_date: m(rask_list_rask_date), \
        rask_optional_rask_date: m(rask_optional_rask_date), \
        rask_list_rask_time: m(rask_list_rask_time), \
        rask_optional_rask_time: m(rask_optional_rask_time), \
        rask_list_rask_datetime: m(rask_list_rask_datetime), \
        rask_optional_rask_datetime: m(rask_optional_rask_datetime), \
        rask_list_rask_instant: m(rask_list_rask_instant), \
        rask_optional_rask_instant: m(rask_optional_rask_instant), \
        rask_list_rask_duration: m(rask_list_rask_duration), \
        rask_optional_rask_duration: m(rask_optional_rask_duration), \
        default: otherwise)
#define RASKI_REF(T) &rask_type_##T
#define RASKI_ONE(T) 1
/* p: a pointer to the field. A C array is told from a pointer by what its address points to. */
#define RASKI_ARRAY_BY_TYPE(x, m, otherwise) \
    _Generic((x), int8_t *: m(int8_t), int16_t *: m(int16_t), int32_t *: m(int32_t), \
        int64_t *: m(int64_t), float *: m(float), double *: m(double), _Bool *: m(rask_bool), \
        rask_string *: m(rask_string), rask_bytes *: m(rask_bytes), \
        rask_decimal *: m(rask_decimal), rask_date *: m(rask_date), rask_time *: m(rask_time), \
        rask_datetime *: m(rask_datetime), rask_instant *: m(rask_instant), \
        rask_duration *: m(rask_duration), default: otherwise)
#define RASKI_IS_POINTER(p) \
    _Generic((p), int8_t **: 1, int16_t **: 1, int32_t **: 1, int64_t **: 1, float **: 1, \
        double **: 1, _Bool **: 1, rask_string **: 1, rask_bytes **: 1, rask_decimal **: 1, \
        rask_date **: 1, rask_time **: 1, rask_datetime **: 1, rask_instant **: 1, \
        rask_duration **: 1, default: 0)
#define RASKI_NO_TYPE ((const rask_type *)0)
#define RASKI_TYPE_OF(x) \
    RASKI_BY_TYPE(x, RASKI_REF, RASKI_ARRAY_BY_TYPE(x, RASKI_REF, RASKI_NO_TYPE))
#define RASKI_ELEMENT_SIZE_(T) sizeof(T)
#define RASKI_LENGTH_OF(x) \
    ((uint32_t)(RASKI_ARRAY_BY_TYPE(x, RASKI_ONE, 0) \
                    ? (sizeof(x)) / (RASKI_ARRAY_BY_TYPE(x, RASKI_ELEMENT_SIZE_, 1U)) \
                    : 0))
/* A condition as one _Generic, which compilers do not print when an assertion on it fails. */
#define RASKI_QUIET(condition) \
    _Generic((char(*)[1 + ((condition) ? 1 : 0)])0, char(*)[2]: 1, default: 0)
#define RASKI_IS_KNOWN(x) \
    RASKI_QUIET(RASKI_BY_TYPE(x, RASKI_ONE, 0) || \
                (RASKI_ARRAY_BY_TYPE(x, RASKI_ONE, 0) && !RASKI_IS_POINTER(&(x))))
#define RASKI_IS_BASIC(x) \
    _Generic((x), rask_string: 1, int8_t: 1, int16_t: 1, int32_t: 1, int64_t: 1, float: 1, \
        double: 1, _Bool: 1, default: 0)
/* What may be a key. */
#define RASKI_IS_KEY(x) \
    _Generic((x), rask_string: 1, int8_t: 1, int16_t: 1, int32_t: 1, int64_t: 1, float: 1, \
        double: 1, _Bool: 1, rask_decimal: 1, rask_date: 1, rask_time: 1, rask_datetime: 1, \
        rask_instant: 1, rask_duration: 1, default: 0)
#define RASKI_IS_NUMBER(x) \
    _Generic((x), int8_t: 1, int16_t: 1, int32_t: 1, int64_t: 1, float: 1, double: 1, default: 0)

/* a field: its name alone, or (name, type) */
#define RASKI_AT(T, f) (((T *)0)->f)
#define RASKI_FIELD_0(T, f) \
    {#f, offsetof(T, f), sizeof RASKI_AT(T, f), RASKI_TYPE_OF(RASKI_AT(T, f)), \
     RASKI_LENGTH_OF(RASKI_AT(T, f))},
#define RASKI_FIELD_1(T, f) RASKI_FIELD_1_(T, RASKI_UNPAREN f)
#define RASKI_FIELD_1_(T, ...) RASKI_FIELD_1__(T, __VA_ARGS__)
#define RASKI_FIELD_1__(T, f, U) \
    {#f, offsetof(T, f), sizeof RASKI_AT(T, f), &RASKI_CAT(rask_type_, U), \
     __builtin_types_compatible_p(__typeof__(RASKI_AT(T, f)), U) \
         ? 0 \
         : (uint32_t)(sizeof RASKI_AT(T, f) / sizeof(U))},
#define RASKI_FIELD(T, f) RASKI_CAT(RASKI_FIELD_, RASKI_IS_PAREN(f))(T, f)
#define RASKI_PLACE_0(T, f) \
    _Static_assert(offsetof(struct raski_mirror_##T, f) == offsetof(T, f), \
                   "RASK_TYPE(" #T "): list every field, in the order of the struct ('" #f \
                   "' is not where the list says)");
#define RASKI_PLACE_1(T, f) RASKI_PLACE_1_(T, RASKI_UNPAREN f)
#define RASKI_PLACE_1_(T, ...) RASKI_PLACE_1__(T, __VA_ARGS__)
#define RASKI_PLACE_1__(T, f, U) RASKI_PLACE_0(T, f)
#define RASKI_PLACE(T, f) RASKI_CAT(RASKI_PLACE_, RASKI_IS_PAREN(f))(T, f)
/* clang alone can tell at compile time that a trailing field is missing where padding would be;
 * for gcc the probe finds it when the program is built (rask_execute). */
#ifdef __clang__
#define RASKI_ZERO(T, f) {0},
#define RASKI_EVERY_FIELD(T, ...) \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wbraced-scalar-init\"") \
        _Pragma("GCC diagnostic error \"-Wmissing-field-initializers\"") \
            RASKI_UNUSED static inline size_t raski_every_field_of_##T##_is_listed(void) { \
        return sizeof((T){RASKI_EACH(RASKI_ZERO, T, __VA_ARGS__)}); \
    } \
    _Pragma("GCC diagnostic pop")
#else
#define RASKI_EVERY_FIELD(T, ...)
#endif
#define RASKI_CHECK_0(T, f) \
    _Static_assert(RASKI_IS_KNOWN(RASKI_AT(T, f)), \
                   "RASK_TYPE(" #T "): field '" #f \
                   "' has no Flink counterpart; for a nested record, a RASK_ENUM, a variant or a map " \
                   "write (" #f ", its_type)");
#define RASKI_CHECK_1(T, f) RASKI_CHECK_1_(T, RASKI_UNPAREN f)
#define RASKI_CHECK_1_(T, ...) RASKI_CHECK_1__(T, __VA_ARGS__)
#define RASKI_CHECK_1__(T, f, U) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(RASKI_AT(T, f)), U) || \
                       __builtin_types_compatible_p(__typeof__(RASKI_AT(T, f)), \
                                                    U[sizeof RASKI_AT(T, f) / sizeof(U)]), \
                   "RASK_TYPE(" #T "): field '" #f "' is not of type " #U);
#define RASKI_CHECK(T, f) RASKI_CAT(RASKI_CHECK_, RASKI_IS_PAREN(f))(T, f)
#define RASKI_MIRROR_0(T, f) __typeof__(RASKI_AT(T, f)) f;
#define RASKI_MIRROR_1(T, f) RASKI_MIRROR_1_(T, RASKI_UNPAREN f)
#define RASKI_MIRROR_1_(T, ...) RASKI_MIRROR_1__(T, __VA_ARGS__)
#define RASKI_MIRROR_1__(T, f, U) __typeof__(RASKI_AT(T, f)) f;
#define RASKI_MIRROR(T, f) RASKI_CAT(RASKI_MIRROR_, RASKI_IS_PAREN(f))(T, f)
#ifdef RASKI_CLEAR_PADDING
#define RASKI_PROBE_FN(T) \
    RASKI_UNUSED static void raski_probe_##T(void *p_) { \
        memset(p_, 0xff, sizeof(T)); \
        RASKI_CLEAR_PADDING((T *)p_); \
    }
#define RASKI_PROBE_REF(T) raski_probe_##T
#else
#define RASKI_PROBE_FN(T)
#define RASKI_PROBE_REF(T) NULL
#endif

/* Describes struct T (see the head of this file). */
#define RASK_TYPE(T, ...) RASKI_CAT(RASKI_TYPE_, RASKI_TOO_MANY(__VA_ARGS__))(T, __VA_ARGS__)
#define RASKI_TYPE_1(T, ...) \
    _Static_assert(sizeof(T) == 0, \
                   "RASK_TYPE(" #T "): at most 32 fields; put some of them into a nested record")
#define RASKI_TYPE_0(T, ...) \
    RASKI_EACH(RASKI_CHECK, T, __VA_ARGS__) \
    struct raski_mirror_##T { \
        RASKI_EACH(RASKI_MIRROR, T, __VA_ARGS__) \
    }; \
    _Static_assert(sizeof(struct raski_mirror_##T) == sizeof(T), \
                   "RASK_TYPE(" #T "): list every field, in the order of the struct"); \
    RASKI_EACH(RASKI_PLACE, T, __VA_ARGS__) \
    RASKI_EVERY_FIELD(T, __VA_ARGS__) \
    RASKI_PROBE_FN(T) \
    RASKI_UNUSED static const rask_field raski_fields_##T[] = { \
        RASKI_EACH(RASKI_FIELD, T, __VA_ARGS__)}; \
    RASKI_UNUSED static const rask_type rask_type_##T = {.name = #T, \
                                                         .kind = RASK_KIND_RECORD, \
                                                         .size = sizeof(T), \
                                                         .align = _Alignof(T), \
                                                         .field_count = RASKI_COUNT(__VA_ARGS__), \
                                                         .fields = raski_fields_##T, \
                                                         .raski_probe = RASKI_PROBE_REF(T)}; \
    RASKI_CONTAINERS(T) \
    RASKI_HANDLES(T) \
    struct raski_semicolon

/* ---------------------------------------------------------------- enumerations, variants, maps */
/* RASK_ENUM(color, RED, GREEN, BLUE): the type "enum color", alias color, with the constants RED = 0,
 * GREEN = 1, ... (up to 32), described so that texts have their names. As a field: (f, color). Cannot
 * be a key, since Java's enums hash by identity. Flink: EnumTypeInfo. */
#define RASK_ENUM(T, ...) \
    typedef enum T { __VA_ARGS__ } T; \
    _Static_assert(sizeof(T) == sizeof(int32_t), \
                   "RASK_ENUM(" #T "): enums must have 4 bytes (no -fshort-enums)"); \
    RASKI_UNUSED static const rask_field raski_fields_##T[] = { \
        RASKI_EACH(RASKI_CONSTANT, T, __VA_ARGS__)}; \
    RASKI_UNUSED static const rask_type rask_type_##T = { \
        .name = #T, .kind = RASK_KIND_ENUM, .size = sizeof(T), .align = _Alignof(T), \
        .field_count = RASKI_COUNT(__VA_ARGS__), .fields = raski_fields_##T}; \
    RASKI_CONTAINERS(T) \
    RASKI_HANDLES(T) \
    struct raski_semicolon
#define RASKI_CONSTANT(T, A) {#A, 0, 0, (const rask_type *)0, 0},
/* The name of a constant of an enumeration, "?" for any other number: rask_enum_name(color, c). */
#define rask_enum_name(T, value) \
    ((uint32_t)(value) < sizeof raski_fields_##T / sizeof *raski_fields_##T \
         ? raski_fields_##T[(uint32_t)(value)].name \
         : "?")

/* Describes struct T { int32_t which; union { ... }; }: one value of several types. Lists the members
 * of the union as RASK_TYPE does (an array goes into a record of its own); defines T_member as the
 * value that `which` has for it, from 0 on: (shape){.which = shape_round, .round = c}. Cannot be a
 * key. Flink: Either, sum types. */
#define RASK_VARIANT(T, ...) \
    RASKI_EACH(RASKI_CHECK, T, __VA_ARGS__) \
    _Static_assert(offsetof(T, which) == 0 && \
                       __builtin_types_compatible_p(__typeof__(RASKI_AT(T, which)), int32_t), \
                   "RASK_VARIANT(" #T "): the first member must be int32_t which"); \
    enum { RASKI_EACH(RASKI_WHICH, T, __VA_ARGS__) }; \
    RASKI_UNUSED static const rask_field raski_fields_##T[] = { \
        RASKI_EACH(RASKI_FIELD, T, __VA_ARGS__)}; \
    RASKI_UNUSED static const rask_type rask_type_##T = { \
        .name = #T, .kind = RASK_KIND_VARIANT, .size = sizeof(T), .align = _Alignof(T), \
        .field_count = RASKI_COUNT(__VA_ARGS__), .fields = raski_fields_##T}; \
    RASKI_CONTAINERS(T) \
    RASKI_HANDLES(T) \
    struct raski_semicolon
#define RASKI_WHICH_0(T, f) T##_##f,
#define RASKI_WHICH_1(T, f) RASKI_WHICH_1_(T, RASKI_UNPAREN f)
#define RASKI_WHICH_1_(T, ...) RASKI_WHICH_1__(T, __VA_ARGS__)
#define RASKI_WHICH_1__(T, f, U) T##_##f,
#define RASKI_WHICH(T, f) RASKI_CAT(RASKI_WHICH_, RASKI_IS_PAREN(f))(T, f)

/* RASK_MAP_OF(K, V) makes the type rask_map_of(K, V): { uint32_t count; const entry *items; } with
 * entries { K key; V value; } of type rask_entry(K, V), in any order, borrowed like the items of a
 * list. Keys must differ: who makes a map sees to it. K and V are names of described types. Cannot be
 * a key. Flink: MapTypeInfo. */
#define rask_map_of(K, V) rask_map_of_##K##_##V
#define rask_entry(K, V) rask_entry_##K##_##V
#define RASK_MAP_OF(K, V) \
    typedef struct rask_entry_##K##_##V { \
        K key; \
        V value; \
    } rask_entry_##K##_##V; \
    typedef struct rask_map_of_##K##_##V { \
        uint32_t count; \
        uint32_t raski_reserved; \
        const rask_entry_##K##_##V *items; \
    } rask_map_of_##K##_##V; \
    RASKI_UNUSED static const rask_field raski_fields_rask_entry_##K##_##V[] = { \
        {"key", offsetof(rask_entry_##K##_##V, key), sizeof(K), &rask_type_##K, 0}, \
        {"value", offsetof(rask_entry_##K##_##V, value), sizeof(V), &rask_type_##V, 0}}; \
    RASKI_UNUSED static const rask_type rask_type_rask_entry_##K##_##V = { \
        .name = "rask_entry(" #K ", " #V ")", .kind = RASK_KIND_RECORD, \
        .size = sizeof(rask_entry_##K##_##V), .align = _Alignof(rask_entry_##K##_##V), \
        .field_count = 2, .fields = raski_fields_rask_entry_##K##_##V}; \
    RASKI_UNUSED static const rask_type rask_type_rask_map_of_##K##_##V = { \
        .name = "rask_map_of(" #K ", " #V ")", .kind = RASK_KIND_MAP, \
        .size = sizeof(rask_map_of_##K##_##V), .align = _Alignof(rask_map_of_##K##_##V), \
        .element = &rask_type_rask_entry_##K##_##V}; \
    RASKI_CONTAINERS(rask_map_of_##K##_##V) \
    RASKI_HANDLES(rask_map_of_##K##_##V) \
    struct raski_semicolon

RASKI_HANDLES(int8_t)
RASKI_HANDLES(int16_t)
RASKI_HANDLES(int32_t)
RASKI_HANDLES(int64_t)
RASKI_HANDLES(float)
RASKI_HANDLES(double)
RASKI_HANDLES(rask_bool)
RASKI_HANDLES(rask_string)
RASKI_HANDLES(rask_bytes)
RASKI_HANDLES(rask_decimal)
RASKI_HANDLES(rask_date)
RASKI_HANDLES(rask_time)
RASKI_HANDLES(rask_datetime)
RASKI_HANDLES(rask_instant)
RASKI_HANDLES(rask_duration)
#endif /* !__cplusplus */
#endif
