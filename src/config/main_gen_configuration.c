/* Writes docs/configuration.md from the option table.
 *   gen-configuration FILE           writes it
 *   gen-configuration --check FILE   fails when FILE is not what would be written */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "config/options.h"

/* The page's rows in the order of the table: the title of a section, or an option. */
typedef struct page_row {
    const char *title, *intro; /* NULL in rows of options */
    raski_option_id option;
} page_row;

static const page_row rows[] = {
#define RASKI_OPTION_SECTION(title_, intro_) {.title = title_, .intro = intro_},
#define RASKI_OPTION(id, ...) {.option = RASKI_OPTION_##id},
#include "config/options/all.def"
#undef RASKI_OPTION
#undef RASKI_OPTION_SECTION
};

static const char *const preamble =
    "# Configuration\n"
    "\n"
    "<!-- Written by gen-configuration from src/config/options/*.def; do not edit. To write it\n"
    "     anew: ninja -C build/dev configuration-page -->\n"
    "\n"
    "Rask takes its options by Flink 2.2.0's names. From weak to strong they come from\n"
    "\n"
    "1. the defaults below,\n"
    "2. `config.yaml` (or the older `flink-conf.yaml`) in the folder that the environment "
    "variable\n"
    "   `RASK_CONF_DIR` names, when it is set,\n"
    "3. files named with `--config FILE`, in their order,\n"
    "4. what the program sets for its job,\n"
    "5. `-D KEY=VALUE` and `-p N` (`--parallelism N`, the same as `-D parallelism.default=N`), in\n"
    "   their order,\n"
    "6. what the program sets for single operators.\n"
    "\n"
    "(In Flink a program's own setting for its job is stronger than the command line; here "
    "whoever\n"
    "starts a program has the last word about it.)\n"
    "\n"
    "Every program takes these arguments, wherever they stand before `--`; `rask run` and `rask "
    "info`\n"
    "hand them on. A key that nobody knows is an error on the command line and in a program, and "
    "a\n"
    "warning that names file and line in a configuration file (so that one file can serve Flink "
    "and\n"
    "several versions of Rask); both propose the nearest known key. A value that an option cannot\n"
    "have is an error everywhere. Older names are taken, with a warning that says the present "
    "one.\n"
    "\n"
    "## Files\n"
    "\n"
    "`config.yaml` is YAML, nested or flat: `execution.checkpointing: {interval: 10 s}`,\n"
    "`execution.checkpointing.interval: 10 s` and everything between are the same. A key that is\n"
    "given twice is an error. Values are taken as they are written (`010` stays `010`); quote "
    "what\n"
    "contains ` #` or `: `. There are no aliases, tags or several documents. Limits: 1 MiB, 32\n"
    "levels, 10,000 options, 512 bytes in a key.\n"
    "\n"
    "`flink-conf.yaml` has one `key: value` a line. A `#` starts a comment at the start of a line "
    "or\n"
    "behind a blank, unless it is in quotes.\n"
    "\n"
    "## Values\n"
    "\n"
    "| type | how it is written |\n"
    "|---|---|\n"
    "| duration | a number and a unit, `100 ms`, `1min`, `2 h`: `d`, `h`, `min`, `s`, `ms`, "
    "`micros`, `ns` (and their longer names); a number alone is milliseconds; or ISO 8601, "
    "`PT1M30S` |\n"
    "| memory size | a number and a unit, `64mb`, `1 gb`: `b`, `kb`, `mb`, `gb`, `tb`, powers of "
    "1024; a number alone is bytes |\n"
    "| bool | `true` or `false` |\n"
    "| choice | one of the words, in capitals or not |\n"
    "| list | `[a, b]` or `a;b`; quotes keep separators: `'a;b';c` |\n"
    "| map | `{a: 1, b: 2}` or `a:1,b:2`, or entry by entry: `-D KEY.a=1 -D KEY.b=2` |\n"
    "\n"
    "## What an option does today\n"
    "\n"
    "- **honoured**: it does what it says.\n"
    "- **planning only**: it changes the graphs and the plan as in Flink, not yet the run.\n"
    "- **no effect yet**: it is checked and kept; what it rules is not built yet.\n"
    "- **no meaning**: it rules something that only Java has. It is accepted so that a file for "
    "Flink works.\n"
    "\n"
    "Setting one that is planning only or has no effect yet on the command line or in a program "
    "gives\n"
    "a warning; in a file it does not.\n";

static const char *status_name(raski_option_status status) {
    switch (status) {
        case RASKI_OPTION_HONOURED:
            return "**honoured**";
        case RASKI_OPTION_PLANNING_ONLY:
            return "planning only";
        case RASKI_OPTION_NO_EFFECT_YET:
            return "no effect yet";
        case RASKI_OPTION_NOT_APPLICABLE:
            break;
    }
    return "no meaning";
}

