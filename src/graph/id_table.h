/* id_table.h - pointers by small ids that are handed out in a row (transformations, nodes): an
 * array. Looking one up is one load, and walking over ids in a row stays in the cache; a hash map
 * here took a quarter of all planning. Threads: one owner. */
#ifndef RASKI_GRAPH_ID_TABLE_H
#define RASKI_GRAPH_ID_TABLE_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

typedef struct raski_id_table {
    void **items; /* by id; NULL: none */
    size_t capacity;
    size_t count; /* of those that are not NULL */
} raski_id_table; /* zero-initialised is empty */

/* NULL when there is none. */
static inline void *raski_id_table_get(const raski_id_table *table, int32_t id) {
    return (size_t)(uint32_t)id < table->capacity ? table->items[id] : NULL;
}

/* Replaces; value is borrowed. id >= 0. */
static inline void raski_id_table_put(raski_id_table *table, int32_t id, void *value) {
    RASKI_ASSERT(id >= 0);
    if ((size_t)id >= table->capacity) {
        size_t capacity = table->capacity ? table->capacity : 64;
        while (capacity <= (size_t)id) capacity *= 2;
        table->items = raski_realloc(table->items, capacity, sizeof *table->items);
        memset(table->items + table->capacity, 0,
               (capacity - table->capacity) * sizeof *table->items);
        table->capacity = capacity;
    }
    if (table->items[id] == NULL && value != NULL) table->count++;
    if (table->items[id] != NULL && value == NULL) table->count--;
    table->items[id] = value;
}

static inline void raski_id_table_free(raski_id_table *table) {
    raski_free(table->items);
    *table = (raski_id_table){0};
}
#endif
