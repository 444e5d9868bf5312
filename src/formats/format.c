/* What readers and writers of all formats share. */
#include "formats/format.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- memory */
struct raski_format_chunk {
    raski_format_chunk *next;
    size_t size;
    _Alignas(16) char data[];
};
static const size_t CHUNK_BYTES = 64 * 1024;

void *raski_format_alloc(raski_format_memory *memory, size_t size) {
    if (size > PTRDIFF_MAX / 2) return NULL;
    size = (size + 15) & ~(size_t)15;
    if ((size_t)(memory->end - memory->cursor) < size || memory->cursor == NULL) {
        size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        raski_format_chunk *chunk = malloc(sizeof *chunk + bytes);
        if (chunk == NULL) return NULL;
        chunk->size = bytes;
        chunk->next = memory->newest;
        memory->newest = chunk;
        memory->cursor = chunk->data;
        memory->end = chunk->data + bytes;
    }
    void *result = memory->cursor;
    memory->cursor += size;
    return result;
}

void raski_format_memory_clear(raski_format_memory *memory) {
    raski_format_chunk *kept = NULL;
    while (memory->newest != NULL) {
        raski_format_chunk *chunk = memory->newest;
        memory->newest = chunk->next;
        if (kept == NULL && chunk->size == CHUNK_BYTES) {
            kept = chunk;
            kept->next = NULL;
        } else {
            free(chunk);
        }
    }
    memory->newest = kept;
    memory->cursor = kept ? kept->data : NULL;
    memory->end = kept ? kept->data + kept->size : NULL;
}

void raski_format_memory_free(raski_format_memory *memory) {
    while (memory->newest != NULL) {
        raski_format_chunk *chunk = memory->newest;
        memory->newest = chunk->next;
        free(chunk);
    }
    memory->cursor = memory->end = NULL;
}

bool raski_format_copy_string(raski_format_memory *memory, const char *text, size_t length,
                              rask_string *ret) {
    if (length > RASK_STRING_INLINE) {
        char *copy = raski_format_alloc(memory, length);
        if (copy == NULL) return false;
        memcpy(copy, text, length);
        text = copy;
    }
    *ret = rask_string_of(text, length);
    return true;
}

/* ---------------------------------------------------------------- errors */
static void find_place(rask_format_error *error, const char *text, const char *at) {
    const char *line_start = text;
    error->offset = (size_t)(at - text);
    error->line = error->column = 1;
    for (const char *p = text; p < at; p++) {
        bool ends = *p == '\n' || (*p == '\r' && (p + 1 == at || p[1] != '\n'));
        if (!ends) continue;
        error->line++;
        line_start = p + 1;
    }
    for (const char *p = line_start; p < at; p++)
        error->column += ((unsigned char)*p & 0xc0) != 0x80;
}

bool raski_format_fail(rask_format_error *error, const char *text, const char *at,
                       const char *format, ...) {
    if (error == NULL) return false;
    *error = (rask_format_error){0};
    if (text != NULL) find_place(error, text, at);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

/* A path that grows too long loses its end. */
static void prepend(rask_format_error *error, const char *part, const char *between) {
    char path[sizeof error->field];
    int n = snprintf(path, sizeof path, "%s%s%s", part, between, error->field);
    if (n >= 0) memcpy(error->field, path, sizeof path);
}

void raski_format_in_field(rask_format_error *error, const char *name) {
    if (error == NULL) return;
    prepend(error, name, error->field[0] == '\0' || error->field[0] == '[' ? "" : ".");
}

void raski_format_in_item(rask_format_error *error, size_t index) {
    char part[32];
    if (error == NULL) return;
    (void)snprintf(part, sizeof part, "[%zu]", index);
    prepend(error, part, error->field[0] == '\0' || error->field[0] == '[' ? "" : ".");
}

const char *raski_format_excerpt(const char *text, size_t length,
                                 char ret_text[RASKI_EXCERPT_MAX]) {
    enum { SHOWN = 40 };
    size_t shown = length < SHOWN ? length : SHOWN;
    while (shown < length && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80) shown--;
    bool utf8 = raski_utf8_valid_length(text, shown) == shown;
    size_t n = 0;
    ret_text[n++] = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && !utf8))
            n += (size_t)snprintf(ret_text + n, RASKI_EXCERPT_MAX - n, "\\x%02x", c);
        else
            ret_text[n++] = text[i];
    }
    (void)snprintf(ret_text + n, RASKI_EXCERPT_MAX - n, "%s", shown < length ? "...\"" : "\"");
    return ret_text;
}

void *raski_format_refuse(char *message, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, size, format, arguments);
    va_end(arguments);
    return NULL;
}

void rask_format_error_text(const rask_format_error *error, char *ret_text, size_t size) {
    char place[48] = "";
    if (error->line > 0)
        (void)snprintf(place, sizeof place, "%lld:%lld: ", (long long)error->line,
                       (long long)error->column);
    if (error->field[0] != '\0')
        (void)snprintf(ret_text, size, "%sfield \"%s\": %s", place, error->field, error->message);
    else
        (void)snprintf(ret_text, size, "%s%s", place, error->message);
}

