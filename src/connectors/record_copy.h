/* record_copy.h - copies of records with everything they point to, for values that a program hands
 * over and may forget. Threads: plain functions. */
#ifndef RASKI_CONNECTORS_RECORD_COPY_H
#define RASKI_CONNECTORS_RECORD_COPY_H
#include <stddef.h>

#include "rask/types.h"

/* n records in one block for free(), long strings and lists behind them. NULL: no memory. */
void *raski_records_copy(const rask_type *type, const void *records, size_t n);
#endif
