/* nexmark.h - what the queries share: their input, and what becomes of their results.
 *
 * A query is one function that builds a job: void query_qN(rask_env *env, rask_stream(event) in).
 * It ends in nexmark_finish(results, T), for which NEXMARK_RESULT(T, r, line) at file scope says how
 * a result of type T is written as a line. */
#ifndef NEXMARK_NEXMARK_H
#define NEXMARK_NEXMARK_H
#include "line.h"
#include "records.h"

enum {
    NEXMARK_LATENESS_MS = 500,  /* no event comes later than this behind a younger one */
    NEXMARK_DAY_MS = 100000,    /* a day, scaled so that a run has several */
};

/* Bids without their texts. */
RASK_FLAT_MAP(offers, event, e, offer, out) {
    const bid *b = &e.bid.value;
    if (e.bid.present) rask_emit(out, (offer){b->auction, b->bidder, b->price, b->ts});
}

/* A text of at most 15 bytes as two numbers. Records without strings are kept and sent as they are,
 * which costs less; columns of a database with a maximal length are alike. */
typedef struct {
    int64_t words[2];
} short_text;
RASK_TYPE(short_text, words);

static inline short_text nexmark_pack(rask_string text) {
    short_text packed = {{0, 0}};
    if (text.len < sizeof packed)
        memcpy(packed.words, rask_string_data(&text), text.len);
    else
        rask_fail("\"%.*s\" is longer than 15 bytes", RASK_STR(text));
    return packed;
}
static inline rask_string nexmark_unpack(short_text packed) {
    char text[sizeof packed + 1] = {0};
    memcpy(text, packed.words, sizeof packed);
    return rask_string_copy(text, strlen(text));
}

/* A source of that many events. The seed decides what they are. */
rask_stream(event) nexmark_events(rask_env *env, uint64_t count, uint64_t seed);

typedef void nexmark_query(rask_env *env, rask_stream(event) in);

/* How this run was asked for. Set before the job is built, constant while it runs. */
typedef struct nexmark_run {
    const char *output; /* file for the lines, or NULL */
    bool digest;        /* hash the lines; false: results are only counted */
} nexmark_run;
extern nexmark_run nexmark_this_run;

/* Adds to the digest of the whole run; from any thread. */
void nexmark_add_to_total(const nexmark_digest *digest);

typedef struct {
    nexmark_digest digest;
} nexmark_hasher;
RASK_INSTANCE(nexmark_hasher);

/* The body writes the fields of *r to line, with nexmark_put and nexmark_put_text, and returns its
 * sign: +1, or -1 for a result that is taken back. */
#define NEXMARK_RESULT(T, r, line) \
    static inline int T##_write(const T *r, nexmark_line *line); \
    RASK_SINK(digest_of_##T, nexmark_hasher, self_, T, r_) { \
        nexmark_line line_; \
        nexmark_line_begin(&line_); \
        int sign_ = T##_write(&r_, &line_); \
        uint64_t hash_ = nexmark_line_hash(&line_); \
        self_->digest.count += sign_; \
        self_->digest.sum += sign_ > 0 ? hash_ : -hash_; \
    } \
    RASK_CLOSE(digest_of_##T, self_) { \
        nexmark_add_to_total(&self_->digest); \
        return RASK_OK; \
    } \
    RASK_MAP(line_of_##T, T, r_, rask_string) { \
        nexmark_line line_; \
        nexmark_line_begin(&line_); \
        (void)T##_write(&r_, &line_); \
        return rask_string_copy(line_.bytes, nexmark_line_length(&line_)); \
    } \
    RASK_MAP(change_of_##T, T, r_, rask_string) { \
        nexmark_line line_; \
        nexmark_line_begin(&line_); \
        *line_.end++ = '+'; \
        if (T##_write(&r_, &line_) < 0) line_.bytes[0] = '-'; \
        return rask_string_copy(line_.bytes, nexmark_line_length(&line_)); \
    } \
    static inline int T##_write(const T *r, nexmark_line *line)

/* Ends a query: results go into the digest and, with --output, into a file. */
#define nexmark_finish(results, T) NEXMARK_FINISH(results, T, line_of_##T)
/* The same for a change log: "+" or "-" stands before each line in the file. */
#define nexmark_finish_changes(results, T) NEXMARK_FINISH(results, T, change_of_##T)
#define NEXMARK_FINISH(results, T, to_line) \
    do { \
        rask_stream(T) results_ = (results); \
        if (nexmark_this_run.digest) \
            rask_sink(results_, digest_of_##T, .name = "digest"); \
        else \
            rask_discard(results_); \
        if (nexmark_this_run.output != NULL) \
            rask_write_text(rask_map(results_, to_line), nexmark_this_run.output, \
                            .parallelism = 1); \
    } while (0)

nexmark_query query_gen, query_events, query_q0, query_q1, query_q2, query_q3, query_q4, query_q5,
    query_q5t, query_q7, query_q8, query_q9, query_q11, query_q12, query_q15, query_q16, query_q17,
    query_q18, query_q19, query_q20, query_q22;
#endif