/* ---------------------------------------------------------------- text */
bool raski_text_reserve(rask_text *text, size_t size) {
    if (size > PTRDIFF_MAX / 2 - text->length) return false;
    size_t capacity = text->capacity ? text->capacity * 2 : 256;
    if (capacity < text->length + size) capacity = text->length + size;
    char *data = realloc(text->data, capacity);
    if (data == NULL) return false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

/* The length of the character at p, of which left (at least 1) bytes are there; 0: it is none. */
static size_t utf8_character(const unsigned char *p, size_t left) {
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t length = 0;
    if (p[0] < 0x80) return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf) length = 2;
    if (p[0] >= 0xe0 && p[0] <= 0xef) length = 3;
    if (p[0] >= 0xf0 && p[0] <= 0xf4) length = 4;
    if (p[0] == 0xe0) low = 0xa0;  /* else it would fit into two bytes */
    if (p[0] == 0xed) high = 0x9f; /* surrogates are no characters */
    if (p[0] == 0xf0) low = 0x90;
    if (p[0] == 0xf4) high = 0x8f; /* beyond U+10FFFF */
    if (length == 0 || left < length || p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return length;
}

size_t raski_utf8_valid_length(const char *text, size_t length) {
    const uint64_t high_bits = UINT64_C(0x8080808080808080);
    size_t i = 0;
    while (i < length) {
        for (; length - i >= 8; i += 8) {
            uint64_t word;
            memcpy(&word, text + i, sizeof word);
            if ((word & high_bits) != 0) break;
        }
        if (i == length) break;
        size_t n = utf8_character((const unsigned char *)text + i, length - i);
        if (n == 0) return i;
        i += n;
    }
    return length;
}

/* ---------------------------------------------------------------- base64 */
static int base64_digit(unsigned char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool raski_base64_decode(const char *text, size_t length, unsigned char *ret_bytes,
                         size_t *ret_length) {
    size_t n = 0;
    if (length % 4 != 0) return false;
    for (size_t i = 0; i < length; i += 4) {
        bool is_last = i + 4 == length;
        int padding =
            is_last ? (text[i + 3] == '=') + (text[i + 2] == '=' && text[i + 3] == '=') : 0;
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) {
            int digit = k >= 4 - padding ? 0 : base64_digit((unsigned char)text[i + (size_t)k]);
            if (digit < 0) return false;
            bits = bits << 6 | (uint32_t)digit;
        }
        /* Bits that belong to no byte must be zero, so that each value has one text. */
        if (padding > 0 && (bits & (padding == 2 ? 0xffffU : 0xffU)) != 0) return false;
        for (int k = 0; k < 3 - padding; k++)
            ret_bytes[n++] = (unsigned char)(bits >> (16 - 8 * k));
    }
    *ret_length = n;
    return true;
}

bool raski_base64_append(rask_text *text, const void *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i += 3) {
        size_t have = length - i < 3 ? length - i : 3;
        uint32_t bits = (uint32_t)p[i] << 16 | (have > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                        (have > 2 ? p[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        have > 1 ? digits[bits >> 6 & 63] : '=',
                        have > 2 ? digits[bits & 63] : '='};
        if (!raski_text_put(text, four, sizeof four)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the public calls */
rask_status rask_format_read(rask_format_reader *reader, const char *text, size_t length,
                             void *ret_record, rask_format_error *ret_error) {
    if (reader->ops->trim != NULL && !reader->ops->trim(reader, text, &length, ret_error))
        return RASK_E_CORRUPT;
    return raski_format_read_found(reader, text, length, ret_record, ret_error);
}

rask_status raski_format_read_found(rask_format_reader *reader, const char *text, size_t length,
                                    void *ret_record, rask_format_error *ret_error) {
    if (length > reader->record_bytes_max) {
        (void)raski_format_fail(ret_error, text, text,
                                "the record has %zu bytes, more than the limit of %zu "
                                "(record_bytes_max)",
                                length, reader->record_bytes_max);
        return RASK_E_CORRUPT;
    }
    size_t valid = raski_utf8_valid_length(text, length);
    if (valid < length) {
        (void)raski_format_fail(ret_error, text, text + valid, "byte 0x%02x is not UTF-8 here",
                                (unsigned char)text[valid]);
        return RASK_E_CORRUPT;
    }
    return reader->ops->read(reader, text, length, ret_record, ret_error);
}

void rask_format_reader_clear(rask_format_reader *reader) {
    raski_format_memory_clear(&reader->memory);
}

void rask_format_reader_destroy(rask_format_reader *reader_take) {
    if (reader_take == NULL) return;
    raski_format_memory_free(&reader_take->memory);
    reader_take->ops->destroy(reader_take);
}

rask_status rask_format_append(rask_format_writer *writer, rask_text *text, const void *record,
                               rask_format_error *ret_error) {
    size_t length = text->length;
    rask_status status = writer->append(writer, text, record, ret_error);
    if (status != RASK_OK) text->length = length;
    return status;
}

void rask_format_writer_destroy(rask_format_writer *writer_take) {
    if (writer_take != NULL) writer_take->destroy(writer_take);
}
