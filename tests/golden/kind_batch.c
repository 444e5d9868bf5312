/* batch/: whole jobs in batch mode (and a few in streaming mode, for contrast), run through the
 * public API.
 *
 * Flink's sort is not stable: records of one key and one timestamp may be swapped, and whatever is
 * made of them with them. Rask keeps such records in the order of arrival, so when a result
 * differs, the job is run again with these records of the input in another order, until one order
 * gives what Flink gave. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "golden/batch_program.h"
#include "golden/java_json.h"

enum { ORDERS_MAX = 2000 };

static const json_t *member(const json_t *json, const char *key) {
    return json_object_get(json, key);
}
static const char *text_of(const json_t *json, const char *key) {
    const char *text = json_string_value(member(json, key));
    return text ? text : "";
}

/* ---------------------------------------------------------------- input */
typedef struct reader {
    golden_case *c;
    raski_arena *arena;
} reader;

static rask_string copy_text(reader *r, const char *text, size_t length) {
    char *copy = raski_arena_alloc(r->arena, length + 1);
    memcpy(copy, text, length);
    return rask_string_of(copy, length);
}

static uint64_t bits_of(const json_t *key) {
    return strtoull(text_of(key, "bits"), NULL, 16);
}

static void read_char(reader *r, long long unit, batch_item *item) {
    char utf8[3];
    size_t n = 0;
    if (unit < 0x80) {
        utf8[n++] = (char)unit;
    } else if (unit < 0x800) {
        utf8[n++] = (char)(0xc0 | unit >> 6);
        utf8[n++] = (char)(0x80 | (unit & 0x3f));
    } else {
        utf8[n++] = (char)(0xe0 | unit >> 12);
        utf8[n++] = (char)(0x80 | (unit >> 6 & 0x3f));
        utf8[n++] = (char)(0x80 | (unit & 0x3f));
    }
    item->small = (int16_t)(uint16_t)unit; /* two bytes, as Flink writes a char */
    item->label = copy_text(r, utf8, n);
}

static batch_key read_key(reader *r, const json_t *key, batch_item *item) {
    const char *type = text_of(key, "t");
    const json_t *v = member(key, "v");
    char text[32];
    if (strcmp(type, "string") == 0) {
        item->text = item->label = copy_text(r, json_string_value(v), json_string_length(v));
        return BATCH_KEY_TEXT;
    }
    if (strcmp(type, "tuple2") == 0) {
        const json_t *first = member(json_array_get(v, 0), "v");
        item->pair.name = copy_text(r, json_string_value(first), json_string_length(first));
        item->pair.number = (int32_t)golden_integer(r->c, member(json_array_get(v, 1), "v"));
        char *dump = json_dumps(key, JSON_COMPACT);
        item->label = copy_text(r, dump, strlen(dump));
        free(dump);
        return BATCH_KEY_PAIR;
    }
    if (strcmp(type, "double") == 0 || strcmp(type, "float") == 0) {
        const uint64_t bits = bits_of(key);
        const uint32_t half = (uint32_t)bits;
        memcpy(&item->exact, &bits, sizeof bits);
        memcpy(&item->real, &half, sizeof half);
        item->label = copy_text(r, json_string_value(v), json_string_length(v));
        return *type == 'd' ? BATCH_KEY_DOUBLE : BATCH_KEY_FLOAT;
    }
    if (strcmp(type, "boolean") == 0) {
        item->flag = json_is_true(v);
        item->label = rask_string_from(item->flag ? "true" : "false");
        return BATCH_KEY_BOOLEAN;
    }
    const long long number = golden_integer(r->c, v);
    item->big = number;
    item->number = (int32_t)number;
    item->small = (int16_t)number;
    item->tiny = (int8_t)number;
    (void)snprintf(text, sizeof text, "%lld", number);
    item->label = copy_text(r, text, strlen(text));
    if (strcmp(type, "char") == 0) {
        read_char(r, number, item);
        return BATCH_KEY_SHORT;
    }
    return strcmp(type, "long") == 0    ? BATCH_KEY_LONG
           : strcmp(type, "int") == 0   ? BATCH_KEY_INT
           : strcmp(type, "short") == 0 ? BATCH_KEY_SHORT
                                        : BATCH_KEY_BYTE;
}

