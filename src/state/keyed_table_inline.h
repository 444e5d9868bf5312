/* keyed_table_inline.h - the pieces of a lookup, for loops that probe and work in one go (the
 * built-in aggregations). Others call raski_keyed_table_lookup.
 *
 *     raski_table_view view = raski_table_view_of(table, spec);
 *     for each record: hash = raski_view_hash(path, &view, ...);
 *                      row = raski_view_first_match(&view, hash);
 *                      if (!row || !raski_view_equal(...)) row = raski_table_find_or_make(...)
 *
 * Threads: the table's owner. */
#ifndef RASKI_STATE_KEYED_TABLE_INLINE_H
#define RASKI_STATE_KEYED_TABLE_INLINE_H
#include "state/key_inline.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define RASKI_HOT static inline __attribute__((always_inline))

/* The slots of a group with the tag of this hash, as bits. */
RASKI_HOT unsigned match_group(const uint32_t *slots, uint64_t hash, uint32_t row_mask) {
    uint32_t tag = (uint32_t)hash | (row_mask + 1); /* its lower bits do not count */
#ifdef __SSE2__
    __m128i entries = _mm_load_si128((const __m128i *)(const void *)slots);
    __m128i differing = _mm_and_si128(_mm_xor_si128(_mm_set1_epi32((int)tag), entries),
                                      _mm_set1_epi32((int)~row_mask));
    __m128i equal = _mm_cmpeq_epi32(differing, _mm_setzero_si128());
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(equal));
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < GROUP_SLOTS; i++)
        bits |= (unsigned)(((slots[i] ^ tag) & ~row_mask) == 0) << i;
    return bits;
#endif
}

/* What the loops read of a table, in registers: nothing of it changes during a lookup but `units`,
 * when the slow path makes a row. */
typedef struct raski_table_view {
    const uint32_t *index;
    char *const *units;
    char *first_unit;
    uint64_t seed;
    size_t row_size;
    uint32_t group_shift, row_mask, record_offset, row_offset;
} raski_table_view;

RASKI_HOT raski_table_view raski_table_view_of(const raski_keyed_table *table,
                                               const raski_key_spec *spec) {
    return (raski_table_view){.index = table->index,
                              .units = table->units,
                              .first_unit = table->first_unit,
                              .seed = table->seed,
                              .row_size = table->row_size,
                              .group_shift = table->group_shift,
                              .row_mask = index_row_mask(table),
                              .record_offset = spec->parts[0].offset,
                              .row_offset = table->key_in_row.parts[0].offset};
}

/* The row of the first slot whose tag matches, or NULL. cached: see raski_table_is_cached. */
RASKI_HOT char *raski_view_first_match(const raski_table_view *view, bool cached, uint64_t hash) {
    const uint32_t *slots = view->index + (hash >> view->group_shift) * GROUP_SLOTS;
    unsigned match = match_group(slots, hash, view->row_mask);
    if (__builtin_expect(match == 0, 0)) return NULL;
    uint32_t number = slots[(unsigned char)__builtin_ctz(match)] & view->row_mask;
    char *row = cached ? view->first_unit + number * view->row_size
                       : view->units[number >> UNIT_SHIFT] + (number % UNIT_ROWS) * view->row_size;
    if (row == NULL) __builtin_unreachable();
    return row;
}

/* Whether rows and index stay in a core's cache, also with `more` further rows: then one pass over
 * the records is quicker than passes that prefetch. */
static inline bool raski_table_is_cached(const raski_keyed_table *table, size_t more) {
    return table->row_size * (table->rows_end + more) + (sizeof(uint32_t) << table->index_bits) <=
           CACHED_TABLE_MAX;
}
/* What a lookup of n records needs first; see raski_table_reserve. */
static inline bool raski_table_has_room(const raski_keyed_table *table, size_t n) {
    return (size_t)table->count + table->tombstones + n <= table->grow_at;
}

/* First two passes over n records of a table that is not cached: hashes, and the likely rows (NULL:
 * none), prefetched. */
RASKI_HOT void raski_view_prefetch(key_path path, const raski_table_view *view,
                                   const raski_key_spec *spec, const char *record,
                                   size_t record_size, size_t n, uint64_t *ret_hashes,
                                   char **ret_rows) {
    for (size_t i = 0; i < n; i++, record += record_size) {
        ret_hashes[i] = key_hash(path, spec, view->record_offset, record, view->seed);
        __builtin_prefetch(view->index + (ret_hashes[i] >> view->group_shift) * GROUP_SLOTS);
    }
    /* Rows of 16, 32 or 64 bytes never lie across two cache lines. Of large rows the first states
     * come along with the key. */
    size_t last = view->row_size <= 128 ? view->row_size - 1 : view->row_offset;
    bool one_line = view->row_size <= 64 && (view->row_size & (view->row_size - 1)) == 0;
    for (size_t i = 0; i < n; i++) {
        char *row = raski_view_first_match(view, false, ret_hashes[i]);
        ret_rows[i] = row;
        __builtin_prefetch(row, 1); /* harmless for NULL */
        if (!one_line) __builtin_prefetch((const void *)((uintptr_t)row + last), 1);
    }
}
#endif
