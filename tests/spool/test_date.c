#include "monitor/spool/date.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <time.h>

/* Every day of 8,000 years, as the system has them. */
Test(date, is_that_of_the_calendar)
{
    for (int64_t day = 0; day < 2932897; day += day < 400000 ? 1 : 13) {
        time_t time = (time_t)day * 86400;
        struct tm parts;
        cr_assert_not_null(gmtime_r(&time, &parts));
        uint32_t date =
            (uint32_t)((parts.tm_year + 1900) * 10000 + (parts.tm_mon + 1) * 100 + parts.tm_mday);
        cr_assert(eq(u32, spool_date(day), date));
        cr_assert(eq(i64, spool_day(date), day));
    }
}

Test(date, there_are_days_that_are_none)
{
    static const uint32_t dates[] = {0,        19691231, 20260230, 20230229,  21000229,  20261301,
                                     20260001, 20260100, 20260132, 100000101, UINT32_MAX};

    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
        cr_assert(eq(i64, spool_day(dates[i]), -1), "%u", dates[i]);
    }
    cr_assert(ne(i64, spool_day(20240229), -1));
    cr_assert(eq(u32, spool_date(-5), 19700101));
    cr_assert(eq(u32, spool_date(INT64_MAX), 99991231));
}

Test(date, is_written_with_its_time)
{
    const int64_t wall = INT64_C(1795271753517) * 1000000; /* 2026-11-21 14:35:53.517 */
    char date[SPOOL_DATE_SIZE];
    char time[SPOOL_TIME_SIZE];

    spool_put_date(date, spool_day_of(wall));
    spool_put_time(time, wall);
    cr_assert_str_eq(date, "20261121");
    cr_assert_str_eq(time, "143553.517");
    spool_put_time(time, -1);
    cr_assert_str_eq(time, "000000.000");
    cr_assert(eq(i64, spool_day_of(-1), 0));
}
