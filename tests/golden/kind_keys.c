/* keys/: the Java hash of each key, its key groups and subtasks; which types may be keys. */
#include <stdlib.h>

#include "base/alloc.h"
#include "golden/java_json.h"
#include "types/java_hash.h"
#include "types/java_hash_values.h"
#include "types/java_type.h"
#include "types/key_group.h"
#include "types/utf16.h"

static const int32_t max_parallelisms[] = {1, 2, 128, 200, 720, 4096, 32768};
enum { MAX_PARALLELISMS = 7, PARALLELISM_MAX = 17 };

/* ---------------------------------------------------------------- values */
typedef struct reader {
    golden_case *c;
    raski_arena *arena;
} reader;

static void read_value(reader *r, const json_t *json, raski_java_value *ret);

static const json_t *member(const json_t *json, const char *key) {
    return json_object_get(json, key);
}

static uint64_t hex(const json_t *json) {
    const char *text = json_string_value(json);
    return text ? strtoull(text, NULL, 16) : 0;
}

static void read_string(reader *r, const json_t *json, raski_java_value *ret) {
    const char *utf16 = json_string_value(member(json, "utf16be"));
    const char *text = json_string_value(member(json, "v"));
    size_t length = utf16 ? strlen(utf16) / 4 : json_string_length(member(json, "v"));
    uint16_t *units = raski_arena_alloc(r->arena, (length + 1) * sizeof *units);
    size_t count = 0;
    ret->kind = RASKI_JAVA_STRING;
    ret->u.utf16.units = units;
    if (utf16) {
        for (; count < length; count++) {
            char digits[5] = {0};
            memcpy(digits, utf16 + count * 4, 4);
            units[count] = (uint16_t)strtoul(digits, NULL, 16);
        }
    } else {
        for (size_t at = 0; at < length;) {
            raski_utf16_step step =
                raski_utf16_decode((const unsigned char *)text + at, length - at);
            for (uint32_t i = 0; i < step.count; i++) units[count++] = step.units[i];
            at += step.length;
        }
    }
    ret->u.utf16.count = count;
}

/* The items of an array: values, or pairs of [name or key, value]. */
static void read_items(reader *r, const json_t *json, raski_java_kind kind, raski_java_value *ret) {
    const json_t *list = member(json, "v");
    size_t count = json_array_size(list);
    raski_java_value *items =
        raski_arena_calloc(r->arena, (2 * count + 1) * sizeof(raski_java_value));
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        for (size_t k = 0; k < json_array_size(item); k++)
            read_value(r, json_array_get(item, k), &items[n++]);
        if (!json_is_array(item)) read_value(r, item, &items[n++]);
    }
    *ret = (raski_java_value){.kind = kind};
    ret->u.many.items = items;
    ret->u.many.count = n;
    const char *row_kind = json_string_value(member(json, "kind"));
    static const char *const row_kinds[] = {"+I", "-U", "+U", "-D"};
    for (uint8_t i = 0; row_kind && i < 4; i++)
        if (strcmp(row_kind, row_kinds[i]) == 0) ret->u.many.row_kind = i;
}

static void read_big(reader *r, const json_t *digits, raski_java_value *ret) {
    raski_error err = {0};
    const char *text = json_string_value(digits);
    if (raski_java_big_parse(ret, text ? text : "", r->arena, &err) != RASK_OK)
        golden_differ(r->c, "key", "%s", err.message);
}

static void read_uuid(const char *text, raski_java_value *ret) {
    uint64_t halves[2] = {0};
    int digits = 0;
    for (const char *p = text; *p != '\0' && digits < 32; p++) {
        char digit[2] = {*p, '\0'};
        if (*p == '-') continue;
        halves[digits / 16] = halves[digits / 16] << 4 | strtoul(digit, NULL, 16);
        digits++;
    }
    ret->u.uuid.high = halves[0];
    ret->u.uuid.low = halves[1];
}

