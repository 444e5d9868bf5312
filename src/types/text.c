/* rask_string_format and rask_string_copy: text in the batch arena. */
#include <stdarg.h>
#include <stdio.h>

#include "rask/string.h"
#include "types/batch_arena.h"

rask_string rask_string_copy(const char *p, size_t len) {
    if (len <= RASK_STRING_INLINE) return rask_string_of(p, len);
    char *bytes =
        len <= UINT32_MAX ? raski_batch_arena_bytes(raski_batch_arena_current(), len) : NULL;
    if (bytes == NULL) {
        raski_batch_arena_current()->failed = true;
        return rask_string_of(NULL, 0);
    }
    memcpy(bytes, p, len);
    return rask_string_of(bytes, len);
}

rask_string rask_string_format(const char *format, ...) {
    char small[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0) { /* an argument that cannot be encoded, or a result of more than 2 GiB */
        raski_batch_arena_current()->failed = true;
        return rask_string_of(NULL, 0);
    }
    if ((size_t)length < sizeof small) return rask_string_copy(small, (size_t)length);
    char *bytes = raski_batch_arena_bytes(raski_batch_arena_current(), (size_t)length + 1);
    if (bytes == NULL) return rask_string_of(NULL, 0);
    va_start(arguments, format);
    (void)vsnprintf(bytes, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return rask_string_of(bytes, (size_t)length);
}

void *rask_alloc(size_t size) {
    return raski_batch_arena_alloc(raski_batch_arena_current(), size);
}
