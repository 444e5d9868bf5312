/* evictor.h - which of a window's elements an evictor removes. Flink: CountEvictor, TimeEvictor,
 * DeltaEvictor. Threads: pure. */
#ifndef RASKI_OPERATORS_WINDOW_EVICTOR_H
#define RASKI_OPERATORS_WINDOW_EVICTOR_H
#include "graph/window_spec.h"

/* Elements of a window as the evicting operator keeps them: count of them, stride bytes apart, each
 * a timestamp (RASK_NO_TIMESTAMP: none) and, value_offset bytes behind it, the record. */
typedef struct raski_window_elements {
    const char *items;
    uint32_t count;
    uint32_t stride, value_offset;
} raski_window_elements;

/* Sets ret_keep[i] for each element (count bytes) and returns how many are kept. */
uint32_t raski_evictor_keep(const raski_evictor *evictor, const raski_window_elements *elements,
                            bool *ret_keep);
#endif
