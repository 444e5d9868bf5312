/* timed_record.h - the type of a record with its timestamp, for states that keep both. */
#ifndef RASKI_OPERATORS_TIMED_RECORD_H
#define RASKI_OPERATORS_TIMED_RECORD_H
#include "rask/types.h"

typedef struct raski_timed_record {
    rask_type type; /* { int64_t timestamp; RECORD record; } */
    rask_field fields[2];
} raski_timed_record;

/* Describes it in place: type points into *timed, which stays where it is. record is borrowed. */
void raski_timed_record_init(raski_timed_record *timed, const rask_type *record);
/* Where the record begins. */
static inline uint32_t raski_timed_record_offset(const raski_timed_record *timed) {
    return timed->fields[1].offset;
}
#endif
