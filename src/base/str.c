#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static char *grow(raski_str *str, size_t extra) {
    size_t wanted = str->length + extra + 1;
    if (wanted > str->capacity) {
        size_t capacity = str->capacity ? str->capacity * 2 : 64;
        if (capacity < wanted) capacity = wanted;
        str->data = raski_realloc(str->data, capacity, 1);
        str->capacity = capacity;
    }
    return str->data + str->length;
}

void raski_str_append_bytes(raski_str *str, const void *bytes, size_t length) {
    char *end = grow(str, length);
    if (length) memcpy(end, bytes, length);
    str->length += length;
    str->data[str->length] = '\0';
}

void raski_str_append(raski_str *str, const char *text) {
    raski_str_append_bytes(str, text, strlen(text));
}

void raski_str_append_char(raski_str *str, char c) {
    raski_str_append_bytes(str, &c, 1);
}

void raski_str_vappendf(raski_str *str, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    RASKI_ASSERT(length >= 0);
    (void)vsnprintf(grow(str, (size_t)length), (size_t)length + 1, format, again);
    va_end(again);
    str->length += (size_t)length;
}

void raski_str_appendf(raski_str *str, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    raski_str_vappendf(str, format, arguments);
    va_end(arguments);
}

void raski_str_truncate(raski_str *str, size_t length) {
    if (length >= str->length) return;
    str->length = length;
    str->data[length] = '\0';
}

const char *raski_str_text(const raski_str *str) {
    return str->data ? str->data : "";
}

char *raski_str_steal(raski_str *str) {
    char *data = str->data ? str->data : raski_strdup("");
    *str = (raski_str){0};
    return data;
}

void raski_str_free(raski_str *str) {
    raski_free(str->data);
    *str = (raski_str){0};
}

static size_t least(size_t a, size_t b, size_t c) {
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

size_t raski_edit_distance(const char *a, const char *b) {
    size_t na = strlen(a);
    size_t nb = strlen(b);
    size_t *rows = RASKI_NEW_ARRAY(size_t, 3 * (nb + 1));
    size_t *before = rows;
    size_t *previous = rows + nb + 1;
    size_t *current = rows + 2 * (nb + 1);
    for (size_t j = 0; j <= nb; j++) previous[j] = j;
    for (size_t i = 1; i <= na; i++) {
        current[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            int ca = tolower((unsigned char)a[i - 1]);
            int cb = tolower((unsigned char)b[j - 1]);
            current[j] = least(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == cb && before[j - 2] + 1 < current[j])
                current[j] = before[j - 2] + 1;
        }
        size_t *spare = before;
        before = previous;
        previous = current;
        current = spare;
    }
    size_t distance = previous[nb];
    raski_free(rows);
    return distance;
}
