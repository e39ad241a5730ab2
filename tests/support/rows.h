/* Tests that run once for each row of a table. Criterion's parameters may not hold pointers in a
 * PIE build, so they are the numbers of the rows. */

#ifndef SUPPORT_ROWS_H
#define SUPPORT_ROWS_H

#include "base/check.h"

#include <assert.h>
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

/* Goes before ParameterizedTest(size_t *row, suite, name). */
#define EACH_ROW(suite, name, table)                              \
    ParameterizedTestParameters(suite, name)                      \
    {                                                             \
        static size_t rows[MB_COUNT(table)];                      \
                                                                  \
        for (size_t i = 0; i < MB_COUNT(rows); i++) {             \
            rows[i] = i;                                          \
        }                                                         \
        return cr_make_param_array(size_t, rows, MB_COUNT(rows)); \
    }                                                             \
    static_assert(MB_COUNT(table) > 0, "no row")

#endif
