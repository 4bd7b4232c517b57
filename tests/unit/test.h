/* test.h - what every unit test includes: cmocka, and comparing slices. */
#ifndef FAULTLINE_TEST_H
#define FAULTLINE_TEST_H

#include "base/base.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#define assert_str(actual, expected)                                                               \
    do {                                                                                           \
        struct str assert_str_a = (actual), assert_str_e = str_of(expected);                       \
        if (!str_eq(assert_str_a, assert_str_e))                                                   \
            fail_msg("'" STR_FMT "' is not '" STR_FMT "'", STR_ARG(assert_str_a),                  \
                     STR_ARG(assert_str_e));                                                       \
    } while (0)

#endif
