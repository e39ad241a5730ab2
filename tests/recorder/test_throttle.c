#include "recorder/throttle.h"

#include "abi/names.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static char told[200];

static void tell(const uint32_t *ids, size_t count, enum beat_state state)
{
    static const char *const signs[] = {
        [BEAT_RECORDED] = "-", [BEAT_MUTED] = "", [BEAT_TIMED] = "t"};

    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(told);
        (void)snprintf(told + used, sizeof(told) - used, "%s%u ", signs[state], ids[i]);
    }
}

Test(throttle, a_listener_is_told_once_of_each_method)
{
    cr_assert(beat_mute(5));
    beat_on_mute(tell);
    cr_assert_str_eq(told, "5 ");
    cr_assert(beat_mute(7));
    beat_tell_mutes();
    beat_tell_mutes();
    cr_assert_str_eq(told, "5 7 ");
    beat_mutes_abandon();
    cr_assert(eq(int, beat_muted[5] + beat_muted[7], 0));
    cr_assert(beat_mute(9));
    beat_tell_mutes();
    cr_assert_str_eq(told, "5 7 ", "a child tells nobody");
}

Test(throttle, a_method_is_timed_until_it_is_muted)
{
    beat_on_mute(tell);
    beat_time(5, true);
    beat_time(5, true);
    beat_time(7, true);
    beat_tell_mutes();
    cr_assert_str_eq(told, "t5 t7 ");
    beat_time(5, false);
    cr_assert(beat_muted[5] == BEAT_RECORDED && beat_muted[7] == BEAT_TIMED);
    cr_assert(beat_mute(7));
    beat_time(7, true);
    cr_assert(eq(int, beat_muted[7], BEAT_MUTED));
    beat_time(5, true);
    beat_tell_mutes();
    cr_assert_str_eq(told, "t5 t7 7 ", "Java knows of each once");
    beat_time_none();
    cr_assert(beat_muted[5] == BEAT_RECORDED && beat_muted[7] == BEAT_MUTED);
}

static void note_first(void)
{
    (void)strcat(told, "first ");
}

Test(throttle, who_waits_for_the_first_muted_method_is_told_once)
{
    beat_tell_mutes();
    atomic_store(&beat_mute_listener, note_first);
    beat_tell_mutes();
    cr_assert_str_eq(told, "");
    cr_assert(beat_mute(5));
    beat_tell_mutes();
    cr_assert(beat_mute(7));
    beat_tell_mutes();
    cr_assert_str_eq(told, "first ");
    atomic_store(&beat_mute_listener, note_first);
    beat_mutes_abandon();
    cr_assert(beat_mute(9));
    beat_tell_mutes();
    cr_assert_str_eq(told, "first ", "a child tells nobody");
}

Test(throttle, all_methods_can_tell_again)
{
    const uint32_t count = 200; /* told in some portions */
    uint32_t left = 0;
    size_t next = 0;
    uint32_t id;

    for (id = 1; id <= count; id++) {
        cr_assert(beat_mute(id));
    }
    beat_unmute_all();
    for (id = 1; id <= count; id++) {
        left += beat_muted[id];
    }
    cr_assert(eq(u32, left, 0));
    cr_assert(not(beat_next_muted(&next, &id)));
    cr_assert(beat_mute(5));
    beat_on_mute(tell);
    beat_unmute_all();
    cr_assert_str_eq(told, "5 -5 ");
    cr_assert(beat_mute(7));
    beat_tell_mutes();
    cr_assert_str_eq(told, "5 -5 7 ");
}

Test(throttle, methods_stay_muted_while_a_session_is_open)
{
    struct beat_options options;

    beat_options_init(&options);
    cr_assert(beat_start(&options));
    cr_assert(beat_mute(5));
    beat_unmute_all();
    cr_assert(eq(int, beat_muted[5], 1));
    beat_stop();
    beat_unmute_all();
    cr_assert(eq(int, beat_muted[5], 0));
}

Test(throttle, muted_methods_are_found_in_their_order)
{
    size_t next = 0;
    uint32_t id;

    cr_assert(not(beat_next_muted(&next, &id)));
    cr_assert(beat_mute(7) && beat_mute(5));
    cr_assert(beat_next_muted(&next, &id));
    cr_assert(eq(u32, id, 7));
    cr_assert(beat_next_muted(&next, &id));
    cr_assert(eq(u32, id, 5));
    cr_assert(not(beat_next_muted(&next, &id)));
}

Test(throttle, mutes_no_more_than_there_is_room_for)
{
    for (uint32_t id = 1; id <= BEAT_MAX_MUTED; id++) {
        cr_assert(beat_mute(id));
    }
    cr_assert(not(beat_mute(BEAT_MAX_MUTED + 1)));
    cr_assert(eq(int, beat_muted[BEAT_MAX_MUTED + 1], 0));
}

Test(throttle, probes_of_a_muted_method_record_nothing)
{
    struct beat_options options;
    uint64_t words[8];
    size_t count = 8;

    beat_options_init(&options);
    options.threads = BEAT_THREADS_ALL;
    cr_assert(beat_start(&options));
    cr_assert(beat_mute(5));
    beat_i(4);
    beat_i(5);
    beat_c(5);
    beat_o(5);
    beat_o(4);
    cr_assert(beat_copy(NULL, BEAT_SELF, words, &count));
    cr_assert(eq(sz, count, 2));
    beat_stop();
}
