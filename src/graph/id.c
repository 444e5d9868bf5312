#include "graph/id.h"

#include <stddef.h>

char *raski_id_to_hex(raski_id id, char ret_hex[RASKI_ID_HEX_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < RASKI_ID_SIZE; i++) {
        ret_hex[2 * i] = digits[id.bytes[i] >> 4];
        ret_hex[2 * i + 1] = digits[id.bytes[i] & 15];
    }
    ret_hex[RASKI_ID_HEX_SIZE - 1] = '\0';
    return ret_hex;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool raski_id_from_hex(const char *hex, raski_id *ret_id) {
    raski_id id;
    if (strlen(hex) != RASKI_ID_HEX_SIZE - 1) return false;
    for (int i = 0; i < RASKI_ID_SIZE; i++) {
        int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        id.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *ret_id = id;
    return true;
}

static uint64_t read_long(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | bytes[i];
    return value;
}

static void write_long(uint8_t *bytes, uint64_t value) {
    for (int i = 7; i >= 0; i--, value >>= 8) bytes[i] = (uint8_t)value;
}

raski_id raski_id_of_data_set(raski_id vertex, int32_t edge_hash) {
    raski_id id;
    uint64_t addend = (uint64_t)(int64_t)edge_hash; /* sign-extended, as int to long in Java */
    write_long(id.bytes, read_long(vertex.bytes + 8) + addend);
    write_long(id.bytes + 8, read_long(vertex.bytes) + addend);
    return id;
}

/* Decodes one code point of valid UTF-8 at *text and moves on; a bad byte is U+FFFD. */
static uint32_t next_code_point(const unsigned char **text) {
    const unsigned char *p = *text;
    int more = *p < 0x80 ? 0 : *p >= 0xf0 && *p < 0xf5 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc2 ? 1 : -1;
    *text = p + 1;
    if (more == 0) return *p;
    if (more < 0 || *p >= 0xf5) return 0xfffd;
    uint32_t c = *p & (0x3fU >> more);
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0xfffd;
        c = c << 6 | (p[i] & 0x3fU);
    }
    *text = p + 1 + more;
    return c;
}

int32_t raski_java_string_hash(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    uint32_t hash = 0;
    while (*p != '\0') {
        uint32_t c = next_code_point(&p);
        if (c >= 0x10000) {
            hash = hash * 31 + (0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        hash = hash * 31 + c;
    }
    return (int32_t)hash;
}
