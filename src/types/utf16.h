/* utf16.h - UTF-8 to UTF-16 code units exactly as Java's decoder does it.
 * Malformed input gives U+FFFD, once per malformed sequence as java.nio.charset.StandardCharsets
 * .UTF_8 delimits them, and once for a whole encoded surrogate. Threads: pure. */
#ifndef RASKI_TYPES_UTF16_H
#define RASKI_TYPES_UTF16_H
#include <stddef.h>
#include <stdint.h>

enum { RASKI_UTF16_REPLACEMENT = 0xfffd };

typedef struct raski_utf16_step {
    uint32_t length; /* bytes taken, 1..4 */
    uint32_t count;  /* units given: 1, or 2 (a surrogate pair) */
    uint16_t units[2];
} raski_utf16_step;

/* Decodes the character at text, of which left (at least 1) bytes remain. */
raski_utf16_step raski_utf16_decode(const unsigned char *text, size_t left);
#endif