/* Text for a cell of a table, as code or not: a bar would end the cell, an angle start a tag. */
static void append_cell(raski_str *page, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '|') raski_str_append_char(page, '\\');
        raski_str_append_char(page, *text);
    }
}

static void append_code(raski_str *page, const char *text) {
    raski_str_append_char(page, '`');
    append_cell(page, text);
    raski_str_append_char(page, '`');
}

/* The words of a list that is separated by separator, as code. */
static void append_words(raski_str *page, const char *words, const char *separator) {
    bool first = true;
    while (*words != '\0') {
        size_t length = strcspn(words, separator);
        raski_str_appendf(page, "%s`%.*s`", first ? "" : ", ", (int)length, words);
        first = false;
        words += length;
        words += strspn(words, separator);
    }
}

static void append_default(raski_str *page, const raski_option *option) {
    const char *value = raski_option_default(option);
    if (value == NULL)
        raski_str_append(page, "none");
    else if (*value == '\0')
        raski_str_append(page, "empty");
    else
        append_code(page, value);
    if (option->rask_default == NULL) return;
    raski_str_append(page, " (Flink: ");
    if (option->flink_default == NULL)
        raski_str_append(page, "none");
    else
        append_code(page, option->flink_default);
    raski_str_appendf(page, "; %s)", option->rask_reason);
}

static void append_range(raski_str *page, const raski_option *option) {
    if (option->min == 0 && option->max == 0) return;
    if (option->max >= INT32_MAX)
        raski_str_appendf(page, ", at least %lld", (long long)option->min);
    else
        raski_str_appendf(page, ", %lld to %lld", (long long)option->min, (long long)option->max);
    if (option->also != 0) raski_str_appendf(page, " or %lld", (long long)option->also);
}

static void append_option(raski_str *page, const raski_option *option) {
    raski_str_appendf(page, "| `%s` | %s", option->key, raski_value_type_name(option->type));
    append_range(page, option);
    raski_str_append(page, " | ");
    append_default(page, option);
    raski_str_appendf(page, " | %s | ", status_name(option->status));
    append_cell(page, option->description);
    if (option->choices != NULL) {
        raski_str_append(page, " One of ");
        append_words(page, option->choices, "|");
        raski_str_append_char(page, '.');
    }
    if (option->fallback_keys != NULL) {
        raski_str_append(page, " When it is not set, ");
        append_words(page, option->fallback_keys, " ");
        raski_str_append(page, " counts.");
    }
    if (option->deprecated_keys != NULL) {
        raski_str_append(page, " Older names: ");
        append_words(page, option->deprecated_keys, " ");
        raski_str_append_char(page, '.');
    }
    raski_str_append(page, " |\n");
}

static void append_families(raski_str *page) {
    size_t count;
    const raski_option_family *families = raski_option_families(&count);
    raski_str_append(page,
                     "\n## Options by prefix\n\nEvery key below these prefixes is accepted, "
                     "without a check of its value.\n\n| prefix | today | what it is about "
                     "|\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        raski_str_appendf(page, "| `%s*` | %s | %s |\n", families[i].prefix,
                          status_name(families[i].status), families[i].description);
}

static void write_page(raski_str *page) {
    raski_str_append(page, preamble);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].title == NULL)
            append_option(page, raski_option_get(rows[i].option));
        else
            raski_str_appendf(page,
                              "\n## %s\n\n%s%s| key | type | default | today | meaning |\n"
                              "|---|---|---|---|---|\n",
                              rows[i].title, rows[i].intro, *rows[i].intro != '\0' ? "\n\n" : "");
    }
    append_families(page);
}

static int fail(const char *what, const char *path) {
    (void)fprintf(stderr, "gen-configuration: %s %s\n", what, path);
    return 1;
}

static int check(const char *path, const raski_str *page) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return fail("cannot open", path);
    raski_str present = {0};
    char chunk[8192];
    size_t count;
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        raski_str_append_bytes(&present, chunk, count);
    (void)fclose(file);
    bool same = present.length == page->length &&
                memcmp(raski_str_text(&present), raski_str_text(page), page->length) == 0;
    raski_str_free(&present);
    return same ? 0 : fail("out of date, run ninja configuration-page:", path);
}

int main(int argc, char **argv) {
    bool checks = argc == 3 && strcmp(argv[1], "--check") == 0;
    if (argc != 2 && !checks) {
        (void)fprintf(stderr, "usage: gen-configuration [--check] FILE\n");
        return 2;
    }
    raski_str page = {0};
    write_page(&page);
    int result = 0;
    if (checks) {
        result = check(argv[2], &page);
    } else {
        FILE *file = fopen(argv[1], "wb");
        if (file == NULL || fwrite(page.data, 1, page.length, file) != page.length)
            result = fail("cannot write", argv[1]);
        if (file != NULL && fclose(file) != 0) result = fail("cannot write", argv[1]);
    }
    raski_str_free(&page);
    return result;
}