/* The types whose value is one number, string or list of items. */
static const struct {
    const char *name;
    raski_java_kind kind;
    enum { NONE, NUMBER, BITS, ITEMS } form;
} simple_types[] = {
    {"int", RASKI_JAVA_INT, NUMBER},
    {"short", RASKI_JAVA_INT, NUMBER},
    {"byte", RASKI_JAVA_INT, NUMBER},
    {"char", RASKI_JAVA_INT, NUMBER},
    {"long", RASKI_JAVA_LONG, NUMBER},
    {"boolean", RASKI_JAVA_BOOLEAN, NUMBER},
    {"float", RASKI_JAVA_FLOAT, BITS},
    {"double", RASKI_JAVA_DOUBLE, BITS},
    {"IntValue", RASKI_JAVA_INT, NUMBER},
    {"ShortValue", RASKI_JAVA_INT, NUMBER},
    {"ByteValue", RASKI_JAVA_INT, NUMBER},
    {"CharValue", RASKI_JAVA_INT, NUMBER},
    {"LongValue", RASKI_JAVA_LONG_VALUE, NUMBER},
    {"BooleanValue", RASKI_JAVA_BOOLEAN_VALUE, NUMBER},
    {"FloatValue", RASKI_JAVA_FLOAT, BITS},
    {"DoubleValue", RASKI_JAVA_DOUBLE_VALUE, BITS},
    {"null", RASKI_JAVA_NULL, NONE},
    {"NullValue", RASKI_JAVA_NULL_VALUE, NONE},
    {"row", RASKI_JAVA_ROW, ITEMS},
    {"row_named", RASKI_JAVA_NAMED_ROW, ITEMS},
    {"pojo_objects_hash", RASKI_JAVA_OBJECTS_HASH, ITEMS},
    {"pojo_seed_first_field", RASKI_JAVA_TUPLE, ITEMS},
    {"record", RASKI_JAVA_TUPLE, ITEMS},
    {"list", RASKI_JAVA_LIST, ITEMS},
    {"set", RASKI_JAVA_SET, ITEMS},
    {"map", RASKI_JAVA_MAP, ITEMS},
    {"either_left", RASKI_JAVA_EITHER, ITEMS},
    {"either_right", RASKI_JAVA_EITHER, ITEMS},
};

static bool read_simple(reader *r, const json_t *json, const char *type, raski_java_value *ret) {
    for (size_t i = 0; i < sizeof simple_types / sizeof *simple_types; i++) {
        if (strcmp(simple_types[i].name, type) != 0) continue;
        const json_t *v = member(json, "v");
        ret->kind = simple_types[i].kind;
        if (simple_types[i].form == ITEMS) read_items(r, json, simple_types[i].kind, ret);
        if (simple_types[i].form == BITS) ret->u.bits = hex(member(json, "bits"));
        if (simple_types[i].form == NUMBER)
            ret->u.number = json_is_boolean(v) ? json_is_true(v) : golden_integer(r->c, v);
        return true;
    }
    return false;
}

static bool read_time(reader *r, const json_t *json, const char *type, raski_java_value *ret) {
    bool is_instant = strcmp(type, "instant") == 0;
    if (is_instant || strcmp(type, "duration") == 0) {
        ret->kind = RASKI_JAVA_INSTANT;
        ret->u.instant.seconds =
            golden_integer(r->c, member(json, is_instant ? "epochSecond" : "seconds"));
        ret->u.instant.nanos = (int32_t)golden_integer(r->c, member(json, "nano"));
    } else if (strcmp(type, "date") == 0 || strcmp(type, "sqltimestamp") == 0) {
        ret->kind = RASKI_JAVA_LONG;
        ret->u.number = golden_integer(r->c, member(json, "millis"));
    } else if (strncmp(type, "local", 5) == 0) {
        bool has_date = strcmp(type, "localtime") != 0;
        bool has_time = strcmp(type, "localdate") != 0;
        ret->kind = !has_date   ? RASKI_JAVA_LOCAL_TIME
                    : !has_time ? RASKI_JAVA_LOCAL_DATE
                                : RASKI_JAVA_LOCAL_DATE_TIME;
        if (has_time) ret->u.date.nano_of_day = golden_integer(r->c, member(json, "nanoOfDay"));
        if (has_date)
            raski_java_date_from_epoch_day(ret, golden_integer(r->c, member(json, "epochDay")));
    } else {
        return false;
    }
    return true;
}