static void read_input(reader *r, const json_t *json, batch_input *input, batch_key *ret_key) {
    input->count = json_array_size(json);
    input->items = raski_arena_calloc(r->arena, (input->count + 1) * sizeof *input->items);
    for (size_t i = 0; i < input->count; i++) {
        const json_t *record = json_array_get(json, i);
        batch_item *item = &input->items[i];
        *ret_key = read_key(r, json_array_get(record, 0), item);
        item->v = (int32_t)golden_integer(r->c, json_array_get(record, 1));
        item->at = golden_integer(r->c, json_array_get(record, 2));
    }
}

/* ---------------------------------------------------------------- other orders of equal records */
typedef struct order {
    batch_input *input;
    size_t *group; /* of each item: the first one with its key and time */
} order;

static bool is_tied(const batch_item *a, const batch_item *b) {
    return a->at == b->at && rask_string_equal(a->label, b->label);
}

static void find_groups(reader *r, order *o) {
    o->group = raski_arena_calloc(r->arena, (o->input->count + 1) * sizeof *o->group);
    for (size_t i = 0; i < o->input->count; i++) {
        o->group[i] = i;
        for (size_t k = 0; k < i; k++)
            if (is_tied(&o->input->items[k], &o->input->items[i])) {
                o->group[i] = k;
                break;
            }
    }
}

/* The next permutation of the members of a group, by value; false at the last one, which is
 * followed by the first. */
static bool permute_group(const order *o, size_t group) {
    size_t places[64], n = 0;
    for (size_t i = 0; i < o->input->count && n < 64; i++)
        if (o->group[i] == group) places[n++] = i;
    batch_item *items = o->input->items;
    size_t at = n - 1;
    while (at > 0 && items[places[at - 1]].v >= items[places[at]].v) at--;
    if (at > 0) {
        size_t with = n - 1;
        while (items[places[with]].v <= items[places[at - 1]].v) with--;
        const batch_item swap = items[places[at - 1]];
        items[places[at - 1]] = items[places[with]];
        items[places[with]] = swap;
    }
    const bool more = at > 0;
    for (size_t end = n - 1; at < end; at++, end--) {
        const batch_item swap = items[places[at]];
        items[places[at]] = items[places[end]];
        items[places[end]] = swap;
    }
    return more;
}

/* The first order: by value in each group. */
static void first_order(order *orders, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at < orders[i].input->count; at++)
            while (orders[i].group[at] == at && permute_group(&orders[i], at)) {
            }
}

/* The next order of all inputs, counting through the groups; false after the last one. */
static bool next_order(order *orders, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at < orders[i].input->count; at++)
            if (orders[i].group[at] == at && permute_group(&orders[i], at)) return true;
    return false;
}

/* ---------------------------------------------------------------- results */
static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Records as texts, sorted where their order says nothing; *ret_count of them. */
static char **texts_of(reader *r, const json_t *records, bool in_order, bool timers_only,
                       size_t *ret_count) {
    const size_t count = json_array_size(records);
    char **texts = raski_arena_calloc(r->arena, (count + 1) * sizeof *texts);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *record = json_array_get(records, i);
        if (timers_only && strcmp(text_of(record, "domain"), "E") != 0) continue;
        char *text = json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS);
        texts[n++] = raski_arena_strdup(r->arena, text);
        free(text);
    }
    if (!in_order) qsort(texts, n, sizeof *texts, compare_texts);
    *ret_count = n;
    return texts;
}

