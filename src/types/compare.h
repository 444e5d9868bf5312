/* compare.h - order and equality of values, field by field (padding is never looked at).
 * The order is that of Java's compareTo for each kind: strings by UTF-16 code units, float and
 * double with -0.0 < 0.0 < ... < NaN, false < true; an absent optional before a present one;
 * records field by field, lists item by item and then by length; bytes as unsigned bytes; decimals
 * by value and then by scale; enumerations by number; maps entry by entry in the order of their
 * keys; variants by `which`, then by value. Equality is that of Java's equals: NaN equals NaN, -0.0
 * differs from 0.0, the decimal 1.0 from 1.00; two values are equal exactly when they compare as 0.
 * Threads: pure functions. Flink: TypeComparator, Object.equals. */
#ifndef RASKI_TYPES_COMPARE_H
#define RASKI_TYPES_COMPARE_H
#include <stdbool.h>

#include "rask/types.h"

/* String.compareTo: negative, 0, positive. For text that is not UTF-8 it is still a total order. */
int raski_string_compare_java(const rask_string *a, const rask_string *b);

/* Values of one type, both borrowed and aligned. */
int raski_value_compare(const rask_type *type, const void *a, const void *b);
bool raski_value_equal(const rask_type *type, const void *a, const void *b);

/* One field of two records; arrays element by element. */
int raski_field_compare(const rask_field *field, const void *record_a, const void *record_b);
#endif
