#include "types/utf16.h"

#include <stdbool.h>

static inline bool continues(unsigned char byte) {
    return (byte & 0xc0) == 0x80;
}

static raski_utf16_step unit(uint32_t length, uint32_t value) {
    return (raski_utf16_step){.length = length, .count = 1, .units = {(uint16_t)value, 0}};
}

static raski_utf16_step malformed(size_t length) {
    return unit((uint32_t)length, RASKI_UTF16_REPLACEMENT);
}

/* E0..EF. What is cut off at the end of the text is one malformed sequence with all that is left,
 * unless its second byte already was wrong. */
static raski_utf16_step three(const unsigned char *t, size_t left) {
    if (left < 2) return malformed(1);
    if ((t[0] == 0xe0 && (t[1] & 0xe0) == 0x80) || !continues(t[1])) return malformed(1);
    if (left < 3) return malformed(left);
    if (!continues(t[2])) return malformed(2);
    uint32_t c = (t[0] & 0x0fU) << 12 | (t[1] & 0x3fU) << 6 | (t[2] & 0x3fU);
    return c >= 0xd800 && c <= 0xdfff ? malformed(3) : unit(3, c);
}

/* F0..F7. */
static raski_utf16_step four(const unsigned char *t, size_t left) {
    if (t[0] > 0xf4 || left < 2) return malformed(1);
    if ((t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && (t[1] & 0xf0) != 0x80) ||
        !continues(t[1]))
        return malformed(1);
    if (left < 3) return malformed(left);
    if (!continues(t[2])) return malformed(2);
    if (left < 4) return malformed(left);
    if (!continues(t[3])) return malformed(3);
    uint32_t c = (t[0] & 0x07U) << 18 | (t[1] & 0x3fU) << 12 | (t[2] & 0x3fU) << 6 | (t[3] & 0x3fU);
    return (raski_utf16_step){
        .length = 4,
        .count = 2,
        .units = {(uint16_t)(0xd7c0 + (c >> 10)), (uint16_t)(0xdc00 | (c & 0x3ff))}};
}

raski_utf16_step raski_utf16_decode(const unsigned char *text, size_t left) {
    unsigned char first = text[0];
    if (first < 0x80) return unit(1, first);
    if (first < 0xc2) return malformed(1);
    if (first < 0xe0) {
        if (left < 2 || !continues(text[1])) return malformed(1);
        return unit(2, (first & 0x1fU) << 6 | (text[1] & 0x3fU));
    }
    if (first < 0xf0) return three(text, left);
    if (first < 0xf8) return four(text, left);
    return malformed(1);
}
