/* Memory of a keyed table: rows, and the index that finds them. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "platform/memory.h"
#include "state/key_inline.h"
#include "state/memory_limit.h"

enum {
    INDEX_BITS_MIN = 10,
    INDEX_BITS_MAX = 31,
    INDEX_LOAD_PERCENT = 60, /* beyond, too many keys leave their first group */
    INDEX_LOAD_PERCENT_NO_MEMORY = 90,
    EXTENT_UNITS_MAX = 64,
    REHASH_BLOCK = 32,
};

/* "a, b and 3 more" */
static void name_states(const raski_keyed_table *table, char *text, size_t size) {
    enum { NAMED = 4 };
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < table->state_count && i < NAMED && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s\"%s\"", i ? ", " : "",
                                   table->states[i].name);
    if (table->state_count > NAMED && length < size)
        (void)snprintf(text + length, size - length, " and %zu more", table->state_count - NAMED);
}

rask_status raski_table_no_memory(const raski_keyed_table *table, raski_error *err) {
    char states[160];
    name_states(table, states, sizeof states);
    const char *name = table->name ? table->name : "an operator";
    if (table->bytes_max && !table->limit)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                          "keyed state of %s (%s): %u keys use %zu bytes and have reached its "
                          "limit of %zu",
                          name, states, table->count, table->bytes, table->bytes_max);
    if (table->limit)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                          "keyed state of %s (%s) does not fit into memory: its %u keys use %zu "
                          "bytes here, all keyed state of this process %zu of at most %zu bytes "
                          "(%s); or keep it on disk with state.backend.type: rocksdb",
                          name, states, table->count, table->bytes,
                          atomic_load_explicit(table->limit->taken, memory_order_relaxed),
                          table->limit->max, table->limit->origin);
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                      "no memory for more keyed state of %s (%s): %u keys use %zu bytes", name,
                      states, table->count, table->bytes);
}

/* What is missing and a step more, so that few charges touch the shared counter; near the end of
 * the limit just what is missing. */
bool raski_table_take_credit(raski_keyed_table *table, size_t bytes) {
    size_t missing = bytes - table->credit;
    size_t taken = missing + CREDIT_STEP;
    if (!raski_memory_limit_take(table->limit, taken)) {
        taken = missing;
        if (!raski_memory_limit_take(table->limit, taken)) return false;
    }
    table->credit += taken;
    return true;
}

void raski_table_return_credit(raski_keyed_table *table) {
    size_t returned = table->credit - CREDIT_STEP;
    table->credit -= returned;
    raski_memory_limit_release(table->limit, returned);
}

/* Charged memory for an index or rows; huge pages where it is large. NULL without memory. */
static void *alloc_block(raski_keyed_table *table, size_t bytes) {
    if (!table_charge(table, bytes)) return NULL;
    bool huge = bytes >= RASKI_HUGE_PAGE;
    void *memory = raski_try_alloc(bytes, huge ? RASKI_HUGE_PAGE : ROW_ALIGN_MAX);
    if (!memory)
        table_release(table, bytes);
    else if (huge)
        raski_memory_want_huge_pages(memory, bytes);
    return memory;
}

/* ---------------------------------------------------------------- index */
static uint32_t grow_at_for(uint32_t bits, uint32_t percent) {
    return (uint32_t)((UINT64_C(1) << bits) * percent / 100);
}

void raski_table_index_insert(raski_keyed_table *table, uint64_t hash, uint32_t number) {
    uint32_t tombstone = index_row_mask(table);
    size_t group_mask = index_group_mask(table);
    for (size_t group = hash >> table->group_shift;; group = (group + 1) & group_mask) {
        uint32_t *slots = table->index + group * GROUP_SLOTS;
        for (size_t i = 0; i < GROUP_SLOTS; i++) {
            if (slots[i] != 0 && slots[i] != tombstone) continue;
            if (slots[i] == tombstone) table->tombstones--;
            slots[i] = index_tag(hash, tombstone) | number;
            return;
        }
    }
}

