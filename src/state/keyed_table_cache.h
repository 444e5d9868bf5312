/* keyed_table_cache.h - a keyed table whose rows are the cache of a store. See keyed_table_cache.c.
 * Private to the keyed table. Threads: the table's owner. */
#ifndef RASKI_STATE_KEYED_TABLE_CACHE_H
#define RASKI_STATE_KEYED_TABLE_CACHE_H
#include "state/keyed_table_private.h"
#include "state/state_store.h"

/* Places the cache's hidden words behind offset (a multiple of 4); returns where they end. */
uint32_t raski_cache_lay_out(uint32_t offset, uint32_t *ret_cache_offset);
struct raski_table_cache *raski_cache_create(raski_keyed_table *table,
                                             raski_state_store *store_take, size_t cache_bytes);
void raski_cache_destroy(struct raski_table_cache *cache_take_or_null);
/* What went wrong at the end of a batch. */
RASKI_NODISCARD rask_status raski_cache_check(raski_keyed_table *table, raski_error *err);
/* After a lookup of n records: rows that it made take over what the store has of their keys (their
 * bits in *inserted are cleared then), and all rows count as changed. */
RASKI_NODISCARD rask_status raski_cache_rows(raski_keyed_table *table, char *const *rows, size_t n,
                                             uint64_t *inserted, raski_error *err);
/* A row that no lookup of this batch gave was changed. */
void raski_cache_row_changed(raski_keyed_table *table, char *row);
/* A list or map of a row was changed. */
void raski_cache_container_changed(raski_keyed_table *table, char *row, unsigned state);
/* raski_keyed_table_find. An error of the store is left for raski_cache_check. */
char *raski_cache_find(raski_keyed_table *table, const raski_key_spec *spec, const void *record);
/* Takes a row out of memory with all that it owns; nothing is written. */
void raski_cache_drop_row(raski_keyed_table *table, char *row);
/* Whether a row without state has to stay for a while, since the store still has it. */
bool raski_cache_keeps(raski_keyed_table *table, char *row);
/* Evicts what is too much. */
void raski_cache_end_batch(raski_keyed_table *table);
/* Brings the next rows that lie in the store into memory, once in a while, to be looked at for what
 * has expired: up to RASKI_LOOKUP_MAX, with the lists and maps that have a time-to-live. They leave
 * again soon. Returns their number; an error is left for raski_cache_check. Between batches only.
 */
size_t raski_cache_fetch_for_cleanup(raski_keyed_table *table, char **ret_rows);
RASKI_NODISCARD rask_status raski_cache_flush(raski_keyed_table *table, raski_error *err);
/* Walks over the rows in the store, of which at the beginning all are; see raski_keyed_walk. */
struct raski_cache_walk;
RASKI_NODISCARD rask_status raski_cache_walk_begin(raski_keyed_table *table,
                                                   struct raski_cache_walk **ret_walk,
                                                   raski_error *err);
RASKI_NODISCARD rask_status raski_cache_walk_next(struct raski_cache_walk *walk, char **ret_rows,
                                                  size_t *ret_n, raski_error *err);
void raski_cache_walk_end(struct raski_cache_walk *walk_take);
/* The store; borrowed. */
raski_state_store *raski_cache_store(const raski_keyed_table *table);
#endif
