#include "answer/map.h"

#include "bench.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static struct answer_map names;

static void end(void)
{
    answer_map_finish(&names);
    bench_end();
}

TestSuite(names, .init = bench_begin, .fini = end);

static void load(const char *map, const char *mapping)
{
    char map_path[512];

    bench_write_text("map.txt", map);
    (void)snprintf(map_path, sizeof(map_path), "%s", bench_path("map.txt"));
    if (mapping != NULL) {
        bench_write_text("mapping.txt", mapping);
    }
    struct rule_builds builds = {.path = mapping != NULL ? bench_path("mapping.txt") : NULL};
    cr_assert(eq(int, answer_map_load(&names, map_path, &builds, NULL), MB_OK));
    rule_builds_finish(&builds);
}

static void expect_name(uint32_t id, const char *expected)
{
    const struct answer_names view = answer_map_names(&names);
    struct mb_text name = view.find(view.context, id);

    cr_expect(mb_text_is(name, expected), "%u is '%.*s', not '%s'", id, (int)name.size, name.data,
              expected);
}

Test(names, are_class_and_method)
{
    load("1,1,a.b.C run ()V\n7,1,D$E <init> (I)V\n8,257,a.N native\n", NULL);
    expect_name(1, "a.b.C.run");
    expect_name(7, "D$E.<init>");
    expect_name(8, "a.N.native");
    expect_name(2, "");
    expect_name(1048574, "android.os.Handler.dispatchMessage");
}

/* As much of the descriptor as tells them apart. */
Test(names, of_overloads_have_parameters_and_then_results)
{
    load("1,1,a.C run ()V\n2,1,a.C run (I[Ljava.lang.String;J)V\n3,1,a.C run ()I\n"
         "4,1,a.C only (Z)V\n5,1,a.D run ()V\n",
         NULL);
    expect_name(1, "a.C.run(): void");
    expect_name(2, "a.C.run(int,String[],long)");
    expect_name(3, "a.C.run(): int");
    expect_name(4, "a.C.only");
    expect_name(5, "a.D.run");
}

Test(names, are_original_ones_with_a_mapping)
{
    load("1,1,a.a b ()V\n2,1,x.Kept go ()V\n",
         "com.example.First -> a.a:\n    1:3:void second():7:9 -> b\n");
    expect_name(1, "com.example.First.second");
    expect_name(2, "x.Kept.go");
}

/* Who prints them escapes them. */
Test(names, stay_as_they_are)
{
    load("1,1,a.\x1b[2J run\xc2\x9b ()V\n", NULL);
    expect_name(1, "a.\x1b[2J.run\xc2\x9b");
}

Test(names, need_a_map_that_can_be_read)
{
    struct mb_error err;

    bench_write_text("map.txt", "1,1,a\n");
    cr_expect(eq(int, answer_map_load(&names, bench_path("map.txt"), NULL, &err), MB_BAD_TEXT));
    answer_map_finish(&names);
    names = (struct answer_map){0};
    cr_expect(eq(int, answer_map_load(&names, bench_path("none"), NULL, &err), MB_IO));
}
