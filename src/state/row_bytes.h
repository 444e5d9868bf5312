/* row_bytes.h - rows of a keyed table as bytes, for stores: keys that sort by key group, values
 * that are the states of a row, and the contents of its lists and maps. For this process only: the
 * byte order is the machine's, and layouts are those of this build (snapshots have a format of
 * their own). Threads: the table's owner. */
#ifndef RASKI_STATE_ROW_BYTES_H
#define RASKI_STATE_ROW_BYTES_H
#include "state/keyed_table_private.h"

/* Bytes that grow; aligned to 64. Zero-initialised is empty. */
typedef struct raski_row_buffer {
    char *bytes;
    size_t size, capacity;
} raski_row_buffer;
void raski_row_buffer_fini(raski_row_buffer *buffer);
/* false without memory. */
bool raski_row_buffer_append(raski_row_buffer *buffer, const void *bytes, size_t size);

enum { RASKI_ROW_ITSELF = 0 }; /* what of a row a key is for: itself, or 1 + a list or map state */

/* Appends the key under which a row is stored: key group (2 bytes, big-endian; 0 where the table
 * does not know the max parallelism), the parts, `part` (one byte). No key is the start of another.
 * false without memory. */
bool raski_row_write_key(const raski_keyed_table *table, const char *row, unsigned part,
                         raski_row_buffer *buffer);
/* The reverse: a row-shaped record (row_size zeroed bytes) gets the key; its texts borrow from
 * bytes, its lists from the arena. RASK_E_CORRUPT. */
RASKI_NODISCARD rask_status raski_row_read_key(const raski_keyed_table *table, const void *bytes,
                                               size_t size, raski_arena *lists, char *ret_row,
                                               unsigned *ret_part, raski_error *err);
/* What a stored key is for: the part it was written with. */
unsigned raski_row_key_part(const void *bytes, size_t size);

/* The states of a row; of lists and maps only how many items they have. false without memory. */
bool raski_row_write_states(const raski_keyed_table *table, const char *row,
                            raski_row_buffer *buffer);
/* Into a row without state, which owns what it gets. bytes are changed. RASK_E_CORRUPT,
 * RASK_E_NOMEM: the row is still without state. */
RASKI_NODISCARD rask_status raski_row_read_states(raski_keyed_table *table, char *bytes,
                                                  size_t size, char *row, raski_error *err);
/* A list or map that is in memory. */
bool raski_row_write_container(const raski_keyed_table *table, const char *row, unsigned state,
                               raski_row_buffer *buffer);
RASKI_NODISCARD rask_status raski_row_read_container(raski_keyed_table *table, char *bytes,
                                                     size_t size, char *row, unsigned state,
                                                     raski_error *err);

/* ---- reading without a table, for snapshots: what is read borrows from bytes, which are changed.
 * false: damaged. Threads: any. */
/* The values of a row's states; of lists and maps only the counts. row is zeroed but for its key.
 */
bool raski_row_borrow_states(const raski_keyed_table *table, char *bytes, size_t size, char *row);
/* What a list or map has, one item or entry after another. */
typedef struct raski_row_items {
    char *bytes;
    size_t at, size;
    uint32_t left;
    const char *items, *times; /* LIST: of the next */
} raski_row_items;
bool raski_row_items_init(raski_row_items *items, const raski_keyed_table *table, unsigned state,
                          char *bytes, size_t size);
/* The next one; *ret_key is NULL for a list, *ret_time (unaligned) without TTL. */
bool raski_row_items_next(raski_row_items *items, const raski_keyed_table *table, unsigned state,
                          const char **ret_key, const char **ret_value, const char **ret_time);
#endif
