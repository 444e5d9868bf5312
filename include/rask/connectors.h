/* rask/connectors.h - the file sink with buckets and rolling, and the data generator.
 * docs/connectors.md tells of all sources and sinks.
 *
 *   rask_file_sink(s, folder, options...)         a bucket for each hour of processing time
 *   rask_file_sink_by(s, fn, folder, options...)  fn: RASK_KEY(fn, T, in, rask_string): the bucket
 * of a record, a folder below the sink's ("" is that itself) Records are written a line each into
 * part files FOLDER/BUCKET/PREFIX-SUBTASK-NUMBER SUFFIX, one after the other for each bucket and
 * subtask. A part file is hidden while it is written and while it waits to be committed; once it
 * has its name it is complete and never changes.
 *     - Bounded jobs: all files appear when the job has succeeded, or none.
 *     - Without an end: files appear as soon as they are rolled if .files.commit_when_rolled is
 *       set; otherwise only checkpoints would make them appear, and there are none yet.
 *     - When a job fails or is cancelled, what has not appeared is removed.
 *   Options: those of every sink, .files = {...} (below), and .json or .csv of rask/formats.h.
 *   Flink: FileSink.forRowFormat, DateTimeBucketAssigner, DefaultRollingPolicy, OutputFileConfig.
 *
 *   RASK_GENERATOR(click_of, click, index, random) {
 *       return (click){.id = index, .user = rask_random_between(random, 1, 1000)};
 *   }
 *   rask_datagen(env, click_of, .datagen = {.rows = 1000000, .rows_per_second = 5000, .seed = 7});
 *
 *   The record of every index 0 .. rows - 1 is made by that function; the same seed and index give
 *   the same record, whatever the parallelism. Subtask i of n makes the records i, i + n, ...
 *   Flink: DataGeneratorSource, RateLimiterStrategy.perSecond. */
#ifndef RASK_CONNECTORS_H
#define RASK_CONNECTORS_H
#include "rask/function.h"

