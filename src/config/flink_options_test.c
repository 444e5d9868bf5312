/* The option table against Flink 2.2.0's own: every ConfigOption constant, as reflection printed it
 * (tests/facts/flink-2.2.0-options.tsv: key, type, default, older names, class). */
#include "base/alloc.h"
#include "base/map.h"
#include "config/config_test_util.h"
#include "config/options.h"
#include "config/value.h"

enum { COLUMNS = 5 };

/* Calls check with the columns of each row; returns how many rows there are. */
static int each_row(void (*check)(char *const *columns, void *ctx), void *ctx) {
    FILE *file = fopen(RASK_SOURCE_DIR "/tests/facts/flink-2.2.0-options.tsv", "r");
    assert_non_null(file);
    char line[4096];
    int count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#') continue;
        char *columns[COLUMNS];
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < COLUMNS; i++) columns[i] = strsep(&rest, "\t");
        assert_non_null(columns[COLUMNS - 1]);
        check(columns, ctx);
        count++;
    }
    assert_int_equal(fclose(file), 0);
    return count;
}

static void check_known(char *const *columns, void *ctx) {
    (void)ctx;
    const char *key = columns[0];
    const raski_option *option = raski_option_find(key);
    if (option == NULL && raski_option_find_family(key) == NULL) fail_msg("%s is unknown", key);
    if (option == NULL || strcmp(columns[3], "-") == 0) return;
    char *rest = columns[3];
    for (char *older = strsep(&rest, " "); older != NULL; older = strsep(&rest, " "))
        if (!raski_option_words_contain(option->deprecated_keys, older))
            fail_msg("%s is not told to be an older name of %s", older, key);
}

static void every_flink_option_is_known(void **state) {
    (void)state;
    assert_true(each_row(check_known, NULL) > 450);
}

static bool type_fits(const raski_option *option, const char *type) {
    static const struct {
        const char *flink;
        raski_value_type type;
    } pairs[] = {
        {"String", RASKI_VALUE_STRING},     {"Integer", RASKI_VALUE_INT},
        {"Long", RASKI_VALUE_LONG},         {"Double", RASKI_VALUE_DOUBLE},
        {"Float", RASKI_VALUE_DOUBLE},      {"Boolean", RASKI_VALUE_BOOL},
        {"Enum", RASKI_VALUE_CHOICE},       {"Duration", RASKI_VALUE_DURATION},
        {"MemorySize", RASKI_VALUE_MEMORY}, {"List", RASKI_VALUE_LIST},
        {"Map", RASKI_VALUE_MAP},           {"String", RASKI_VALUE_CHOICE},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i].flink, type) == 0 && pairs[i].type == option->type) return true;
    return false;
}

static bool same_lists(const char *ours, const char *flink) {
    raski_text_list a = {0};
    raski_text_list b = {0};
    bool same = raski_parse_list(ours, &a, NULL) == RASK_OK &&
                raski_parse_list(flink, &b, NULL) == RASK_OK && a.count == b.count;
    for (size_t i = 0; same && i < a.count; i++) same = strcmp(a.items[i], b.items[i]) == 0;
    raski_text_list_free(&a);
    raski_text_list_free(&b);
    return same;
}

/* flink is how Java prints a map: {a=1, b=2}. */
static bool same_maps(const char *ours, const char *flink) {
    raski_text_map a = {0};
    if (raski_parse_map(ours, &a, NULL) != RASK_OK) return false;
    char printed[256] = "{";
    size_t used = 1;
    for (size_t i = 0; i < a.count; i++)
        used += (size_t)snprintf(printed + used, sizeof printed - used, "%s%s=%s",
                                 i > 0 ? ", " : "", a.items[i].key, a.items[i].value);
    (void)snprintf(printed + used, sizeof printed - used, "}");
    raski_text_map_free(&a);
    return strcmp(printed, flink) == 0;
}

static bool same_values(const raski_option *option, const char *ours, const char *flink) {
    int64_t a = 0;
    int64_t b = 0;
    double x = 0;
    double y = 0;
    bool p = false;
    bool q = false;
    raski_duration d = {0};
    raski_duration e = {0};
    switch (option->type) {
        case RASKI_VALUE_STRING:
            return strcmp(ours, flink) == 0;
        case RASKI_VALUE_CHOICE:
            return strcasecmp(ours, flink) == 0;
        case RASKI_VALUE_INT:
        case RASKI_VALUE_LONG:
            return raski_parse_long(ours, &a, NULL) == RASK_OK &&
                   raski_parse_long(flink, &b, NULL) == RASK_OK && a == b;
        case RASKI_VALUE_DOUBLE:
            return raski_parse_double(ours, &x, NULL) == RASK_OK &&
                   raski_parse_double(flink, &y, NULL) == RASK_OK && x == y;
        case RASKI_VALUE_BOOL:
            return raski_parse_bool(ours, &p, NULL) == RASK_OK &&
                   raski_parse_bool(flink, &q, NULL) == RASK_OK && p == q;
        case RASKI_VALUE_DURATION:
            return raski_parse_duration(ours, &d, NULL) == RASK_OK &&
                   raski_parse_duration(flink, &e, NULL) == RASK_OK && d.seconds == e.seconds &&
                   d.nanos == e.nanos;
        case RASKI_VALUE_MEMORY:
            return raski_parse_memory(ours, &a, NULL) == RASK_OK &&
                   raski_parse_memory(flink, &b, NULL) == RASK_OK && a == b;
        case RASKI_VALUE_LIST:
            return same_lists(ours, flink);
        case RASKI_VALUE_MAP:
            break;
    }
    return same_maps(ours, flink);
}

static void check_type_and_default(char *const *columns, void *ctx) {
    (void)ctx;
    const raski_option *option = raski_option_find(columns[0]);
    if (option == NULL) return;
    if (!type_fits(option, columns[1]))
        fail_msg("%s is no %s in Flink but %s", option->key, raski_value_type_name(option->type),
                 columns[1]);
    const char *flink = columns[2];
    bool none = strcmp(flink, "null") == 0;
    if (none != (option->flink_default == NULL) ||
        (!none && !same_values(option, option->flink_default, flink)))
        fail_msg("%s: the default in Flink is %s, not %s", option->key, flink,
                 option->flink_default != NULL ? option->flink_default : "none");
}

static void types_and_defaults_are_flinks(void **state) {
    (void)state;
    assert_true(each_row(check_type_and_default, NULL) > 450);
}

static void note_key(char *const *columns, void *ctx) {
    raski_map_put(ctx, columns[0], ctx);
}

static void nothing_is_invented(void **state) {
    (void)state;
    raski_map keys = {0};
    (void)each_row(note_key, &keys);
    for (int id = 0; id < RASKI_OPTION_COUNT; id++) {
        const char *key = raski_option_get((raski_option_id)id)->key;
        if (!raski_map_has(&keys, key)) fail_msg("Flink has no option %s", key);
    }
    raski_map_free(&keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flink_option_is_known),
        cmocka_unit_test(types_and_defaults_are_flinks),
        cmocka_unit_test(nothing_is_invented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
