#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(matrix, the_log_is_that_of_matrix)
{
    cr_assert_str_eq(
        sample_write(&format_matrix, &sample_report),
        ">>>>>>>>>>>>>>>>>>>>> maybe happens Jankiness!(1000ms) <<<<<<<<<<<<<<<<<<<<<\n"
        "|* [Status]\n|*\t\tThread: main;1\n"
        "|* [Trace]\n|*\t\tStackSize: 3\n|*\t\tStackKey: 2|\n"
        "|*\tTraceStack:\n|*\t\t[id count cost]\n"
        "|*\t\t1 1 1000\n|*\t\t.2 3 600\n|*\t\t..3 1 200\n"
        "=========================================================================\n");
}
