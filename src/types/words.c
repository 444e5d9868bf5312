/* rask_string_next_word: finds a word in one 16-byte step instead of byte by byte.
 *
 * A block of 16 bytes is classified at once (a bit per byte: letter or not); the first word of the
 * block starts at the lowest set bit and ends at the next clear one. Its text is loaded again from
 * the start of the word, lower-cased by setting bit 5, moved behind the length and masked: that is
 * the whole inline value of a rask_string, stored with one instruction. The next call waits for the
 * new position only, which takes no second look at the text.
 *
 * Finding the new position takes a chain of some 25 cycles (load, classify, scan), more than all
 * the rest of a call. So the letters of 64 bytes are found at once and remembered; the calls that
 * follow take their bits from there, and check them against the text (which may have changed)
 * beside the chain, where the processor does not wait for it.
 *
 * The last block of a line is shorter than 16 bytes. Where the bytes behind it lie in the same
 * 4096-byte page as the first one, they can be read without a fault, and are then ignored. Tools
 * that watch each access (sanitizers, valgrind on debug builds) see no such read. */
#include "rask/string.h"
#include "types/batch_arena.h"

static inline bool is_letter(unsigned char c) {
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* A word of more than 12 bytes. */
static rask_string long_word(const char *p, size_t n, bool has_capital) {
    if (!has_capital) return rask_string_of(p, n);
    char *bytes = raski_batch_arena_bytes(raski_batch_arena_current(), n);
    if (bytes == NULL) return rask_string_of(NULL, 0);
    for (size_t i = 0; i < n; i++) bytes[i] = (char)(p[i] | 0x20);
    return rask_string_of(bytes, n);
}

/* The end of the run of letters at p; sets *ret_has_capital where there is a capital. */
static inline const char *end_of_letters(const char *p, const char *end, bool *ret_has_capital) {
    for (; p < end && is_letter((unsigned char)*p); p++) *ret_has_capital |= (*p & 0x20) == 0;
    return p;
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

enum { BLOCK = 16, PAGE = 4096, SCAN = 64 };

/* The letters of the last text that was scanned here. Only a guess: never read without a check. */
static _Thread_local struct {
    uintptr_t base;
    uint64_t letters; /* a bit per byte, from base on */
} scanned __attribute__((tls_model("initial-exec")));

static inline __m128i load(const char *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Whether reach bytes from p on can be read, of which left are before the end of the line. */
static inline bool may_load(const char *p, size_t left, size_t reach) {
    return MAY_READ_BEHIND ? ((uintptr_t)p & (PAGE - 1)) <= PAGE - reach : left >= reach;
}

static inline __m128i lower(__m128i block) {
    return _mm_or_si128(block, _mm_set1_epi8(0x20));
}

/* A bit per byte: is it a letter. Added to, the letters are the largest signed bytes. */
static inline unsigned letter_bits(__m128i block) {
    __m128i moved = _mm_add_epi8(lower(block), _mm_set1_epi8(127 - 'z'));
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(moved, _mm_set1_epi8(126 - ('z' - 'a'))));
}

/* keep_table + 12 - n: ones for the 4 bytes of the length and n bytes of text, zeros behind. */
static const unsigned char keep_table[2 * BLOCK] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* block: text from the start of a word of length (at most 12) letters on. */
static inline void store_word(rask_string *word, __m128i block, size_t length) {
    __m128i keep = load((const char *)keep_table + (RASK_STRING_INLINE - length));
    __m128i value = _mm_and_si128(_mm_slli_si128(lower(block), 4), keep);
    value = _mm_or_si128(value, _mm_cvtsi32_si128((int)length));
    _mm_storeu_si128((__m128i *)(void *)word, value);
}

/* As end_of_letters, a block at a time. */
static inline const char *end_of_block_letters(const char *p, const char *end,
                                               bool *ret_has_capital) {
    while (p < end && may_load(p, (size_t)(end - p), BLOCK)) {
        __m128i block = load(p);
        size_t left = (size_t)(end - p);
        unsigned valid = (1U << (left < BLOCK ? left : BLOCK)) - 1U;
        unsigned length = (unsigned)__builtin_ctz(~(letter_bits(block) & valid));
        /* bit 5 of each byte, moved to its highest */
        unsigned small = (unsigned)_mm_movemask_epi8(_mm_slli_epi16(block, 2));
        *ret_has_capital |= (~small & ((1U << length) - 1U)) != 0;
        p += length;
        if (length < BLOCK) return p;
    }
    return end_of_letters(p, end, ret_has_capital);
}

/* What the fast path leaves: more than 15 separators, words that do not end in the first block or
 * have more than 12 letters, the last bytes before the end of a page. */
static __attribute__((noinline)) bool next_word_slow(const char *text, const char *end, size_t *pos,
                                                     rask_string *word) {
    const char *p = text + *pos;
    while (p < end && !is_letter((unsigned char)*p)) p++;
    bool has_capital = false;
    const char *stop = end_of_block_letters(p, end, &has_capital);
    size_t length = (size_t)(stop - p);
    *pos = (size_t)(stop - text);
    if (length == 0) return false;
    if (length > RASK_STRING_INLINE) {
        *word = long_word(p, length, has_capital);
        return true;
    }
    char copy[BLOCK] = {0};
    memcpy(copy, p, length);
    store_word(word, load(copy), length);
    return true;
}

static __attribute__((noinline)) void scan(const char *p, unsigned bits) {
    uint64_t letters = bits;
    for (unsigned i = BLOCK; i < SCAN; i += BLOCK)
        letters |= (uint64_t)letter_bits(load(p + i)) << i;
    scanned.base = (uintptr_t)p;
    scanned.letters = letters;
}

/* A bit per byte of the block at p, of a line with so much left: is it a letter. */
static inline unsigned letters_at(const char *p, size_t left) {
    unsigned bits = letter_bits(load(p));
    uint64_t ahead = (uintptr_t)p - scanned.base;
    if (__builtin_expect(ahead <= SCAN - BLOCK, 1)) {
        unsigned guess = (unsigned)(scanned.letters >> ahead) & ((1U << BLOCK) - 1U);
        unsigned same = guess;
        __asm__("" : "+r"(guess)); /* the compiler must not go on with bits instead */
        if (__builtin_expect(same == bits, 1)) return guess;
    }
    if (may_load(p, left, SCAN)) scan(p, bits);
    return bits;
}

bool rask_string_next_word(rask_string line, size_t *pos, rask_string *word) {
    const char *text = rask_string_data(&line);
    size_t at = *pos;
    if (__builtin_expect(at >= line.len, 0)) return false;
    size_t left = line.len - at;
    const char *p = text + at;
    if (__builtin_expect(may_load(p, left, 2 * BLOCK), 1)) {
        unsigned valid = (1U << (left < BLOCK ? left : BLOCK)) - 1U;
        unsigned bits = letters_at(p, left) & valid;
        if (__builtin_expect(bits != 0, 1)) {
            /* Adding its lowest bit to a run of ones moves it to the first place behind the run. */
            unsigned stop = (unsigned)__builtin_ctz(bits + (bits & (0U - bits)));
            unsigned start = (unsigned)__builtin_ctz(bits);
            size_t length = stop - start;
            if (__builtin_expect(stop < BLOCK && length <= RASK_STRING_INLINE, 1)) {
                *pos = at + stop;
                store_word(word, load(p + start), length);
                /* What was scanned keeps the address as a number, which is only compared.
                 * NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape) */
                return true;
            }
        } else if (left <= BLOCK) {
            *pos = line.len;
            return false;
        }
    }
    return next_word_slow(text, text + line.len, pos, word);
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
    bool has_capital = false;
    size_t length = (size_t)(end_of_letters(start, end, &has_capital) - start);
    if (length > RASK_STRING_INLINE) {
        *word = long_word(start, length, has_capital);
    } else {
        char low[RASK_STRING_INLINE];
        for (size_t i = 0; i < length; i++) low[i] = (char)(start[i] | 0x20);
        *word = rask_string_of(low, length);
    }
    *pos = (size_t)(start - text) + length;
    return true;
}
#endif
