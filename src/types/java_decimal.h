/* java_decimal.h - float and double as Java prints them (Double.toString, Float.toString).
 * The shortest decimal that reads back as the same number, the nearest one of those, with at least
 * one digit behind the point; scientific ("1.0E10") outside of 0.001 .. 10^7. This is what Java 19
 * and later print; earlier ones sometimes add a digit that is not needed (JDK-4511638).
 * Threads: pure; independent of the locale. */
#ifndef RASKI_TYPES_JAVA_DECIMAL_H
#define RASKI_TYPES_JAVA_DECIMAL_H
#include <stddef.h>

enum { RASKI_DECIMAL_MAX = 32 }; /* bytes; no NUL is written */

/* Returns the number of bytes written. */
size_t raski_format_double(double value, char ret_text[RASKI_DECIMAL_MAX]);
size_t raski_format_float(float value, char ret_text[RASKI_DECIMAL_MAX]);
#endif
