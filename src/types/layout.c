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

static void add_alternatives(raski_place *place, const rask_type *type) {
    place->kind = RASKI_PLACE_VARIANT;
    place->value_offset = type->fields[0].offset;
    place->alternative_count = type->field_count;
    place->alternatives = raski_calloc(type->field_count, sizeof(raski_layout *));
    for (uint32_t i = 0; i < type->field_count; i++)
        place->alternatives[i] = raski_layout_create(type->fields[i].type);
}

static void destroy_place(raski_place *place) {
    raski_layout_destroy(place->inner);
    for (uint32_t i = 0; i < place->alternative_count; i++)
        raski_layout_destroy(place->alternatives[i]);
    raski_free(place->alternatives);
}

/* Whether it has pointers. */
static bool is_needed(const raski_place *place) {
    if (place->kind == RASKI_PLACE_STRING || place->kind == RASKI_PLACE_LIST) return true;
    for (uint32_t i = 0; i < place->alternative_count; i++)
        if (place->alternatives[i]->has_pointers) return true;
    return place->inner != NULL && place->inner->has_pointers;
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
        case RASK_KIND_MAP:
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
        case RASK_KIND_VARIANT:
            add_alternatives(&place, type);
            break;
        default:
            return;
    }
    if (is_needed(&place))
        raski_vec_push(places, place);
    else
        destroy_place(&place);
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
        for (uint32_t k = 0; k < place->alternative_count; k++)
            layout->extra_align = larger(layout->extra_align, place->alternatives[k]->extra_align);
        if (place->inner == NULL) continue;
        layout->extra_align = larger(layout->extra_align, place->inner->extra_align);
        if (place->kind == RASKI_PLACE_LIST)
            layout->extra_align = larger(layout->extra_align, place->inner->align);
    }
    return layout;
}

void raski_layout_destroy(raski_layout *layout_take) {
    if (layout_take == NULL) return;
    for (uint32_t i = 0; i < layout_take->place_count; i++) destroy_place(&layout_take->places[i]);
    raski_free(layout_take->places);
    raski_free(layout_take);
}
