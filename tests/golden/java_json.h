/* java_json.h - what the kinds of keys, key groups and mappers share. */
#ifndef GOLDEN_JAVA_JSON_H
#define GOLDEN_JAVA_JSON_H
#include <jansson.h>
#include <string.h>

#include "base/status.h"
#include "golden/golden.h"

/* {"ok": value_take}, or {"error": {...}} when status is not RASK_OK. The class is Rask's simple
 * name; golden_result_equal knows that. */
json_t *golden_result(rask_status status, const raski_error *err, json_t *value_take);

/* Compares got, taken, with the "ok" or the "error" of expected. Of an error, the class (without
 * its package) and the message count. */
void golden_result_equal(golden_case *c, const json_t *expected, json_t *got_take);

/* The integer of a number or of a decimal string; anything else is reported. */
long long golden_integer(golden_case *c, const json_t *value);

/* Splits "name(1, 2,3)" into up to max arguments (decimal ints); the number of them, or -1 when
 * text is not of that form with that name. */
int golden_call(const char *text, const char *name, int max, long long *ret_arguments);
#endif
