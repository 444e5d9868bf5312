/* window.h - what the building calls of windows and of joins by window share. Threads: those of the
 * environment. */
#ifndef RASKI_API_WINDOW_H
#define RASKI_API_WINDOW_H
#include "api/environment.h"
#include "operators/window/window_definition.h"

/* What a windowed stream has beside its keyed stream; in the environment's arena. */
typedef struct raski_windows {
    raski_window_assigner assigner;
    const raski_trigger *trigger;
    raski_evictor evictor;
    int64_t allowed_lateness_ms;
    const raski_tag *late;
    bool all; /* over all records, in one subtask */
} raski_windows;

/* Reads and checks what a program says; options: of the call, or NULL. type: of the records. */
RASKI_NODISCARD rask_status raski_windows_create(rask_env *env, const rask_windows *windows,
                                                 size_t size, const rask_windows *options,
                                                 const rask_type *type,
                                                 const raski_windows **ret_windows,
                                                 raski_error *err);
/* A definition without a function, in the environment's arena. */
raski_window_definition *raski_window_define(rask_env *env, const raski_windows *windows,
                                             const rask_type *type);
/* The stream of a keyed window operator. functions: for its description. */
raski_stream *raski_window_stream(raski_stream *in, raski_operator_definition *def,
                                  raski_window_definition *window, const char *functions,
                                  const rask_options *options, const char *file, int line);
#endif
