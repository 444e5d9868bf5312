#include "formats/json/json_parse.h"

#include <stdint.h>

bool raski_json_no_memory(raski_json_cursor *c) {
    c->out_of_memory = true;
    return RASKI_JSON_FAIL(c, c->text, "no memory for a record of %zu bytes",
                           (size_t)(c->end - c->text));
}

/* Whether a byte cannot belong to a number or word. */
static inline bool is_structure(char c) {
    switch (c) {
        case ' ':
        case '\t':
        case '\r':
        case '\n':
        case ',':
        case ':':
        case '{':
        case '}':
        case '[':
        case ']':
        case '"':
        case '\0':
            return true;
        default:
            return false;
    }
}

/* How much of the text at p belongs together, to be shown. */
static size_t token_length(const raski_json_cursor *c) {
    const char *p = c->p;
    while (p < c->end && !is_structure(*p)) p++;
    return p > c->p ? (size_t)(p - c->p) : 1;
}

bool raski_json_unexpected(raski_json_cursor *c, const char *expected) {
    char excerpt[RASKI_EXCERPT_MAX];
    if (c->p == c->end)
        return RASKI_JSON_FAIL(c, c->p, "the record ends here, where %s is expected", expected);
    return RASKI_JSON_FAIL(c, c->p, "%.100s where %s is expected",
                           raski_format_excerpt(c->p, token_length(c), excerpt), expected);
}

/* ---------------------------------------------------------------- strings */
static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four digits at p, or -1. */
static int32_t hex4(const char *p, const char *end) {
    if (end - p < 4) return -1;
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static size_t put_utf8(char *to, uint32_t code) {
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Behind \u: one character of one or two escapes. Half a pair is no character, and has no UTF-8. */
static bool take_unicode(raski_json_cursor *c, const char *at, char *to, size_t *n) {
    int32_t unit = hex4(c->p, c->end);
    if (unit < 0) return RASKI_JSON_FAIL(c, at, "\\u is not followed by four hexadecimal digits");
    c->p += 4;
    uint32_t code = (uint32_t)unit;
    if (unit >= 0xd800 && unit <= 0xdfff) {
        int32_t low =
            c->end - c->p >= 6 && c->p[0] == '\\' && c->p[1] == 'u' ? hex4(c->p + 2, c->end) : -1;
        if (unit >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
            return RASKI_JSON_FAIL(c, at, "\\u%04x is half of a surrogate pair without the other",
                                   (unsigned)unit);
        c->p += 6;
        code = 0x10000 + (((uint32_t)unit & 0x3ff) << 10) + ((uint32_t)low & 0x3ff);
    }
    *n += put_utf8(to + *n, code);
    return true;
}

static bool take_escape(raski_json_cursor *c, char *to, size_t *n) {
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    const char *at = c->p++;
    if (c->p == c->end) return RASKI_JSON_FAIL(c, at, "the record ends within a string");
    char name = *c->p++;
    if (name == 'u') return take_unicode(c, at, to, n);
    const char *found = name != '\0' ? strchr(names, name) : NULL;
    if (found == NULL) {
        char excerpt[RASKI_EXCERPT_MAX];
        return RASKI_JSON_FAIL(c, at, "%s is no escape of JSON",
                               raski_format_excerpt(at, 2, excerpt));
    }
    to[(*n)++] = values[found - names];
    return true;
}

/* Whether a byte of the word is a quote, a backslash or below a space. */
static inline bool has_special(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = UINT64_C(0x8080808080808080);
    uint64_t quote = word ^ (ones * '"');
    uint64_t slash = word ^ (ones * '\\');
    return (((word - ones * 0x20) & ~word) & highs) | (((quote - ones) & ~quote) & highs) |
           (((slash - ones) & ~slash) & highs);
}

static inline const char *skip_plain(const char *p, const char *end) {
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        if (has_special(word)) break;
    }
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20) p++;
    return p;
}

static bool fail_in_string(raski_json_cursor *c, const char *start) {
    if (c->p == c->end)
        return RASKI_JSON_FAIL(c, start, "the string that begins here does not end");
    return RASKI_JSON_FAIL(c, c->p,
                           "control character 0x%02x within a string (it is written \\u%04x)",
                           (unsigned char)*c->p, (unsigned char)*c->p);
}

/* From the first backslash on. The text is never longer than its escapes. */
static bool unescape(raski_json_cursor *c, const char *start, const char **ret_text,
                     size_t *ret_length) {
    const char *from = start + 1;
    const char *close = c->p;
    while (close < c->end && *close != '"') close += *close == '\\' ? 2 : 1;
    if (close > c->end) close = c->end;
    char *copy = raski_format_alloc(c->memory, (size_t)(close - from) + 1);
    if (copy == NULL) return raski_json_no_memory(c);
    size_t n = (size_t)(c->p - from);
    memcpy(copy, from, n);
    while (c->p < c->end && *c->p == '\\') {
        if (!take_escape(c, copy, &n)) return false;
        const char *plain = c->p;
        c->p = skip_plain(plain, c->end);
        memcpy(copy + n, plain, (size_t)(c->p - plain));
        n += (size_t)(c->p - plain);
    }
    if (c->p == c->end || *c->p != '"') return fail_in_string(c, start);
    c->p++;
    *ret_text = copy;
    *ret_length = n;
    return true;
}

bool raski_json_string(raski_json_cursor *c, const char **ret_text, size_t *ret_length) {
    const char *start = c->p;
    c->p = skip_plain(start + 1, c->end);
    if (c->p < c->end && *c->p == '\\') return unescape(c, start, ret_text, ret_length);
    if (c->p == c->end || *c->p != '"') return fail_in_string(c, start);
    *ret_text = start + 1;
    *ret_length = (size_t)(c->p - start - 1);
    c->p++;
    return true;
}

/* ---------------------------------------------------------------- numbers and words */
static const char *skip_digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

/* Letters and the like directly behind a number or word belong to it, and spoil it. */
static bool goes_on(const raski_json_cursor *c, const char *p) {
    return p < c->end && !is_structure(*p);
}

static bool fail_number(raski_json_cursor *c, const char *start) {
    char excerpt[RASKI_EXCERPT_MAX];
    c->p = start;
    return RASKI_JSON_FAIL(c, start, "%.100s is no number of JSON",
                           raski_format_excerpt(start, token_length(c), excerpt));
}

bool raski_json_number(raski_json_cursor *c, const char **ret_text, size_t *ret_length,
                       bool *ret_is_integer) {
    const char *start = c->p;
    const char *p = start + (*start == '-');
    const char *digits = p;
    p = skip_digits(p, c->end);
    if (p == digits || (*digits == '0' && p - digits > 1)) return fail_number(c, start);
    *ret_is_integer = true;
    if (p < c->end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, c->end);
        if (p == digits) return fail_number(c, start);
        *ret_is_integer = false;
    }
    if (p < c->end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < c->end && (*p == '+' || *p == '-')) p++;
        digits = p;
        p = skip_digits(p, c->end);
        if (p == digits) return fail_number(c, start);
        *ret_is_integer = false;
    }
    if (goes_on(c, p)) return fail_number(c, start);
    *ret_text = start;
    *ret_length = (size_t)(p - start);
    c->p = p;
    return true;
}

