/* Lists and maps: YAML when the text looks like it, otherwise separated by ';' (lists) or ',' and
 * ':' (maps), where quotes keep separators. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "config/value.h"
#include "config/yaml.h"

static void push_copy(raski_text_list *list, const char *text) {
    raski_vec_push(list, raski_strdup(text));
}

static const char *skip_blanks(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return text;
}

/* Reads a quoted part; *text is at the opening quote and ends behind the closing one. A quote that
 * is written twice stands for itself. */
static rask_status take_quoted(const char **text, raski_str *item, raski_error *err) {
    char quote = *(*text)++;
    for (;; (*text)++) {
        if (**text == '\0')
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "expected a closing %c: quoted parts must end", quote);
        if (**text == quote) {
            (*text)++;
            if (**text != quote) return RASK_OK;
        }
        raski_str_append_char(item, **text);
    }
}

/* Splits at separator, outside of quotes; blanks around parts go. Parts of quotes stay what they
 * are. The list is the caller's, also on failure. */
static rask_status split(const char *text, char separator, raski_text_list *parts,
                         raski_error *err) {
    for (;;) {
        raski_str item = {0};
        text = skip_blanks(text);
        if (*text == '"' || *text == '\'') {
            rask_status status = take_quoted(&text, &item, err);
            text = skip_blanks(text);
            if (status == RASK_OK && *text != separator && *text != '\0')
                status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                                    "expected %c or the end behind a quoted part", separator);
            if (status != RASK_OK) {
                raski_str_free(&item);
                return status;
            }
        } else {
            while (*text != separator && *text != '\0') raski_str_append_char(&item, *text++);
            while (item.length > 0 && isspace((unsigned char)item.data[item.length - 1]))
                raski_str_truncate(&item, item.length - 1);
        }
        push_copy(parts, raski_str_text(&item));
        raski_str_free(&item);
        if (*text++ == '\0') return RASK_OK;
    }
}

rask_status raski_parse_list(const char *text, raski_text_list *ret_list, raski_error *err) {
    const char *start = skip_blanks(text);
    raski_text_list list = {0};
    rask_status status = RASK_OK;
    if (*start == '[' || (start[0] == '-' && start[1] == ' '))
        status = raski_yaml_parse_list(start, &list, err);
    else if (*start != '\0')
        status = split(start, ';', &list, err);
    if (status != RASK_OK) {
        raski_text_list_free(&list);
        return status;
    }
    *ret_list = list;
    return RASK_OK;
}

/* key:value with quotes around either; text is one item of a map. */
static rask_status split_pair(const char *text, raski_text_map *map, raski_error *err) {
    raski_text_list sides = {0};
    rask_status status = split(text, ':', &sides, err);
    if (status == RASK_OK && sides.count != 2)
        status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                            "expected pairs such as \"a:1,b:2\" or \"{a: 1, b: 2}\"");
    if (status == RASK_OK) {
        raski_vec_push(map, (raski_text_pair){sides.items[0], sides.items[1]});
        sides.count = 0;
    }
    raski_text_list_free(&sides);
    return status;
}

/* The end of the item that starts at text: a comma outside of quotes, or the end. */
static const char *item_end(const char *text) {
    char quote = '\0';
    for (; *text != '\0'; text++) {
        if (quote != '\0') {
            if (*text == quote) quote = '\0';
        } else if (*text == '"' || *text == '\'') {
            quote = *text;
        } else if (*text == ',') {
            break;
        }
    }
    return text;
}

rask_status raski_parse_map(const char *text, raski_text_map *ret_map, raski_error *err) {
    const char *start = skip_blanks(text);
    raski_text_map map = {0};
    rask_status status = RASK_OK;
    if (*start == '{') {
        status = raski_yaml_parse_map(start, &map, err);
    } else {
        while (*start != '\0' && status == RASK_OK) {
            const char *end = item_end(start);
            char *item = raski_strndup(start, (size_t)(end - start));
            status = split_pair(item, &map, err);
            raski_free(item);
            start = *end == ',' ? end + 1 : end;
        }
    }
    if (status != RASK_OK) {
        raski_text_map_free(&map);
        return status;
    }
    *ret_map = map;
    return RASK_OK;
}