#ifdef __cplusplus
extern "C" {
typedef struct raski_stream raski_stream;
#endif

/* ---------------------------------------------------------------- file sink */
typedef enum rask_file_format {
    RASK_FORMAT_TEXT = 0, /* as rask_print shows records */
    RASK_FORMAT_JSON,     /* an object per line; option .json */
    RASK_FORMAT_CSV,      /* option .csv; with names every part file begins with them */
} rask_file_format;

/* What is left out (zero) keeps its default. In brackets: Flink's. */
typedef struct rask_file_sink_options {
    rask_file_format format;
    const char *bucket_format; /* of local time, letters as in Java: NULL: "yyyy-MM-dd--HH"; "": no
                                * buckets [DateTimeBucketAssigner, BasePathBucketAssigner] */
    const char *part_prefix, *part_suffix; /* NULL: "part", "" [OutputFileConfig] */
    int64_t part_size_max;        /* a record for a larger file begins a new one; bytes; 0: 128 MiB
                                   * [DefaultRollingPolicy.withMaxPartSize] */
    int64_t rollover_interval_ms; /* so long after it was begun a file is closed; 0: 60 s */
    int64_t inactivity_interval_ms; /* so long after the last record; 0: 60 s */
    int64_t check_interval_ms; /* how often both are looked at; 0: 60 s [withBucketCheckInterval] */
    bool roll_on_checkpoint;   /* a new file at every checkpoint [OnCheckpointRollingPolicy] */
    bool commit_when_rolled;   /* files appear when they are closed, and stay when the job fails:
                                * records may then be there twice after a restart */
    int open_files_max;        /* of a subtask at the same time; 0: 128 */
} rask_file_sink_options;

/* ---------------------------------------------------------------- socket */
/* Options of rask_socket_text and rask_write_socket; what is left out (zero) keeps its default. In
 * brackets: Flink's. */
typedef struct rask_socket_options {
    const char *delimiter;  /* between records; NULL: a line end, before which a \r is left out
                             * [delimiter] */
    int max_retries;        /* so often a lost or refused connection is made again before the stream
                             * ends or fails; -1: for ever; 0: never [maxRetry] */
    int64_t retry_delay_ms; /* before each; 0: 500 */
} rask_socket_options;

/* ---------------------------------------------------------------- data generator */
typedef struct rask_datagen_options {
    int64_t rows;           /* how many in all; 0: without end [number-of-rows] */
    double rows_per_second; /* of all subtasks together; 0: as fast as they can [rows-per-second] */
    uint64_t seed;
} rask_datagen_options;

/* Random numbers of one record. */
typedef struct rask_random {
    uint64_t state;
} rask_random;

/* 64 random bits (SplitMix64). */
static inline uint64_t rask_random_bits(rask_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}
/* The random numbers of an index under a seed. */
static inline rask_random rask_random_of(uint64_t seed, int64_t index) {
    rask_random random = {seed};
    random.state = rask_random_bits(&random) ^ (uint64_t)index * 0xd1342543de82ef95U;
    random.state = rask_random_bits(&random);
    return random;
}
__extension__ typedef unsigned __int128 raski_wide;
/* min .. max, both included; min <= max. */
static inline int64_t rask_random_between(rask_random *random, int64_t min, int64_t max) {
    uint64_t count = (uint64_t)max - (uint64_t)min + 1; /* 0: all numbers */
    uint64_t bits = rask_random_bits(random);
    if (count == 0) return (int64_t)bits;
    return (int64_t)((uint64_t)min + (uint64_t)(((raski_wide)bits * count) >> 64));
}
/* 0 <= result < 1. */
static inline double rask_random_double(rask_random *random) {
    return (double)(rask_random_bits(random) >> 11) * 0x1p-53;
}
/* True with that probability. */
static inline bool rask_random_chance(rask_random *random, double probability) {
    return rask_random_double(random) < probability;
}
/* length (0 .. 1 MiB) hexadecimal digits, as Flink's random strings. Borrowed as
 * rask_string_format's are; only inside of bodies. */
RASK_API rask_string rask_random_hex(rask_random *random, size_t length);

/* Makes the records first, first + step, ... (count of them) of a seed; fewer when one fails. */
typedef size_t raski_generate(uint64_t seed, int64_t first, int64_t step, size_t count,
                              void *ret_records, const bool *failed);

/* ---------------------------------------------------------------- entry points of the macros */
struct rask_options;
RASK_API raski_stream *raski_datagen(struct rask_env *, const raski_fn *fn,
                                     raski_generate *generate, const struct rask_options *, size_t,
                                     const char *file, int line);
RASK_API void raski_write_socket(raski_stream *, const char *host, int port,
                                 const struct rask_options *, size_t, const char *file, int line);
RASK_API void raski_file_sink(raski_stream *, const raski_fn *bucket_or_null, const char *folder,
                              const struct rask_options *, size_t, const char *file, int line);

#ifndef __cplusplus
/* OUT fn(int64_t index, rask_random *random): a function for rask_datagen. */
#define RASK_GENERATOR(fn, OUT, index_p, random_p) \
    RASKI_BODY OUT fn(int64_t index_p, rask_random *random_p); \
    static size_t raski_generate_##fn(uint64_t seed_, int64_t first_, int64_t step_, size_t n_, \
                                      void *out_, const bool *failed_) { \
        OUT *RASKI_RESTRICT o_ = (OUT *)out_; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            const int64_t index_ = first_ + (int64_t)k_ * step_; \
            rask_random random_ = rask_random_of(seed_, index_); \
            o_[k_] = fn(index_, &random_); \
            if (RASKI_UNLIKELY(*failed_)) return k_; \
        } \
        return n_; \
    } \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_generate *generate; \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                .kind = RASKI_FN_SPLIT_SOURCE, \
                                .out = &rask_type_##OUT}, \
                       .generate = raski_generate_##fn}; \
    RASKI_BODY OUT fn(RASKI_UNUSED int64_t index_p, RASKI_UNUSED rask_random *random_p)

/* rask_datagen(env, fn, options...): see the head of this file. Bounded if .datagen.rows is set. */
#define rask_datagen(env, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_datagen(env, &RASKI_FN(__VA_ARGS__).base, RASKI_FN(__VA_ARGS__).generate, \
                              RASKI_FN_OPTIONS(__VA_ARGS__), RASKI_HERE)})
/* rask_write_socket(s, host, port, options...): each record as rask_print shows it, and a line end
 * (or .socket.delimiter), to a TCP server, at once; waits for it. Flink: DataStream.writeToSocket.
 */
#define rask_write_socket(s, host, ...) \
    raski_write_socket((s).node, host, (RASKI_FIRST(__VA_ARGS__)), \
                       RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)
#define rask_file_sink(s, ...) \
    raski_file_sink((s).node, NULL, RASKI_FIRST(__VA_ARGS__), RASKI_REST_OPTIONS(__VA_ARGS__), \
                    RASKI_HERE)
#define rask_file_sink_by(s, fn, ...) \
    raski_file_sink(raski_fn_##fn.key_takes(s), &raski_fn_##fn.base, RASKI_FIRST(__VA_ARGS__), \
                    RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)
#endif /* !__cplusplus */

#ifdef __cplusplus
}
#endif
#endif
