/* Records into buffers and back: sizes, pointers to offsets, offsets to pointers. */
#include "types/layout.h"

static inline size_t align_up(size_t at, size_t align) {
    return (at + align - 1) & ~(align - 1);
}

static inline char *address(char *base, size_t offset) {
    return (char *)((uintptr_t)base + offset); /* base may be NULL: then offset is the address */
}

static inline const void *as_pointer(size_t offset) {
    return (const void *)(uintptr_t)offset;
}

/* ---------------------------------------------------------------- size */
static size_t size_from(const raski_layout *layout, const char *record, size_t at);

static size_t list_size_from(const raski_layout *item, const raski_any_list *list, size_t at) {
    if (list->count == 0) return at;
    at = align_up(at, item->align) + (size_t)list->count * item->size;
    if (!item->has_pointers) return at;
    const char *p = list->items;
    for (uint32_t i = 0; i < list->count; i++, p += item->size) at = size_from(item, p, at);
    return at;
}

static size_t size_from(const raski_layout *layout, const char *record, size_t at) {
    for (uint32_t k = 0; k < layout->place_count; k++) {
        const raski_place *place = &layout->places[k];
        const char *p = record + place->offset;
        for (uint32_t i = 0; i < place->count; i++, p += place->stride) {
            switch (place->kind) {
                case RASKI_PLACE_STRING: {
                    uint32_t length = ((const rask_string *)(const void *)p)->len;
                    at += length > RASK_STRING_INLINE ? length : 0;
                    break;
                }
                case RASKI_PLACE_LIST:
                    at = list_size_from(place->inner, (const void *)p, at);
                    break;
                case RASKI_PLACE_OPTIONAL:
                    if (*(const bool *)p) at = size_from(place->inner, p + place->value_offset, at);
                    break;
                case RASKI_PLACE_RECORDS:
                    at = size_from(place->inner, p, at);
                    break;
                case RASKI_PLACE_VARIANT: {
                    const raski_layout *value = raski_place_alternative(place, p);
                    if (value != NULL) at = size_from(value, p + place->value_offset, at);
                    break;
                }
            }
        }
    }
    return at;
}

size_t raski_record_extra_size(const raski_layout *layout, const void *record) {
    return size_from(layout, record, 0);
}

/* ---------------------------------------------------------------- write */
static size_t write_from(const raski_layout *layout, char *record, char *base, size_t at);

static size_t write_string(rask_string *s, char *base, size_t at) {
    if (s->len <= RASK_STRING_INLINE) return at;
    memcpy(address(base, at), rask_string_data(s), s->len);
    s->raski_tail = at;
    return at + s->len;
}

static size_t write_list(const raski_layout *item, raski_any_list *list, char *base, size_t at) {
    if (list->count == 0) {
        list->items = NULL;
        return at;
    }
    size_t gap = align_up(at, item->align) - at;
    memset(address(base, at), 0, gap); /* what is written out has no chance bytes */
    at += gap;
    size_t bytes = (size_t)list->count * item->size;
    char *p = address(base, at);
    memcpy(p, list->items, bytes);
    list->items = as_pointer(at);
    at += bytes;
    if (!item->has_pointers) return at;
    for (uint32_t i = 0; i < list->count; i++, p += item->size) at = write_from(item, p, base, at);
    return at;
}

static size_t write_from(const raski_layout *layout, char *record, char *base, size_t at) {
    for (uint32_t k = 0; k < layout->place_count; k++) {
        const raski_place *place = &layout->places[k];
        char *p = record + place->offset;
        for (uint32_t i = 0; i < place->count; i++, p += place->stride) {
            switch (place->kind) {
                case RASKI_PLACE_STRING:
                    at = write_string((void *)p, base, at);
                    break;
                case RASKI_PLACE_LIST:
                    at = write_list(place->inner, (void *)p, base, at);
                    break;
                case RASKI_PLACE_OPTIONAL:
                    if (*(const bool *)p)
                        at = write_from(place->inner, p + place->value_offset, base, at);
                    break;
                case RASKI_PLACE_RECORDS:
                    at = write_from(place->inner, p, base, at);
                    break;
                case RASKI_PLACE_VARIANT: {
                    const raski_layout *value = raski_place_alternative(place, p);
                    if (value != NULL) at = write_from(value, p + place->value_offset, base, at);
                    break;
                }
            }
        }
    }
    return at;
}

size_t raski_record_write_extra(const raski_layout *layout, void *record, char *base,
                                size_t heap_offset) {
    return write_from(layout, record, base, heap_offset);
}

/* ---------------------------------------------------------------- fix */
typedef struct fixer {
    char *base;
    size_t limit;
    size_t at; /* all extra bytes so far lie before it */
    raski_error *err;
} fixer;

static rask_status fix(fixer *f, const raski_layout *layout, char *record);

static RASKI_COLD rask_status corrupt(const fixer *f, const char *what, size_t offset,
                                      size_t bytes) {
    return RASKI_FAIL(f->err, RASK_E_CORRUPT, EXTERNAL,
                      "corrupt record: %s of %zu bytes at offset %zu does not fit into bytes "
                      "%zu..%zu of the buffer",
                      what, bytes, offset, f->at, f->limit);
}

static inline rask_status fix_string(fixer *f, rask_string *s) {
    if (s->len <= RASK_STRING_INLINE) return RASK_OK;
    size_t offset = (size_t)s->raski_tail;
    if (offset < f->at || offset > f->limit || s->len > f->limit - offset)
        return corrupt(f, "a string", offset, s->len);
    s->raski_tail = (uint64_t)(uintptr_t)(f->base + offset);
    f->at = offset + s->len;
    return RASK_OK;
}

