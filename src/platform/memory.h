/* memory.h - advice about memory to the operating system. Threads: any. */
#ifndef RASKI_PLATFORM_MEMORY_H
#define RASKI_PLATFORM_MEMORY_H
#include <stddef.h>

enum { RASKI_HUGE_PAGE = 2 * 1024 * 1024 }; /* bytes; alignment and size that are worth advice */

/* Asks for huge pages behind size bytes at memory (aligned to RASKI_HUGE_PAGE, not touched yet):
 * large tables that are read at random then miss the address cache far less often. Only advice:
 * nothing happens where the system has none or does not want to. */
void raski_memory_want_huge_pages(void *memory, size_t size);
#endif