/* The kind of the elements of a primitive array that is written as plain numbers. */
static bool find_element_kind(const char *type, raski_java_kind *ret) {
    static const struct {
        const char *type;
        raski_java_kind kind;
    } arrays[] = {{"byte[]", RASKI_JAVA_INT},  {"short[]", RASKI_JAVA_INT},
                  {"char[]", RASKI_JAVA_INT},  {"int[]", RASKI_JAVA_INT},
                  {"long[]", RASKI_JAVA_LONG}, {"boolean[]", RASKI_JAVA_BOOLEAN}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *ret = arrays[i].kind;
        if (strcmp(arrays[i].type, type) == 0) return true;
    }
    return false;
}

static void read_primitive_array(reader *r, const json_t *json, raski_java_kind element_kind,
                                 raski_java_value *ret) {
    const json_t *list = member(json, "v");
    size_t count = json_array_size(list);
    raski_java_value *items = raski_arena_calloc(r->arena, (count + 1) * sizeof(raski_java_value));
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        items[i].kind = element_kind;
        items[i].u.number = json_is_boolean(item) ? json_is_true(item) : golden_integer(r->c, item);
    }
    ret->kind = RASKI_JAVA_PRIMITIVE_ARRAY;
    ret->u.many.items = items;
    ret->u.many.count = count;
}

static void read_value(reader *r, const json_t *json, raski_java_value *ret) {
    *ret = (raski_java_value){0};
    const char *type = json_string_value(member(json, "t"));
    raski_java_kind element_kind = RASKI_JAVA_INT;
    if (json_is_string(json)) { /* the name of a field */
        json_t *name = json_pack("{s:O}", "v", json);
        read_string(r, name, ret);
        json_decref(name);
    } else if (type == NULL) {
        golden_differ(r->c, "key", "a value without a type");
    } else if (strcmp(type, "string") == 0 || strcmp(type, "StringValue") == 0) {
        read_string(r, json, ret);
    } else if (strcmp(type, "biginteger") == 0) {
        ret->kind = RASKI_JAVA_BIG_INTEGER;
        read_big(r, member(json, "v"), ret);
    } else if (strcmp(type, "bigdecimal") == 0) {
        ret->kind = RASKI_JAVA_BIG_DECIMAL;
        read_big(r, member(json, "unscaled"), ret);
        ret->u.big.scale = (int32_t)golden_integer(r->c, member(json, "scale"));
    } else if (strcmp(type, "uuid") == 0 && json_is_string(member(json, "v"))) {
        ret->kind = RASKI_JAVA_UUID;
        read_uuid(json_string_value(member(json, "v")), ret);
    } else if (strncmp(type, "tuple", 5) == 0) {
        read_items(r, json, RASKI_JAVA_TUPLE, ret);
    } else if (find_element_kind(type, &element_kind)) {
        read_primitive_array(r, json, element_kind, ret);
    } else if (!read_simple(r, json, type, ret) && !read_time(r, json, type, ret)) {
        golden_differ(r->c, "key", "type '%s' is not known", type);
    }
}

/* Decimals of up to 38 digits, dates and times. */
static int32_t hash_composed(golden_case *c, const json_t *key, const char *type,
                             int32_t otherwise) {
    if (strcmp(type, "bigdecimal") == 0) {
        const char *digits = json_string_value(member(key, "unscaled"));
        rask_decimal d;
        if (digits == NULL || !rask_decimal_parse(digits, strlen(digits), &d)) return otherwise;
        d.scale = (int32_t)golden_integer(c, member(key, "scale"));
        return raski_hash_value(&rask_type_rask_decimal, &d);
    }
    const bool is_instant = strcmp(type, "instant") == 0;
    if (is_instant || strcmp(type, "duration") == 0) {
        rask_instant i = {golden_integer(c, member(key, is_instant ? "epochSecond" : "seconds")),
                          (int32_t)golden_integer(c, member(key, "nano"))};
        const rask_type *as = is_instant ? &rask_type_rask_instant : &rask_type_rask_duration;
        return raski_hash_value(as, &i);
    }
    const bool is_date = strcmp(type, "localdate") == 0;
    const bool is_time = strcmp(type, "localtime") == 0;
    rask_datetime t = {0};
    if (!is_date && !is_time && strcmp(type, "localdatetime") != 0) return otherwise;
    if (!is_time) {
        int64_t days = golden_integer(c, member(key, "epochDay"));
        if (days < INT32_MIN || days > INT32_MAX) return otherwise;
        t.date.days = (int32_t)days;
    }
    if (!is_date) t.time.nanos = golden_integer(c, member(key, "nanoOfDay"));
    return is_date   ? raski_hash_value(&rask_type_rask_date, &t.date)
           : is_time ? raski_hash_value(&rask_type_rask_time, &t.time)
                     : raski_hash_value(&rask_type_rask_datetime, &t);
}

