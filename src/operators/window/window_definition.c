#include "operators/window/window_definition.h"

const rask_type *raski_window_contents_type(const raski_window_definition *window,
                                            const rask_type *record) {
    if (window->element != NULL) return window->element;
    return window->contents == RASKI_WINDOW_AGGREGATE ? window->incremental->window->state : record;
}

const rask_type *raski_window_value_type(const raski_window_definition *window,
                                         const rask_type *record) {
    return window->contents == RASKI_WINDOW_AGGREGATE ? window->incremental->out : record;
}

/* ---------------------------------------------------------------- types */
typedef struct member {
    const char *name;
    const rask_type *type;
} member;

/* A record of these members, laid out as C does it. */
static const rask_type *record_type(const char *name, const member *members, size_t count,
                                    raski_arena *arena) {
    rask_type *type = raski_arena_calloc(arena, sizeof *type);
    rask_field *fields = raski_arena_calloc(arena, count * sizeof *fields);
    type->name = name;
    type->kind = RASK_KIND_RECORD;
    type->align = 1;
    type->field_count = (uint32_t)count;
    type->fields = fields;
    for (size_t i = 0; i < count; i++) {
        const uint32_t align = members[i].type->align;
        const uint32_t offset = (type->size + align - 1) / align * align;
        fields[i] =
            (rask_field){members[i].name, offset, members[i].type->size, members[i].type, 0};
        type->size = offset + members[i].type->size;
        if (align > type->align) type->align = align;
    }
    type->size = (type->size + type->align - 1) / type->align * type->align;
    return type;
}

const rask_type *raski_window_element_type(const rask_type *record, raski_arena *arena,
                                           uint32_t *ret_offset) {
    const member members[] = {{"timestamp", &rask_type_int64_t}, {"value", record}};
    const rask_type *type =
        record_type(raski_arena_format(arena, "element of %s", record->name), members, 2, arena);
    *ret_offset = type->fields[1].offset;
    return type;
}

const raski_tagged_type *raski_tagged_type_create(const rask_type *key, const rask_type *first,
                                                  const rask_type *second, raski_arena *arena) {
    const member members[] = {
        {"key", key}, {"is_second", &rask_type_rask_bool}, {"first", first}, {"second", second}};
    raski_tagged_type *tagged = raski_arena_calloc(arena, sizeof *tagged);
    const rask_type *type =
        record_type(raski_arena_format(arena, "TaggedUnion<%s, %s>", first->name, second->name),
                    members, 4, arena);
    *tagged = (raski_tagged_type){.type = type,
                                  .key_offset = type->fields[0].offset,
                                  .second_flag_offset = type->fields[1].offset,
                                  .offsets = {type->fields[2].offset, type->fields[3].offset},
                                  .key = key,
                                  .inputs = {first, second}};
    return tagged;
}
