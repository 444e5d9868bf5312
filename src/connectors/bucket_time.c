#include "connectors/bucket_time.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* One piece of a pattern. */
typedef struct piece {
    char letter;      /* 0: literal text */
    size_t length;    /* of the letters, or of text */
    const char *text; /* literal */
} piece;

/* The piece at *pattern, which is passed. false: at the end, or wrong (then *ret_wrong says why).
 */
static bool next_piece(const char **pattern, piece *ret, const char **ret_wrong) {
    const char *p = *pattern;
    *ret_wrong = NULL;
    if (*p == '\0') return false;
    if (*p == '\'') {
        const char *end = strchr(p + 1, '\'');
        if (end == NULL) {
            *ret_wrong = "has a quote that does not end";
            return false;
        }
        *ret = end == p + 1 ? (piece){0, 1, p} : (piece){0, (size_t)(end - p) - 1, p + 1};
        *pattern = end + 1;
        return true;
    }
    if (!isalpha((unsigned char)*p)) {
        if (strchr("[]{}#", *p) != NULL) *ret_wrong = "has one of [ ] { } #";
        *ret = (piece){0, 1, p};
        *pattern = p + 1;
        return *ret_wrong == NULL;
    }
    size_t n = strspn(p, (char[]){*p, '\0'});
    const char *most = strchr("yuMdHmsS", *p);
    const bool is_year = *p == 'y' || *p == 'u';
    if (most == NULL || (is_year ? n != 2 && n != 4 : *p == 'S' ? n != 3 : n > 2)) {
        *ret_wrong =
            "has letters other than yyyy, yy, MM, dd, HH, mm, ss and SSS "
            "(put text into '...')";
        return false;
    }
    *ret = (piece){*p, n, p};
    *pattern = p + n;
    return true;
}

static int value_of(const piece *p, const struct tm *t, int ms) {
    switch (p->letter) {
        case 'M':
            return t->tm_mon + 1;
        case 'd':
            return t->tm_mday;
        case 'H':
            return t->tm_hour;
        case 'm':
            return t->tm_min;
        case 's':
            return t->tm_sec;
        case 'S':
            return ms;
        default:
            return p->length == 2 ? (t->tm_year + 1900) % 100 : t->tm_year + 1900;
    }
}

bool raski_bucket_time_check(const char *pattern, char *message, size_t size) {
    const char *wrong = NULL;
    const char *rest = pattern;
    piece p;
    if (strlen(pattern) > 100) {
        (void)snprintf(message, size, "it is longer than 100 bytes");
        return false;
    }
    while (next_piece(&rest, &p, &wrong)) {
    }
    if (wrong != NULL) (void)snprintf(message, size, "\"%s\" %s", pattern, wrong);
    return wrong == NULL;
}

size_t raski_bucket_time_format(const char *pattern, int64_t time_ms, char *ret_text) {
    const int ms = (int)(((time_ms % 1000) + 1000) % 1000);
    const time_t seconds = (time_t)((time_ms - ms) / 1000);
    const char *wrong = NULL;
    struct tm t = {0};
    size_t length = 0;
    piece p;
    (void)localtime_r(&seconds, &t);
    while (next_piece(&pattern, &p, &wrong) && length + 16 + p.length < RASKI_BUCKET_TIME_BYTES) {
        if (p.letter == 0) {
            memcpy(ret_text + length, p.text, p.length);
            length += p.length;
        } else {
            length += (size_t)snprintf(ret_text + length, 16, "%0*d", (int)p.length,
                                       value_of(&p, &t, ms));
        }
    }
    ret_text[length] = '\0';
    return length;
}
