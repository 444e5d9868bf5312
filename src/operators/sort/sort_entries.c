/* Sorting entries in memory: a radix sort from the first byte of the key that differs on, 8 bytes
 * of the key at a time, so that no comparison of whole keys is needed; inside a key by timestamp.
 * Stable throughout. */
#include <string.h>

#include "operators/sort/sorter_private.h"

enum {
    SMALL = 48, /* entries that are sorted by insertion */
    DIGITS = 256,
    /* Words of a key that are sorted one after another by recursion, 8 calls and 2 KiB of stack
     * each for a word at most; keys that agree for longer are compared. */
    DEPTH_MAX = 8,
};

typedef struct sorting {
    const raski_sort_shape *shape;
    bool by_time;
} sorting;

static void sort_words(const sorting *s, raski_sort_entry *entries, raski_sort_entry *scratch,
                       size_t n, unsigned depth);

/* ---------------------------------------------------------------- merge sort */
typedef int compare_items(const raski_sort_shape *shape, raski_sort_item *a, raski_sort_item *b);

static int compare_timestamps(const raski_sort_shape *shape, raski_sort_item *a,
                              raski_sort_item *b) {
    (void)shape;
    return (a->timestamp > b->timestamp) - (a->timestamp < b->timestamp);
}

static int compare_all(const raski_sort_shape *shape, raski_sort_item *a, raski_sort_item *b) {
    const raski_sorted_head x = raski_sort_head_of(shape, a), y = raski_sort_head_of(shape, b);
    int c = raski_sorted_head_compare_keys(&x, &y);
    return c != 0 ? c : compare_timestamps(shape, a, b);
}

static void insert_by(const sorting *s, raski_sort_entry *entries, size_t n,
                      compare_items *compare) {
    for (size_t i = 1; i < n; i++) {
        const raski_sort_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && compare(s->shape, entries[at - 1].item, entry.item) > 0; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

static void merge(const sorting *s, const raski_sort_entry *a, size_t a_count,
                  const raski_sort_entry *b, size_t b_count, raski_sort_entry *to,
                  compare_items *compare) {
    while (a_count > 0 && b_count > 0) {
        if (compare(s->shape, a->item, b->item) <= 0) {
            *to++ = *a++;
            a_count--;
        } else {
            *to++ = *b++;
            b_count--;
        }
    }
    memcpy(to, a, a_count * sizeof *a);
    memcpy(to + a_count, b, b_count * sizeof *b);
}

/* Bottom up, from runs of SMALL. */
static void merge_sort(const sorting *s, raski_sort_entry *entries, raski_sort_entry *scratch,
                       size_t n, compare_items *compare) {
    for (size_t at = 0; at < n; at += SMALL)
        insert_by(s, entries + at, n - at < SMALL ? n - at : SMALL, compare);
    raski_sort_entry *from = entries, *to = scratch;
    for (size_t width = SMALL; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t a_count = n - at < width ? n - at : width;
            size_t b_count = n - at - a_count < width ? n - at - a_count : width;
            merge(s, from + at, a_count, from + at + a_count, b_count, to + at, compare);
        }
        raski_sort_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, n * sizeof *entries);
}

/* ---------------------------------------------------------------- entries of one key */
/* Records mostly come in the order of their times. */
static bool is_in_time_order(const raski_sort_entry *entries, size_t n) {
    enum { AHEAD = 8 };
    for (size_t i = 1; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(entries[i + AHEAD].item);
        if (entries[i - 1].item->timestamp > entries[i].item->timestamp) return false;
    }
    return true;
}

/* By timestamp: as words, so that the radix sort serves here too. */
static void sort_by_time(raski_sort_entry *entries, raski_sort_entry *scratch, size_t n) {
    const uint64_t prefix = entries[0].prefix;
    for (size_t i = 0; i < n; i++)
        entries[i].prefix = (uint64_t)entries[i].item->timestamp ^ UINT64_C(1) << 63;
    const sorting by_word = {0}; /* equal words are equal times: there is nothing behind them */
    sort_words(&by_word, entries, scratch, n, 0);
    for (size_t i = 0; i < n; i++) entries[i].prefix = prefix;
}

static uint64_t word_at(const raski_sort_shape *shape, raski_sort_item *item, unsigned depth) {
    const size_t at = depth * sizeof(uint64_t);
    if (at >= item->key_size) return 0;
    const unsigned char *bytes = raski_sort_tail(shape, item) + at - sizeof(uint64_t);
    const size_t count =
        item->key_size - at < sizeof(uint64_t) ? item->key_size - at : sizeof(uint64_t);
    uint64_t word = 0;
    memcpy(&word, bytes, count); /* little-endian: the first byte is the lowest */
    return __builtin_bswap64(word);
}

static bool any_goes_on(const raski_sort_entry *entries, size_t n, unsigned depth) {
    const size_t known = ((size_t)depth + 1) * sizeof(uint64_t);
    for (size_t i = 0; i < n; i++)
        if (entries[i].item->key_size > known) return true;
    return false;
}

/* n entries whose words at this depth are equal. */
static void sort_equal_words(const sorting *s, raski_sort_entry *entries, raski_sort_entry *scratch,
                             size_t n, unsigned depth) {
    if (n < 2 || s->shape == NULL) return;
    if (s->shape->long_keys && any_goes_on(entries, n, depth)) {
        if (depth + 1 == DEPTH_MAX) {
            merge_sort(s, entries, scratch, n, compare_all);
            return;
        }
        const uint64_t prefix = entries[0].prefix;
        for (size_t i = 0; i < n; i++)
            entries[i].prefix = word_at(s->shape, entries[i].item, depth + 1);
        sort_words(s, entries, scratch, n, depth + 1);
        for (size_t i = 0; i < n; i++) entries[i].prefix = prefix;
        return;
    }
    if (!s->by_time || is_in_time_order(entries, n)) return;
    if (n <= SMALL)
        insert_by(s, entries, n, compare_timestamps);
    else
        sort_by_time(entries, scratch, n);
}

/* ---------------------------------------------------------------- by word */
static void insert_by_word(const sorting *s, raski_sort_entry *entries, raski_sort_entry *scratch,
                           size_t n, unsigned depth) {
    for (size_t i = 1; i < n; i++) {
        const raski_sort_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1].prefix > entry.prefix; at--) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
    for (size_t start = 0, end = 0; start < n; start = end) {
        for (end = start + 1; end < n && entries[end].prefix == entries[start].prefix;) end++;
        sort_equal_words(s, entries + start, scratch, end - start, depth);
    }
}

