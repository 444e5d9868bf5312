/* str.h - growing byte strings (always NUL-terminated) for messages, JSON and formats.
 * Zero-initialised is empty. Threads: one owner. */
#ifndef RASKI_BASE_STR_H
#define RASKI_BASE_STR_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct raski_str {
    char *data; /* NULL while nothing was added; use raski_str_text */
    size_t length;
    size_t capacity;
} raski_str;

void raski_str_append(raski_str *str, const char *text);
void raski_str_append_bytes(raski_str *str, const void *bytes, size_t length);
void raski_str_append_char(raski_str *str, char c);
void raski_str_appendf(raski_str *str, const char *format, ...) RASKI_PRINTF(2, 3);
void raski_str_vappendf(raski_str *str, const char *format, va_list arguments) RASKI_PRINTF(2, 0);
void raski_str_truncate(raski_str *str, size_t length);
const char *raski_str_text(const raski_str *str); /* borrowed; "" when empty */
char *raski_str_steal(raski_str *str); /* returned to the caller, never NULL; str is empty after */
void raski_str_free(raski_str *str);   /* empties it; may be used again */

/* Edit distance for "did you mean" (Damerau-Levenshtein, bytes, case ignored). */
size_t raski_edit_distance(const char *a, const char *b);
#endif
