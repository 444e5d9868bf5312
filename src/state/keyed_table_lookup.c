/* The lookup: three passes over a block (hash, probe, compare) when the table does not fit into the
 * caches, so that misses overlap; one pass when it does. */
#include <string.h>

#include "state/keyed_table_cache.h"
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
    uint32_t words = table->row_words > 1 ? key_words(spec) : 0;
    for (size_t group = hash >> table->group_shift;; group = (group + 1) & group_mask) {
        const uint32_t *slots = table->index + group * GROUP_SLOTS;
        for (unsigned bits = match_group(slots, hash, row_mask); bits; bits &= bits - 1) {
            char *row = table_row(table, slots[__builtin_ctz(bits)] & row_mask);
            if (words > 0) {
                if (equal_words(words, record + spec->parts[0].offset,
                                row + table->key_in_row.parts[0].offset))
                    return row;
                continue;
            }
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

/* The loops only look at the first match of each probe: they return the bits of the records whose
 * key was not that. A key of a block is either found this way by all its records or by none, so the
 * others can be looked up afterwards, and the loops call nothing. row_size and row_offset are
 * constants in some of them; record points to the key's first part. */
RASKI_HOT uint64_t lookup_cached(key_path path, const raski_table_view *view,
                                 const raski_key_spec *row_key, const raski_key_spec *spec,
                                 const char *record, size_t record_size, size_t n,
                                 char **ret_rows) {
    uint64_t missing = 0;
    for (size_t i = 0; i < n; i++, record += record_size) {
        uint64_t hash = key_hash(path, spec, view->record_offset, record, view->seed);
        char *row = raski_view_first_match(view, true, hash);
        ret_rows[i] = row;
        if (__builtin_expect(!row || !key_equal(path, spec, view->record_offset, record, row_key,
                                                view->row_offset, row),
                             0))
            missing |= UINT64_C(1) << i;
    }
    return missing;
}

RASKI_HOT uint64_t lookup_uncached(key_path path, const raski_table_view *view,
                                   const raski_key_spec *row_key, const raski_key_spec *spec,
                                   const char *record, size_t record_size, size_t n,
                                   char **ret_rows) {
    uint64_t hashes[RASKI_LOOKUP_MAX], missing = 0;
    raski_view_prefetch(path, view, spec, record, record_size, n, hashes, ret_rows);
    for (size_t i = 0; i < n; i++, record += record_size) {
        char *row = ret_rows[i];
        if (__builtin_expect(!row || !key_equal(path, spec, view->record_offset, record, row_key,
                                                view->row_offset, row),
                             0))
            missing |= UINT64_C(1) << i;
    }
    return missing;
}

/* row_words: of rows with a key of 8 bytes behind the header and states of 8 bytes in all; else 0.
 */
RASKI_HOT uint64_t lookup_first_matches(key_path path, size_t row_words, bool cached,
                                        const raski_keyed_table *table, const raski_key_spec *spec,
                                        const char *records, size_t record_size, size_t n,
                                        char **ret_rows) {
    raski_table_view view = raski_table_view_of(table, spec);
    const raski_key_spec *row_key =
        path == KEY_PATH_PLAIN ? table->plain_key_in_row : &table->key_in_row;
    if (path != KEY_PATH_GENERIC && path != KEY_PATH_PLAIN) {
        records += view.record_offset;
        view.record_offset = 0;
    }
    if (path >= KEY_PATH_WORDS_2 && path <= KEY_PATH_WORDS_5)
        view.row_offset = table->plain_key_in_row->parts[0].offset;
    if (row_words) {
        view.row_size = row_words * sizeof(uint64_t);
        view.row_offset = sizeof(uint64_t);
    }
    return cached ? lookup_cached(path, &view, row_key, spec, records, record_size, n, ret_rows)
                  : lookup_uncached(path, &view, row_key, spec, records, record_size, n, ret_rows);
}

typedef uint64_t lookup_loop(const raski_keyed_table *table, const raski_key_spec *spec,
                             const char *records, size_t record_size, size_t n, char **ret_rows);

#define LOOP(path, row_words, cached, name) \
    static uint64_t name(const raski_keyed_table *table, const raski_key_spec *spec, \
                         const char *records, size_t record_size, size_t n, char **ret_rows) { \
        return lookup_first_matches(path, row_words, cached, table, spec, records, record_size, n, \
                                    ret_rows); \
    }
#define LOOPS(path, row_words, suffix) \
    LOOP(path, row_words, false, uncached_##suffix) \
    LOOP(path, row_words, true, cached_##suffix)
LOOPS(KEY_PATH_8, 3, 8_24)
LOOPS(KEY_PATH_8, 0, 8)
LOOPS(KEY_PATH_4, 0, 4)
LOOPS(KEY_PATH_STRING, 0, string)
LOOPS(KEY_PATH_PLAIN, 0, plain)
LOOPS(KEY_PATH_WORDS_2, 0, words_2)
LOOPS(KEY_PATH_WORDS_3, 0, words_3)
LOOPS(KEY_PATH_WORDS_4, 0, words_4)
LOOPS(KEY_PATH_WORDS_5, 0, words_5)
LOOPS(KEY_PATH_GENERIC, 0, generic)

/* For keys of several parts; spec: of plain ones. */
static lookup_loop *plain_loop_for(const raski_keyed_table *table, const raski_key_spec *spec,
                                   bool cached) {
    switch (key_words(table->plain_key_in_row) > 0 ? key_words(spec) : 0) {
        case 2:
            return cached ? cached_words_2 : uncached_words_2;
        case 3:
            return cached ? cached_words_3 : uncached_words_3;
        case 4:
            return cached ? cached_words_4 : uncached_words_4;
        case 5:
            return cached ? cached_words_5 : uncached_words_5;
        default:
            return cached ? cached_plain : uncached_plain;
    }
}

static lookup_loop *loop_for(const raski_keyed_table *table, const raski_key_spec *spec,
                             bool cached) {
    switch (table->path) {
        case KEY_PATH_8:
            if (table->row_size == 24 && table->key_in_row.parts[0].offset == 8)
                return cached ? cached_8_24 : uncached_8_24;
            return cached ? cached_8 : uncached_8;
        case KEY_PATH_4:
            return cached ? cached_4 : uncached_4;
        case KEY_PATH_STRING:
            return cached ? cached_string : uncached_string;
        default:
            break;
    }
    if (table->plain_key_in_row) return plain_loop_for(table, spec, cached);
    return cached ? cached_generic : uncached_generic;
}

/* The user's loop over the block will reach for what lists and maps have elsewhere. */
static void prefetch_containers(const raski_keyed_table *table, char *const *rows, size_t n) {
    for (uint32_t s = 0; s < table->container_count; s++) {
        uint32_t offset = table->states[table->container_states[s]].offset;
        for (size_t i = 0; i < n; i++) {
            const raski_state_slot *slot = (const raski_state_slot *)(void *)(rows[i] + offset);
            __builtin_prefetch(slot->memory); /* harmless for NULL */
        }
    }
}

rask_status raski_keyed_table_lookup(raski_keyed_table *table, const raski_key_spec *spec,
                                     const void *records, size_t record_size, size_t n,
                                     char **ret_rows, uint64_t *ret_inserted, raski_error *err) {
    RASKI_DCHECK(n <= RASKI_LOOKUP_MAX);
    if (__builtin_expect(table->cache != NULL, 0)) RASKI_TRY(raski_cache_check(table, err));
    if (__builtin_expect(!raski_table_has_room(table, n), 0))
        RASKI_TRY(raski_table_reserve(table, n, err));
    raski_key_spec plain;
    const raski_key_spec *loop_spec = spec;
    if (table->plain_key_in_row && raski_key_flatten(spec, &plain)) loop_spec = &plain;
    lookup_loop *loop = loop_for(table, loop_spec, raski_table_is_cached(table, n));
    uint64_t inserted = 0;
    for (uint64_t missing = loop(table, loop_spec, records, record_size, n, ret_rows); missing;
         missing &= missing - 1) {
        size_t i = (size_t)__builtin_ctzll(missing);
        const char *record = (const char *)records + i * record_size;
        bool made = false;
        ret_rows[i] =
            raski_table_find_or_make(table, spec, record, table_hash(table, spec, record), &made);
        if (!ret_rows[i]) return raski_table_no_memory(table, err);
        inserted |= (uint64_t)made << i;
    }
    if (__builtin_expect(table->snapshot != NULL, 0))
        for (size_t i = 0; i < n; i++) raski_keyed_table_before_write(table, ret_rows[i]);
    if (__builtin_expect(table->cache != NULL, 0))
        RASKI_TRY(raski_cache_rows(table, ret_rows, n, &inserted, err));
    if (table->container_count > 0) prefetch_containers(table, ret_rows, n);
    if (ret_inserted) *ret_inserted = inserted;
    return RASK_OK;
}

char *raski_table_find_in_memory(const raski_keyed_table *table, const raski_key_spec *spec,
                                 const char *record) {
    return find_row(table, spec, record, table_hash(table, spec, record));
}

char *raski_keyed_table_find(raski_keyed_table *table, const raski_key_spec *spec,
                             const void *record) {
    if (__builtin_expect(table->cache != NULL, 0)) return raski_cache_find(table, spec, record);
    char *row = find_row(table, spec, record, table_hash(table, spec, record));
    if (row) raski_keyed_table_before_write(table, row);
    return row;
}
