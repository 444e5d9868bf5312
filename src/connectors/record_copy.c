#include "connectors/record_copy.h"

#include <stdlib.h>
#include <string.h>

/* Walks a record twice: with to NULL it only counts the bytes that it points to; then it moves them
 * to `to`, which grows by 16-byte steps so that list items are aligned. */
typedef struct mover {
    char *to;
    size_t size;
} mover;

static void move_value(mover *m, const rask_type *type, char *value);

static void *move_bytes(mover *m, const void *bytes, size_t size) {
    char *place = m->to ? m->to + m->size : NULL;
    if (place != NULL) memcpy(place, bytes, size);
    m->size += (size + 15) / 16 * 16;
    return place;
}

static void move_string(mover *m, char *value) {
    rask_string s;
    memcpy(&s, value, sizeof s);
    if (s.len <= RASK_STRING_INLINE) return;
    const char *place = move_bytes(m, rask_string_data(&s), s.len);
    if (place == NULL) return;
    s.raski_tail = (uint64_t)(uintptr_t)place;
    memcpy(value, &s, sizeof s);
}

static void move_list(mover *m, const rask_type *element, char *value) {
    raski_any_list list;
    memcpy(&list, value, sizeof list);
    if (list.count == 0) return;
    char *items = move_bytes(m, list.items, (size_t)list.count * element->size);
    const char *walk = items ? items : (const char *)list.items;
    for (uint32_t i = 0; i < list.count; i++)
        move_value(m, element, (char *)(uintptr_t)walk + (size_t)i * element->size);
    if (items == NULL) return;
    list.items = items;
    memcpy(value, &list, sizeof list);
}

static void move_record(mover *m, const rask_type *type, char *value) {
    for (uint32_t f = 0; f < type->field_count; f++) {
        const rask_field *field = &type->fields[f];
        uint32_t count = field->array_length ? field->array_length : 1;
        for (uint32_t i = 0; i < count; i++)
            move_value(m, field->type, value + field->offset + (size_t)i * field->type->size);
    }
}

static void move_value(mover *m, const rask_type *type, char *value) {
    switch (type->kind) {
        case RASK_KIND_STRING:
        case RASK_KIND_BYTES:
            move_string(m, value);
            break;
        case RASK_KIND_LIST:
        case RASK_KIND_MAP:
            move_list(m, type->element, value);
            break;
        case RASK_KIND_OPTIONAL:
            if (*(const bool *)value) move_value(m, type->element, value + type->value_offset);
            break;
        case RASK_KIND_RECORD:
            move_record(m, type, value);
            break;
        case RASK_KIND_VARIANT: {
            uint32_t which = 0;
            memcpy(&which, value, sizeof which);
            if (which >= type->field_count) break;
            move_value(m, type->fields[which].type, value + type->fields[which].offset);
            break;
        }
        default:
            break;
    }
}

void *raski_records_copy(const rask_type *type, const void *records, size_t n) {
    size_t size = (n * type->size + 15) / 16 * 16;
    mover counter = {0};
    for (size_t i = 0; i < n; i++)
        move_value(&counter, type, (char *)(uintptr_t)records + i * type->size);
    char *block = malloc(size + counter.size + 1);
    if (block == NULL) return NULL;
    if (n > 0) memcpy(block, records, n * type->size);
    mover m = {.to = block + size};
    for (size_t i = 0; i < n; i++) move_value(&m, type, block + i * type->size);
    return block;
}
