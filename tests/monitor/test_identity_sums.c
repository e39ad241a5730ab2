#include "monitor/identity_sums.h"

#include "monitor/start.h"
#include "names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define MS INT64_C(1000000)

static const struct name_list list = {{"com.acme.\"Main\"", "com.acme.Other", NULL}};
static struct mon_sums sums;

static void add_frames(uint32_t scene, int64_t ns, int64_t late_ns, int times)
{
    const struct mon_paced paced = {.time_ns = ns, .late_ns = late_ns};

    for (int i = 0; i < times; i++) {
        mon_sums_add_frame(&sums, scene, &paced);
    }
}

static const char *put(void)
{
    static char text[4096];
    struct mb_buf out = {0};
    struct mb_json json = {.out = &out};
    const struct mon_names names = names_of(&list);

    mon_sums_put(&sums, &json, &names);
    (void)snprintf(text, sizeof(text), "%.*s", (int)out.size, (const char *)out.bytes);
    mb_buf_finish(&out);
    return text;
}

struct bucket_case {
    int64_t ns;
    uint32_t bucket;
};

/* floor(log(ms) / log(1.02)), by another program. */
static const struct bucket_case bucket_cases[] = {
    {INT64_MIN, 0},   {0, 0},           {MS, 0},           {1019999, 0},
    {1020001, 1},     {2 * MS, 35},     {16666667, 142},   {33333333, 177},
    {1000 * MS, 348}, {5000 * MS, 430}, {60000 * MS, 555}, {3600000 * MS, 762},
    {INT64_MAX, 767},
};

Test(identity_sums, have_buckets_of_two_percent)
{
    for (size_t i = 0; i < MB_COUNT(bucket_cases); i++) {
        cr_expect(eq(u32, mon_bucket_of(bucket_cases[i].ns), bucket_cases[i].bucket), "%lld",
                  (long long)bucket_cases[i].ns);
    }
}

Test(identity_sums, never_fall_as_times_grow)
{
    uint32_t last = 0;

    for (int64_t ns = MS; ns < INT64_MAX / 2; ns += ns / 64) {
        uint32_t bucket = mon_bucket_of(ns);
        cr_assert(ge(u32, bucket, last));
        cr_assert(le(u32, bucket, last + 1));
        last = bucket;
    }
}

Test(identity_sums, are_empty_lists_at_first)
{
    cr_assert_str_eq(put(), "\"frames\":[],\"starts\":[]");
}

Test(identity_sums, tell_frames_by_scene_and_starts_by_kind)
{
    add_frames(1, 16666667, 0, 3);
    add_frames(1, 33333333, 16666667, 1);
    add_frames(2, 16666667, 0, 1);
    mon_sums_add_start(&sums, MON_START_WARM, 1000 * MS);
    cr_assert_str_eq(put(), "\"frames\":[{\"scene\":\"com.acme.\\\"Main\\\"\",\"late_ms\":16,"
                            "\"n\":4,\"buckets\":[[142,3],[177,1]]},"
                            "{\"scene\":\"com.acme.Other\",\"late_ms\":0,\"n\":1,"
                            "\"buckets\":[[142,1]]}],"
                            "\"starts\":[{\"kind\":\"warm\",\"n\":1,\"buckets\":[[348,1]]}]");
}

Test(identity_sums, put_scenes_without_room_together)
{
    uint64_t count = 0;

    for (uint32_t scene = 1; scene <= 100; scene++) {
        add_frames(scene, 16666667, 0, 1);
    }
    cr_assert(eq(u32, sums.scene_count, MON_SUM_SCENES));
    for (uint32_t i = 0; i < MON_SUM_SCENES; i++) {
        count += sums.scenes[i].count;
    }
    cr_assert(eq(u64, count, 100));
    cr_assert(eq(u64, sums.scenes[MON_SUM_SCENES - 1].count, 85));
    cr_assert(zero(u32, sums.scenes[MON_SUM_SCENES - 1].scene));
}
