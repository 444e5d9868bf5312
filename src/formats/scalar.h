/* scalar.h - values that are one word of text: numbers, booleans, times, names of enumerations. The
 * same texts stand in cells of CSV and in strings of JSON. Strings and bytes are not here: they
 * need memory. Threads: pure. Flink: the converters of flink-json and flink-csv. */
#ifndef RASKI_FORMATS_SCALAR_H
#define RASKI_FORMATS_SCALAR_H
#include "formats/number.h"
#include "rask/formats.h"

/* Whether the type is one of them. */
bool raski_is_scalar(const rask_type *type);
/* Whether its text is a number of JSON. */
bool raski_is_number(const rask_type *type);

/* All of the text as a value of the type (aligned). */
raski_number_result raski_scalar_parse(const rask_type *type, const char *text, size_t length,
                                       void *ret_value);
/* Says what is wrong with text that raski_scalar_parse gave that result for: "\"300\" is out of
 * range of BYTE (-128 to 127)". */
enum { RASKI_COMPLAINT_MAX = 256 };
void raski_scalar_complain(const rask_type *type, raski_number_result result, const char *text,
                           size_t length, char ret_text[RASKI_COMPLAINT_MAX]);
/* What is expected of a value: "INT (-2147483648 to 2147483647)". Returns ret_text. */
enum { RASKI_EXPECTATION_MAX = 120 };
const char *raski_scalar_expectation(const rask_type *type, char ret_text[RASKI_EXPECTATION_MAX]);

/* Whether the value can be written: a constant of its enumeration, nanoseconds within a day or
 * second. If not, ret_text says why. */
bool raski_scalar_check(const rask_type *type, const void *value,
                        char ret_text[RASKI_COMPLAINT_MAX]);

typedef struct raski_scalar_style {
    rask_timestamp_format timestamps;
    bool plain_decimals; /* without exponents */
} raski_scalar_style;
/* Appends the text of a value. false: no memory. */
bool raski_scalar_append(rask_text *text, const rask_type *type, const void *value,
                         const raski_scalar_style *style);
#endif
