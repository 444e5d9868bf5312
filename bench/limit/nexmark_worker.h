/* nexmark_worker.h - what the hand-written Nexmark queries share: events made whole, an area for
 * results, a hash table. */
#ifndef LIMIT_NEXMARK_WORKER_H
#define LIMIT_NEXMARK_WORKER_H
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/measure.h"
#include "bench/options.h"
#include "examples/nexmark/generator.h"

enum { THREADS_MAX = 8, OUTPUT_BYTES = 32768, EXTRA_MAX = 368, SEED = 42 };

extern bench_options options;

/* An event with its texts, as an engine would hand it on. */
typedef struct whole_event {
    union {
        nexmark_bid_numbers bid;
        nexmark_auction_numbers auction;
        nexmark_person_numbers person;
    } numbers;
    char text1[20], text2[100], text3[20]; /* name, description or e-mail, card */
    uint32_t name_len;                     /* of a person */
    char extra[EXTRA_MAX];
} whole_event;

typedef struct worker {
    int id;
    bench_digest digest;
    uint64_t records_out;
    uint32_t output_used;
    alignas(64) char output[OUTPUT_BYTES];
} worker;

static inline char *put_text(char *to, const char *text) {
    size_t len = strlen(text);
    memcpy(to, text, len);
    return to + len;
}

static inline void put_four_digits(char *to, uint32_t v) {
    for (int i = 3; i >= 0; i--, v /= 10) to[i] = (char)('0' + v % 10);
}

static inline void make_person(uint64_t n, uint64_t r0, whole_event *e) {
    const char *pool = nexmark_text_tables.pool;
    nexmark_person_numbers p = nexmark_make_person(n, r0);
    e->numbers.person = p;
    char *end = put_text(e->text1, nexmark_first_names[p.first_name]);
    *end++ = ' ';
    end = put_text(end, nexmark_last_names[p.last_name]);
    e->name_len = (uint32_t)(end - e->text1);
    memcpy(e->text2, pool + p.email.offset, 7);
    e->text2[7] = '@';
    memcpy(e->text2 + 8, pool + p.email.offset + 7, 5);
    memcpy(e->text2 + 13, ".com", 4);
    for (int i = 0; i < 4; i++) {
        put_four_digits(e->text3 + i * 5, p.card[i]);
        if (i < 3) e->text3[i * 5 + 4] = ' ';
    }
    memcpy(e->extra, pool + p.extra.offset, p.extra.len);
}

static inline void make_auction(uint64_t n, uint64_t r0, whole_event *e) {
    const char *pool = nexmark_text_tables.pool;
    nexmark_auction_numbers a = nexmark_make_auction(n, r0);
    e->numbers.auction = a;
    memcpy(e->text1, pool + a.item_name.offset, 20);
    memcpy(e->text2, pool + a.description.offset, 100);
    memcpy(e->extra, pool + a.extra.offset, a.extra.len);
}

static inline void make_bid(uint64_t n, uint64_t r0, whole_event *e) {
    e->numbers.bid = nexmark_make_bid(n, r0);
    memcpy(e->extra, nexmark_text_tables.pool + e->numbers.bid.extra.offset, 16);
}

/* ---------------------------------------------------------------- results */

/* A number, or a text of that many bytes, behind which TEXT_MAX bytes may be read from its start
 * on: copies of fixed size need no loop. */
enum { TEXT_MAX = 24 };
typedef struct field {
    const char *text; /* NULL: a number */
    uint64_t value;
} field;
#define NUMBER(v) \
    { NULL, (uint64_t)(v) }

/* Stores a result where the compiler must assume that it is read; takes its digest if wanted. */
static inline void emit(worker *w, int sign, const field *fields, size_t count) {
    if (w->output_used + 1024 > OUTPUT_BYTES) w->output_used = 0;
    char *at = w->output + w->output_used;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, &fields[i].value, sizeof fields[i].value);
        at += sizeof fields[i].value;
        if (fields[i].text != NULL) {
            memcpy(at, fields[i].text, TEXT_MAX);
            at += fields[i].value;
        }
    }
    w->output_used = (uint32_t)(at - w->output);
    w->records_out++;
    if (!options.verify) return;
    char line[1024], *p = line;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) *p++ = ',';
        if (fields[i].text == NULL) {
            p = bench_put_u64(p, fields[i].value);
        } else {
            memcpy(p, fields[i].text, fields[i].value);
            p += fields[i].value;
        }
    }
    uint64_t hash = bench_line_hash(line, (size_t)(p - line));
    w->digest.count += (uint64_t)(int64_t)sign;
    w->digest.sum += sign > 0 ? hash : -hash;
}
#define EMIT(w, sign, ...) \
    emit(w, sign, (const field[]){__VA_ARGS__}, \
         sizeof((const field[]){__VA_ARGS__}) / sizeof(field))

