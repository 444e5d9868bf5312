/* The lookup: three passes over a block (hash, probe, compare) when the table does not fit into the
 * caches, so that misses overlap; one pass when it does. */
#include <string.h>

#include "state/keyed_table_inline.h"

static inline bool group_has_empty(const uint32_t *slots) {
    for (unsigned i = 0; i < GROUP_SLOTS; i++)
        if (slots[i] == 0) return true;
    return false;
}

/* Searches all groups of the key. The row, or NULL. */
static char *find_row(const raski_keyed_table *table, const raski_key_spec *spec,
                      const char *record, uint64_t hash) {
    uint32_t row_mask = index_row_mask(table);
    size_t group_mask = index_group_mask(table);
    for (size_t group = hash >> table->group_shift;; group = (group + 1) & group_mask) {
        const uint32_t *slots = table->index + group * GROUP_SLOTS;
        for (unsigned bits = match_group(slots, hash, row_mask); bits; bits &= bits - 1) {
            char *row = table_row(table, slots[__builtin_ctz(bits)] & row_mask);
            if (key_equal(table->path, spec, spec->parts[0].offset, record, &table->key_in_row,
                          table->key_in_row.parts[0].offset, row))
                return row;
        }
        if (group_has_empty(slots)) return NULL;
    }
}

char *raski_table_find_or_make(raski_keyed_table *table, const raski_key_spec *spec,
                               const char *record, uint64_t hash, bool *ret_made) {
    char *row = find_row(table, spec, record, hash);
    *ret_made = row == NULL;
    if (row) return row;
    uint32_t number = raski_table_make_row(table, spec, record);
    if (!number) return NULL;
    raski_table_index_insert(table, hash, number);
    return table_row(table, number);
}

/* Returns the bits of the inserted records; *ret_failed tells that memory ran out. */
RASKI_HOT uint64_t lookup_cached(key_path path, raski_keyed_table *table,
                                 const raski_key_spec *spec, const char *record, size_t record_size,
                                 size_t n, char **ret_rows, bool *ret_failed) {
    raski_table_view view = raski_table_view_of(table, spec);
    uint64_t inserted = 0;
    for (size_t i = 0; i < n; i++, record += record_size) {
        uint64_t hash = key_hash(path, spec, view.record_offset, record, view.seed);
        char *row = raski_view_first_match(&view, true, hash);
        if (__builtin_expect(!row || !key_equal(path, spec, view.record_offset, record,
                                                &table->key_in_row, view.row_offset, row),
                             0)) {
            bool made = false;
            row = raski_table_find_or_make(table, spec, record, hash, &made);
            if (!row) {
                *ret_failed = true;
                return inserted;
            }
            view.first_unit = table->first_unit;
            inserted |= (uint64_t)made << i;
        }
        ret_rows[i] = row;
    }
    return inserted;
}

RASKI_HOT uint64_t lookup_uncached(key_path path, raski_keyed_table *table,
                                   const raski_key_spec *spec, const char *records,
                                   size_t record_size, size_t n, char **ret_rows,
                                   bool *ret_failed) {
    raski_table_view view = raski_table_view_of(table, spec);
    uint64_t hashes[RASKI_LOOKUP_MAX], inserted = 0;
    raski_view_prefetch(path, &view, spec, records, record_size, n, hashes, ret_rows);
    const char *record = records;
    for (size_t i = 0; i < n; i++, record += record_size) {
        char *row = ret_rows[i];
        if (__builtin_expect(row && key_equal(path, spec, view.record_offset, record,
                                              &table->key_in_row, view.row_offset, row),
                             1))
            continue;
        bool made = false;
        row = raski_table_find_or_make(table, spec, record, hashes[i], &made);
        if (!row) {
            *ret_failed = true;
            return inserted;
        }
        inserted |= (uint64_t)made << i;
        ret_rows[i] = row;
    }
    return inserted;
}

#define LOOKUPS(name, path) \
    static uint64_t cached_##name(raski_keyed_table *table, const raski_key_spec *spec, \
                                  const char *records, size_t record_size, size_t n, \
                                  char **ret_rows, bool *ret_failed) { \
        return lookup_cached(path, table, spec, records, record_size, n, ret_rows, ret_failed); \
    } \
    static uint64_t uncached_##name(raski_keyed_table *table, const raski_key_spec *spec, \
                                    const char *records, size_t record_size, size_t n, \
                                    char **ret_rows, bool *ret_failed) { \
        return lookup_uncached(path, table, spec, records, record_size, n, ret_rows, ret_failed); \
    }
LOOKUPS(8, KEY_PATH_8)
LOOKUPS(4, KEY_PATH_4)
LOOKUPS(string, KEY_PATH_STRING)
LOOKUPS(generic, KEY_PATH_GENERIC)

rask_status raski_keyed_table_lookup(raski_keyed_table *table, const raski_key_spec *spec,
                                     const void *records, size_t record_size, size_t n,
                                     char **ret_rows, uint64_t *ret_inserted, raski_error *err) {
    RASKI_DCHECK(n <= RASKI_LOOKUP_MAX);
    if (__builtin_expect(!raski_table_has_room(table, n), 0))
        RASKI_TRY(raski_table_reserve(table, n, err));
    bool cached = raski_table_is_cached(table, n);
    bool failed = false;
    uint64_t inserted = 0;
    switch (table->path) {
        case KEY_PATH_8:
            inserted = (cached ? cached_8 : uncached_8)(table, spec, records, record_size, n,
                                                        ret_rows, &failed);
            break;
        case KEY_PATH_4:
            inserted = (cached ? cached_4 : uncached_4)(table, spec, records, record_size, n,
                                                        ret_rows, &failed);
            break;
        case KEY_PATH_STRING:
            inserted = (cached ? cached_string : uncached_string)(table, spec, records, record_size,
                                                                  n, ret_rows, &failed);
            break;
        case KEY_PATH_GENERIC:
            inserted = (cached ? cached_generic : uncached_generic)(
                table, spec, records, record_size, n, ret_rows, &failed);
            break;
    }
    if (__builtin_expect(failed, 0)) return raski_table_no_memory(table, err);
    if (ret_inserted) *ret_inserted = inserted;
    return RASK_OK;
}

char *raski_keyed_table_find(raski_keyed_table *table, const raski_key_spec *spec,
                             const void *record) {
    return find_row(table, spec, record, table_hash(table, spec, record));
}
