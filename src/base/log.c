#include "base/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/str.h"

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};

static int level_from_environment(void) {
    const char *text = getenv("RASK_LOG");
    for (int i = RASKI_LOG_OFF; text != NULL && i <= RASKI_LOG_DEBUG; i++)
        if (strcasecmp(text, level_names[i]) == 0) return i;
    return RASKI_LOG_WARN;
}

bool raski_log_on(raski_log_level level) {
    static _Atomic int limit = -1; /* read once; relaxed: every thread computes the same */
    int now = atomic_load_explicit(&limit, memory_order_relaxed);
    if (now < 0) {
        now = level_from_environment();
        atomic_store_explicit(&limit, now, memory_order_relaxed);
    }
    return (int)level <= now;
}

void raski_log_write(raski_log_level level, const char *subject, const char *format, ...) {
    raski_str line = {0};
    raski_str_appendf(&line, "rask: %s: %s: ", level_names[level], subject);
    va_list arguments;
    va_start(arguments, format);
    raski_str_vappendf(&line, format, arguments);
    va_end(arguments);
    raski_str_append_char(&line, '\n');
    (void)fwrite(line.data, 1, line.length, stderr);
    raski_str_free(&line);
}