/* ---------------------------------------------------------------- a hash table
 * Open addressing; entries of one size that begin with their key, which is not 0. */

enum { HUGE_PAGE = 2 << 20 };

typedef struct table {
    char *entries;
    uint64_t mask, used;
} table;

static inline void *checked(void *memory) {
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

/* Zeroes; large ones in huge pages, where the system has them. */
static inline char *zeroed(size_t size) {
    if (size < HUGE_PAGE) return checked(calloc(1, size));
    size = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = checked(aligned_alloc(HUGE_PAGE, size));
    (void)madvise(memory, size, MADV_HUGEPAGE);
    memset(memory, 0, size);
    return memory;
}

static inline uint64_t key_at(const char *entry) {
    return bench_load64(entry);
}
static inline uint64_t hash_key(uint64_t key) {
    uint64_t h = key * BENCH_GOLDEN_RATIO;
    return h ^ h >> 32;
}
static inline char *entry_of(const table *t, size_t size, uint64_t key) {
    uint64_t slot = hash_key(key) & t->mask;
    char *entry = t->entries + slot * size;
    while (key_at(entry) != 0 && key_at(entry) != key) {
        slot = (slot + 1) & t->mask;
        entry = t->entries + slot * size;
    }
    return entry;
}
static inline void table_grow(table *t, size_t size) {
    table old = *t;
    t->mask = old.entries != NULL ? old.mask * 2 + 1 : 1023;
    t->entries = zeroed((t->mask + 1) * size);
    for (uint64_t i = 0; old.entries != NULL && i <= old.mask; i++) {
        const char *from = old.entries + i * size;
        if (key_at(from) != 0) memcpy(entry_of(t, size, key_at(from)), from, size);
    }
    free(old.entries);
}
/* The entry of a key, or NULL. */
static inline void *table_find(const table *t, size_t size, uint64_t key) {
    if (t->entries == NULL) return NULL;
    char *entry = entry_of(t, size, key);
    return key_at(entry) != 0 ? entry : NULL;
}
/* The entry of a key; a new one is zeroed but for the key. Valid until the next call. */
static inline void *table_get(table *t, size_t size, uint64_t key, bool *ret_new) {
    if (__builtin_expect((t->used + 1) * 2 > t->mask, 0)) table_grow(t, size);
    char *entry = entry_of(t, size, key);
    *ret_new = key_at(entry) == 0;
    if (*ret_new) {
        memcpy(entry, &key, sizeof key);
        t->used++;
    }
    return entry;
}
/* Fetches the entry of a key, or where it would be, into the cache. */
static inline void table_fetch(const table *t, size_t size, uint64_t key) {
    if (t->entries == NULL) return;
    const char *entry = t->entries + (hash_key(key) & t->mask) * size;
    for (size_t at = 0; at < size; at += 64) __builtin_prefetch(entry + at, 1);
    __builtin_prefetch(entry + size - 1, 1);
}
static inline void table_remove(table *t, size_t size, void *entry_void) {
    char *entry = entry_void;
    uint64_t hole = (uint64_t)(entry - t->entries) / size;
    for (uint64_t slot = hole;;) {
        slot = (slot + 1) & t->mask;
        const char *next = t->entries + slot * size;
        if (key_at(next) == 0) break;
        uint64_t home = hash_key(key_at(next)) & t->mask;
        if (((slot - home) & t->mask) < ((slot - hole) & t->mask)) continue; /* lies well there */
        memcpy(t->entries + hole * size, next, size);
        hole = slot;
    }
    memset(t->entries + hole * size, 0, size);
    t->used--;
}
static inline void table_clear(table *t, size_t size) {
    if (t->used > 0) memset(t->entries, 0, (t->mask + 1) * size);
    t->used = 0;
}
/* for (TABLE_EACH(entry_type, e, table)) { ... } */
#define TABLE_EACH(T, e, t) \
    T *e = (T *)(void *)(t)->entries, *const e##_end = e + ((t)->entries ? (t)->mask + 1 : 0); \
    e < e##_end; \
    e++

/* ---------------------------------------------------------------- a growing array */
typedef struct array {
    void *items;
    uint32_t count, capacity;
} array;

static inline void *array_add(array *a, size_t size) {
    if (a->count == a->capacity) {
        a->capacity = a->capacity > 0 ? a->capacity * 2 : 4;
        a->items = checked(realloc(a->items, a->capacity * size));
    }
    return (char *)a->items + size * a->count++;
}
static inline void array_free(array *a) {
    free(a->items);
    *a = (array){0};
}
#endif
