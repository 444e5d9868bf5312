/* random.h - numbers nobody can guess, from the system. Threads: any. */
#ifndef RASKI_PLATFORM_RANDOM_H
#define RASKI_PLATFORM_RANDOM_H
#include <stddef.h>

/* Fills bytes; where the system has no randomness to give (it always has on Linux), from the clock
 * and the process id. */
void raski_random_bytes(void *ret_bytes, size_t size);
#endif