/* A key that a C record can have: its hash must be the same by the way that jobs take. */
static void check_as_c_value(golden_case *c, const json_t *key, int32_t expected) {
    const char *type = json_string_value(member(key, "t"));
    const json_t *v = member(key, "v");
    int32_t got = expected;
    if (strcmp(type, "string") == 0 && json_is_string(v) && strstr(c->text, "\\ufffd") == NULL) {
        rask_string s = rask_string_of(json_string_value(v), json_string_length(v));
        got = raski_hash_value(&rask_type_rask_string, &s);
    } else if (strcmp(type, "int") == 0) {
        int32_t number = (int32_t)json_integer_value(v);
        got = raski_hash_value(&rask_type_int32_t, &number);
    } else if (strcmp(type, "long") == 0) {
        int64_t number = golden_integer(c, v);
        got = raski_hash_value(&rask_type_int64_t, &number);
    } else if (strcmp(type, "double") == 0) {
        uint64_t bits = hex(member(key, "bits"));
        double number;
        memcpy(&number, &bits, sizeof number);
        got = raski_hash_value(&rask_type_double, &number);
    } else if (strcmp(type, "float") == 0) {
        uint32_t bits = (uint32_t)hex(member(key, "bits"));
        float number;
        memcpy(&number, &bits, sizeof number);
        got = raski_hash_value(&rask_type_float, &number);
    } else if (strcmp(type, "boolean") == 0) {
        bool flag = json_is_true(v);
        got = raski_hash_value(&rask_type_rask_bool, &flag);
    } else {
        got = hash_composed(c, key, type, expected);
    }
    if (got != expected)
        golden_differ(c, "hash", "as a C value expected %d, got %d", expected, got);
}

/* ---------------------------------------------------------------- hash -> key groups, subtasks */
static json_t *key_groups_of(int32_t hash) {
    json_t *groups = json_array();
    for (int i = 0; i < MAX_PARALLELISMS; i++)
        json_array_append_new(groups,
                              json_integer(raski_key_group_of_hash(hash, max_parallelisms[i])));
    return groups;
}

static json_t *subtasks_of(int32_t hash) {
    json_t *all = json_array();
    for (int i = 0; i < MAX_PARALLELISMS; i++) {
        json_t *subtasks = json_array();
        int32_t max = max_parallelisms[i];
        for (int32_t p = 1; p <= PARALLELISM_MAX && p <= max; p++) {
            raski_key_group_router router; /* the way that exchanges take */
            raski_key_group_router_init(&router, max, p);
            uint16_t subtask = 0;
            raski_subtasks_of_hashes(&router, &hash, 1, &subtask);
            json_array_append_new(subtasks, json_integer(subtask));
        }
        json_array_append_new(all, subtasks);
    }
    return all;
}

static void compare_member(golden_case *c, const json_t *expected, const char *key,
                           json_t *got_take) {
    if (member(expected, key)) golden_equal(c, key, member(expected, key), got_take);
    json_decref(got_take);
}

static void compare_hash(golden_case *c, const json_t *expected, int32_t hash) {
    compare_member(c, expected, "hash", json_integer(hash));
    compare_member(c, expected, "murmur", json_integer(raski_murmur_hash(hash)));
    compare_member(c, expected, "kg", key_groups_of(hash));
    compare_member(c, expected, "op", subtasks_of(hash));
}

void golden_keys_murmur(golden_case *c) {
    compare_hash(c, c->json, (int32_t)golden_integer(c, member(c->json, "hash")));
}

/* Lone surrogates, written as \ud800, are not valid JSON. They are replaced by \ufffd: the exact
 * units stand beside them. */
static bool is_escape(const char *p, char first, char last) {
    return p[0] == '\\' && p[1] == 'u' && (p[2] == 'd' || p[2] == 'D') && p[3] >= first &&
           p[3] <= last;
}

