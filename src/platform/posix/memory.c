#include "platform/memory.h"

#include <sys/mman.h>

void raski_memory_want_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, size / RASKI_HUGE_PAGE * RASKI_HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)size;
#endif
}
