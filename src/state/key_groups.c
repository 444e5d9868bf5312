/* Key groups of rows, for snapshots. */
#include <string.h>

#include "state/keyed_table_private.h"
#include "types/java_hash.h"
#include "types/key_group.h"

uint32_t raski_keyed_table_key_group(const raski_keyed_table *table, const char *row,
                                     uint32_t max_parallelism) {
    int32_t hash = 0;
    raski_hash_records(table->key_in_row.parts,
                       table->key_in_row.part_count - table->namespace_parts, row, 1,
                       table->row_size, &hash);
    return (uint32_t)raski_key_group_of_hash(hash, (int32_t)max_parallelism);
}

rask_status raski_keyed_table_key_groups(const raski_keyed_table *table, uint32_t max_parallelism,
                                         raski_key_groups *ret_groups, raski_error *err) {
    RASKI_ASSERT(max_parallelism >= 1 && max_parallelism <= RASKI_MAX_PARALLELISM_UPPER_BOUND);
    char **rows = raski_try_alloc(table->count * sizeof *rows, 0);
    uint16_t *groups = raski_try_alloc(table->count * sizeof *groups, 0);
    size_t *starts = raski_try_calloc((size_t)max_parallelism + 1, sizeof *starts);
    rask_status status = RASK_OK;
    if (!rows || !groups || !starts) {
        status = raski_table_no_memory(table, err);
        goto out;
    }
    size_t position = 0, i = 0;
    for (const char *row; (row = raski_keyed_table_next(table, &position)); i++) {
        groups[i] = (uint16_t)raski_keyed_table_key_group(table, row, max_parallelism);
        starts[groups[i] + 1]++;
    }
    for (uint32_t g = 0; g < max_parallelism; g++) starts[g + 1] += starts[g];
    position = i = 0;
    for (char *row; (row = raski_keyed_table_next(table, &position)); i++)
        rows[starts[groups[i]]++] = row;
    /* every start has moved to its group's end: that of the next one */
    memmove(starts + 1, starts, max_parallelism * sizeof *starts);
    starts[0] = 0;
    *ret_groups =
        (raski_key_groups){.rows = rows, .starts = starts, .group_count = max_parallelism};
    rows = NULL;
    starts = NULL;
out:
    raski_free(rows);
    raski_free(groups);
    raski_free(starts);
    return status;
}

void raski_key_groups_fini(raski_key_groups *groups) {
    raski_free(groups->rows);
    raski_free(groups->starts);
    *groups = (raski_key_groups){0};
}