static char *replace_lone_surrogates(const char *text) {
    char *copy = raski_strdup(text);
    for (char *p = copy; *p != '\0'; p++) {
        if (*p != '\\') continue;
        char high = p[1] == 'u' ? (char)(p[3] | 0x20) : '0';
        bool is_high =
            is_escape(p, '8', '9') || (is_escape(p, '0', 'z') && (high == 'a' || high == 'b'));
        bool is_low = is_escape(p, '0', 'z') && high >= 'c' && high <= 'f';
        char low =
            p[1] == 'u' && strlen(p) > 9 && is_escape(p + 6, '0', 'z') ? (char)(p[9] | 0x20) : '0';
        if (is_high && low >= 'c' && low <= 'f')
            p += 11;
        else if (is_high || is_low)
            memcpy(p + 2, "fffd", 4);
        else
            p++;
    }
    return copy;
}

void golden_keys(golden_case *c) {
    char *text = replace_lone_surrogates(c->text);
    json_error_t error;
    json_t *json = json_loads(text, JSON_ALLOW_NUL, &error);
    if (json == NULL) {
        golden_differ(c, "", "not JSON: %s", error.text);
    } else {
        c->text = text;
        reader r = {.c = c, .arena = raski_arena_create(0)};
        raski_java_value key;
        const json_t *as_json = member(json, "key");
        read_value(&r, as_json, &key);
        compare_hash(c, json, raski_java_hash(&key));
        if (c->differences == 0)
            check_as_c_value(c, as_json, (int32_t)golden_integer(c, member(json, "hash")));
        raski_arena_destroy(r.arena);
    }
    json_decref(json);
    raski_free(text);
}

/* ---------------------------------------------------------------- types */
static void check_type(golden_case *c, const char *type_info, const char *key_type) {
    raski_arena *arena = raski_arena_create(0);
    raski_java_type type;
    raski_error err = {0};
    bool has_hash_code = strstr(key_type, "without hashCode") == NULL;
    rask_status status = raski_java_type_parse(type_info, has_hash_code, arena, &type, &err);
    if (status == RASK_OK) status = raski_java_type_check_key(&type, &err);
    golden_result_equal(c, c->json, golden_result(status, &err, json_string("accepted")));
    raski_arena_destroy(arena);
}

static rask_status route_null(bool to_subtask, raski_error *err) {
    raski_java_value null = {.kind = RASKI_JAVA_NULL};
    int32_t ret = 0;
    return to_subtask ? raski_java_key_subtask(&null, 128, 4, &ret, err)
                      : raski_java_key_group(&null, 128, &ret, err);
}

void golden_key_types(golden_case *c) {
    const char *check = json_string_value(member(c->json, "check"));
    const char *type_info = json_string_value(member(c->json, "typeInfo"));
    const char *key_type = json_string_value(member(c->json, "keyType"));
    if (member(c->json, "stable") && json_is_false(member(c->json, "stable")))
        return; /* says that a value differs from JVM to JVM: there is nothing to compare */
    snprintf(c->name, sizeof c->name, "%s", key_type ? key_type : check ? check : "?");
    if (check == NULL) {
        golden_differ(c, "", "has no check");
        return;
    }
    if (strcmp(check, "keyBy") == 0 && type_info && key_type) {
        check_type(c, type_info, key_type);
        return;
    }
    raski_error err = {0};
    rask_status status = RASK_OK;
    int key_group = 0;
    int start = 0;
    int end = 0;
    int maximum = 0;
    const char *failing = "KeyGroupStreamPartitioner.selectChannel with key selector that throws";
    if (strncmp(check, "assignToKeyGroup(null", 21) == 0) {
        status = route_null(false, &err);
    } else if (strncmp(check, "assignKeyToParallelOperator(null", 32) == 0 ||
               strstr(check, "key selector returning null") != NULL) {
        status = route_null(true, &err);
    } else if (strcmp(check, failing) == 0) {
        status = raski_key_error_not_extracted(&err, "5"); /* the harness's record */
    } else if (sscanf(check, "new KeyGroupStreamPartitioner(selector, %d)", &maximum) == 1) {
        status = raski_key_partitioner_check(maximum, &err);
    } else if (sscanf(check, "key group %d not in [%d,%d]", &key_group, &start, &end) == 3) {
        status = raski_key_group_range_check((raski_key_group_range){start, end}, key_group, &err);
    } else {
        golden_differ(c, "check", "'%s' is not known", check);
        return;
    }
    golden_result_equal(c, c->json, golden_result(status, &err, json_string("accepted")));
}
