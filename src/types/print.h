/* print.h - records as text, as Flink's print() shows the Java counterpart.
 * A single value stands alone; a record is a Tuple: "(word,1)", nested ones too; lists and fixed
 * arrays "[a, b]"; maps "{k=v, k=v}"; bytes as an array of signed numbers "[1, -2]"; an absent
 * optional "null"; a timestamp its milliseconds; float and double as java_decimal.h says; decimals,
 * dates and times as java_time_text.h; an enumeration its name; a variant "name(value)".
 * Threads: pure; str belongs to the caller. Flink: Tuple.toString, StringUtils. */
#ifndef RASKI_TYPES_PRINT_H
#define RASKI_TYPES_PRINT_H
#include "base/status.h"
#include "base/str.h"
#include "rask/types.h"

/* Appends the text of a value (no line end, no NUL counted). RASK_E_NOMEM leaves str as it was. */
RASKI_NODISCARD rask_status raski_value_print(raski_str *str, const rask_type *type,
                                              const void *value, raski_error *err);
/* Appends one field of a record. */
RASKI_NODISCARD rask_status raski_field_print(raski_str *str, const rask_field *field,
                                              const void *record, raski_error *err);

enum { RASKI_LONG_TEXT_MAX = 20 };
/* The decimal digits of value; returns their number; no NUL. */
size_t raski_format_long(int64_t value, char ret_text[RASKI_LONG_TEXT_MAX]);
#endif
