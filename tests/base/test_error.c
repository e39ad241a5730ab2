#include "base/error.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(error, innermost_truth_wins)
{
    struct mb_error err = {0};
    char text[1024];

    (void)mb_fail(&err, MB_BAD_CLASS, 0x1c4, "branch target %u is outside the code", 70U);
    mb_error_in_method(&err, "run", 3, "()V", 3);
    mb_error_in_method(&err, "other", 5, "()I", 3);
    mb_error_in_class(&err, "a/B", 3);
    mb_error_in_entry(&err, "app.jar", "a/B.class", 9);
    mb_error_in_input(&err, "ignored");
    cr_assert_str_eq(mb_error_format(&err, text, sizeof(text)),
                     "app.jar!a/B.class: run()V @ 0x1c4: branch target 70 is outside the code");
}

Test(error, class_is_named_where_no_input_is)
{
    struct mb_error err = {0};
    char text[1024];

    (void)mb_fail(&err, MB_BAD_CLASS, MB_NO_OFFSET, "no code");
    mb_error_in_method(&err, "run", 3, "()V", 3);
    mb_error_in_class(&err, "a/B", 3);
    cr_assert_str_eq(mb_error_format(&err, text, sizeof(text)), "a/B.run()V: no code");
}

Test(error, a_line_of_a_text_is_named)
{
    struct mb_error err = {0};
    char text[1024];

    (void)mb_fail(&err, MB_BAD_TEXT, MB_NO_OFFSET, "no rule");
    mb_error_at_line(&err, "black.txt", 12);
    mb_error_in_input(&err, "ignored");
    cr_assert_str_eq(mb_error_format(&err, text, sizeof(text)), "black.txt:12: no rule");
}

Test(error, an_empty_path_shows)
{
    struct mb_error err = {0};
    char text[1024];

    (void)mb_fail(&err, MB_IO, MB_NO_OFFSET, "not there");
    mb_error_in_input(&err, "");
    cr_assert_str_eq(mb_error_format(&err, text, sizeof(text)), "'': not there");
}

Test(error, long_text_is_cut_and_terminated)
{
    static char name[1000];
    struct mb_error err = {0};
    char text[64];

    memset(name, 'x', sizeof(name));
    (void)mb_fail(&err, MB_IO, MB_NO_OFFSET, "%.900s", name);
    mb_error_in_class(&err, name, sizeof(name));
    mb_error_in_method(&err, name, sizeof(name), name, sizeof(name));
    cr_assert(lt(sz, strlen(mb_error_format(&err, text, sizeof(text))), sizeof(text)));
}

Test(error, null_is_allowed)
{
    cr_assert(eq(int, mb_fail(NULL, MB_IO, 0, "x"), MB_IO));
    mb_error_in_class(NULL, "a", 1);
    mb_error_in_method(NULL, "a", 1, "b", 1);
    mb_error_in_input(NULL, "a");
    mb_error_in_entry(NULL, "a", "b", 1);
    mb_error_at_line(NULL, "a", 1);
}
