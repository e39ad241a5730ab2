#include "spool/counts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define DAY 20778 /* 2026-11-21 */

static struct spool_counts counts;
static struct spool_counts again;
static struct mon_options options;
static struct mb_buf text;

static void set_up(void)
{
    mon_options_init(&options);
    spool_counts_start(&counts, DAY);
}

static void tear_down(void)
{
    mb_buf_finish(&text);
}

TestSuite(counts, .init = set_up, .fini = tear_down);

static void see(enum mon_detail detail, uint64_t key)
{
    const struct spool_filing filing = {.day = DAY, .detail = detail, .key = key, .size = 1000};

    (void)spool_quota_decide(&counts.quota, &options, &filing);
    counts.last = (struct spool_incident){0x5f1c, counts.quota.seen[detail]};
}

static bool write_and_read(void)
{
    mb_buf_reset(&text);
    spool_counts_put(&text, &counts);
    return spool_counts_read(&again, (struct mb_text){(const char *)text.bytes, text.size});
}

static void expect_equal(void)
{
    cr_assert(eq(i64, again.quota.day, counts.quota.day));
    cr_assert(eq(u32, again.quota.reported, counts.quota.reported));
    cr_assert(eq(u32, again.quota.other_keys, counts.quota.other_keys));
    cr_assert(eq(u32, again.quota.key_count, counts.quota.key_count));
    cr_assert(zero(int, memcmp(again.quota.seen, counts.quota.seen, sizeof(counts.quota.seen))));
    cr_assert(
        zero(int, memcmp(again.quota.results, counts.quota.results, sizeof(counts.quota.results))));
    cr_assert(spool_incident_is(again.last, counts.last));
    for (uint32_t i = 0; i < SPOOL_KEY_COUNT; i++) {
        const struct spool_key_count *key = &counts.quota.keys[i];
        if (key->detail != MON_NOTHING) {
            const struct spool_key_count *other =
                spool_quota_key(&again.quota, (enum mon_detail)key->detail, key->key);
            cr_assert(eq(u32, other->seen, key->seen));
            cr_assert(eq(u32, other->written, key->written));
        }
    }
}

Test(counts, of_nothing_are_whole)
{
    cr_assert(write_and_read());
    expect_equal();
}

Test(counts, come_back_as_they_were)
{
    for (uint64_t i = 0; i < 2000; i++) {
        see((enum mon_detail)(i % MON_BUSY + 1), i % 97 * UINT64_C(0x9e3779b97f4a7c15));
    }
    cr_assert(write_and_read());
    expect_equal();
}

Test(counts, with_all_keys_fit_their_reserve)
{
    memset(&counts.quota.seen[MON_NORMAL], 0xff, MON_BUSY * sizeof(counts.quota.seen[0]));
    memset(&counts.quota.results[MON_NORMAL], 0xff, MON_BUSY * sizeof(counts.quota.results[0]));
    counts.quota.reported = counts.quota.other_keys = UINT32_MAX;
    counts.last = (struct spool_incident){UINT64_MAX, UINT32_MAX};
    for (uint64_t i = 0; i < SPOOL_KEY_COUNT; i++) {
        struct spool_key_count *key = spool_quota_key(&counts.quota, MON_NORMAL, UINT64_MAX - i);
        key->seen = key->written = UINT32_MAX;
    }
    cr_assert(write_and_read());
    expect_equal();
    cr_assert(le(sz, text.size, SPOOL_COUNTS_SIZE));
}

/* What `methodbeat issues` and others read. */
Test(counts, are_json)
{
    json_error_t error;
    json_t *json;
    const json_t *lag;

    for (int i = 0; i < 5; i++) {
        see(MON_LAG, 7);
    }
    cr_assert(write_and_read());
    json = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(json, "%s", error.text);
    cr_assert(eq(i64, json_integer_value(json_object_get(json, "methodbeat_counts")), 1));
    cr_assert(eq(i64, json_integer_value(json_object_get(json, "day")), 20261121));
    lag = json_object_get(json_object_get(json, "details"), "LAG");
    cr_assert(eq(i64, json_integer_value(json_object_get(lag, "seen")), 5));
    cr_assert(eq(i64, json_integer_value(json_object_get(lag, "written")), 3));
    cr_assert(eq(i64, json_integer_value(json_object_get(lag, "key_files")), 2));
    cr_assert(eq(sz, json_array_size(json_object_get(json, "keys")), 1));
    json_decref(json);
}

/* A file cut anywhere, or with any byte changed, is refused or is another valid one; never taken
 * half. */
Test(counts, cut_or_damaged_are_told)
{
    see(MON_LAG, 7);
    see(MON_ANR, 0x9f3a6c01);
    cr_assert(write_and_read());
    for (size_t size = 0; size < text.size; size++) {
        cr_assert(not(spool_counts_read(&again, (struct mb_text){(const char *)text.bytes, size})));
    }
    for (size_t i = 0; i < text.size; i++) {
        uint8_t before = text.bytes[i];
        text.bytes[i] = '#';
        cr_assert(
            not(spool_counts_read(&again, (struct mb_text){(const char *)text.bytes, text.size})));
        text.bytes[i] = before;
    }
    mb_buf_put_u1(&text, '\n');
    cr_assert(
        not(spool_counts_read(&again, (struct mb_text){(const char *)text.bytes, text.size})));
}

/* Versions without issues of the program's own. */
Test(counts, of_before_are_read)
{
    see(MON_LAG, 7);
    cr_assert(write_and_read());
    char *json = strndup((const char *)text.bytes, text.size);
    char *begin = strstr(json, ",\n\"CUSTOM\":{");
    cr_assert_not_null(begin);
    char *end = strchr(begin, '}') + 1;
    memmove(begin, end, strlen(end) + 1);
    cr_assert(spool_counts_read(&again, mb_text_of(json)));
    expect_equal();
    free(json);
}

Test(counts, of_a_key_twice_are_refused)
{
    see(MON_LAG, 7);
    cr_assert(write_and_read());
    static const char row[] = ",\n{\"key\":\"7\",\"detail\":\"LAG\",\"seen\":1,\"written\":1}]}\n";
    text.size -= strlen("]}\n");
    mb_buf_put_string(&text, row);
    cr_assert(
        not(spool_counts_read(&again, (struct mb_text){(const char *)text.bytes, text.size})));
}

Test(counts, of_two_processes_are_added)
{
    see(MON_LAG, 7);
    see(MON_LAG, 8);
    cr_assert(write_and_read());
    spool_counts_add(&counts, &again);
    cr_assert(eq(u32, counts.quota.seen[MON_LAG], 4));
    cr_assert(eq(u32, counts.quota.results[MON_LAG][SPOOL_WRITTEN], 4));
    cr_assert(eq(u32, spool_quota_key(&counts.quota, MON_LAG, 7)->seen, 2));
    cr_assert(eq(u32, counts.quota.key_count, 2));
}
