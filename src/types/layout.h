/* layout.h - the places of a record that point to memory outside of it, and what can be done with
 * them: moving a record into a buffer, a file, a batch arena or state, and back.
 *
 * A record is a fixed-size struct; the bytes of long strings (more than 12), of long byte strings
 * and the items of lists lie elsewhere. In transit they follow the record (the "extra" bytes), and
 * the pointers are offsets from the start of the buffer, so that a buffer may lie at any address.
 * Everything about a type that a record loop needs is worked out once, when its layout is made.
 *
 * In a buffer the extra bytes of a record come in one order: place after place, a list's items
 * before what the items point to. raski_record_fix insists on it, so bytes from outside can never
 * make two places share memory.
 * Threads: a layout is immutable after creation. Flink: TypeSerializer. */
#ifndef RASKI_TYPES_LAYOUT_H
#define RASKI_TYPES_LAYOUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rask/types.h"
#include "types/batch_arena.h"

typedef struct raski_layout raski_layout;

typedef enum raski_place_kind {
    RASKI_PLACE_STRING, /* rask_string or rask_bytes */
    RASKI_PLACE_LIST, /* raski_any_list of elements (maps: of entries); inner: layout of one element
                       */
    RASKI_PLACE_OPTIONAL, /* present at 0; inner: layout of the value, at value_offset */
    RASKI_PLACE_RECORDS,  /* an array of records; inner: layout of one */
    RASKI_PLACE_VARIANT,  /* int32_t which at 0; alternatives[which]: layout of the value */
} raski_place_kind;

/* count places of one kind, stride bytes apart, the first at offset. */
typedef struct raski_place {
    raski_place_kind kind;
    uint32_t offset, stride, count;
    uint32_t value_offset;       /* OPTIONAL, VARIANT */
    uint32_t alternative_count;  /* VARIANT */
    raski_layout *inner;         /* LIST, OPTIONAL, RECORDS; owned by this layout */
    raski_layout **alternatives; /* VARIANT; owned, as the layouts in it */
} raski_place;

/* The layout of the value of a variant at p; NULL: `which` is no alternative. */
static inline const raski_layout *raski_place_alternative(const raski_place *place, const char *p) {
    uint32_t which = *(const uint32_t *)(const void *)p;
    return which < place->alternative_count ? place->alternatives[which] : NULL;
}

struct raski_layout {
    const rask_type *type; /* borrowed; static in practice */
    uint32_t size, align;
    bool has_pointers;    /* false: a record is its bytes, everything below is trivial */
    bool only_strings;    /* all places are STRING */
    uint32_t extra_align; /* the extra bytes of a record must start at a multiple of this */
    uint32_t place_count;
    raski_place *places;
};

/* A layout for a valid type (raski_type_validate), for the caller to destroy. Never NULL. */
raski_layout *raski_layout_create(const rask_type *type);
void raski_layout_destroy(raski_layout *layout_take);

/* ---- one record */
/* Bytes that the record's pointers lead to, with the padding that lists need; the same wherever the
 * bytes will lie (at a multiple of extra_align). */
size_t raski_record_extra_size(const raski_layout *layout, const void *record);

/* record is a copy of a record inside the buffer at base: copies everything it points to to
 * base + heap_offset (a multiple of extra_align; room for raski_record_extra_size bytes) and turns
 * its pointers into offsets from base. Returns the offset behind the last byte written. With base
 * NULL, heap_offset is an address, and the pointers stay pointers: a deep copy. */
size_t raski_record_write_extra(const raski_layout *layout, void *record, char *base,
                                size_t heap_offset);

/* The reverse, in place: record (aligned) lies in the buffer of limit bytes at base; its extra
 * bytes start at or behind heap_offset. Turns offsets into pointers and gives the offset behind
 * the last extra byte. RASK_E_CORRUPT for bytes that raski_record_write_extra did not write: no
 * pointer ever leads outside of heap_offset..limit, and the record is not to be used then. */
RASKI_NODISCARD rask_status raski_record_fix(const raski_layout *layout, void *record, char *base,
                                             size_t heap_offset, size_t limit, size_t *ret_end,
                                             raski_error *err);

/* ---- count records one behind the other; the same, with a fast path for records whose strings
 * are all short. The extra bytes of all of them follow in their order. */
size_t raski_records_extra_size(const raski_layout *layout, const void *records, size_t count);
size_t raski_records_write_extra(const raski_layout *layout, void *records, size_t count,
                                 char *base, size_t heap_offset);
RASKI_NODISCARD rask_status raski_records_fix(const raski_layout *layout, void *records,
                                              size_t count, char *base, size_t heap_offset,
                                              size_t limit, size_t *ret_end, raski_error *err);
/* How many of the first count records fit with their extra bytes into room bytes (records first,
 * then, aligned, the extra bytes); gives the size of the extra bytes of those. */
size_t raski_records_fitting(const raski_layout *layout, const void *records, size_t count,
                             size_t room, size_t *ret_extra);

/* ---- deep copies */
/* Copies what the record (a copy already) points to into the arena. RASK_E_NOMEM leaves it with
 * its old pointers. */
RASKI_NODISCARD rask_status raski_record_copy_to_arena(const raski_layout *layout, void *record,
                                                       raski_batch_arena *arena, raski_error *err);
/* dst becomes a copy of src that owns everything it points to (malloc, one block per pointer). dst
 * is zeroed when there is no memory. dst and src may be the same record, which then owns copies of
 * what it borrowed. */
RASKI_NODISCARD rask_status raski_record_own(const raski_layout *layout, void *dst, const void *src,
                                             raski_error *err);
/* Frees what an owning record points to, and zeroes the record. */
void raski_record_disown(const raski_layout *layout, void *record);
#endif
