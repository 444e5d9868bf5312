#include "operators/timed_record.h"

void raski_timed_record_init(raski_timed_record *timed, const rask_type *record) {
    const uint32_t align = record->align > sizeof(int64_t) ? record->align : sizeof(int64_t);
    timed->fields[0] =
        (rask_field){.name = "timestamp", .size = sizeof(int64_t), .type = &rask_type_int64_t};
    timed->fields[1] =
        (rask_field){.name = "record", .offset = align, .size = record->size, .type = record};
    timed->type = (rask_type){.name = "timed record",
                              .kind = RASK_KIND_RECORD,
                              .size = (align + record->size + align - 1) / align * align,
                              .align = align,
                              .field_count = 2,
                              .fields = timed->fields};
}
