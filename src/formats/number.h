/* number.h - numbers from text and back, exactly: what is read is the number nearest to the decimal
 * (ties to even), as Java's parsers give it. Independent of the locale. Threads: pure. */
#ifndef RASKI_FORMATS_NUMBER_H
#define RASKI_FORMATS_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/types.h"

typedef enum raski_number_result {
    RASKI_NUMBER_OK,
    RASKI_NUMBER_INVALID,      /* no such number */
    RASKI_NUMBER_OUT_OF_RANGE, /* of the type */
} raski_number_result;

/* All of the text: [+-]digits. */
raski_number_result raski_number_parse_long(const char *text, size_t length, int64_t *ret);
/* All of the text: [+-]digits[.digits][e[+-]digits], digits on one side of the point at least; or
 * NaN, [+-]Infinity. A number beyond the largest is out of range; one below the smallest is zero.
 */
raski_number_result raski_number_parse_double(const char *text, size_t length, double *ret);
raski_number_result raski_number_parse_float(const char *text, size_t length, float *ret);

/* Appends decimal digits. false: no memory. */
bool raski_append_long(rask_text *text, int64_t value);
#endif
