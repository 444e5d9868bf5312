/* map.h - hash maps for the control plane: text or 64-bit keys to pointers, iterated in the order
 * of insertion (so that everything derived from one is deterministic). Not for record loops.
 * Threads: one owner. */
#ifndef RASKI_BASE_MAP_H
#define RASKI_BASE_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct raski_map_entry {
    char *text;      /* owned copy; NULL in maps of numbers */
    uint64_t number; /* 0 in maps of texts */
    void *value;     /* borrowed */
} raski_map_entry;
typedef struct raski_map {
    raski_map_entry *entries; /* in the order of insertion */
    size_t count, capacity;
    uint32_t *slots; /* index + 1 into entries; 0: free */
    size_t slot_count;
} raski_map; /* zero-initialised is empty; use either text or number keys, never both */

void raski_map_put(raski_map *map, const char *key, void *value); /* replaces */
void *raski_map_get(const raski_map *map, const char *key);       /* NULL when absent */
bool raski_map_has(const raski_map *map, const char *key);
bool raski_map_remove(raski_map *map, const char *key); /* O(count); false when absent */
void raski_map_put_number(raski_map *map, uint64_t key, void *value);
void *raski_map_get_number(const raski_map *map, uint64_t key);
bool raski_map_has_number(const raski_map *map, uint64_t key);
bool raski_map_remove_number(raski_map *map, uint64_t key);
void raski_map_free(raski_map *map); /* values are not freed */
#endif
