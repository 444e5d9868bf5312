#include "operators/definition.h"

#include <string.h>

#include "operators/operator.h"
#include "types/java_hash.h"

raski_operator_definition *raski_operator_definition_create(void) {
    return RASKI_NEW(raski_operator_definition);
}

void raski_operator_definition_destroy(raski_operator_definition *definition_take) {
    if (definition_take == NULL) return;
    if (definition_take->detail_destroy) definition_take->detail_destroy(definition_take->detail);
    raski_free((void *)(uintptr_t)definition_take->self);
    raski_free(definition_take->inputs);
    raski_vec_free(&definition_take->side_types);
    raski_free(definition_take);
}

const rask_type *raski_operator_definition_side_type(const raski_operator_definition *definition,
                                                     const char *tag) {
    for (size_t i = 0; i < definition->side_types.count; i++)
        if (strcmp(definition->side_types.items[i].tag, tag) == 0)
            return definition->side_types.items[i].type;
    return NULL;
}

/* Selectors are pure, so the record at which one fails is found by asking for each key again: the
 * loop over a batch need not look for failures. */
static void find_failure(const raski_fn *selector, const char *records, size_t n, void *keys,
                         size_t *ret_index, raski_error *failure) {
    raski_error again = {0};
    raski_failure_sink_set(&again);
    for (*ret_index = 0; *ret_index < n; ++*ret_index) {
        selector->select_keys(records + *ret_index * selector->in->size, 1, keys);
        if (raski_error_is_set(&again)) break;
    }
    if (*ret_index < n) *failure = again;
}

rask_status raski_select_keys(const raski_fn *selector, const void *records, size_t n,
                              void *ret_keys, size_t *ret_index, raski_error *err) {
    raski_error failure; /* a whole one is too long to be cleared for each batch */
    failure.status = RASK_OK;
    raski_failure_sink_set(&failure);
    selector->select_keys(records, n, ret_keys);
    if (raski_error_is_set(&failure))
        find_failure(selector, records, n, ret_keys, ret_index, &failure);
    raski_failure_sink_set(NULL);
    if (!raski_error_is_set(&failure)) return RASK_OK;
    if (err != NULL) *err = failure;
    return failure.status;
}

rask_status raski_key_definition_hashes(const raski_key_definition *key, const void *records,
                                        size_t n, size_t stride, void *scratch, int64_t before,
                                        int32_t *ret_hashes, raski_error *err) {
    if (key->selector != NULL) {
        size_t index = 0;
        rask_status status = raski_select_keys(key->selector, records, n, scratch, &index, err);
        if (status != RASK_OK) {
            if (err != NULL)
                raski_failure_prefix(err,
                                     "key function \"%s\" at record %lld: ", key->selector->name,
                                     (long long)before + (long long)index + 1);
            return status;
        }
        records = scratch;
        stride = key->selector->out->size;
    }
    raski_hash_records(key->fields.parts, key->fields.part_count, records, n, stride, ret_hashes);
    return RASK_OK;
}
