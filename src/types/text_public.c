/* The public growing text (rask/types.h) on the private one. */
#include "base/str.h"
#include "rask/types.h"
#include "types/print.h"

#include <stdlib.h>
#include <string.h>

rask_status rask_text_append(rask_text *text, const char *bytes, size_t length) {
    if (text->capacity - text->length < length) {
        size_t capacity = text->capacity ? text->capacity * 2 : 256;
        if (capacity < text->length + length) capacity = text->length + length;
        char *data = realloc(text->data, capacity);
        if (data == NULL) return RASK_E_NOMEM;
        text->data = data;
        text->capacity = capacity;
    }
    if (length > 0) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    return RASK_OK;
}

rask_status rask_text_append_record(rask_text *text, const rask_type *type, const void *record) {
    raski_str str = {text->data, text->length, text->capacity};
    rask_status status = raski_value_print(&str, type, record, NULL);
    *text = (rask_text){str.data, str.length, str.capacity};
    return status;
}
