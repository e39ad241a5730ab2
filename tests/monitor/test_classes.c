#include "monitor/classes.h"

#include "names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum { WAIT = 1, PARK, QUEUE, LOAD, DRAW, RUN, MAIN, VENDOR };

static const struct name_list list = {
    {"java.lang.Object.wait", "jdk.internal.misc.Unsafe.park", "java.util.concurrent.Queue.take",
     "a.b.C.load", "a.b.C.draw", "a.b.C.run", "a.b.C.main", "com.vendor.Pool.get", NULL}};

static struct mon_class classify(const struct mon_frames *frames)
{
    const struct mon_names names = names_of(&list);

    return mon_classify(frames, &names, MB_TEXT("com.vendor., org.x."));
}

Test(classes, look_at_2_and_at_4_functions)
{
    const struct mon_frames a = {.count = 5, .names = {LOAD, DRAW, RUN, MAIN, QUEUE}};
    const struct mon_frames b = {.count = 5, .names = {LOAD, DRAW, MAIN, RUN, QUEUE}};
    const struct mon_frames c = {.count = 4, .names = {LOAD, DRAW, RUN, MAIN}};

    cr_assert(eq(u64, classify(&a).key1, classify(&b).key1));
    cr_assert(ne(u64, classify(&a).key2, classify(&b).key2));
    cr_assert(eq(u64, classify(&a).key2, classify(&c).key2));
    cr_assert(ne(u64, classify(&a).key1, classify(&a).key2));
}

/* They group across processes and versions: another value breaks what was collected. */
Test(classes, keys_stay_what_they_are)
{
    const struct mon_frames frames = {.count = 4, .names = {LOAD, DRAW, RUN, MAIN}};

    cr_assert(eq(u64, classify(&frames).key1, UINT64_C(0xbeefa08d45502b23)));
    cr_assert(eq(u64, classify(&frames).key2, UINT64_C(0x341ed4a7b2963d3b)));
}

Test(classes, waiting_does_not_count)
{
    const struct mon_frames a = {.count = 4, .names = {WAIT, LOAD, DRAW, MAIN}};
    const struct mon_frames b = {.count = 5, .names = {PARK, PARK, LOAD, DRAW, RUN}};
    const struct mon_frames only = {.count = 2, .names = {WAIT, PARK}};
    const struct mon_names names = names_of(&list);

    cr_assert(eq(u64, classify(&a).key1, classify(&b).key1));
    cr_assert(eq(u32, mon_top(&a, &names), LOAD));
    cr_assert(eq(u32, mon_top(&only, &names), WAIT));
    cr_assert(ne(u64, classify(&only).key1, 0));
}

Test(classes, find_the_programs_own_function)
{
    const struct mon_frames a = {.count = 5, .names = {WAIT, QUEUE, VENDOR, RUN, MAIN}};
    const struct mon_frames none = {.count = 2, .names = {WAIT, QUEUE}};

    cr_assert(eq(u32, classify(&a).app_key, RUN));
    cr_assert(eq(u32, classify(&none).app_key, 0));
}

Test(classes, do_not_depend_on_lines)
{
    const struct mon_frames a = {.count = 3, .names = {LOAD, DRAW, MAIN}};
    const struct mon_frames b = {
        .count = 3, .names = {LOAD, DRAW, MAIN}, .files = {RUN, RUN}, .lines = {7, 8}};
    const struct mon_names names = names_of(&list);
    struct mon_class of_a = classify(&a);
    struct mon_class of_b = classify(&b);

    cr_assert(eq(u64, mon_stack_key(&a, &names), mon_stack_key(&b, &names)));
    cr_assert(eq(u32, mon_top(&a, &names), mon_top(&b, &names)));
    cr_assert(eq(u64, of_a.key1, of_b.key1));
    cr_assert(eq(u64, of_a.key2, of_b.key2));
    cr_assert(eq(u32, of_a.app_key, of_b.app_key));
}

Test(classes, of_no_stack_are_none)
{
    const struct mon_frames empty = {.count = 0, .names = {0}};

    cr_assert(eq(u64, classify(&empty).key1, 0));
    cr_assert(eq(u64, classify(NULL).key2, 0));
}
