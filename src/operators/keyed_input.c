#include "operators/keyed_input.h"

#include <string.h>

#include "types/java_hash.h"

rask_status raski_keyed_input_init(raski_keyed_input *input, raski_operator *op, raski_error *err) {
    *input = (raski_keyed_input){0};
    RASKI_TRY(raski_key_group_range_of_subtask(op->runtime.max_parallelism, op->runtime.parallelism,
                                               op->runtime.subtask_index, &input->range, err));
    input->input_count = raski_operator_definition_input_count(op->def);
    input->keys = RASKI_NEW_ARRAY(void *, input->input_count);
    for (unsigned i = 0; i < input->input_count; i++) {
        const raski_key_definition *key = raski_operator_definition_input(op->def, i).key;
        if (key == NULL || key->selector == NULL) continue;
        input->keys[i] = raski_try_alloc(RASKI_LOOKUP_MAX * key->selector->out->size, 64);
        if (input->keys[i] == NULL)
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keys");
    }
    return RASK_OK;
}

void raski_keyed_input_fini(raski_keyed_input *input) {
    for (unsigned i = 0; i < input->input_count; i++) raski_free(input->keys[i]);
    raski_free(input->keys);
    *input = (raski_keyed_input){0};
}

static rask_status check_key_groups(raski_keyed_input *input, const raski_operator *op,
                                    const raski_keys *keys, size_t n, raski_error *err) {
    if (op->runtime.parallelism == 1) return RASK_OK;
#ifdef NDEBUG
    size_t from = input->next_checked++ % n;
    size_t to = from + 1;
#else
    size_t from = 0;
    size_t to = n;
#endif
    for (size_t i = from; i < to; i++) {
        int32_t hash = 0;
        raski_hash_records(keys->spec->parts, keys->spec->part_count,
                           keys->first + i * keys->stride, 1, keys->stride, &hash);
        RASKI_TRY(raski_key_group_range_check(
            input->range, raski_key_group_of_hash(hash, op->runtime.max_parallelism), err));
    }
    return RASK_OK;
}

rask_status raski_keyed_input_keys(raski_keyed_input *input, raski_operator *op, unsigned number,
                                   const void *records, size_t n, raski_keys *ret_keys,
                                   raski_error *err) {
    const raski_input_definition from = raski_operator_definition_input(op->def, number);
    const raski_key_definition *key = from.key;
    *ret_keys = (raski_keys){&key->fields, records, from.type->size};
    if (key->selector != NULL) {
        void *keys = input->keys[number];
        RASKI_TRY(raski_select_keys(key->selector, records, n, keys, &op->ctx.i, err));
        ret_keys->first = keys;
        ret_keys->stride = key->selector->out->size;
    }
    return check_key_groups(input, op, ret_keys, n, err);
}

rask_status raski_keyed_input_lookup(raski_keyed_input *input, raski_operator *op, unsigned number,
                                     const void *records, size_t n, raski_keyed_table *table,
                                     char **ret_rows, uint64_t *ret_inserted, raski_error *err) {
    raski_keys keys;
    RASKI_TRY(raski_keyed_input_keys(input, op, number, records, n, &keys, err));
    return raski_keyed_table_lookup(table, keys.spec, keys.first, keys.stride, n, ret_rows,
                                    ret_inserted, err);
}

static rask_status grow(raski_empty_rows *empty, raski_error *err) {
    size_t capacity = empty->capacity ? 2 * empty->capacity : RASKI_LOOKUP_MAX;
    char **rows = raski_try_alloc(capacity * sizeof *rows, 0);
    if (rows == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    if (empty->count > 0) memcpy(rows, empty->rows, empty->count * sizeof *rows);
    raski_free(empty->rows);
    empty->rows = rows;
    empty->capacity = capacity;
    return RASK_OK;
}

rask_status raski_empty_rows_note(raski_empty_rows *empty, char *const *rows, uint64_t candidates,
                                  raski_error *err) {
    for (; candidates != 0; candidates &= candidates - 1) {
        char *row = rows[__builtin_ctzll(candidates)];
        if (*(const uint32_t *)(const void *)row != 0) continue;
        if (empty->count == empty->capacity) RASKI_TRY(grow(empty, err));
        empty->rows[empty->count++] = row;
    }
    return RASK_OK;
}

void raski_empty_rows_end_batch(raski_empty_rows *empty, raski_keyed_table *table) {
    if (empty->count > 0) raski_keyed_table_sweep(table, empty->rows, empty->count);
    empty->count = 0;
    raski_keyed_table_end_batch(table);
}

void raski_empty_rows_fini(raski_empty_rows *empty) {
    raski_free(empty->rows);
    *empty = (raski_empty_rows){0};
}
