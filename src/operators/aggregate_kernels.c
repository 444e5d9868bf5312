/* The record loops of sum, min and max: the probe of the keyed table and the change of the record
 * in one go, made for each kind of key and some record sizes. */
#include "operators/aggregate_private.h"
#include "state/keyed_table_inline.h"

/* What a loop knows about the field, in registers. */
typedef struct field_view {
    size_t word_at;        /* bytes; of the word with the field, in the record */
    unsigned shift, width; /* bits; of the field in the word */
    uint64_t mask;         /* of the field in the word */
    field_op op;
} field_view;

RASKI_HOT field_view field_view_of(const raski_aggregate *aggregate) {
    unsigned shift = aggregate->field_offset % 8 * 8, width = aggregate->field_bits;
    return (field_view){.word_at = aggregate->field_offset / 8 * 8,
                        .shift = shift,
                        .width = width,
                        .mask = (UINT64_MAX >> (64 - width)) << shift,
                        .op = aggregate->op};
}

RASKI_HOT void store_u64(char *p, uint64_t value) {
    memcpy(p, &value, sizeof value);
}
/* One word of a stored record to the output. Opaque, so that no compiler joins two into a wider
 * load (see aggregate_private.h). */
RASKI_HOT void copy_word(char *to, const char *from) {
    uint64_t word = load_u64(from);
    __asm__("" : "+r"(word));
    store_u64(to, word);
}

/* Combines a record with the stored one of its key. `size` of the record, `word_at` and `sum_long`
 * (a sum of 8-byte integers) are constants in some loops. */
RASKI_HOT void update(const field_view *field, size_t size, size_t word_at, bool sum_long,
                      char *stored, const char *in, char *out) {
    uint64_t before = load_u64(stored + word_at), added = load_u64(in + word_at);
    uint64_t after = before + added;
    if (!sum_long) {
        uint64_t bits =
            combine_bits(field->op, field->width, before >> field->shift, added >> field->shift);
        after = (before & ~field->mask) | (bits << field->shift & field->mask);
    }
    for (size_t at = 0; at < size; at += 8)
        if (at != word_at) copy_word(out + at, stored + at);
    store_u64(out + word_at, after);
    store_u64(stored + word_at, after);
}

/* A record whose key was not the first match of its probe. */
static __attribute__((noinline)) bool update_slowly(raski_aggregate *aggregate, const char *key,
                                                    const char *in, char *out) {
    raski_keyed_table *table = aggregate->table;
    bool made = false;
    char *row = raski_table_find_or_make(table, &aggregate->key, key,
                                         table_hash(table, &aggregate->key, key), &made);
    if (!row) return false;
    char *stored = row + aggregate->state_offset;
    if (!made) {
        field_view field = field_view_of(aggregate);
        update(&field, aggregate->record_size, field.word_at, false, stored, in, out);
        return true;
    }
    if (raski_keyed_table_store(table, row, 0, in, NULL) != RASK_OK) return false;
    memcpy(out, stored, aggregate->record_size);
    return true;
}

/* Whether a record of so many words is a row as it stands: the key first, the field in the last
 * word. Then all offsets and sizes of the loop are constants. */
static bool is_compact(const raski_aggregate *aggregate, size_t words) {
    const raski_keyed_table *table = aggregate->table;
    return aggregate->record_size == words * 8 && table->row_size == words * 8 &&
           aggregate->state_offset == 0 && aggregate->key.parts[0].offset == 0 &&
           table->key_in_row.parts[0].offset == 0 && aggregate->field_offset / 8 == words - 1;
}

/* Updates with the records whose key is the first match of its probe, and returns the bits of the
 * others, which can wait: a key of a block has only records of one sort. words: of a compact
 * record, else 0. */
