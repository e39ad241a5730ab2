#include "monitor/spool/incident.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <time.h>

Test(incident, is_read_as_issues_write_it)
{
    struct spool_incident incident;

    cr_assert(spool_incident_read(&incident, MB_TEXT("5f1c-17")));
    cr_assert(eq(u64, incident.start, 0x5f1c));
    cr_assert(eq(u32, incident.number, 17));
    cr_assert(spool_incident_read(&incident, MB_TEXT("ffffffffffffffff-4294967295")));
    cr_assert(eq(u64, incident.start, UINT64_MAX));
    cr_assert(spool_incident_read(&incident, MB_TEXT("0-0")));
}

Test(incident, of_other_forms_is_none)
{
    static const char *const texts[] = {
        "",      "5f1c",  "5f1c-", "-17",          "5F1C-17", "5g-1",
        "05-1",  "5-01",  "5-17-", "5-4294967296", "5 -17",   "5-17\n",
        "5-17 ", "5--17", "5-+17", "0x5-1",        "5-0x1",   "10000000000000000-1"};

    for (size_t i = 0; i < MB_COUNT(texts); i++) {
        struct spool_incident incident;
        cr_assert(not(spool_incident_read(&incident, mb_text_of(texts[i]))), "%s", texts[i]);
    }
}

Test(incident, is_in_the_name_of_its_file)
{
    const struct spool_file_name name = {
        INT64_C(1795271753517) * 1000000, MON_ANR, 0x9f3a6c01, {0x5f1c, 17}};
    struct spool_file_name read;
    char text[SPOOL_NAME_SIZE];

    spool_file_name_put(text, &name);
    cr_assert_str_eq(text, "143553.517-ANR-9f3a6c01-5f1c-17.json");
    cr_assert(spool_file_name_read(&read, mb_text_of(text)));
    cr_assert(eq(int, read.detail, MON_ANR));
    cr_assert(eq(u32, read.key, name.key));
    cr_assert(spool_incident_is(read.incident, name.incident));
}

Test(incident, names_of_all_issues_fit)
{
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        const struct spool_file_name name = {INT64_MAX, detail, 1, {UINT64_MAX, UINT32_MAX}};
        struct spool_file_name read;
        char text[SPOOL_NAME_SIZE];
        spool_file_name_put(text, &name);
        cr_assert(spool_file_name_read(&read, mb_text_of(text)), "%s", text);
        cr_assert(eq(int, read.detail, detail));
        cr_assert(eq(u32, read.key, 1));
        cr_assert(spool_incident_is(read.incident, name.incident));
    }
}

Test(incident, other_files_have_other_names)
{
    static const char *const texts[] = {"counts.json",
                                        "143553.517-ANR-9f3a6c01-5f1c-17",
                                        "143553.517-ANR-9f3a6c01-5f1c-17.json.tmp",
                                        ".143553.517-ANR-9f3a6c01-5f1c-17.json",
                                        "143553.517-NOTHING-9f3a6c01-5f1c-17.json",
                                        "143553.517-ANR-9f3a6c0-5f1c-17.json",
                                        "143553.517-ANR-9F3A6C01-5f1c-17.json",
                                        "143553.517-ANR-9f3a6c01-5f1c.json",
                                        ".json",
                                        ""};

    for (size_t i = 0; i < MB_COUNT(texts); i++) {
        struct spool_file_name name;
        cr_assert(not(spool_file_name_read(&name, mb_text_of(texts[i]))), "%s", texts[i]);
    }
}

/* ---- Days of the calendar ---- */

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
