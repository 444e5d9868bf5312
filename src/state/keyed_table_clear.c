/* Forgetting all keys at once: batch mode, where the keys of a sorted input follow each other and
 * none comes back. */
#include <string.h>

#include "state/key_inline.h"

/* With few rows it is cheaper to take each out of the index than to clear the index. */
enum { FEW = 16 };

static bool rows_own(const raski_keyed_table *table) {
    bool owns = table->tracked_offset != 0 || table->container_count > 0;
    for (size_t i = 0; i < table->state_count; i++) owns = owns || table->states[i].layout;
    for (uint32_t i = 0; i < table->key.part_count; i++) owns = owns || table->key_layouts[i];
    return owns;
}

void raski_keyed_table_remove_all(raski_keyed_table *table) {
    RASKI_ASSERT(table->snapshot == NULL && table->cache == NULL);
    raski_keyed_table_end_batch(table);
    if (table->count == 0) return;
    const size_t slots = (size_t)1 << table->index_bits;
    const bool few = table->count < slots / FEW;
    const bool owns = rows_own(table);
    size_t position = 0;
    for (char *row; (few || owns) && (row = raski_keyed_table_next(table, &position)) != NULL;) {
        if (few)
            (void)raski_table_index_remove(table, table_hash(table, &table->key_in_row, row), row);
        if (!owns) continue;
        raski_table_release_row(table, row);
        for (uint32_t i = 0; i < table->key.part_count; i++)
            raski_table_disown(table, table->key_layouts[i],
                               row + table->key_in_row.parts[i].offset);
    }
    if (!few) {
        memset(table->index, 0, slots * sizeof *table->index);
        table->tombstones = 0;
    }
    table->rows_end = 1;
    table->free_row = 0;
    table->count = 0;
    table->ttl_cursor = 0;
}
