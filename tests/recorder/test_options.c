#include "recorder/options.h"

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
    setenv("METHODBEAT_CLOCK", "coarse", 1);
    setenv("METHODBEAT_TICK_MS", "7", 1);
    setenv("METHODBEAT_MAPPING_HASH", "ffffffffffffffff", 1);
    beat_options_init(&options);
    cr_assert_str_eq(options.file, "x.mbtrace");
    cr_assert(eq(int, options.threads, BEAT_THREADS_ALL));
    cr_assert(eq(int, options.clock, BEAT_CLOCK_COARSE));
    cr_assert(eq(u32, options.tick_ms, 7));
    cr_assert(eq(u64, options.mapping_hash, UINT64_MAX));
}

Test(options, a_hash_is_taken_as_it_is_printed)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(beat_options_set(&options, "mapping_hash", "0f00000000000001"));
    cr_assert(eq(u64, options.mapping_hash, UINT64_C(0x0f00000000000001)));
    cr_assert(beat_options_set(&options, "mapping_hash", "1000000000000000"));
    cr_assert(eq(u64, options.mapping_hash, UINT64_C(1) << 60));
    cr_assert(not(beat_options_set(&options, "mapping_hash", "01000000000000000")));
    cr_assert(not(beat_options_set(&options, "mapping_hash", "18446744073709551615")));
    cr_assert(not(beat_options_set(&options, "mapping_hash", "f00000000000001")));
    cr_assert(not(beat_options_set(&options, "mapping_hash", "0x00000000000001")));
    cr_assert(not(beat_options_set(&options, "mapping_hash", "")));
    cr_assert(eq(u64, options.mapping_hash, UINT64_C(1) << 60));
}

Test(options, nonsense_changes_nothing)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(not(beat_options_set(&options, "threads", "some")));
    cr_assert(not(beat_options_set(&options, "main_words", "12x")));
    cr_assert(not(beat_options_set(&options, "main_words", "99999999999")));
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
    cr_assert(beat_options_set(&options, "main_words", "5000"));
    cr_assert(eq(u32, options.main_words, 5000));
}

Test(options, values_are_told_by_kind)
{
    char text[64];
    static const char *const told[][2] = {
        {"threads", "main or all"},
        {"clock", "auto, counter or coarse"},
        {"max_threads", "a number up to 4095"},
        {"main_words", "a number from 1 up to 1073741824"},
        {"file", "any text"},
        {"profile", "off or on"},
        {"sample", "off, only, both or gaps"},
        {"sample_main_us", "a number from 500 up to 1000000"},
        {"sample_threads_us", "0 or a number from 500 up to 1000000"},
    };

    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        cr_assert(beat_options_values(told[i][0], text, sizeof(text)));
        cr_assert_str_eq(text, told[i][1]);
    }
    cr_assert(not(beat_options_values("thraeds", text, sizeof(text))));
}

Test(options, names_are_cut_where_room_ends)
{
    char text[512];

    beat_options_names(text, sizeof(text));
    cr_assert(strncmp(text, "file, mapping, ", 15) == 0);
    cr_assert(strstr(text, ", control") != NULL);
    cr_assert(strstr(text, "main_thread") == NULL);
    beat_options_names(text, 7);
    cr_assert_str_eq(text, "file, ");
}

Test(options, an_interval_is_off_or_not_too_short)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(eq(u32, options.sample_threads_us, 20000));
    cr_assert(beat_options_set(&options, "sample_threads_us", "0"));
    cr_assert(eq(u32, options.sample_threads_us, 0));
    cr_assert(beat_options_set(&options, "sample_threads_us", "500"));
    cr_assert(not(beat_options_set(&options, "sample_threads_us", "499")));
    cr_assert(not(beat_options_set(&options, "sample_main_us", "0")));
    cr_assert(eq(u32, options.sample_threads_us, 500));
}
