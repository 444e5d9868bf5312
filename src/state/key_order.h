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

/* ---- single keys, for sorting records (operators/sort) */
/* Bytes that raski_key_bytes may write for this key at most. */
size_t raski_key_bytes_max(const raski_key_spec *key, const char *record);
/* Writes the serialised key of a record and returns the number of bytes (at least 1). No key is the
 * beginning of another one; two keys have equal bytes only if they are equal: texts that are not
 * UTF-8, which Java would decode to the same characters, are told apart by bytes that follow. */
size_t raski_key_bytes(const raski_key_spec *key, const char *record, unsigned char *ret_bytes);
/* The same for a key that is one number or boolean, of at most 8 bytes: as a number whose order is
 * that of the signed bytes, the first of them in the upper bits, zeroes behind the last. */
uint64_t raski_key_scalar_prefix(const rask_type *type, const char *value);
#endif