static rask_status fix_list(fixer *f, const raski_layout *item, raski_any_list *list) {
    if (list->count == 0) {
        list->items = NULL;
        return RASK_OK;
    }
    size_t offset = (size_t)(uintptr_t)list->items;
    uint64_t bytes = (uint64_t)list->count * item->size;
    if (offset < f->at || offset > f->limit || bytes > f->limit - offset ||
        (((uintptr_t)f->base + offset) & (item->align - 1)) != 0)
        return corrupt(f, "a list", offset, (size_t)bytes);
    char *p = f->base + offset;
    list->items = p;
    f->at = offset + (size_t)bytes;
    if (!item->has_pointers) return RASK_OK;
    for (uint32_t i = 0; i < list->count; i++, p += item->size) RASKI_TRY(fix(f, item, p));
    return RASK_OK;
}

static rask_status fix_optional(fixer *f, const raski_place *place, char *p) {
    unsigned char present = *(const unsigned char *)p;
    if (present == 0) return RASK_OK;
    if (present != 1)
        return RASKI_FAIL(f->err, RASK_E_CORRUPT, EXTERNAL,
                          "corrupt record: an optional is neither present nor absent (%u)",
                          present);
    return fix(f, place->inner, p + place->value_offset);
}

/* A number that is no alternative has no value, wherever the record came from. */
static rask_status fix_variant(fixer *f, const raski_place *place, char *p) {
    const raski_layout *value = raski_place_alternative(place, p);
    return value != NULL ? fix(f, value, p + place->value_offset) : RASK_OK;
}

static rask_status fix(fixer *f, const raski_layout *layout, char *record) {
    for (uint32_t k = 0; k < layout->place_count; k++) {
        const raski_place *place = &layout->places[k];
        char *p = record + place->offset;
        for (uint32_t i = 0; i < place->count; i++, p += place->stride) {
            switch (place->kind) {
                case RASKI_PLACE_STRING:
                    RASKI_TRY(fix_string(f, (void *)p));
                    break;
                case RASKI_PLACE_LIST:
                    RASKI_TRY(fix_list(f, place->inner, (void *)p));
                    break;
                case RASKI_PLACE_OPTIONAL:
                    RASKI_TRY(fix_optional(f, place, p));
                    break;
                case RASKI_PLACE_RECORDS:
                    RASKI_TRY(fix(f, place->inner, p));
                    break;
                case RASKI_PLACE_VARIANT:
                    RASKI_TRY(fix_variant(f, place, p));
                    break;
            }
        }
    }
    return RASK_OK;
}

rask_status raski_record_fix(const raski_layout *layout, void *record, char *base,
                             size_t heap_offset, size_t limit, size_t *ret_end, raski_error *err) {
    return raski_records_fix(layout, record, 1, base, heap_offset, limit, ret_end, err);
}

/* ---------------------------------------------------------------- batches */
/* Whether one of the records may have extra bytes; false is the common case of short strings, told
 * by their lengths alone. */
static bool any_extra(const raski_layout *layout, const char *records, size_t count) {
    if (!layout->has_pointers) return false;
    if (!layout->only_strings) return true;
    for (uint32_t k = 0; k < layout->place_count; k++) {
        const raski_place *place = &layout->places[k];
        for (uint32_t j = 0; j < place->count; j++) {
            const char *p = records + place->offset + (size_t)j * place->stride;
            uint32_t longest = 0;
            for (size_t i = 0; i < count; i++, p += layout->size) {
                uint32_t length = ((const rask_string *)(const void *)p)->len;
                longest = length > longest ? length : longest;
            }
            if (longest > RASK_STRING_INLINE) return true;
        }
    }
    return false;
}

size_t raski_records_extra_size(const raski_layout *layout, const void *records, size_t count) {
    if (!any_extra(layout, records, count)) return 0;
    const char *p = records;
    size_t at = 0;
    for (size_t i = 0; i < count; i++, p += layout->size) at = size_from(layout, p, at);
    return at;
}

size_t raski_records_write_extra(const raski_layout *layout, void *records, size_t count,
                                 char *base, size_t heap_offset) {
    if (!any_extra(layout, records, count)) return heap_offset;
    char *p = records;
    size_t at = heap_offset;
    for (size_t i = 0; i < count; i++, p += layout->size) at = write_from(layout, p, base, at);
    return at;
}

rask_status raski_records_fix(const raski_layout *layout, void *records, size_t count, char *base,
                              size_t heap_offset, size_t limit, size_t *ret_end, raski_error *err) {
    fixer f = {.limit = limit, .at = heap_offset, .err = err};
    f.base = base;
    if (any_extra(layout, records, count)) {
        char *p = records;
        for (size_t i = 0; i < count; i++, p += layout->size) RASKI_TRY(fix(&f, layout, p));
    }
    *ret_end = f.at;
    return RASK_OK;
}

size_t raski_records_fitting(const raski_layout *layout, const void *records, size_t count,
                             size_t room, size_t *ret_extra) {
    size_t most = room / layout->size;
    if (most > count) most = count;
    *ret_extra = 0;
    if (!any_extra(layout, records, most)) return most;
    const char *p = records;
    size_t at = 0;
    for (size_t i = 0; i < most; i++, p += layout->size) {
        size_t next = size_from(layout, p, at);
        size_t fixed = align_up((i + 1) * layout->size, layout->extra_align);
        if (fixed > room || next > room - fixed) return i;
        *ret_extra = at = next;
    }
    return most;
}
