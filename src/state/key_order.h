/* key_order.h - rows in the order in which Flink's batch mode visits keys: by the bytes that the
 * key's serializer writes, compared as signed bytes, a shorter key before a longer one that it
 * starts. So ints do not come in numeric order (128..255 come before 0..127), strings by their
 * length first, with those of 127 and more before all others.
 * Several fields are serialised one behind the other, as a Tuple. Threads: the table's owner.
 * Flink: operators.sort.{Fixed,Variable}LengthByteKeyComparator. */
#ifndef RASKI_STATE_KEY_ORDER_H
#define RASKI_STATE_KEY_ORDER_H
#include "state/keyed_table.h"

/* All rows of the table in that order: raski_keyed_table_count pointers, for the caller to free
 * (raski_free). RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_keyed_table_in_key_order(const raski_keyed_table *table,
                                                           char ***ret_rows, raski_error *err);
#endif
