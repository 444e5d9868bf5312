/* limit_wordcount.c - running word counts by hand.
 *
 *   limit_wordcount [--p THREADS] [--verify] FILE...
 *
 * Each thread reads and tokenises its share of the files (file i is thread i % THREADS's) and owns
 * the words whose hash falls to it; foreign words travel in 32 KiB buffers with their hash. Every
 * update is stored as (count, word) into an output record. Words are runs of ASCII letters,
 * lower-cased. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bench/digest.h"
#include "bench/limit/ring.h"
#include "bench/measure.h"
#include "bench/options.h"

enum {
    THREADS_MAX = 8,
    CHUNK_BYTES = 1 << 20,
    BLOCK_BYTES = 64,  /* of text at a time */
    SLACK_BYTES = 128, /* a hash reads, a block writes beyond the text */
    AHEAD = 32,        /* words whose table lines are on their way */
    TABLE_START = 1 << 18,
    POOL_START = 1 << 24,
    WORD_HEADER_BYTES = 12, /* hash and length, in a buffer */
    SHORT_BYTES = 16,
    LINE_WORD_MAX = 4096,
};

typedef struct word_entry {
    uint64_t hash; /* 0: empty */
    uint64_t count;
    uint32_t offset, len; /* into the pool */
} word_entry;

typedef struct waiting_word {
    const char *word;
    uint64_t hash;
    uint32_t len;
} waiting_word;

typedef struct worker {
    int id;
    bench_digest digest;
    uint64_t words, updates;
    word_entry *table;
    uint64_t table_mask, table_used;
    char *pool;
    size_t pool_used, pool_size;
    waiting_word ahead[AHEAD];
    unsigned ahead_count;
    ring in[THREADS_MAX];
    ring_buffer *filling[THREADS_MAX];
    alignas(64) volatile uint64_t output[2];
} worker;

static bench_options options;
static worker workers[THREADS_MAX];

static inline bool is_letter(char c) {
    return (unsigned char)(((unsigned char)c | 0x20) - 'a') < 26;
}

