#include "monitor/watch/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static struct watch_names *names;

static void create(void)
{
    names = watch_names_create();
    cr_assert_not_null(names);
}

static void destroy(void)
{
    watch_names_destroy(names);
}

TestSuite(names, .init = create, .fini = destroy);

static bool is_text(uint32_t name, const char *text)
{
    const struct mon_names view = watch_names_view(names);

    return mb_text_is(mon_name(&view, name), text);
}

Test(names, are_the_same_for_equal_texts)
{
    uint32_t first = watch_names_add(names, MB_TEXT("a.b.C.load"));
    uint32_t other = watch_names_add(names, MB_TEXT("a.b.C.save"));

    cr_assert(ne(u32, first, other));
    cr_assert(eq(u32, watch_names_add(names, MB_TEXT("a.b.C.load")), first));
    cr_assert(is_text(first, "a.b.C.load"));
    cr_assert(is_text(other, "a.b.C.save"));
    cr_assert(eq(u32, watch_names_add(names, MB_TEXT("")), 0));
    cr_assert(is_text(0, ""));
}

Test(names, that_find_no_room_are_counted)
{
    char text[32];

    for (uint32_t i = 1; i < WATCH_NAME_COUNT; i++) {
        (void)snprintf(text, sizeof(text), "name %u", i);
        cr_assert(eq(u32, watch_names_add(names, mb_text_of(text)), i));
    }
    cr_assert(eq(u32, watch_names_add(names, MB_TEXT("one more")), 0));
    cr_assert(eq(u64, watch_names_left_out(names), 1));
    cr_assert(is_text(WATCH_NAME_COUNT - 1, text));
    cr_assert(eq(u32, watch_names_add(names, MB_TEXT("name 7")), 7));
}

Test(names, of_frames_are_those_of_functions)
{
    struct mon_frames frames = {0};

    watch_names_add_frame(names, &frames, MB_TEXT("a.b.C.load(C.java:12)"));
    watch_names_add_frame(names, &frames, MB_TEXT("a.b.C.load(C.java:13)"));
    watch_names_add_frame(names, &frames, MB_TEXT("a.b.C.load"));
    cr_assert(eq(u32, frames.count, 3));
    cr_assert(is_text(frames.names[0], "a.b.C.load"));
    cr_assert(is_text(frames.files[0], "C.java"));
    cr_assert(eq(u32, frames.lines[1], 13));
    cr_assert(eq(u32, frames.names[1], frames.names[0]));
    cr_assert(eq(u32, frames.names[2], frames.names[0]));
    cr_assert(eq(u32, frames.files[2], 0));
    watch_names_add_frame(names, &frames, MB_TEXT("a.b.C.load(C.java:65536)"));
    cr_assert(eq(u32, frames.names[3], frames.names[0]));
    cr_assert(eq(u32, frames.files[3], 0));
    while (frames.count < MON_FRAME_COUNT) {
        watch_names_add_frame(names, &frames, MB_TEXT("a"));
    }
    watch_names_add_frame(names, &frames, MB_TEXT("b"));
    cr_assert(eq(u32, frames.count, MON_FRAME_COUNT));
}

Test(names, that_pass_stay_for_a_while)
{
    uint32_t first = watch_names_pass(names, MB_TEXT("Handler {1}"));
    uint32_t last = 0;

    cr_assert(ge(u32, first, WATCH_NAME_COUNT));
    cr_assert(is_text(first, "Handler {1}"));
    for (int i = 0; i < 255; i++) {
        last = watch_names_pass(names, MB_TEXT("another"));
    }
    cr_assert(is_text(first, "Handler {1}"));
    (void)watch_names_pass(names, MB_TEXT("another"));
    cr_assert(is_text(first, ""));
    cr_assert(is_text(last, "another"));
    cr_assert(eq(u32, watch_names_pass(names, MB_TEXT("")), 0));
}
