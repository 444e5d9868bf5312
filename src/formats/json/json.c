#include "formats/json/json.h"

#include "formats/scalar.h"

static bool check_range(const char *name, int64_t value, int64_t max, char *message, size_t size) {
    if (value >= 1 && value <= max) return true;
    raski_format_refuse(message, size, "json option %s must be in 1..%lld, not %lld", name,
                        (long long)max, (long long)value);
    return false;
}

bool raski_json_options_init(rask_json_options *ret_options, const rask_json_options *options,
                             char *message, size_t size) {
    rask_json_options o = {0};
    if (options != NULL) o = *options;
    if (o.record_bytes_max == 0) o.record_bytes_max = RASKI_RECORD_BYTES_MAX;
    if (o.depth_max == 0) o.depth_max = RASKI_JSON_DEPTH;
    *ret_options = o;
    return check_range("record_bytes_max", o.record_bytes_max, RASKI_RECORD_BYTES_LIMIT, message,
                       size) &&
           check_range("depth_max", o.depth_max, RASKI_JSON_DEPTH_LIMIT, message, size);
}

static bool check(const rask_type *type, int depth, char *message, size_t size) {
    if (depth > RASKI_FORMAT_TYPES_MAX) {
        raski_format_refuse(message, size, "%s is nested more than %d types deep", type->name,
                            RASKI_FORMAT_TYPES_MAX);
        return false;
    }
    switch (type->kind) {
        case RASK_KIND_STRING:
        case RASK_KIND_BYTES:
            return true;
        case RASK_KIND_LIST:
            return check(type->element, depth + 1, message, size);
        case RASK_KIND_OPTIONAL:
            if (type->element->kind != RASK_KIND_OPTIONAL)
                return check(type->element, depth + 1, message, size);
            raski_format_refuse(message, size,
                                "JSON has no place for %s: an absent value and one that holds an "
                                "absent value are both null",
                                type->name);
            return false;
        case RASK_KIND_MAP: {
            const rask_type *key = type->element->fields[0].type;
            if (key->kind == RASK_KIND_STRING || raski_is_scalar(key))
                return check(type->element->fields[1].type, depth + 1, message, size);
            raski_format_refuse(message, size,
                                "JSON has no place for %s: keys are texts, numbers, times or names",
                                type->name);
            return false;
        }
        case RASK_KIND_RECORD:
        case RASK_KIND_VARIANT:
            if (type->field_count > RASKI_FORMAT_FIELDS_MAX) {
                raski_format_refuse(message, size, "%s has %u fields; a format takes up to %d",
                                    type->name, type->field_count, RASKI_FORMAT_FIELDS_MAX);
                return false;
            }
            for (uint32_t i = 0; i < type->field_count; i++)
                if (!check(type->fields[i].type, depth + 1, message, size)) return false;
            return true;
        default:
            if (raski_is_scalar(type)) return true;
            raski_format_refuse(message, size, "JSON has no place for type %s (kind %d)",
                                type->name, (int)type->kind);
            return false;
    }
}

bool raski_json_check_type(const rask_type *type, char *message, size_t size) {
    return check(type, 0, message, size);
}
