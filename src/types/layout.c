/* Making layouts: the description of a type flattened into the places that hold pointers. */
#include "types/layout.h"

#include "base/alloc.h"
#include "base/vec.h"

typedef RASKI_VEC(raski_place) place_vec;

static void add_type(place_vec *places, const rask_type *type, uint32_t offset, uint32_t count);

static void add_fields(place_vec *places, const rask_type *type, uint32_t offset) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        add_type(places, field->type, offset + field->offset,
                 field->array_length ? field->array_length : 1);
    }
}

/* The places of count values of the type, one behind the other from offset on. */
static void add_type(place_vec *places, const rask_type *type, uint32_t offset, uint32_t count) {
    raski_place place = {.offset = offset, .stride = type->size, .count = count};
    switch (type->kind) {
        case RASK_KIND_STRING:
        case RASK_KIND_BYTES:
            place.kind = RASKI_PLACE_STRING;
            break;
        case RASK_KIND_LIST:
            place.kind = RASKI_PLACE_LIST;
            place.inner = raski_layout_create(type->element);
            break;
        case RASK_KIND_OPTIONAL:
            place.kind = RASKI_PLACE_OPTIONAL;
            place.value_offset = type->value_offset;
            place.inner = raski_layout_create(type->element);
            break;
        case RASK_KIND_RECORD:
            if (count == 1) {
                add_fields(places, type, offset);
                return;
            }
            place.kind = RASKI_PLACE_RECORDS;
            place.inner = raski_layout_create(type);
            break;
        default:
            return;
    }
    bool needed =
        place.inner == NULL || place.kind == RASKI_PLACE_LIST || place.inner->has_pointers;
    if (needed)
        raski_vec_push(places, place);
    else
        raski_layout_destroy(place.inner);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

raski_layout *raski_layout_create(const rask_type *type) {
    raski_layout *layout = RASKI_NEW(raski_layout);
    place_vec places = {0};
    add_type(&places, type, 0, 1);
    *layout = (raski_layout){
        .type = type,
        .size = type->size,
        .align = type->align,
        .has_pointers = places.count > 0,
        .only_strings = true,
        .extra_align = 1,
        .place_count = (uint32_t)places.count,
        .places = places.items,
    };
    for (uint32_t i = 0; i < layout->place_count; i++) {
        const raski_place *place = &layout->places[i];
        if (place->kind == RASKI_PLACE_STRING) continue;
        layout->only_strings = false;
        layout->extra_align = larger(layout->extra_align, place->inner->extra_align);
        if (place->kind == RASKI_PLACE_LIST)
            layout->extra_align = larger(layout->extra_align, place->inner->align);
    }
    return layout;
}

void raski_layout_destroy(raski_layout *layout_take) {
    if (layout_take == NULL) return;
    for (uint32_t i = 0; i < layout_take->place_count; i++)
        raski_layout_destroy(layout_take->places[i].inner);
    raski_free(layout_take->places);
    raski_free(layout_take);
}
