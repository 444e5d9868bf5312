/* What the tests of this folder share. */
#ifndef RASKI_CONFIG_CONFIG_TEST_UTIL_H
#define RASKI_CONFIG_CONFIG_TEST_UTIL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"

#define assert_ok(expression) \
    do { \
        raski_error *shown_ = &err; \
        if ((expression) != RASK_OK) fail_msg("%s: %s", #expression, shown_->message); \
    } while (0)
#define assert_contains(text, part) \
    do { \
        if (strstr((text), (part)) == NULL) fail_msg("\"%s\" is not in \"%s\"", (part), (text)); \
    } while (0)
#endif
