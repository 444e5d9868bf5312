/* rask/string.h - text and byte values inside records.
 *
 * rask_string is a 16-byte value, handed about in two registers. Up to 12 bytes live in the value
 * itself; longer text is borrowed from whoever made it, with its first 4 bytes kept for quick
 * comparison. Unused inline bytes are zero, so equal strings have equal bytes 0..7 (and 8..15 when
 * inline). The text is UTF-8 by convention; Rask never changes bytes that are not valid UTF-8
 * (docs/architecture.md, "Text"). Flink: java.lang.String.
 *
 * Lifetime: a string in a record handed to a function is borrowed until that function returns; a
 * string put into an emitted record must stay valid until the emitting function's batch is done,
 * which holds for strings of the input, of rask_string_format and for literals. State copies what
 * it keeps. Threads: values are plain data. */
#ifndef RASK_STRING_H
#define RASK_STRING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rask/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(RASKI_BUILD)
#define RASK_API __attribute__((visibility("default")))
#else
#define RASK_API
#endif

enum { RASK_STRING_INLINE = 12 }; /* bytes of the longest string that needs no other memory */

/* No union inside: compilers then keep whole records with strings in registers. */
typedef struct rask_string {
    uint32_t len; /* bytes */
    /* len <= 12: bytes 0..3 and 4..11, the rest zero. Else the first 4 bytes, and the address of
     * all bytes, which are borrowed. Use rask_string_data. */
    uint32_t raski_head;
    uint64_t raski_tail;
} rask_string;

/* Raw bytes, same layout; cannot be a key (as byte[] in Flink). */
typedef struct rask_bytes {
    uint32_t len;
    uint32_t raski_head;
    uint64_t raski_tail;
} rask_bytes;

/* The address of the bytes (not NUL-terminated); for a short string that is inside *s, so it lives
 * as long as *s. */
static inline const char *rask_string_data(const rask_string *s) {
    return s->len <= RASK_STRING_INLINE ? (const char *)s + offsetof(rask_string, raski_head)
                                        : (const char *)(uintptr_t)s->raski_tail;
}
static inline const void *rask_bytes_data(const rask_bytes *b) {
    return b->len <= RASK_STRING_INLINE ? (const char *)b + offsetof(rask_bytes, raski_head)
                                        : (const char *)(uintptr_t)b->raski_tail;
}

static inline uint64_t raski_load4(const char *p) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}
/* All ones if a < b (both below 2^63), else 0, and no branch. */
static inline uint64_t raski_below(uint64_t a, uint64_t b) {
    return (uint64_t)((int64_t)(a - b) >> 63);
}
/* A string of len bytes at p; borrows p when len > 12. len below 2^32. */
static inline rask_string rask_string_of(const char *p, size_t len) {
    rask_string s;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* Made in registers from loads that overlap, never behind the text: a copy of unknown length
     * into the value would be read back before it is whole, which stalls. From 4 bytes on without
     * branches, which random lengths would make expensive. */
    uint64_t head = 0;
    uint64_t tail = 0;
    if (len >= 4) {
        uint64_t is_long = raski_below(RASK_STRING_INLINE, len);
        uint64_t n = (len & ~is_long) | (RASK_STRING_INLINE & is_long);
        uint64_t absent = (8 - n) & raski_below(n, 8); /* bytes that bytes 4..7 lack */
        uint64_t middle = raski_load4(p + 4 - absent) >> (8 * absent);
        uint64_t half_shift = 4 * (RASK_STRING_INLINE - n); /* twice: 64 at once would be none */
        uint64_t last = raski_load4(p + n - 4) << 32 >> half_shift >> half_shift;
        head = raski_load4(p);
        tail = ((middle | last) & ~is_long) | ((uint64_t)(uintptr_t)p & is_long);
    } else if (len > 0) {
        head = (uint64_t)(unsigned char)p[0] |
               (uint64_t)(unsigned char)p[len / 2] << (8 * (len / 2)) |
               (uint64_t)(unsigned char)p[len - 1] << (8 * (len - 1));
    }
    s.len = (uint32_t)len;
    s.raski_head = (uint32_t)head;
    s.raski_tail = tail;
#else
    memset(&s, 0, sizeof s);
    s.len = (uint32_t)len;
    if (len <= RASK_STRING_INLINE) {
        if (len) memcpy((char *)&s + offsetof(rask_string, raski_head), p, len);
    } else {
        memcpy(&s.raski_head, p, 4);
        s.raski_tail = (uint64_t)(uintptr_t)p;
    }
#endif
    return s;
}
/* The same for raw bytes. */
static inline rask_bytes rask_bytes_of(const void *p, size_t len) {
    rask_string s = rask_string_of((const char *)p, len);
    rask_bytes b;
    memcpy(&b, &s, sizeof b);
    return b;
}
/* The bytes from .. to - 1 of a text of len bytes at p (from <= to <= len): the same as
 * rask_string_of(p + from, to - from), and quicker for short parts that do not lie at the very end
 * of the text, since 12 bytes may be read then and what is too much masked out. Borrows p. Flink:
 * String.substring. */
