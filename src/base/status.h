/* status.h - how functions report failure.
 * A fallible function returns a rask_status (0 is OK) and, when the caller passes one, fills a
 * raski_error with the text a person will read. The first error wins: a filled error is not
 * overwritten. Outputs are untouched on failure. Threads: an error belongs to its caller. */
#ifndef RASKI_BASE_STATUS_H
#define RASKI_BASE_STATUS_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "rask/status.h"

#define RASKI_NODISCARD __attribute__((warn_unused_result))
#define RASKI_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define RASKI_COLD __attribute__((cold, noinline))

/* Who has to act: the failover strategy and exit codes read this, never the text. */
typedef enum raski_error_class {
    RASKI_CLASS_USER,      /* the program or its input is wrong; a retry gives the same */
    RASKI_CLASS_EXTERNAL,  /* a file, socket or other system failed; a retry may help */
    RASKI_CLASS_INTERNAL,  /* a bug in Rask */
    RASKI_CLASS_CANCELLED, /* somebody asked for it */
} raski_error_class;

enum { RASKI_ERROR_MESSAGE_MAX = 1024 };

typedef struct raski_error {
    rask_status status; /* RASK_OK: nothing is recorded yet */
    raski_error_class error_class;
    const char *file; /* static; where it was noticed in Rask's source */
    int line;
    char exception[64]; /* Flink's simple class name of it ("IllegalArgumentException"), or "" */
    char message[RASKI_ERROR_MESSAGE_MAX];
    char cause[64]; /* Flink's simple class name of what lies behind it, or "" */
    char cause_message[512];
} raski_error;

/* Records an error (err may be NULL) and returns status. Does nothing to an error that is set. */
RASKI_COLD rask_status raski_error_set(raski_error *err, rask_status status, raski_error_class cls,
                                       const char *file, int line, const char *format, ...)
    RASKI_PRINTF(6, 7);
RASKI_COLD rask_status raski_error_set_exception(raski_error *err, rask_status status,
                                                 const char *exception, const char *file, int line,
                                                 const char *format, ...) RASKI_PRINTF(6, 7);

/* Adds what lies behind an error that is already recorded. */
RASKI_COLD void raski_error_set_cause(raski_error *err, const char *exception, const char *format,
                                      ...) RASKI_PRINTF(3, 4);

/* Tells the compiler that a recorded error is not RASK_OK, so that it knows outputs are set after
 * RASKI_TRY. */
static inline rask_status raski_failed(rask_status status) {
    return status == RASK_OK ? RASK_E_INTERNAL : status;
}
/* rask_status s = RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "parallelism must be positive, is %d", p);
 */
#define RASKI_FAIL(err, status, cls, ...) \
    raski_failed( \
        raski_error_set((err), (status), RASKI_CLASS_##cls, __FILE__, __LINE__, __VA_ARGS__))
/* An error that Flink has too, with its exception class and its text. Class USER. */
#define RASKI_THROW(err, exception, ...) \
    raski_failed(raski_error_set_exception((err), RASK_E_ARGUMENT, (exception), __FILE__, \
                                           __LINE__, __VA_ARGS__))

static inline bool raski_error_is_set(const raski_error *err) {
    return err->status != RASK_OK;
}

/* Nothing is recorded in it. */
static inline void raski_error_init(raski_error *err) {
    err->status = RASK_OK;
    err->error_class = RASKI_CLASS_USER;
    err->file = NULL;
    err->line = 0;
    err->exception[0] = err->message[0] = err->cause[0] = err->cause_message[0] = '\0';
}
/* RASKI_LOCAL_ERROR(error); is raski_error error = {0}; for functions that run once per record, row
 * or timer: that would write 1.7 KB, more than all else that they do. */
#define RASKI_LOCAL_ERROR(name) \
    raski_error name; \
    raski_error_init(&(name))

/* Returns from the calling function when the expression is not RASK_OK. */
#define RASKI_TRY(expression) \
    do { \
        rask_status raski_try_status_ = (expression); \
        if (raski_try_status_ != RASK_OK) return raski_try_status_; \
    } while (0)
#define RASKI_TRY_GOTO(status_variable, expression, label) \
    do { \
        (status_variable) = (expression); \
        if ((status_variable) != RASK_OK) goto label; \
    } while (0)

/* Invariants; stays on in release. A failed one is a bug in Rask: prints and aborts. */
#define RASKI_ASSERT(condition) \
    ((condition) ? (void)0 : raski_assert_failed(#condition, __FILE__, __LINE__))
#ifdef NDEBUG
#define RASKI_DCHECK(condition) ((void)sizeof(!(condition)))
#else
#define RASKI_DCHECK(condition) RASKI_ASSERT(condition)
#endif
RASKI_COLD void raski_assert_failed(const char *condition, const char *file, int line)
    __attribute__((noreturn));
#endif
