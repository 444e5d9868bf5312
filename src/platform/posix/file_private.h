/* file_private.h - shared by file.c and directory.c. */
#ifndef RASKI_PLATFORM_POSIX_FILE_PRIVATE_H
#define RASKI_PLATFORM_POSIX_FILE_PRIVATE_H
#include "base/status.h"

/* Records "cannot TRIED \"PATH\": reason" (reason: an errno) with the status that fits. */
RASKI_COLD rask_status raski_file_fail(raski_error *err, const char *tried, const char *path,
                                       int reason);
#endif
