/* library.h - shared libraries that are loaded when something needs them: for large ones that few
 * programs use, which would make all others start slower. Threads: any. */
#ifndef RASKI_PLATFORM_LIBRARY_H
#define RASKI_PLATFORM_LIBRARY_H
#include "base/status.h"

typedef struct raski_library raski_library;

/* Loads a library by its file name, as the system's loader finds it; once loaded it stays.
 * NOT_FOUND with the loader's reason. */
RASKI_NODISCARD rask_status raski_library_load(const char *name, raski_library **ret_library,
                                               raski_error *err);
/* The address of a function, to be converted by the caller; NOT_FOUND. */
typedef void (*raski_library_function)(void);
RASKI_NODISCARD rask_status raski_library_find(raski_library *library, const char *name,
                                               raski_library_function *ret_function,
                                               raski_error *err);
#endif