static void sort_words(const sorting *s, raski_sort_entry *entries, raski_sort_entry *scratch,
                       size_t n, unsigned depth) {
    if (n <= SMALL) {
        insert_by_word(s, entries, scratch, n, depth);
        return;
    }
    uint64_t differing = 0;
    const uint64_t first = entries[0].prefix;
    for (size_t i = 0; i < n; i++) differing |= entries[i].prefix ^ first;
    if (differing == 0) {
        sort_equal_words(s, entries, scratch, n, depth);
        return;
    }
    /* Scatters by the first byte that differs, then goes on inside each digit: at most 8 deep. */
    const unsigned shift = (63 - (unsigned)__builtin_clzll(differing)) & ~7U;
    size_t at[DIGITS] = {0}; /* counts, then where the next one goes, then where digits end */
    for (size_t i = 0; i < n; i++) at[entries[i].prefix >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0, before = 0; digit < DIGITS; digit++) {
        const size_t count = at[digit];
        at[digit] = before;
        before += count;
    }
    for (size_t i = 0; i < n; i++)
        scratch[at[entries[i].prefix >> shift & (DIGITS - 1)]++] = entries[i];
    memcpy(entries, scratch, n * sizeof *entries);
    for (size_t digit = 0, start = 0; digit < DIGITS; start = at[digit++])
        if (at[digit] > start)
            sort_words(s, entries + start, scratch + start, at[digit] - start, depth);
}

void raski_sort_entries(const raski_sort_shape *shape, raski_sort_entry *entries,
                        raski_sort_entry *scratch, size_t n, bool by_time) {
    const sorting s = {.shape = shape, .by_time = by_time};
    sort_words(&s, entries, scratch, n, 0);
}

int raski_sorted_head_compare_keys(const raski_sorted_head *a, const raski_sorted_head *b) {
    if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
    const size_t x = a->key_size > sizeof(uint64_t) ? a->key_size - sizeof(uint64_t) : 0;
    const size_t y = b->key_size > sizeof(uint64_t) ? b->key_size - sizeof(uint64_t) : 0;
    const int c = memcmp(a->tail, b->tail, x < y ? x : y);
    if (c != 0) return c;
    return (a->key_size > b->key_size) - (a->key_size < b->key_size);
}
