#include "operators/definition.h"

#include <string.h>

#include "types/java_hash.h"

raski_operator_definition *raski_operator_definition_create(void) {
    return RASKI_NEW(raski_operator_definition);
}

void raski_operator_definition_destroy(raski_operator_definition *definition_take) {
    if (definition_take == NULL) return;
    raski_free((void *)(uintptr_t)definition_take->self);
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

void raski_key_definition_hashes(const raski_key_definition *key, const void *records, size_t n,
                                 size_t stride, void *scratch, int32_t *ret_hashes) {
    if (key->selector != NULL) {
        key->selector->select_keys(records, n, scratch);
        records = scratch;
        stride = key->selector->out->size;
    }
    raski_hash_records(key->fields.parts, key->fields.part_count, records, n, stride, ret_hashes);
}