uint32_t raski_table_index_remove(raski_keyed_table *table, uint64_t hash, const char *row) {
    uint32_t row_mask = index_row_mask(table), tag = index_tag(hash, row_mask);
    size_t group_mask = index_group_mask(table);
    for (size_t group = hash >> table->group_shift;; group = (group + 1) & group_mask) {
        uint32_t *slots = table->index + group * GROUP_SLOTS;
        size_t found = GROUP_SLOTS, empty = 0;
        for (size_t i = 0; i < GROUP_SLOTS; i++) {
            if (slots[i] == 0) empty++;
            if ((slots[i] & ~row_mask) == tag && table_row(table, slots[i] & row_mask) == row)
                found = i;
        }
        if (found < GROUP_SLOTS) {
            uint32_t number = slots[found] & row_mask;
            slots[found] = empty ? 0 : row_mask;
            if (!empty) table->tombstones++;
            return number;
        }
        if (empty) return 0;
    }
}

void raski_table_index_prefetch(const raski_keyed_table *table, uint64_t hash) {
    __builtin_prefetch(table->index + (hash >> table->group_shift) * GROUP_SLOTS, 1);
}

/* Puts all rows into the (empty) index, a block at a time so that the cache misses overlap. */
static void index_all_rows(raski_keyed_table *table) {
    uint64_t hashes[REHASH_BLOCK];
    uint32_t numbers[REHASH_BLOCK];
    size_t n = 0;
    for (uint32_t number = 1; number < table->rows_end; number++) {
        const char *row = table_row(table, number);
        if (!row_is_free(table, row)) {
            hashes[n] = table_hash(table, &table->key_in_row, row);
            numbers[n] = number;
            __builtin_prefetch(table->index + (hashes[n] >> table->group_shift) * GROUP_SLOTS, 1);
            n++;
        }
        if (n < REHASH_BLOCK && number + 1 < table->rows_end) continue;
        for (size_t i = 0; i < n; i++) raski_table_index_insert(table, hashes[i], numbers[i]);
        n = 0;
    }
}

static bool rebuild_index(raski_keyed_table *table, uint32_t bits) {
    size_t bytes = sizeof(uint32_t) << bits, old_bytes = sizeof(uint32_t) << table->index_bits;
    if (!table->index) old_bytes = 0;
    uint32_t *index = alloc_block(table, bytes);
    if (!index) return false;
    memset(index, 0, bytes);
    raski_free(table->index);
    table_release(table, old_bytes);
    table->index = index;
    table->index_bits = bits;
    table->group_shift = 64 - bits + 2; /* log2(GROUP_SLOTS) */
    table->grow_at = grow_at_for(bits, INDEX_LOAD_PERCENT);
    table->tombstones = 0;
    index_all_rows(table);
    return true;
}

rask_status raski_table_reserve(raski_keyed_table *table, size_t more, raski_error *err) {
    size_t wanted = table->count + more;
    if (table->index && wanted + table->tombstones <= table->grow_at) return RASK_OK;
    uint32_t bits = table->index ? table->index_bits : INDEX_BITS_MIN;
    while (bits < INDEX_BITS_MAX && grow_at_for(bits, INDEX_LOAD_PERCENT) < wanted) bits++;
    /* Tombstones alone do not make the table larger, unless that had to be done again soon. */
    if (table->index && bits == table->index_bits && bits < INDEX_BITS_MAX &&
        wanted > table->grow_at - table->grow_at / 8)
        bits++;
    if (wanted <= grow_at_for(bits, INDEX_LOAD_PERCENT) && rebuild_index(table, bits))
        return RASK_OK;
    if (table->index &&
        wanted + table->tombstones <= grow_at_for(table->index_bits, INDEX_LOAD_PERCENT_NO_MEMORY))
        return RASK_OK; /* slower, but it goes on */
    return raski_table_no_memory(table, err);
}

/* ---------------------------------------------------------------- rows */
/* Room for more units in the array of units. */
static bool reserve_units(raski_keyed_table *table, uint32_t more) {
    if (table->unit_count + more <= table->unit_capacity) return true;
    uint32_t capacity = table->unit_capacity * 2 + more;
    size_t bytes = capacity * sizeof(char *);
    if (!table_charge(table, bytes)) return false;
    char **units = raski_try_alloc(bytes, 0);
    if (!units) {
        table_release(table, bytes);
        return false;
    }
    if (table->unit_count) memcpy(units, table->units, table->unit_count * sizeof(char *));
    raski_free(table->units);
    table_release(table, table->unit_capacity * sizeof(char *));
    table->units = units;
    table->unit_capacity = capacity;
    return true;
}

