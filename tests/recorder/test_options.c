#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

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
    setenv("METHODBEAT_MIN_NS", "1000", 1);
    setenv("METHODBEAT_MAPPING_HASH", "18446744073709551615", 1);
    beat_options_init(&options);
    cr_assert_str_eq(options.file, "x.mbtrace");
    cr_assert(eq(int, options.threads, BEAT_THREADS_ALL));
    cr_assert(eq(int, options.clock, BEAT_CLOCK_COARSE));
    cr_assert(eq(u32, options.min_ns, 1000));
    cr_assert(eq(u64, options.mapping_hash, UINT64_MAX));
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
    cr_assert(beat_options_set(&options, "main_words", "5000"));
    cr_assert(eq(u32, options.main_words, 5000));
}
