/* rask_string_part against rask_string_of: every part of texts of many lengths, each in memory of
 * just that size, so that a sanitizer sees what is read beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "rask/string.h"

static void parts_are_strings_of_their_bytes(void **state) {
    (void)state;
    for (size_t len = 0; len <= 40; len++) {
        char *text = raski_calloc(1, len > 0 ? len : 1);
        for (size_t i = 0; i < len; i++) text[i] = (char)(i * 37 + len);
        for (size_t from = 0; from <= len; from++) {
            for (size_t to = from; to <= len; to++) {
                rask_string part = rask_string_part(text, len, from, to);
                rask_string expected = rask_string_of(text + from, to - from);
                assert_memory_equal(&part, &expected, sizeof part);
            }
        }
        raski_free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_strings_of_their_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
