#include "base/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

static uint64_t hash_text(const char *key) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325U;
    for (; *key; key++) h = (h ^ (unsigned char)*key) * 0x100000001b3U;
    return h ^ (h >> 32);
}

static uint64_t hash_number(uint64_t key) {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9U;
    return key ^ (key >> 29);
}

static bool entry_is(const raski_map_entry *e, const char *text, uint64_t number) {
    return text ? e->text && strcmp(e->text, text) == 0 : !e->text && e->number == number;
}

static size_t slot_of(const raski_map *map, const char *text, uint64_t number) {
    size_t i = (text ? hash_text(text) : hash_number(number)) & (map->slot_count - 1);
    while (map->slots[i] != 0 && !entry_is(&map->entries[map->slots[i] - 1], text, number))
        i = (i + 1) & (map->slot_count - 1);
    return i;
}

static void rehash(raski_map *map, size_t slot_count) {
    raski_free(map->slots);
    map->slots = raski_calloc(slot_count, sizeof *map->slots);
    map->slot_count = slot_count;
    for (size_t i = 0; i < map->count; i++)
        map->slots[slot_of(map, map->entries[i].text, map->entries[i].number)] = (uint32_t)i + 1;
}

static raski_map_entry *find(const raski_map *map, const char *text, uint64_t number) {
    if (map->count == 0) return NULL;
    uint32_t at = map->slots[slot_of(map, text, number)];
    return at ? &map->entries[at - 1] : NULL;
}

static void put(raski_map *map, const char *text, uint64_t number, void *value) {
    raski_map_entry *e = find(map, text, number);
    if (e != NULL) {
        e->value = value;
        return;
    }
    if (map->count == map->capacity) {
        map->capacity = map->capacity ? map->capacity * 2 : 8;
        map->entries = raski_realloc(map->entries, map->capacity, sizeof *map->entries);
    }
    RASKI_ASSERT(map->entries != NULL);
    map->entries[map->count++] =
        (raski_map_entry){text ? raski_strdup(text) : NULL, text ? 0 : number, value};
    if (map->count * 2 > map->slot_count)
        rehash(map, map->slot_count ? map->slot_count * 2 : 16);
    else
        map->slots[slot_of(map, text, number)] = (uint32_t)map->count;
}

static bool drop(raski_map *map, const char *text, uint64_t number) {
    raski_map_entry *e = find(map, text, number);
    if (e == NULL) return false;
    raski_free(e->text);
    size_t at = (size_t)(e - map->entries);
    memmove(e, e + 1, (map->count - at - 1) * sizeof *e);
    map->count--;
    rehash(map, map->slot_count);
    return true;
}

void raski_map_put(raski_map *map, const char *key, void *value) {
    put(map, key, 0, value);
}

void *raski_map_get(const raski_map *map, const char *key) {
    const raski_map_entry *e = find(map, key, 0);
    return e ? e->value : NULL;
}

bool raski_map_has(const raski_map *map, const char *key) {
    return find(map, key, 0) != NULL;
}

bool raski_map_remove(raski_map *map, const char *key) {
    return drop(map, key, 0);
}

void raski_map_put_number(raski_map *map, uint64_t key, void *value) {
    put(map, NULL, key, value);
}

void *raski_map_get_number(const raski_map *map, uint64_t key) {
    const raski_map_entry *e = find(map, NULL, key);
    return e ? e->value : NULL;
}

bool raski_map_has_number(const raski_map *map, uint64_t key) {
    return find(map, NULL, key) != NULL;
}

bool raski_map_remove_number(raski_map *map, uint64_t key) {
    return drop(map, NULL, key);
}

void raski_map_free(raski_map *map) {
    for (size_t i = 0; i < map->count; i++) raski_free(map->entries[i].text);
    raski_free(map->entries);
    raski_free(map->slots);
    *map = (raski_map){0};
}