bool raski_json_word(raski_json_cursor *c, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(c->end - c->p) < length || memcmp(c->p, word, length) != 0) return false;
    if (goes_on(c, c->p + length)) return false;
    c->p += length;
    return true;
}

/* ---------------------------------------------------------------- objects and arrays */
bool raski_json_open(raski_json_cursor *c) {
    if (c->depth == c->depth_max)
        return RASKI_JSON_FAIL(
            c, c->p, "more than %d objects and arrays within each other (depth_max)", c->depth_max);
    c->depth++;
    c->p++;
    return true;
}

void raski_json_close(raski_json_cursor *c) {
    c->depth--;
}

bool raski_json_more(raski_json_cursor *c, bool is_first, char closing, bool *ret_failed) {
    *ret_failed = false;
    raski_json_skip_space(c);
    if (raski_json_take(c, closing)) {
        raski_json_close(c);
        return false;
    }
    if (is_first) return true;
    if (raski_json_take(c, ',')) {
        raski_json_skip_space(c);
        if (c->p == c->end || *c->p != closing) return true;
        *ret_failed = true;
        return raski_json_unexpected(
            c, closing == '}' ? "a field behind the comma" : "a value behind the comma");
    }
    *ret_failed = true;
    return raski_json_unexpected(c, closing == '}' ? "\",\" or \"}\"" : "\",\" or \"]\"");
}

bool raski_json_name(raski_json_cursor *c, const char **ret_text, size_t *ret_length) {
    raski_json_skip_space(c);
    if (c->p == c->end || *c->p != '"')
        return raski_json_unexpected(c, "the name of a field in quotes");
    if (!raski_json_string(c, ret_text, ret_length)) return false;
    raski_json_skip_space(c);
    if (!raski_json_take(c, ':')) return raski_json_unexpected(c, "\":\"");
    raski_json_skip_space(c);
    return true;
}

/* Recursive, but no deeper than depth_max. */
bool raski_json_skip_value(raski_json_cursor *c) {
    const char *text = NULL;
    size_t length = 0;
    bool is_integer = false;
    raski_json_skip_space(c);
    char first = c->p < c->end ? *c->p : '\0';
    if (first == '"') return raski_json_string(c, &text, &length);
    if (first == '-' || (first >= '0' && first <= '9'))
        return raski_json_number(c, &text, &length, &is_integer);
    if (first == '{' || first == '[') {
        bool failed = false;
        const char closing = first == '{' ? '}' : ']';
        if (!raski_json_open(c)) return false;
        for (bool is_first = true; raski_json_more(c, is_first, closing, &failed); is_first = false)
            if ((first == '{' && !raski_json_name(c, &text, &length)) || !raski_json_skip_value(c))
                return false;
        return !failed;
    }
    return raski_json_word(c, "null") || raski_json_word(c, "true") ||
           raski_json_word(c, "false") || raski_json_unexpected(c, "a value");
}