static inline rask_string rask_string_part(const char *p, size_t len, size_t from, size_t to) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const struct {
        uint64_t tail;
        uint32_t head;
    } masks[RASK_STRING_INLINE + 1] = {
        {0, 0},
        {0, 0xff},
        {0, 0xffff},
        {0, 0xffffff},
        {0, 0xffffffff},
        {0xff, 0xffffffff},
        {0xffff, 0xffffffff},
        {0xffffff, 0xffffffff},
        {0xffffffff, 0xffffffff},
        {0xffffffffff, 0xffffffff},
        {0xffffffffffff, 0xffffffff},
        {0xffffffffffffff, 0xffffffff},
        {0xffffffffffffffff, 0xffffffff},
    };
    size_t n = to - from;
    if (n <= RASK_STRING_INLINE && len - from >= RASK_STRING_INLINE) {
        rask_string s;
        uint64_t tail;
        memcpy(&tail, p + from + 4, sizeof tail);
        s.len = (uint32_t)n;
        s.raski_head = (uint32_t)raski_load4(p + from) & masks[n].head;
        s.raski_tail = tail & masks[n].tail;
        return s;
    }
#else
    (void)len;
#endif
    return rask_string_of(p + from, to - from);
}
/* A string of a NUL-terminated text; borrows it. */
static inline rask_string rask_string_from(const char *text) {
    return rask_string_of(text, strlen(text));
}
/* Bytewise. */
static inline bool rask_string_equal(rask_string a, rask_string b) {
    if (a.len != b.len || a.raski_head != b.raski_head) return false;
    if (a.len <= RASK_STRING_INLINE || a.raski_tail == b.raski_tail)
        return a.raski_tail == b.raski_tail;
    return memcmp((const void *)(uintptr_t)a.raski_tail, (const void *)(uintptr_t)b.raski_tail,
                  a.len) == 0;
}
/* Whether a is that NUL-terminated text. */
static inline bool rask_string_is(rask_string a, const char *text) {
    return strlen(text) == a.len && memcmp(rask_string_data(&a), text, a.len) == 0;
}
/* Bytewise order: negative, 0, positive. (Java's compareTo, which rask_min and rask_max of strings
 * use, differs from it where characters beyond U+FFFF meet ones from U+E000 on.) */
static inline int rask_string_compare(rask_string a, rask_string b) {
    size_t n = a.len < b.len ? a.len : b.len;
    int c = memcmp(rask_string_data(&a), rask_string_data(&b), n);
    return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}
/* printf("%.*s", RASK_STR(s)): s must be a variable. */
#define RASK_STR(s) (int)(s).len, rask_string_data(&(s))

/* The next word at or after *pos: a run of ASCII letters, lower-cased. false at the end. Moves
 * *pos behind the word. A word of more than 12 bytes that has capitals is written to the running
 * task's batch arena (outside of a task: to a per-thread arena that the next outermost call may
 * reuse), others borrow from line. */
RASK_API bool rask_string_next_word(rask_string line, size_t *pos, rask_string *word);

/* printf into a string. Bytes beyond 12 live in the running task's batch arena, that is, as long
 * as records of the current batch. A failed allocation fails the task. */
RASK_API rask_string rask_string_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* A copy of len bytes in the batch arena. */
RASK_API rask_string rask_string_copy(const char *p, size_t len);

/* size bytes in the batch arena, 16-aligned, not zeroed: for items of lists in emitted records.
 * NULL when there is no memory; the task fails then. */
RASK_API void *rask_alloc(size_t size);

#ifdef __cplusplus
}
#endif
#endif
