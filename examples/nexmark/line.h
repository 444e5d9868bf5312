/* line.h - the canonical line of a result, and a digest of lines that does not depend on their
 * order: every system that runs these queries hashes the same lines, so equal digests mean equal
 * results. The line is the fields joined by ",", without an end; numbers are decimal. */
#ifndef NEXMARK_LINE_H
#define NEXMARK_LINE_H
#include <rask/string.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { NEXMARK_LINE_BYTES = 1024 /* the longest line, an auction with all its texts, has 560 */ };

/* A line that is being written; a "," stands behind each field, the last one's is not counted. */
typedef struct nexmark_line {
    char *end;
    char bytes[NEXMARK_LINE_BYTES];
} nexmark_line;

static inline void nexmark_line_begin(nexmark_line *line) {
    line->end = line->bytes;
}
static inline size_t nexmark_line_length(const nexmark_line *line) {
    return line->end == line->bytes ? 0 : (size_t)(line->end - line->bytes) - 1;
}

/* Decimal digits of v < 10^8 as eight bytes, leading zeros included: all digits at once. */
static inline uint64_t nexmark_eight_digits(uint32_t v) {
    uint64_t halves = v / 10000 | (uint64_t)(v % 10000) << 32;              /* 4 digits each */
    uint64_t pairs = (halves * 5243 >> 19 & UINT64_C(0x7F0000007F));        /* v / 100 */
    pairs |= (halves - pairs * 100) << 16;                                  /* 2 digits each */
    uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000F000F000F000F);     /* v / 10 */
    return tens | (pairs - tens * 10) << 8 | UINT64_C(0x3030303030303030);
}

/* A number that is not negative. */
static inline void nexmark_put(nexmark_line *line, int64_t number) {
    uint64_t v = (uint64_t)number;
    char *p = line->end;
    if (v >= 100000000) {
        uint64_t high = v / 100000000;
        if (high >= 100000000) { /* 17 digits or more: no field of these queries is that long */
            uint64_t highest = high / 100000000;
            line->end = p;
            nexmark_put(line, (int64_t)highest);
            p = line->end - 1;
            uint64_t digits = nexmark_eight_digits((uint32_t)(high % 100000000));
            memcpy(p, &digits, sizeof digits);
            p += sizeof digits;
        } else {
            uint64_t digits = nexmark_eight_digits((uint32_t)high);
            unsigned zeros = (unsigned)__builtin_ctzll(digits - UINT64_C(0x3030303030303030)) / 8;
            digits >>= 8 * zeros;
            memcpy(p, &digits, sizeof digits);
            p += 8 - zeros;
        }
        uint64_t digits = nexmark_eight_digits((uint32_t)(v % 100000000));
        memcpy(p, &digits, sizeof digits);
        p += sizeof digits;
    } else {
        uint64_t digits = nexmark_eight_digits((uint32_t)v);
        uint64_t marks = (digits - UINT64_C(0x3030303030303030)) | UINT64_C(1) << 56;
        unsigned zeros = (unsigned)__builtin_ctzll(marks) / 8;
        digits >>= 8 * zeros;
        memcpy(p, &digits, sizeof digits);
        p += 8 - zeros;
    }
    *p++ = ',';
    line->end = p;
}

static inline void nexmark_put_text(nexmark_line *line, rask_string text) {
    if (text.len <= RASK_STRING_INLINE) /* as many bytes each time: no loop */
        memcpy(line->end, rask_string_data(&text), RASK_STRING_INLINE);
    else
        memcpy(line->end, rask_string_data(&text), text.len);
    line->end += text.len;
    *line->end++ = ',';
}

typedef struct nexmark_digest {
    int64_t count; /* lines, retracted ones subtracted */
    uint64_t sum;  /* of the lines' hashes, retracted ones subtracted, modulo 2^64 */
} nexmark_digest;

/* The hash of a line, which is padded with zeros behind its end for that. */
static inline uint64_t nexmark_line_hash(nexmark_line *line) {
    const uint64_t multiplier = UINT64_C(0xFF51AFD7ED558CCD);
    size_t len = nexmark_line_length(line);
    memset(line->bytes + len, 0, 8);
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15) ^ (len * multiplier);
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word;
        memcpy(&word, line->bytes + i, sizeof word);
        h = (h ^ word) * multiplier;
        h ^= h >> 32;
    }
    h = (h ^ (h >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94D049BB133111EB);
    return h ^ (h >> 31);
}
#endif
