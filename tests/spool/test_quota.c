#include "monitor/spool/quota.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct spool_quota quota;
static struct mon_options options;

static void set_up(void)
{
    memset(&quota, 0, sizeof(quota));
    quota.day = SPOOL_NO_DAY;
    mon_options_init(&options);
}

TestSuite(quota, .init = set_up);

static struct spool_decision decide(int64_t day, enum mon_detail detail, uint32_t key)
{
    const struct spool_filing filing = {
        .day = day, .device = 99, .detail = detail, .key = key, .size = 1000};

    return spool_quota_decide(&quota, &options, &filing);
}

Test(quota, three_files_of_one_key_and_detail)
{
    for (int i = 0; i < 3; i++) {
        cr_assert(decide(1, MON_LAG, 7).is_written);
    }
    cr_assert(not(decide(1, MON_LAG, 7).is_written));
    cr_assert(decide(1, MON_ANR, 7).is_written, "another detail");
    cr_assert(decide(1, MON_LAG, 8).is_written, "another key");
    cr_assert(decide(2, MON_LAG, 7).is_written, "the next day");
}

Test(quota, a_hundred_files_of_one_detail)
{
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert(decide(1, MON_LAG, i + 1).is_written);
    }
    cr_assert(not(decide(1, MON_LAG, 200).is_written));
    cr_assert(decide(1, MON_ANR, 200).is_written);
}

Test(quota, a_hundred_issues_of_one_key)
{
    for (uint32_t i = 0; i < 50; i++) {
        cr_assert(eq(u32, decide(1, MON_LAG, 7).same_key_today, 2 * i + 1));
        cr_assert(decide(1, MON_ANR, 7).same_key_today <= 100);
    }
    cr_assert(not(decide(1, MON_LAG, 7).is_written));
    cr_assert(decide(1, MON_LAG, 8).is_written);
}

Test(quota, twenty_reports_a_day_on_sampled_devices)
{
    uint32_t reported = 0;

    options.report_share = MON_ALL_DEVICES - 1;
    for (uint32_t i = 0; i < 50; i++) {
        reported += decide(1, MON_LAG, i + 1).is_reported;
    }
    cr_assert(eq(u32, reported, 20));
    options.report_share = MON_ALL_DEVICES;
    cr_assert(decide(1, MON_LAG, 77).is_reported);
    options.report_share = 0;
    cr_assert(not(decide(2, MON_LAG, 78).is_reported));
}

Test(quota, what_is_not_written_is_not_reported)
{
    const struct spool_filing filing = {
        .day = 1, .device = 99, .detail = MON_LAG, .key = 7, .size = (size_t)4096 * 1024 + 1};
    struct spool_decision decision = spool_quota_decide(&quota, &options, &filing);

    cr_assert(not(decision.is_written));
    cr_assert(not(decision.is_reported));
    cr_assert(zero(u32, quota.written[MON_LAG]));
}

Test(quota, a_clock_that_goes_back_starts_no_day)
{
    (void)decide(100, MON_LAG, 7);
    (void)decide(3, MON_LAG, 7);
    cr_assert(eq(i64, quota.day, 100));
    cr_assert(eq(u32, quota.written[MON_LAG], 2));
}

Test(quota, samples_devices_by_the_day)
{
    uint32_t sum = 0;
    uint32_t both = 0;

    for (int64_t day = 20000; day < 20030; day++) {
        uint32_t sampled = 0;
        for (uint64_t device = 0; device < 100000; device++) {
            bool is_sampled = spool_is_sampled(device, day, 500);
            sampled += is_sampled;
            both += is_sampled && spool_is_sampled(device, day + 1, 500);
        }
        cr_assert(ge(u32, sampled, 4700), "5 %%, to 4 deviations");
        cr_assert(le(u32, sampled, 5300));
        sum += sampled;
    }
    cr_assert(ge(u32, sum, 30 * 4950));
    cr_assert(le(u32, sum, 30 * 5050));
    cr_assert(ge(u32, both, 30 * 200), "5 %% of 5 %%: one day says nothing of the next");
    cr_assert(le(u32, both, 30 * 300));
}

Test(quota, samples_all_or_none)
{
    for (uint64_t device = 0; device < 1000; device++) {
        cr_assert(spool_is_sampled(device, 1, 10000));
        cr_assert(not(spool_is_sampled(device, 1, 0)));
    }
}

Test(quota, files_expire_by_both_their_dates)
{
    cr_assert(not(spool_is_expired(&options, 107, 107, 100, 100)));
    cr_assert(spool_is_expired(&options, 108, 108, 100, 100));
    cr_assert(not(spool_is_expired(&options, 108, 108, 100, 101)), "changed later");
    cr_assert(not(spool_is_expired(&options, 108, 108, 101, 100)), "named later");
    cr_assert(not(spool_is_expired(&options, 108, 110, 100, 100)), "the clock went back");
    cr_assert(spool_is_expired(&options, 108, 109, 100, 100), "by a day only");
}

Test(quota, what_kills_stays_longest)
{
    cr_assert(lt(int, spool_weight(MON_BUSY), spool_weight(MON_NORMAL)));
    cr_assert(lt(int, spool_weight(MON_LAG), spool_weight(MON_ANR)));
}

Test(quota, takes_back_what_could_not_be_written)
{
    const struct spool_filing filing = {
        .day = 1, .device = 99, .detail = MON_LAG, .key = 7, .size = 1000};

    for (int i = 0; i < 10; i++) {
        struct spool_decision decision = spool_quota_decide(&quota, &options, &filing);
        cr_assert(decision.is_written, "the three files are still to come");
        spool_quota_take_back(&quota, &filing, &decision);
        cr_assert(not(decision.is_written));
        cr_assert(decision.is_reported);
    }
    cr_assert(eq(u32, quota.reported, 10));
    cr_assert(zero(u32, quota.written[MON_LAG]));
}

Test(quota, counts_files_that_are_there)
{
    for (int i = 0; i < 2; i++) {
        spool_quota_add_file(&quota, MON_LAG, 7);
    }
    quota.day = 1;
    cr_assert(eq(u32, decide(1, MON_LAG, 7).same_key_today, 3));
    cr_assert(not(decide(1, MON_LAG, 7).is_written));
    cr_assert(eq(u32, quota.reported, 3));
}
