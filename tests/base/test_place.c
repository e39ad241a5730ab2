/* The function of a frame, and its file and line. */

#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct {
    const char *frame;
    const char *function;
    const char *file;
    uint32_t line;
} frames[] = {
    {"a.b.C.load(C.java:12)", "a.b.C.load", "C.java", 12},
    {"a.b.a(Unknown Source:0)", "a.b.a", "Unknown Source", 0},
    {"a.b(c(d:4294967295)", "a.b(c", "d", UINT32_MAX},
    {"a.b(r8-map-id-1a:x:7)", "a.b", "r8-map-id-1a:x", 7},
    /* What says no line is a function as a whole. */
    {"a.b.a", "a.b.a", "", 0},
    {"a.b.a(Native Method)", "a.b.a(Native Method)", "", 0},
    {"a.b.a(C.java)", "a.b.a(C.java)", "", 0},
    {"a.b.a(C.java:4294967296)", "a.b.a(C.java:4294967296)", "", 0},
    {"a.b.a(C.java:-2)", "a.b.a(C.java:-2)", "", 0},
    {"a.b.a(C.java:)", "a.b.a(C.java:)", "", 0},
    {"a.b.a(C.java:1", "a.b.a(C.java:1", "", 0},
    {"a.b.a(:1)", "a.b.a(:1)", "", 0},
    {"ns::f(ns::g)", "ns::f(ns::g)", "", 0},
    {"(C.java:1)", "(C.java:1)", "", 0},
    {"(", "(", "", 0},
    {":1)", ":1)", "", 0},
    {")", ")", "", 0},
    {"", "", "", 0},
};

Test(place, is_cut_off_a_frame)
{
    for (size_t i = 0; i < MB_COUNT(frames); i++) {
        struct mb_text frame = mb_text_of(frames[i].frame);
        struct mb_place place = mb_place_cut(&frame);

        cr_expect(mb_text_is(frame, frames[i].function), "%s", frames[i].frame);
        cr_expect(mb_text_is(place.file, frames[i].file), "%s", frames[i].frame);
        cr_expect(eq(u32, place.line, frames[i].line));
    }
}
