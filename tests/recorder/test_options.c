#include "abi/settings.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <stdlib.h>
#include <string.h>

Test(options, defaults_are_those_of_upstream)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(eq(u32, options.main_words, 1000000));
    cr_assert(eq(u32, options.tick_ms, 5));
    cr_assert(eq(int, options.threads, BEAT_THREADS_MAIN));
}

Test(options, the_environment_sets_defaults)
{
    struct beat_options options;

    setenv("METHODBEAT_FILE", "x.mbtrace", 1);
    setenv("METHODBEAT_THREADS", "all", 1);
    setenv("METHODBEAT_TICK_MS", "7", 1);
    setenv("METHODBEAT_MAPPING", "ffffffffffffffff", 1);
    beat_options_init(&options);
    cr_assert_str_eq(options.file, "x.mbtrace");
    cr_assert(eq(int, options.threads, BEAT_THREADS_ALL));
    cr_assert(eq(u32, options.tick_ms, 7));
    cr_assert(eq(u64, options.mapping_hash, UINT64_MAX));
}

Test(options, a_hash_is_taken_as_it_is_printed)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(beat_options_set(&options, "mapping", "0f00000000000001"));
    cr_assert(eq(u64, options.mapping_hash, UINT64_C(0x0f00000000000001)));
    cr_assert_null(options.mapping);
    static const char *const paths[] = {"01000000000000000", "f00000000000001", "0x00000000000001",
                                        "./0f00000000000001"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        cr_assert(beat_options_set(&options, "mapping", paths[i]));
        cr_assert_str_eq(options.mapping, paths[i]);
        cr_assert(eq(u64, options.mapping_hash, 0));
    }
}

Test(options, a_setting_may_have_two_numbers)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(beat_options_set(&options, "max_threads", "9"));
    cr_assert(beat_options_set(&options, "max_threads", "8:7"));
    cr_assert(eq(u32, options.max_threads, 8));
    cr_assert(eq(u32, options.max_virtual, 7));
    cr_assert(beat_options_set(&options, "max_threads", "6"));
    cr_assert(eq(u32, options.max_threads, 6));
    cr_assert(eq(u32, options.max_virtual, 7));
    cr_assert(not(beat_options_set(&options, "max_threads", "5:")));
    cr_assert(not(beat_options_set(&options, "max_threads", ":5")));
    cr_assert(not(beat_options_set(&options, "max_threads", "5:6:7")));
    cr_assert(not(beat_options_set(&options, "max_threads", "5,6")));
    cr_assert(eq(u32, options.max_threads, 6));
}

Test(options, a_number_switches_on)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(beat_options_set(&options, "profile", "5000"));
    cr_assert(eq(int, options.profile, BEAT_ON));
    cr_assert(eq(u32, options.profile_nodes, 5000));
    cr_assert(beat_options_set(&options, "profile", "off"));
    cr_assert(eq(int, options.profile, BEAT_OFF));
    cr_assert(eq(u32, options.profile_nodes, 5000));
    cr_assert(beat_options_set(&options, "throttle", "100"));
    cr_assert(eq(u32, options.budget, 100));
    cr_assert(not(beat_options_set(&options, "throttle", "0")));
    cr_assert(not(beat_options_set(&options, "throttle", "101")));
    cr_assert(eq(u32, options.budget, 100));
}

Test(options, nonsense_changes_nothing)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(not(beat_options_set(&options, "threads", "some")));
    cr_assert(not(beat_options_set(&options, "words", "12x")));
    cr_assert(not(beat_options_set(&options, "words", "99999999999")));
    cr_assert(not(beat_options_set(&options, "no_such_option", "1")));
    cr_assert(eq(int, options.threads, BEAT_THREADS_MAIN));
    cr_assert(eq(u32, options.main_words, 1000000));
    cr_assert(not(beat_options_set(&options, "throttle", "sometimes")));
    cr_assert(eq(int, options.throttle, BEAT_ON));
    cr_assert(not(beat_options_set(&options, "throttle", "1000:50")));
    cr_assert(beat_options_set(&options, "throttle", "off"));
    cr_assert(beat_options_set(&options, "profile", "on"));
    cr_assert(eq(int, options.throttle, BEAT_OFF));
    cr_assert(eq(int, options.profile, BEAT_ON));
    cr_assert(beat_options_set(&options, "words", "5000"));
    cr_assert(eq(u32, options.main_words, 5000));
}

Test(options, values_are_told_by_kind)
{
    char text[64];
    static const char *const told[][2] = {
        {"threads", "main or all"},
        {"max_threads", "a number up to 61440, or two with a colon"},
        {"tick_ms", "a number up to 1000"},
        {"file", "any text"},
        {"profile", "off, on or a number up to 16777216"},
        {"mapping", "a path, or 16 hexadecimal digits"},
        {"sample", "off, only, both or gaps"},
        {"sample_us", "a number from 500 up to 1000000, or two with a colon"},
    };

    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        abi_setting_values(abi_setting_find(told[i][0]), text, sizeof(text));
        cr_assert_str_eq(text, told[i][1]);
    }
}

Test(options, an_interval_is_off_or_not_too_short)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(eq(u32, options.sample_threads_us, 20000));
    cr_assert(beat_options_set(&options, "sample_us", "1000:0"));
    cr_assert(eq(u32, options.sample_threads_us, 0));
    cr_assert(beat_options_set(&options, "sample_us", "500:500"));
    cr_assert(not(beat_options_set(&options, "sample_us", "500:499")));
    cr_assert(not(beat_options_set(&options, "sample_us", "0")));
    cr_assert(eq(u32, options.sample_threads_us, 500));
}
