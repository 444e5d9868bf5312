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
