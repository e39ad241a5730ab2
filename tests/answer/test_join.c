#include "answer/map.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char map_path[] = "/tmp/test_join.XXXXXX";
static char mapping_path[] = "/tmp/test_join.XXXXXX";

static const char *put_file(char *path, const char *text)
{
    FILE *file = fdopen(mkstemp(path), "w");

    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static void remove_files(void)
{
    (void)unlink(map_path);
    (void)unlink(mapping_path);
}

static void expect_name(const struct answer_map *map, uint32_t id, const char *wanted)
{
    const struct answer_names names = answer_map_names(map);
    struct mb_text found = names.find(names.context, answer_map_joined(map, id));

    cr_expect(mb_text_is(found, wanted), "%u is %.*s, not %s", id, (int)found.size, found.data,
              wanted);
}

static const char methods[] = "1,1,a.B one (I)V\n"
                              "2,1,a.B two (I)V\n"
                              "3,1,a.B two (J)V\n";

Test(join, finds_the_only_method_of_a_name, .fini = remove_files)
{
    const struct answer_map_source source = {
        .map_path = put_file(map_path, methods),
        .own = MB_TEXT("524286,0,a.B one\n524287,0,a.B two\n524288,0,java.lang.Thread sleep\n"),
        .own_path = "trace",
    };
    struct answer_map map = {0};
    struct mb_error err;

    cr_assert(eq(int, answer_map_open(&map, &source, &err), MB_OK));
    cr_expect(eq(u32, answer_map_joined(&map, 524286), 1));
    cr_expect(eq(u32, answer_map_joined(&map, 524287), 524287), "one of two overloads");
    expect_name(&map, 524286, "a.B.one");
    expect_name(&map, 1, "a.B.one");
    expect_name(&map, 2, "a.B.two(int)");
    expect_name(&map, 524287, "a.B.two");
    expect_name(&map, 524288, "java.lang.Thread.sleep");
    answer_map_finish(&map);
}

Test(join, knows_names_of_before_the_program_was_shrunk, .fini = remove_files)
{
    struct rule_builds mapping = {
        .path = put_file(mapping_path, "a.B -> x.y:\n    void one(int) -> a\n"
                                       "    void two(int) -> b\n    void two(long) -> b\n")};
    const struct answer_map_source source = {
        .map_path = put_file(map_path, methods),
        .own = MB_TEXT("524286,0,x.y a\n524287,0,x.y b\n524288,0,x.z a\n"),
        .own_path = "trace",
        .mapping = &mapping,
    };
    struct answer_map map = {0};
    struct mb_error err;

    cr_assert(eq(int, answer_map_open(&map, &source, &err), MB_OK));
    cr_expect(eq(u32, answer_map_joined(&map, 524286), 1));
    expect_name(&map, 524286, "a.B.one");
    expect_name(&map, 524287, "a.B.two");
    expect_name(&map, 524288, "x.z.a");
    answer_map_finish(&map);
    rule_builds_finish(&mapping);
}

Test(join, takes_names_of_the_trace_alone)
{
    const struct answer_map_source source = {
        .own = MB_TEXT("7,1,a.B one (I)V\n524287,0,a.B one\n524288,0,a.C one\n"),
        .own_path = "trace",
    };
    struct answer_map map = {0};
    struct mb_error err;

    cr_assert(eq(int, answer_map_open(&map, &source, &err), MB_OK));
    cr_expect(eq(u32, answer_map_joined(&map, 524287), 7));
    expect_name(&map, 524288, "a.C.one");
    answer_map_finish(&map);
}
