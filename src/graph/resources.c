#include "graph/resources.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"

enum { AMOUNT_DECIMALS = 8 }; /* Flink keeps 8 decimals of an amount and drops the rest */

/* Cuts the shortest decimal form of value after 8 decimals, as Flink's Resource does. */
static double cut_amount(double value) {
    char scientific[40], plain[400];
    int precision = 0;
    do snprintf(scientific, sizeof scientific, "%.*e", precision, value);
    while (strtod(scientific, NULL) != value && ++precision < 17);
    int exponent = (int)strtol(strchr(scientific, 'e') + 1, NULL, 10);
    int decimals = precision > exponent ? precision - exponent : 0;
    snprintf(plain, sizeof plain, "%.*f", decimals < 330 ? decimals : 330, value);
    char *point = strchr(plain, '.');
    if (point != NULL && strlen(point + 1) > AMOUNT_DECIMALS) point[1 + AMOUNT_DECIMALS] = '\0';
    return strtod(plain, NULL);
}

static int compare_names(const void *a, const void *b) {
    const raski_external_resource *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static rask_status copy_amounts(const raski_resource_parts *parts, raski_arena *arena,
                                raski_resource_spec *spec, raski_error *err) {
    raski_external_resource *externals =
        raski_arena_calloc(arena, (parts->external_count + 1) * sizeof *externals);
    size_t count = 0;
    for (size_t i = 0; i < parts->external_count; i++) {
        double amount = cut_amount(parts->externals[i].amount);
        if (amount < 0)
            return RASKI_THROW(err, "IllegalArgumentException",
                               "Resource value must be no less than 0");
        if (amount == 0) continue;
        externals[count].name = raski_arena_strdup(arena, parts->externals[i].name);
        externals[count++].amount = amount;
    }
    qsort(externals, count, sizeof *externals, compare_names);
    spec->externals = externals;
    spec->external_count = count;
    return RASK_OK;
}

rask_status raski_resource_spec_build(const raski_resource_parts *parts, raski_arena *arena,
                                      raski_resource_spec *ret_spec, raski_error *err) {
    raski_resource_spec spec = {.known = true,
                                .cpu_cores = cut_amount(parts->cpu_cores),
                                .task_heap_bytes = parts->task_heap_bytes,
                                .task_off_heap_bytes = parts->task_off_heap_bytes,
                                .managed_bytes = parts->managed_bytes};
    if (spec.cpu_cores < 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Resource value must be no less than 0");
    RASKI_TRY(copy_amounts(parts, arena, &spec, err));
    /* Flink says nothing more here than that it does not like it. */
    if (spec.cpu_cores == 0 || spec.task_heap_bytes <= 0)
        return RASKI_THROW(err, "IllegalArgumentException", "%s", "");
    *ret_spec = spec;
    return RASK_OK;
}

rask_status raski_slot_sharing_group_build(const char *name, const raski_resource_parts *parts,
                                           raski_arena *arena, raski_slot_sharing_group *ret_group,
                                           raski_error *err) {
    raski_slot_sharing_group group = {.name = raski_arena_strdup(arena, name)};
    if (parts->has_cpu && !(parts->cpu_cores > 0))
        return RASKI_THROW(err, "IllegalArgumentException", "The cpu cores should be positive.");
    if (parts->has_task_heap && parts->task_heap_bytes <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The task heap memory should be positive.");
    if (parts->has_cpu && parts->has_task_heap) {
        RASKI_TRY(raski_resource_spec_build(parts, arena, &group.resources, err));
    } else if (parts->has_cpu || parts->has_task_heap || parts->has_task_off_heap ||
               parts->has_managed || parts->external_count > 0) {
        return RASKI_THROW(
            err, "IllegalArgumentException",
            "The cpu cores and task heap memory are required when specifying the resource of a "
            "slot sharing group. You need to explicitly configure them with positive value.");
    }
    *ret_group = group;
    return RASK_OK;
}

bool raski_resource_spec_equals(const raski_resource_spec *a, const raski_resource_spec *b) {
    if (!a->known || !b->known) return a->known == b->known;
    if (a->cpu_cores != b->cpu_cores || a->task_heap_bytes != b->task_heap_bytes ||
        a->task_off_heap_bytes != b->task_off_heap_bytes || a->managed_bytes != b->managed_bytes ||
        a->external_count != b->external_count)
        return false;
    for (size_t i = 0; i < a->external_count; i++)
        if (strcmp(a->externals[i].name, b->externals[i].name) != 0 ||
            a->externals[i].amount != b->externals[i].amount)
            return false;
    return true;
}

static double external_amount(const raski_resource_spec *spec, const char *name) {
    for (size_t i = 0; i < spec->external_count; i++)
        if (strcmp(spec->externals[i].name, name) == 0) return spec->externals[i].amount;
    return -1;
}

bool raski_resource_spec_less_or_equal(const raski_resource_spec *a, const raski_resource_spec *b) {
    if (!a->known || !b->known) return a->known == b->known;
    if (a->cpu_cores > b->cpu_cores || a->task_heap_bytes > b->task_heap_bytes ||
        a->task_off_heap_bytes > b->task_off_heap_bytes || a->managed_bytes > b->managed_bytes)
        return false;
    for (size_t i = 0; i < a->external_count; i++)
        if (external_amount(b, a->externals[i].name) < a->externals[i].amount) return false;
    return true;
}

/* --- numbers with units, with Flink's messages -------------------------------------------------
 */

/* Splits "  64 MB " into digits and lower-case unit; buffers must hold the text. */
static void split_number(const char *text, char *digits, char *unit) {
    while (isspace((unsigned char)*text)) text++;
    while (*text >= '0' && *text <= '9') *digits++ = *text++;
    *digits = '\0';
    while (isspace((unsigned char)*text)) text++;
    char *end = unit;
    for (; *text; text++) {
        *unit++ = (char)tolower((unsigned char)*text);
        if (!isspace((unsigned char)*text)) end = unit;
    }
    *end = '\0';
}

static bool is_blank(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return *text == '\0';
}

static bool is_long(const char *digits) {
    errno = 0;
    (void)strtoll(digits, NULL, 10);
    return errno == 0;
}

/* Why text is no memory size. */
static rask_status explain_memory(const char *text, const char *digits, const char *unit,
                                  raski_error *err) {
    int64_t ignored;
    char *zero = raski_format("0%s", unit);
    bool known_unit = raski_parse_memory(zero, &ignored, NULL) == RASK_OK;
    raski_free(zero);
    if (*digits == '\0')
        return RASKI_THROW(err, "NumberFormatException", "text does not start with a number");
    if (!is_long(digits))
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The value '%s' cannot be re represented as 64bit number (numeric "
                           "overflow).",
                           digits);
    if (!known_unit)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Memory size unit '%s' does not match any of the recognized units: "
                           "(b | bytes) / (k | kb | kibibytes) / (m | mb | mebibytes) / "
                           "(g | gb | gibibytes) / (t | tb | tebibytes)",
                           unit);
    return RASKI_THROW(err, "IllegalArgumentException",
                       "The value '%s' cannot be re represented as 64bit number of bytes (numeric "
                       "overflow).",
                       text);
}

/* Why text is no duration. */
static rask_status explain_duration(const char *text, const char *digits, const char *unit,
                                    raski_error *err) {
    raski_duration ignored;
    char *zero = raski_format("0%s", unit);
    bool known_unit = raski_parse_duration(zero, &ignored, NULL) == RASK_OK;
    raski_free(zero);
    if (*digits == '\0')
        return RASKI_THROW(err, "NumberFormatException",
                           "text does not start with a number, and is not a valid ISO-8601 "
                           "duration format: %s",
                           text);
    if (!known_unit)
        return RASKI_THROW(
            err, "IllegalArgumentException",
            "Time interval unit label '%s' does not match any of the recognized units: DAYS: (d | "
            "day | days), HOURS: (h | hour | hours), MINUTES: (min | m | minute | minutes), "
            "SECONDS: (s | sec | secs | second | seconds), MILLISECONDS: (ms | milli | millis | "
            "millisecond | milliseconds), MICROSECONDS: (\xc2\xb5s | micro | micros | microsecond "
            "| microseconds), NANOSECONDS: (ns | nano | nanos | nanosecond | nanoseconds)",
            unit);
    return RASKI_THROW(err, "IllegalArgumentException",
                       "The value '%s' cannot be represented as Duration (numeric overflow).",
                       digits);
}

static rask_status explain(const char *text, raski_error *err,
                           rask_status (*why)(const char *, const char *, const char *,
                                              raski_error *)) {
    if (is_blank(text))
        return RASKI_THROW(err, "IllegalArgumentException",
                           "argument is an empty- or whitespace-only string");
    size_t size = strlen(text) + 1;
    char *digits = raski_alloc(size), *unit = raski_alloc(size);
    split_number(text, digits, unit);
    rask_status status = why(text, digits, unit, err);
    raski_free(digits);
    raski_free(unit);
    return status;
}

rask_status raski_memory_size_parse(const char *text, int64_t *ret_bytes, raski_error *err) {
    if (raski_parse_memory(text, ret_bytes, NULL) == RASK_OK) return RASK_OK;
    return explain(text, err, explain_memory);
}

rask_status raski_duration_parse(const char *text, int64_t *ret_ms, raski_error *err) {
    raski_duration duration;
    if (raski_parse_duration(text, &duration, NULL) != RASK_OK)
        return explain(text, err, explain_duration);
    *ret_ms = raski_duration_ms(duration);
    return RASK_OK;
}
