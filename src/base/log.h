/* log.h - log lines to standard error, filtered by the level in the environment variable
 * RASK_LOG (off, error, warn, info, debug; default warn). A function returns an error or logs it,
 * not both. Threads: any; a line is written with one write. */
#ifndef RASKI_BASE_LOG_H
#define RASKI_BASE_LOG_H
#include <stdbool.h>

#include "base/status.h"

typedef enum raski_log_level {
    RASKI_LOG_OFF,
    RASKI_LOG_ERROR,
    RASKI_LOG_WARN,
    RASKI_LOG_INFO,
    RASKI_LOG_DEBUG,
} raski_log_level;

bool raski_log_on(raski_log_level level);
void raski_log_write(raski_log_level level, const char *subject, const char *format, ...)
    RASKI_PRINTF(3, 4);

/* RASKI_LOG(INFO, "scheduler", "job %s is %s", name, state); arguments are not evaluated when off
 */
#define RASKI_LOG(level, subject, ...) \
    do { \
        if (raski_log_on(RASKI_LOG_##level)) \
            raski_log_write(RASKI_LOG_##level, (subject), __VA_ARGS__); \
    } while (0)
#endif
