/* Deep copies of records: into a batch arena, or into memory that the record owns. */
#include "base/alloc.h"
#include "types/layout.h"
#include "types/type_info.h"

rask_status raski_record_copy_to_arena(const raski_layout *layout, void *record,
                                       raski_batch_arena *arena, raski_error *err) {
    if (!layout->has_pointers) return RASK_OK;
    size_t size = raski_record_extra_size(layout, record);
    if (size == 0) return RASK_OK;
    char *memory = layout->extra_align == 1
                       ? raski_batch_arena_bytes(arena, size)
                       : raski_batch_arena_alloc(arena, size + layout->extra_align);
    if (memory == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a record of %zu bytes",
                          size + layout->size);
    size_t align = layout->extra_align;
    uintptr_t start = ((uintptr_t)memory + align - 1) & ~(uintptr_t)(align - 1);
    (void)raski_record_write_extra(layout, record, NULL, start);
    return RASK_OK;
}

/* Walks count the blocks in one order, so that what was copied before memory ran out can be freed
 * by their number. */
static bool own(const raski_layout *layout, char *record, size_t *blocks);
static void disown(const raski_layout *layout, char *record, size_t *blocks);

static bool own_bytes(const void **pointer, size_t size, size_t align, size_t *blocks) {
    void *copy = raski_try_alloc(size, align);
    if (copy == NULL) return false;
    memcpy(copy, *pointer, size);
    *pointer = copy;
    ++*blocks;
    return true;
}

static bool own_string(rask_string *s, size_t *blocks) {
    if (s->len <= RASK_STRING_INLINE) return true;
    const void *bytes = rask_string_data(s);
    if (!own_bytes(&bytes, s->len, 0, blocks)) return false;
    s->raski_tail = (uint64_t)(uintptr_t)bytes;
    return true;
}

static bool own_list(const raski_layout *item, raski_any_list *list, size_t *blocks) {
    if (list->count == 0) {
        list->items = NULL;
        return true;
    }
    if (!own_bytes(&list->items, (size_t)list->count * item->size, item->align, blocks))
        return false;
    if (!item->has_pointers) return true;
    char *p = (char *)(uintptr_t)list->items;
    for (uint32_t i = 0; i < list->count; i++, p += item->size)
        if (!own(item, p, blocks)) return false;
    return true;
}

static bool own(const raski_layout *layout, char *record, size_t *blocks) {
    for (uint32_t k = 0; k < layout->place_count; k++) {
        const raski_place *place = &layout->places[k];
        char *p = record + place->offset;
        for (uint32_t i = 0; i < place->count; i++, p += place->stride) {
            bool done = true;
            switch (place->kind) {
                case RASKI_PLACE_STRING:
                    done = own_string((void *)p, blocks);
                    break;
                case RASKI_PLACE_LIST:
                    done = own_list(place->inner, (void *)p, blocks);
                    break;
                case RASKI_PLACE_OPTIONAL:
                    if (*(const bool *)p) done = own(place->inner, p + place->value_offset, blocks);
                    break;
                case RASKI_PLACE_RECORDS:
                    done = own(place->inner, p, blocks);
                    break;
                case RASKI_PLACE_VARIANT: {
                    const raski_layout *value = raski_place_alternative(place, p);
                    done = value == NULL || own(value, p + place->value_offset, blocks);
                    break;
                }
            }
            if (!done) return false;
        }
    }
    return true;
}

static void disown_list(const raski_layout *item, raski_any_list *list, size_t *blocks) {
    if (list->count == 0 || *blocks == 0) return;
    --*blocks;
    char *p = (char *)(uintptr_t)list->items;
    for (uint32_t i = 0; item->has_pointers && i < list->count; i++)
        disown(item, p + (size_t)i * item->size, blocks);
    raski_free(p);
}

static void disown(const raski_layout *layout, char *record, size_t *blocks) {
    for (uint32_t k = 0; k < layout->place_count; k++) {
        const raski_place *place = &layout->places[k];
        char *p = record + place->offset;
        for (uint32_t i = 0; i<place->count && * blocks> 0; i++, p += place->stride) {
            switch (place->kind) {
                case RASKI_PLACE_STRING: {
                    rask_string *s = (void *)p;
                    if (s->len <= RASK_STRING_INLINE) break;
                    --*blocks;
                    raski_free((void *)(uintptr_t)s->raski_tail);
                    break;
                }
                case RASKI_PLACE_LIST:
                    disown_list(place->inner, (void *)p, blocks);
                    break;
                case RASKI_PLACE_OPTIONAL:
                    if (*(const bool *)p) disown(place->inner, p + place->value_offset, blocks);
                    break;
                case RASKI_PLACE_RECORDS:
                    disown(place->inner, p, blocks);
                    break;
                case RASKI_PLACE_VARIANT: {
                    const raski_layout *value = raski_place_alternative(place, p);
                    if (value != NULL) disown(value, p + place->value_offset, blocks);
                    break;
                }
            }
        }
    }
}

rask_status raski_record_own(const raski_layout *layout, void *dst, const void *src,
                             raski_error *err) {
    memmove(dst, src, layout->size);
    if (!layout->has_pointers) return RASK_OK;
    size_t blocks = 0;
    if (own(layout, dst, &blocks)) return RASK_OK;
    disown(layout, dst, &blocks);
    memset(dst, 0, layout->size);
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a copy of a record (%s)",
                      raski_kind_name(layout->type->kind));
}

void raski_record_disown(const raski_layout *layout, void *record) {
    size_t blocks = SIZE_MAX;
    if (layout->has_pointers) disown(layout, record, &blocks);
    memset(record, 0, layout->size);
}