static void *checked(void *memory) {
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static inline uint64_t hash_word(const char *word, uint32_t len) {
    uint64_t h = len * BENCH_GOLDEN_RATIO;
    for (; len >= 8; len -= 8, word += 8) {
        h = (h ^ bench_load64(word)) * BENCH_MULTIPLIER;
        h ^= h >> 32;
    }
    if (len > 0) {
        h = (h ^ (bench_load64(word) & ((UINT64_C(1) << (8 * len)) - 1))) * BENCH_MULTIPLIER;
        h ^= h >> 32;
    }
    return h | 1;
}

static void grow(worker *w) {
    word_entry *old = w->table;
    uint64_t old_mask = w->table_mask;
    w->table_mask = old_mask * 2 + 1;
    w->table = checked(calloc(w->table_mask + 1, sizeof *w->table));
    for (uint64_t i = 0; i <= old_mask; i++) {
        if (old[i].hash == 0) continue;
        uint64_t slot = old[i].hash & w->table_mask;
        while (w->table[slot].hash != 0) slot = (slot + 1) & w->table_mask;
        w->table[slot] = old[i];
    }
    free(old);
}

static word_entry *insert(worker *w, uint64_t slot, const char *word, uint32_t len, uint64_t hash) {
    if (w->table_used * 2 > w->table_mask) {
        grow(w);
        slot = hash & w->table_mask;
        while (w->table[slot].hash != 0) slot = (slot + 1) & w->table_mask;
    }
    if (w->pool_used + len > w->pool_size) {
        w->pool_size *= 2;
        w->pool = checked(realloc(w->pool, w->pool_size));
    }
    memcpy(w->pool + w->pool_used, word, len);
    word_entry *entry = &w->table[slot];
    *entry = (word_entry){hash, 0, (uint32_t)w->pool_used, len};
    w->pool_used += len;
    w->table_used++;
    return entry;
}

static inline void count_word(worker *w, const char *word, uint32_t len, uint64_t hash) {
    uint64_t slot = hash & w->table_mask;
    word_entry *entry = &w->table[slot];
    while (entry->hash != hash || entry->len != len ||
           memcmp(w->pool + entry->offset, word, len) != 0) {
        if (entry->hash == 0) {
            entry = insert(w, slot, word, len, hash);
            break;
        }
        slot = (slot + 1) & w->table_mask;
        entry = &w->table[slot];
    }
    entry->count++;
    w->updates++;
    w->output[0] = entry->count;
    w->output[1] = entry->offset;
    if (options.verify) {
        char line[LINE_WORD_MAX + 32];
        uint32_t shown = len < LINE_WORD_MAX ? len : LINE_WORD_MAX;
        memcpy(line, word, shown);
        line[shown] = ',';
        char *end = bench_put_u64(line + shown + 1, entry->count);
        bench_digest_line(&w->digest, line, (size_t)(end - line));
    }
}

/* A word waits until the lines of the table are there for 32 of them. */
static void count_ahead(worker *w) {
    for (unsigned i = 0; i < w->ahead_count; i++)
        count_word(w, w->ahead[i].word, w->ahead[i].len, w->ahead[i].hash);
    w->ahead_count = 0;
}

static inline void await_word(worker *w, const char *word, uint32_t len, uint64_t hash) {
    __builtin_prefetch(&w->table[hash & w->table_mask], 1);
    w->ahead[w->ahead_count++] = (waiting_word){word, hash, len};
    if (w->ahead_count == AHEAD) count_ahead(w);
}

static void drain(worker *w) {
    for (int from = 0; from < options.parallelism; from++) {
        ring_buffer *buffer;
        while ((buffer = ring_to_read(&w->in[from])) != NULL) {
            const char *at = buffer->bytes, *end = buffer->bytes + buffer->len;
            while (at < end) {
                uint32_t len;
                memcpy(&len, at + 8, sizeof len);
                await_word(w, at + WORD_HEADER_BYTES, len, bench_load64(at));
                at += WORD_HEADER_BYTES + len;
            }
            count_ahead(w); /* the buffer is about to be written again */
            ring_give_back(&w->in[from]);
        }
    }
}

static void send_word(worker *w, int to, const char *word, uint32_t len, uint64_t hash) {
    uint32_t size = WORD_HEADER_BYTES + len;
    uint32_t written =
        size < SHORT_BYTES + WORD_HEADER_BYTES ? SHORT_BYTES + WORD_HEADER_BYTES : size;
    if (written > RING_BUFFER_BYTES) {
        fprintf(stderr, "a word of %u bytes does not fit a buffer\n", len);
        exit(1);
    }
    ring_buffer *buffer = w->filling[to];
    if (buffer == NULL || buffer->len + written > RING_BUFFER_BYTES) {
        ring *r = &workers[to].in[w->id];
        if (buffer != NULL) ring_publish(r);
        while ((buffer = ring_to_fill(r)) == NULL) {
            drain(w);
            ring_pause();
        }
        buffer->len = 0;
        w->filling[to] = buffer;
        drain(w);
    }
    char *at = buffer->bytes + buffer->len;
    memcpy(at, &hash, sizeof hash);
    memcpy(at + 8, &len, sizeof len);
    memcpy(at + WORD_HEADER_BYTES, word, SHORT_BYTES); /* most words: one copy of known size */
    if (len > SHORT_BYTES) memcpy(at + WORD_HEADER_BYTES, word, len);
    buffer->len += size;
}

static inline void take_word(worker *w, const char *word, uint32_t len) {
    w->words++;
    uint64_t hash = hash_word(word, len);
    int to = (int)(((hash >> 32) * (uint64_t)options.parallelism) >> 32);
    if (to != w->id) {
        send_word(w, to, word, len, hash);
        return;
    }
    await_word(w, word, len, hash);
}

/* Makes the letters of 64 bytes lower case; returns which bytes are letters. (The loops are such
 * that compilers make vector instructions of them.) */
static inline uint64_t lower_letters(char *bytes) {
    unsigned char is_letter[BLOCK_BYTES];
    for (int i = 0; i < BLOCK_BYTES; i++) {
        unsigned char lower = (unsigned char)bytes[i] | 0x20;
        unsigned char letter = (unsigned char)(lower - 'a') < 26 ? 0xff : 0;
        is_letter[i] = letter;
        bytes[i] = (char)((unsigned char)bytes[i] | (letter & 0x20));
    }
    uint64_t mask = 0;
#ifdef __SSE2__
    for (int i = 0; i < BLOCK_BYTES; i += 16) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(is_letter + i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(part) << i;
    }
#else
    for (int i = 0; i < BLOCK_BYTES; i++) mask |= (uint64_t)(is_letter[i] & 1) << i;
#endif
    return mask;
}

/* Takes the words of [at, end); 64 bytes beyond the end may be read and written. */
static void tokenise(worker *w, char *at, const char *end) {
    const char *word = NULL; /* start of a word that goes on */
    for (; at < end; at += BLOCK_BYTES) {
        uint64_t letters = lower_letters(at);
        if (end - at < BLOCK_BYTES) letters &= (UINT64_C(1) << (end - at)) - 1;
        /* a bit where a byte is a letter and the one before is not, or the other way round */
        uint64_t changes = letters ^ (letters << 1 | (word != NULL));
        for (; changes != 0; changes &= changes - 1) {
            const char *place = at + __builtin_ctzll(changes);
            if (word == NULL) {
                word = place;
            } else {
                take_word(w, word, (uint32_t)(place - word));
                word = NULL;
            }
        }
    }
    if (word != NULL) take_word(w, word, (uint32_t)(end - word));
    count_ahead(w); /* the text is about to move */
}

static void read_file(worker *w, const char *path, char *chunk) {
    int file = open(path, O_RDONLY);
    if (file < 0) {
        fprintf(stderr, "cannot open %s: %s\n", path, strerror(errno));
        exit(1);
    }
    size_t carried = 0; /* bytes of an unfinished word at the start */
    for (;;) {
        ssize_t got = read(file, chunk + carried, CHUNK_BYTES);
        if (got < 0) {
            fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
            exit(1);
        }
        size_t len = carried + (size_t)got, end = len;
        while (got > 0 && end > 0 && is_letter(chunk[end - 1])) end--;
        tokenise(w, chunk, chunk + end);
        if (got == 0) break;
        carried = len - end;
        if (carried > CHUNK_BYTES) {
            fprintf(stderr, "%s: a word is longer than %d bytes\n", path, CHUNK_BYTES);
            exit(1);
        }
        memmove(chunk, chunk + end, carried);
    }
    close(file);
}

static void *work(void *argument) {
    worker *w = argument;
    char *chunk = checked(malloc(2 * CHUNK_BYTES + SLACK_BYTES));
    for (int i = w->id; i < options.file_count; i += options.parallelism)
        read_file(w, options.files[i], chunk);
    free(chunk);
    for (int to = 0; to < options.parallelism; to++) {
        if (w->filling[to] != NULL) ring_publish(&workers[to].in[w->id]);
        ring_close(&workers[to].in[w->id]);
    }
    for (;;) {
        drain(w);
        bool done = true;
        for (int from = 0; from < options.parallelism; from++) done &= ring_is_done(&w->in[from]);
        if (done) return NULL;
        ring_pause();
    }
}

int main(int argc, char **argv) {
    static const char *const names[] = {"wordcount", NULL};
    bench_options_parse(&options, argc, argv, names);
    if (options.file_count == 0 || options.parallelism > THREADS_MAX) {
        fprintf(stderr, "usage: %s [--p 1..%d] [--verify] FILE...\n", argv[0], THREADS_MAX);
        return 2;
    }
    int64_t started = bench_now_ns();
    pthread_t threads[THREADS_MAX];
    for (int i = 0; i < options.parallelism; i++) {
        worker *w = &workers[i];
        w->id = i;
        w->table_mask = TABLE_START - 1;
        w->table = checked(calloc(TABLE_START, sizeof *w->table));
        w->pool_size = POOL_START;
        w->pool = checked(malloc(POOL_START));
        for (int from = 0; from < options.parallelism; from++) ring_init(&w->in[from]);
    }
    for (int i = 0; i < options.parallelism; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) abort();
    for (int i = 0; i < options.parallelism; i++) pthread_join(threads[i], NULL);
    int64_t wall_ns = bench_now_ns() - started;

    bench_digest digest = {0, 0};
    uint64_t words = 0, updates = 0;
    for (int i = 0; i < options.parallelism; i++) {
        bench_digest_add(&digest, &workers[i].digest);
        words += workers[i].words;
        updates += workers[i].updates;
        free(workers[i].table);
        free(workers[i].pool);
        for (int from = 0; from < options.parallelism; from++) ring_fini(&workers[i].in[from]);
    }
    bench_report(&(bench_result){.system = "limit",
                                 .workload = "wordcount",
                                 .parallelism = options.parallelism,
                                 .records_in = words,
                                 .records_out = updates,
                                 .wall_ns = wall_ns,
                                 .digest = options.verify ? &digest : NULL});
    return 0;
}
