#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void RASKI_PRINTF(7, 0)
    fill(raski_error *err, rask_status status, raski_error_class cls, const char *exception,
         const char *file, int line, const char *format, va_list arguments) {
    if (err == NULL || raski_error_is_set(err)) return;
    err->status = status;
    err->error_class = cls;
    err->file = file;
    err->line = line;
    (void)snprintf(err->exception, sizeof err->exception, "%s", exception);
    (void)vsnprintf(err->message, sizeof err->message, format, arguments);
}

rask_status raski_error_set(raski_error *err, rask_status status, raski_error_class cls,
                            const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(err, status, cls, "", file, line, format, arguments);
    va_end(arguments);
    return status;
}

rask_status raski_error_set_exception(raski_error *err, rask_status status, const char *exception,
                                      const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(err, status, RASKI_CLASS_USER, exception, file, line, format, arguments);
    va_end(arguments);
    return status;
}

void raski_error_set_cause(raski_error *err, const char *exception, const char *format, ...) {
    if (err == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    (void)snprintf(err->cause, sizeof err->cause, "%s", exception);
    (void)vsnprintf(err->cause_message, sizeof err->cause_message, format, arguments);
    va_end(arguments);
}

void raski_assert_failed(const char *condition, const char *file, int line) {
    (void)fprintf(stderr, "rask: internal error: %s does not hold at %s:%d\n", condition, file,
                  line);
    abort();
}
