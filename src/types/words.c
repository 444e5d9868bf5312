/* rask_string_next_word: finds a word in one or two 16-byte steps instead of byte by byte.
 *
 * A block of 16 bytes is classified at once (a bit per byte: letter or not); the first word of the
 * block starts at the lowest set bit and ends at the next clear one. Its text is loaded again from
 * the start of the word, lower-cased by setting bit 5, moved behind the length and masked: that is
 * the whole inline value of a rask_string, stored with one instruction.
 *
 * The last block of a line is shorter than 16 bytes. Where the bytes behind it lie in the same
 * 4096-byte page as its last byte, they can be read without a fault, and are then ignored. Tools
 * that watch each access (sanitizers, valgrind on debug builds) see a copy instead. */
#include "rask/string.h"
#include "types/batch_arena.h"

static inline bool is_letter(unsigned char c) {
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool has_capital(const char *p, size_t n) {
    bool found = false;
    for (size_t i = 0; i < n; i++) found |= (unsigned char)(p[i] - 'A') < 26;
    return found;
}

/* A word of more than 12 bytes. */
static __attribute__((noinline)) rask_string long_word(const char *p, size_t n) {
    if (!has_capital(p, n)) return rask_string_of(p, n);
    char *bytes = raski_batch_arena_bytes(raski_batch_arena_current(), n);
    if (bytes == NULL) return rask_string_of(NULL, 0);
    for (size_t i = 0; i < n; i++) bytes[i] = (char)(p[i] | 0x20);
    return rask_string_of(bytes, n);
}

static inline size_t letters_from(const char *p, const char *end) {
    const char *q = p;
    while (q < end && is_letter((unsigned char)*q)) q++;
    return (size_t)(q - p);
}

#if defined(__SSE2__)
#include <emmintrin.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
#define MAY_READ_BEHIND 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define MAY_READ_BEHIND 0
#else
#define MAY_READ_BEHIND 1
#endif
#else
#define MAY_READ_BEHIND 1
#endif

enum { BLOCK = 16, PAGE = 4096 };

/* The next 16 bytes at p, of which at least one is before end; what lies behind end is anything. */
static inline __m128i load_block(const char *p, const char *end) {
    size_t left = (size_t)(end - p);
    if (left >= BLOCK) return _mm_loadu_si128((const __m128i *)(const void *)p);
    if (MAY_READ_BEHIND && ((uintptr_t)p & (PAGE - 1)) <= PAGE - BLOCK)
        return _mm_loadu_si128((const __m128i *)(const void *)p);
    char copy[BLOCK] = {0};
    memcpy(copy, p, left);
    return _mm_loadu_si128((const __m128i *)(const void *)copy);
}

static inline __m128i lower(__m128i block) {
    return _mm_or_si128(block, _mm_set1_epi8(0x20));
}

/* A bit per byte: is it a letter. */
static inline unsigned letter_bits(__m128i lowered) {
    __m128i from_a = _mm_sub_epi8(lowered, _mm_set1_epi8('a'));
    __m128i is = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
    return (unsigned)_mm_movemask_epi8(is);
}

/* The bits of the bytes before end. */
static inline unsigned valid_bits(const char *p, const char *end) {
    size_t left = (size_t)(end - p);
    return left >= BLOCK ? 0xffffU : (1U << left) - 1U;
}

/* Row n keeps the 4 bytes of the length and n bytes of text. */
static const unsigned char keep_table[2 * BLOCK] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

bool rask_string_next_word(rask_string line, size_t *pos, rask_string *word) {
    const char *text = rask_string_data(&line);
    const char *end = text + line.len;
    if (__builtin_expect(*pos >= line.len, 0)) return false;
    const char *p = text + *pos;
    __m128i block;
    unsigned bits = 0;
    for (;;) { /* to the block that holds the first letter */
        block = lower(load_block(p, end));
        bits = letter_bits(block) & valid_bits(p, end);
        if (bits != 0) break;
        if ((size_t)(end - p) <= BLOCK) {
            *pos = line.len;
            return false;
        }
        p += BLOCK;
    }
    unsigned skip = (unsigned)__builtin_ctz(bits);
    const char *start = p + skip;
    block = lower(load_block(start, end));
    bits = letter_bits(block) & valid_bits(start, end);
    size_t length = (size_t)__builtin_ctz(~bits); /* at most 16 */
    if (__builtin_expect(length > RASK_STRING_INLINE, 0)) {
        length += letters_from(start + length, end);
        *word = long_word(start, length);
    } else {
        __m128i keep = _mm_loadu_si128(
            (const __m128i *)(const void *)(keep_table + (RASK_STRING_INLINE - length)));
        __m128i value = _mm_and_si128(_mm_slli_si128(block, 4), keep);
        value = _mm_or_si128(value, _mm_cvtsi32_si128((int)length));
        _mm_storeu_si128((__m128i *)(void *)word, value);
    }
    *pos = (size_t)(start - text) + length;
    return true;
}

#else

bool rask_string_next_word(rask_string line, size_t *pos, rask_string *word) {
    const char *text = rask_string_data(&line);
    const char *end = text + line.len;
    if (*pos >= line.len) return false;
    const char *start = text + *pos;
    while (start < end && !is_letter((unsigned char)*start)) start++;
    if (start == end) {
        *pos = line.len;
        return false;
    }
    size_t length = letters_from(start, end);
    if (length > RASK_STRING_INLINE) {
        *word = long_word(start, length);
    } else {
        char low[RASK_STRING_INLINE];
        for (size_t i = 0; i < length; i++) low[i] = (char)(start[i] | 0x20);
        *word = rask_string_of(low, length);
    }
    *pos = (size_t)(start - text) + length;
    return true;
}
#endif
