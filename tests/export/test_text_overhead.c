#include "sample.h"

#include "export/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct export_report report_of(const struct export_thread *thread)
{
    struct export_report report = sample_report;

    report.columns = 0;
    report.threads = thread;
    report.trace_path = MB_TEXT("app.mbtrace");
    return report;
}

/* What it does not hold. */
#define LARGER_CODE                                                                               \
    ", in calls of probes; larger code takes a JVM 5 to 60 % more CPU time besides, as measured " \
    "of other programs\n"

#define ADVICE "\nLess overhead: list what costs most to record, for --blacklist\n"

Test(overhead, much_of_it_ends_in_the_command_that_helps)
{
    struct export_thread busy = sample_thread;
    struct export_report report = report_of(&busy);

    busy.losses.words = 20000000; /* 200 ms of 1 s */
    sample_expect_put(
        export_put_overhead, &report,
        "  overhead   about 200 ms in all, 20.0 % of the time here (10 ns a record)" LARGER_CODE);
    sample_expect_put(export_put_advice, &report,
                      ADVICE "  methodbeat tune app.mbtrace > hot.txt\n");
    report.map_path = MB_TEXT("my app's/map.txt");
    sample_expect_put(export_put_advice, &report,
                      ADVICE "  methodbeat tune app.mbtrace --method-map 'my app'\\''s/map.txt' > "
                             "hot.txt\n");
    busy.losses.words = 9000000;
    sample_expect_put(export_put_advice, &report, "");
}

/* Of what a thread waits, recording takes nothing. */
Test(overhead, is_a_share_of_the_work)
{
    struct export_thread waits = sample_thread;
    struct export_report report = report_of(&waits);

    waits.losses.words = 5000000;
    waits.waited_ns = 900000000;
    sample_expect_put(
        export_put_overhead, &report,
        "  overhead   about 50.0 ms in all, 50.0 % of the time here (10 ns a record)" LARGER_CODE);
}

/* What is not in the report took its time as well. */
Test(overhead, counts_records_that_are_lost)
{
    struct export_thread lost = sample_thread;
    struct export_report report = report_of(&lost);

    lost.losses.words = 1000000;
    lost.lapped_words = 2000000;
    lost.dropped_calls = 500000;
    sample_expect_put(
        export_put_overhead, &report,
        "  overhead   about 40.0 ms in all, 1.0 % of the time here (10 ns a record)" LARGER_CODE);
    lost.is_profiled = true; /* then those of the ring are among the others */
    lost.unseen_words = 3000000;
    sample_expect_put(
        export_put_overhead, &report,
        "  overhead   about 50.0 ms in all, 4.0 % of the time here (10 ns a record)" LARGER_CODE);
}