/* Memory that is not touched yet costs nothing, so it is taken in ever larger pieces. */
static bool add_extent(raski_keyed_table *table) {
    size_t unit_bytes = (size_t)table->row_size * UNIT_ROWS;
    uint32_t units = table->unit_count / 2;
    if (units > EXTENT_UNITS_MAX) units = EXTENT_UNITS_MAX;
    if (units == 0) units = 1;
    if (table->unit_count == 0)
        units = (uint32_t)((CACHED_TABLE_MAX + unit_bytes - 1) / unit_bytes);
    if (!reserve_units(table, units)) return false;
    char *memory = alloc_block(table, units * unit_bytes);
    /* Near the limit: what is left, in smaller pieces. Not for the first one: see first_unit. */
    while (!memory && units > 1 && table->unit_count > 0)
        memory = alloc_block(table, (units /= 2) * unit_bytes);
    if (!memory) return false;
    raski_vec_push(&table->extents, memory);
    if (table->unit_count == 0) table->first_unit = memory;
    for (uint32_t i = 0; i < units; i++)
        table->units[table->unit_count++] = memory + i * unit_bytes;
    return true;
}

/* Copies the key of a record into a zeroed row, long strings too. */
static bool copy_key(raski_keyed_table *table, const raski_key_spec *spec, const char *record,
                     char *row) {
    for (uint32_t i = 0; i < spec->part_count; i++) {
        const raski_key_field *to = &table->key_in_row.parts[i];
        const char *from = record + spec->parts[i].offset;
        const raski_layout *layout = table->key_layouts[i];
        if (!layout) {
            memcpy(row + to->offset, from, to->type->size);
            continue;
        }
        size_t bytes = raski_record_extra_size(layout, from);
        if (table_charge(table, bytes)) {
            if (raski_record_own(layout, row + to->offset, from, NULL) == RASK_OK) continue;
            table_release(table, bytes);
        }
        while (i-- > 0)
            if (table->key_layouts[i])
                raski_record_disown(table->key_layouts[i], row + table->key_in_row.parts[i].offset);
        return false;
    }
    return true;
}

uint32_t raski_table_make_row(raski_keyed_table *table, const raski_key_spec *spec,
                              const char *record) {
    uint32_t number = table->free_row;
    bool fresh = number == 0;
    if (fresh) {
        number = table->rows_end;
        if (number >> UNIT_SHIFT >= table->unit_count && !add_extent(table)) return 0;
    }
    char *row = table_row(table, number);
    raski_keyed_table_before_write(table, row);
    uint32_t next_free = fresh ? 0 : load_u32(row + sizeof(uint32_t));
    memset(row, 0, table->row_size);
    if (!copy_key(table, spec, record, row)) {
        if (!fresh) {
            memset(row, 0, table->row_size);
            *row_present(row) = ROW_FREE;
            memcpy(row + sizeof(uint32_t), &next_free, sizeof next_free);
        }
        return 0;
    }
    if (fresh)
        table->rows_end++;
    else
        table->free_row = next_free;
    table->count++;
    return number;
}

void raski_table_drop_row(raski_keyed_table *table, uint32_t number) {
    char *row = table_row(table, number);
    for (uint32_t i = 0; i < table->key_in_row.part_count; i++) {
        const raski_layout *layout = table->key_layouts[i];
        if (!layout) continue;
        char *part = row + table->key_in_row.parts[i].offset;
        /* A running snapshot still reads the key; without memory for that it is not freed at all.
         */
        if (!table->snapshot)
            raski_table_disown(table, layout, part);
        else if (raski_table_reserve_garbage(table, layout->size))
            raski_table_throw_away(table, layout, part);
    }
    *row_present(row) = ROW_FREE;
    memcpy(row + sizeof(uint32_t), &table->free_row, sizeof table->free_row);
    table->free_row = number;
    table->count--;
}