/* The first difference, or NULL; a text of the arena. */
static const char *difference(reader *r, const json_t *got) {
    const json_t *json = r->c->json, *ok = member(json, "ok");
    const bool in_order = json_is_true(member(json, "orderSignificant"));
    const bool timers_only = json_is_false(member(json, "deterministic"));
    size_t want_count = 0, have_count = 0;
    char **want = texts_of(r, ok, in_order, timers_only, &want_count);
    char **have = texts_of(r, got, in_order, timers_only, &have_count);
    for (size_t i = 0; i < want_count || i < have_count; i++) {
        const char *w = i < want_count ? want[i] : "nothing";
        const char *h = i < have_count ? have[i] : "nothing";
        if (strcmp(w, h) != 0)
            return raski_arena_format(r->arena, "record %zu: expected %s, got %s", i, w, h);
    }
    return NULL;
}

static void check_error(golden_case *c, const json_t *error, const char *message) {
    const char *class = strrchr(text_of(error, "class"), '.');
    raski_str want = {0};
    raski_str_appendf(&want, "%s: %s", class ? class + 1 : "", text_of(error, "message"));
    if (message == NULL || strstr(message, raski_str_text(&want)) == NULL)
        golden_differ(c, "error", "expected %s, got %s", raski_str_text(&want),
                      message ? message : "results");
    raski_str_free(&want);
}

/* Runs the program with one backend after the other orders of equal records; returns the
 * difference, or NULL. */
static const char *check_program(reader *r, batch_program *program, const char *backend,
                                 order *orders) {
    const json_t *error = member(r->c->json, "error");
    const char *first = NULL;
    program->options[0].key = "state.backend.type";
    program->options[0].value = backend;
    for (int run = 0; run < ORDERS_MAX; run++) {
        char *message = NULL;
        json_t *got = batch_program_run(program, &message);
        const char *differs = NULL;
        if (error != NULL)
            check_error(r->c, error, message);
        else if (message != NULL)
            differs = raski_arena_format(r->arena, "the job failed: %s", message);
        else
            differs = difference(r, got);
        json_decref(got);
        const bool failed = message != NULL;
        raski_free(message);
        if (differs == NULL) return NULL;
        if (first == NULL) first = differs;
        if (failed) break;
        if (run == 0) /* the order of arrival was tried */
            first_order(orders, 2);
        else if (!next_order(orders, 2))
            break;
    }
    return first;
}

void golden_batch(golden_case *c) {
    static const char *const backends[] = {"hashmap", "rocksdb"};
    reader r = {.c = c, .arena = raski_arena_create(0)};
    const json_t *config = member(c->json, "config");
    (void)snprintf(c->name, sizeof c->name, "%s %s %s", text_of(c->json, "id"),
                   text_of(config, "op"), text_of(config, "keyType"));
    batch_input inputs[2] = {{0}};
    batch_program program = {.operation = text_of(config, "op"),
                             .streaming = strcmp(text_of(config, "mode"), "STREAMING") == 0,
                             .parallelism = (int)json_integer_value(member(config, "parallelism")),
                             .inputs = inputs,
                             .option_count = 1};
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)(uintptr_t)config, key, value) {
        if (strchr(key, '.') == NULL || program.option_count == BATCH_OPTIONS_MAX) continue;
        program.options[program.option_count].key = key;
        program.options[program.option_count++].value = json_string_value(value);
    }
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        read_input(&r, member(c->json, "input"), &inputs[0], &program.key);
        if (member(c->json, "input2") != NULL)
            read_input(&r, member(c->json, "input2"), &inputs[1], &program.key);
        order orders[2] = {{.input = &inputs[0]}, {.input = &inputs[1]}};
        find_groups(&r, &orders[0]);
        find_groups(&r, &orders[1]);
        const char *differs = check_program(&r, &program, backends[b], orders);
        if (differs != NULL) golden_differ(c, backends[b], "%s", differs);
    }
    raski_arena_destroy(r.arena);
}
