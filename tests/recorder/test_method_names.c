#include "recorder/method_names.h"

#include "abi/names.h"
#include "abi/section.h"
#include "recorder/sections.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void start(const char *file)
{
    struct beat_options options;

    beat_options_init(&options);
    options.main_words = 1024;
    options.profile = BEAT_OFF;
    options.file = file;
    cr_assert(beat_start(&options));
}

/* What the present trace holds; terminated. */
static const char *names_there(void)
{
    static char text[4096];
    struct abi_trace_section *section = beat_sections_find(beat_recorder.memory, ABI_SECTION_NAMES);

    cr_assert(section != NULL);
    size_t size = (size_t)section->written * 8;
    cr_assert(lt(sz, size, sizeof(text)));
    memcpy(text, beat_sections_records(beat_recorder.memory, section), size);
    text[size] = '\0';
    return text;
}

static void add(const char *lines)
{
    cr_assert(beat_names_add(lines, strlen(lines)));
}

Test(method_names, come_before_and_during_a_recording)
{
    beat_names_expect();
    add("1,1,a.B c()V\n");
    start(NULL);
    cr_assert_str_eq(names_there(), "1,1,a.B c()V\n\n\n\n");
    add("2,1,a.B d()V\n");
    cr_assert_str_eq(names_there(), "1,1,a.B c()V\n\n\n\n2,1,a.B d()V\n\n\n\n");
}

Test(method_names, of_requests_are_in_each_recording)
{
    uint32_t id = 0;

    cr_assert(beat_name_request(7, "shop.cart.pay"));
    for (int i = 0; i < 2; i++) {
        start(NULL);
        cr_assert_str_eq(names_there(), "7,1,shop.cart pay ()V\n\n\n");
        cr_assert(beat_names_chosen(0, &id));
        cr_assert(eq(u32, id, 7));
        cr_assert(not(beat_names_chosen(1, &id)));
        beat_stop();
    }
}

Test(method_names, of_requests_can_be_refused)
{
    const char *const names[] = {"", "a", ".a", "a.", "a,b.c", "a.b c", "a.b\n", "a.b()"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        cr_expect(not(beat_name_request(1, names[i])), "%s", names[i]);
    }
    cr_expect(not(beat_name_request(0, "a.b")));
    cr_expect(not(beat_name_request(0xFFFFE, "a.b")));
    for (uint32_t id = 1; id <= 128; id++) {
        cr_assert(beat_name_request(id, "a.b"));
    }
    cr_expect(not(beat_name_request(129, "a.b")), "no room");
}

Test(method_names, of_requests_change_nothing_without_memory)
{
    uint32_t id;

    mb_alloc_should_fail = fail_after;
    cr_expect(not(beat_name_request(7, "shop.pay")));
    mb_alloc_should_fail = NULL;
    cr_expect(not(beat_recorder.expects_names));
    start(NULL);
    cr_expect(not(beat_names_chosen(0, &id)));
}

Test(method_names, come_when_a_file_has_taken_the_place_of_memory)
{
    char path[] = "/tmp/mb_namesXXXXXX";

    beat_names_expect();
    setenv("METHODBEAT_WORDS", "1024", 1);
    setenv("METHODBEAT_PROFILE", "off", 1);
    beat_i(1);
    cr_assert(ne(ptr, mkdtemp(path), NULL));
    cr_assert(eq(int, chdir(path), 0));
    start("names.mbtrace");
    add("1,1,a.B cd()V\n\n");
    cr_assert_str_eq(names_there(), "1,1,a.B cd()V\n\n\n");
    cr_assert(eq(int, unlink("names.mbtrace"), 0));
    cr_assert(eq(int, rmdir(path), 0));
}

Test(method_names, are_in_each_later_recording)
{
    beat_names_expect();
    start(NULL);
    add("1,1,a.B cd()V\n\n");
    beat_stop();
    add("2,1,a.B de()V\n\n");
    cr_assert_str_eq(names_there(), "1,1,a.B cd()V\n\n\n", "a trace that is over stays as it is");
    start(NULL);
    cr_assert_str_eq(names_there(), "1,1,a.B cd()V\n\n\n2,1,a.B de()V\n\n\n");
}

Test(method_names, that_have_no_room_are_counted)
{
    struct abi_trace_section *section;

    beat_names_expect();
    start(NULL);
    section = beat_sections_find(beat_recorder.memory, ABI_SECTION_NAMES);
    section->capacity = 2;
    add("1,1,a.B c()V\n");
    add("2,1,a.B d()V\n");
    cr_assert(eq(u64, section->written, 2));
    cr_assert(eq(u64, section->lost, 2));
}

Test(method_names, of_kinds_of_messages_are_in_each_trace_until_there_are_too_many)
{
    beat_names_expect();
    start(NULL);
    cr_assert(eq(u32, beat_names_kind("a.B.message-1"), ABI_MAX_ID));
    cr_assert(eq(u32, beat_names_kind("of two words"), 0));
    cr_assert_str_eq(names_there(), "1048573,1,a.B message-1 ()V\n\n\n\n\n");
    for (uint32_t i = 1; i < ABI_MAX_KINDS; i++) {
        cr_assert(eq(u32, beat_names_kind("a.B.c"), ABI_MAX_ID - i));
    }
    cr_assert(eq(u32, beat_names_kind("a.B.d"), 0));
}

Test(method_names, of_kinds_tell_which_one_is_of_frames)
{
    uint32_t kind = 0;
    uint64_t interval = 0;

    beat_names_frame_interval(16666667);
    cr_assert(eq(u32, beat_names_kind("a.B.message-1"), ABI_MAX_ID));
    cr_assert(not(beat_names_frames(&kind, &interval)));
    cr_assert(eq(u32, beat_names_kind(ABI_FRAME_KIND), ABI_MAX_ID - 1));
    cr_assert(beat_names_frames(&kind, &interval));
    cr_expect(eq(u32, kind, ABI_MAX_ID - 1));
    cr_expect(eq(u64, interval, 16666667));
    beat_names_frame_interval(0);
    cr_expect(not(beat_names_frames(&kind, &interval)));
}
