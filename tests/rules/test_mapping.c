#include "rules/mapping.h"

#include "base/check.h"
#include "tests/support/failing.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static struct rule_mapping *names_of(const char *text)
{
    struct rule_mapping *names = NULL;
    struct mb_error err = {0};

    cr_assert(eq(int, rule_mapping_parse(&names, mb_text_of(text), "m", &err), MB_OK), "%s: %s",
              err.input, err.reason);
    return names;
}

Test(mapping, classes_are_found_with_and_without_packages)
{
    struct rule_mapping *names = names_of("\xef\xbb\xbf# compiler: R8\n# {\"id\":\"x\"}\n\n"
                                          "com.app.Main -> a.b:\r\nTop -> c.d:\r\n"
                                          "# {\"id\":\"sourceFile\",\"fileName\":\"X.kt\"}\r\n"
                                          "com.app.In$ner -> e:");

    cr_expect(mb_text_is(rule_mapping_class(names, MB_TEXT("a/b")), "com/app/Main"));
    cr_expect(mb_text_is(rule_mapping_class(names, MB_TEXT("c/d")), "Top"));
    cr_expect(mb_text_is(rule_mapping_class(names, MB_TEXT("e")), "com/app/In$ner"));
    cr_expect(mb_text_is(rule_mapping_class(names, MB_TEXT("a")), "a"));
    cr_expect(mb_text_is(rule_mapping_class(NULL, MB_TEXT("a/b")), "a/b"));
    rule_mapping_destroy(names);
}

struct bad_case {
    const char *text;
    const char *place;
};

static const struct bad_case bad_cases[] = {
    {"a.B -> :", "m:1"},
    {" -> a:", "m:1"},
    {"a.B a:", "m:1"},
    {"# c\n    void run() -> a", "m:2"},
    {"a.B -> a:\r\n    void run()\r\n", "m:2"},
    {"a.B -> a:\n    run() -> a", "m:2"},
    {"a.B -> a:\n    void run( -> a", "m:2"},
    {"a.B -> a:\n    void (int) -> a", "m:2"},
    {"a.B -> a:\n    void c.(int) -> a", "m:2"},
    {"a.B -> a:\n    1:2:void run():x -> a", "m:2"},
    {"a.B -> a:\n    1:2:void run():1:2:3 -> a", "m:2"},
    {"a.B -> a:\n    void run()x -> a", "m:2"},
    {"a.B -> a:\n    12 -> a", "m:2"},
    {"a.B -> a:\n    int -> a", "m:2"},
    {"PK\x03\x04 no mapping", "m:1"},
};

EACH_ROW(mapping, malformed_lines_are_named, bad_cases);

ParameterizedTest(size_t *row, mapping, malformed_lines_are_named)
{
    const struct bad_case *c = &bad_cases[*row];
    struct rule_mapping *names = NULL;
    struct mb_error err = {0};

    cr_expect(eq(int, rule_mapping_parse(&names, mb_text_of(c->text), "m", &err), MB_BAD_TEXT),
              "%s", c->text);
    cr_expect_str_eq(err.input, c->place, "%s: %s: %s", c->text, err.input, err.reason);
    cr_expect(eq(ptr, names, NULL));
    rule_mapping_destroy(names);
}

Test(mapping, of_a_class_that_is_there_twice_the_last_counts)
{
    struct rule_mapping *names = names_of("a.One -> a.a:\n    void f() -> a\nb.Two -> a.a:\n"
                                          "    void g() -> b\n");
    struct mb_buf out = {0};

    cr_expect(mb_text_is(rule_mapping_class(names, MB_TEXT("a/a")), "b/Two"));
    rule_mapping_put_frame(&out, names, MB_TEXT("a.a.b"), NULL);
    cr_expect(mb_text_equal((struct mb_text){(char *)out.bytes, out.size}, MB_TEXT("b.Two.g\n")));
    mb_buf_finish(&out);
    rule_mapping_destroy(names);
}

Test(mapping, a_missing_file_fails)
{
    struct rule_mapping *names = NULL;
    struct mb_error err = {0};

    cr_expect(eq(int, rule_mapping_load(&names, "/nonexistent/mapping.txt", &err), MB_IO));
    cr_expect(eq(ptr, names, NULL));
}

static enum mb_status ask(struct rule_mapping **names, struct mb_arena *arena)
{
    static const char text[] = "com.app.Main -> a.b:\n    1:1:void x.Y.run(int) -> a\n";
    struct rule_original asked = {MB_TEXT("a/b"), MB_TEXT("a"), MB_TEXT("(I)V")};
    struct rule_original answer = {0};
    const struct rule_class_names *methods = NULL;

    MB_TRY(rule_mapping_parse(names, MB_TEXT(text), "m", NULL));
    MB_TRY(rule_mapping_open(*names, asked.class_name, arena, &methods, NULL));
    MB_TRY(rule_mapping_method(methods, &asked, &answer, NULL));
    cr_expect(mb_text_is(answer.class_name, "x/Y"));
    return MB_OK;
}

Test(mapping, every_failing_allocation_is_reported)
{
    enum mb_status status = MB_NO_MEMORY;
    int first = 0;

    mb_alloc_should_fail = fail_later;
    for (; first < 100 && status == MB_NO_MEMORY; first++) {
        struct rule_mapping *names = NULL;
        struct mb_arena arena = {0};
        allocations_left = first;
        status = ask(&names, &arena);
        rule_mapping_destroy(names);
        mb_arena_finish(&arena);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 2));
}