RASKI_HOT uint64_t update_first_matches(key_path path, size_t words, bool sum_long, bool cached,
                                        const raski_aggregate *aggregate, const char *key,
                                        size_t key_size, const char *in, size_t n, char *out) {
    const raski_keyed_table *table = aggregate->table;
    raski_table_view view = raski_table_view_of(table, &aggregate->key);
    field_view field = field_view_of(aggregate);
    size_t size = aggregate->record_size, state_offset = aggregate->state_offset;
    if (words) {
        size = key_size = view.row_size = words * 8;
        key = in;
        state_offset = view.record_offset = view.row_offset = 0;
        field.word_at = words * 8 - 8;
    }
    uint64_t hashes[RASKI_LOOKUP_MAX], missing = 0;
    char *rows[RASKI_LOOKUP_MAX];
    if (!cached) raski_view_prefetch(path, &view, &aggregate->key, key, key_size, n, hashes, rows);
    for (size_t i = 0; i < n; i++, key += key_size, in += size, out += size) {
        char *row = cached ? raski_view_first_match(&view, true,
                                                    key_hash(path, &aggregate->key,
                                                             view.record_offset, key, view.seed))
                           : rows[i];
        if (__builtin_expect(row && key_equal(path, &aggregate->key, view.record_offset, key,
                                              &table->key_in_row, view.row_offset, row),
                             1))
            update(&field, size, field.word_at, sum_long, row + state_offset, in, out);
        else
            missing |= UINT64_C(1) << i;
    }
    return missing;
}

RASKI_HOT bool run(key_path path, size_t words, bool sum_long, bool cached,
                   raski_aggregate *aggregate, const char *keys, size_t key_size, const char *in,
                   size_t n, char *out) {
    uint64_t missing =
        update_first_matches(path, words, sum_long, cached, aggregate, keys, key_size, in, n, out);
    for (; missing; missing &= missing - 1) {
        size_t i = (size_t)__builtin_ctzll(missing);
        if (!update_slowly(aggregate, keys + i * key_size, in + i * aggregate->record_size,
                           out + i * aggregate->record_size))
            return false;
    }
    return true;
}

/* One function per kind of key, words of a compact record (0: any record), whether it is a sum of
 * 8-byte integers, and whether the table is cached. */
#define KERNEL(path, words, sum_long, cached, name) \
    static bool name(raski_aggregate *aggregate, const char *keys, size_t key_size, \
                     const char *in, size_t n, char *out) { \
        return run(path, words, sum_long, cached, aggregate, keys, key_size, in, n, out); \
    }
#define KERNELS(path, words, suffix) \
    KERNEL(path, words, false, false, uncached_any_##suffix) \
    KERNEL(path, words, false, true, cached_any_##suffix) \
    KERNEL(path, words, true, false, uncached_sum_##suffix) \
    KERNEL(path, words, true, true, cached_sum_##suffix)
KERNELS(KEY_PATH_8, 2, 8_2)
KERNELS(KEY_PATH_8, 3, 8_3)
KERNELS(KEY_PATH_8, 0, 8_0)
KERNELS(KEY_PATH_4, 1, 4_1)
KERNELS(KEY_PATH_4, 2, 4_2)
KERNELS(KEY_PATH_4, 0, 4_0)
KERNELS(KEY_PATH_STRING, 3, string_3)
KERNELS(KEY_PATH_STRING, 0, string_0)

#define KERNEL_ROW(suffix) \
    { \
        {uncached_any_##suffix, cached_any_##suffix}, { \
            uncached_sum_##suffix, cached_sum_##suffix \
        } \
    }
static const struct {
    key_path path;
    size_t words;
    aggregate_kernel *kernels[2][2]; /* [sum_long][cached] */
} KERNEL_TABLE[] = {
    {KEY_PATH_8, 2, KERNEL_ROW(8_2)},           {KEY_PATH_8, 3, KERNEL_ROW(8_3)},
    {KEY_PATH_8, 0, KERNEL_ROW(8_0)},           {KEY_PATH_4, 1, KERNEL_ROW(4_1)},
    {KEY_PATH_4, 2, KERNEL_ROW(4_2)},           {KEY_PATH_4, 0, KERNEL_ROW(4_0)},
    {KEY_PATH_STRING, 3, KERNEL_ROW(string_3)}, {KEY_PATH_STRING, 0, KERNEL_ROW(string_0)},
};

aggregate_kernel *raski_aggregate_kernel(const raski_aggregate *aggregate, bool cached) {
    if (aggregate->op == FIELD_OTHER || aggregate->record_size % 8 != 0) return NULL;
    bool sum_long = aggregate->op == FIELD_SUM_INTEGER && aggregate->field_bits == 64;
    for (size_t i = 0; i < sizeof KERNEL_TABLE / sizeof KERNEL_TABLE[0]; i++) {
        size_t words = KERNEL_TABLE[i].words;
        if (KERNEL_TABLE[i].path == aggregate->table->path &&
            (words == 0 || is_compact(aggregate, words)))
            return KERNEL_TABLE[i].kernels[sum_long][cached];
    }
    return NULL;
}
