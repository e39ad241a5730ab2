#include "cli/arguments.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/methodbeat-arguments-XXXXXX";

/* A file of these bytes, as an argument. */
static char *at_file(const char *bytes, size_t size)
{
    static char argument[sizeof(path) + 1];
    int fd = mkstemp(path);

    cr_assert(ge(int, fd, 0));
    cr_assert(eq(int, (int)write(fd, bytes, size), (int)size));
    (void)close(fd);
    (void)snprintf(argument, sizeof(argument), "@%s", path);
    return argument;
}

static void expect_words(int argc, char **argv, const char *const *expected)
{
    for (int i = 0; i < argc; i++) {
        cr_assert(ne(ptr, (void *)(uintptr_t)expected[i], NULL), "too many: %s", argv[i]);
        cr_expect_str_eq(argv[i], expected[i]);
    }
    cr_expect(eq(ptr, (void *)(uintptr_t)expected[argc], NULL));
    cr_expect(eq(ptr, argv[argc], NULL));
}

Test(arguments, lines_stand_for_the_file)
{
    static const char bytes[] = "-o\nout dir\r\n\n@not-again\nlast";
    char program[] = "instrument";
    char before[] = "a.jar";
    char *words[] = {program, before, at_file(bytes, sizeof(bytes) - 1), before, NULL};
    char **argv = words;
    int argc = 4;
    struct mb_arena arena = {0};

    cr_assert(eq(int, cli_expand_arguments(&arena, &argc, &argv, NULL), MB_OK));
    expect_words(argc, argv,
                 (const char *const[]){"instrument", "a.jar", "-o", "out dir", "@not-again", "last",
                                       "a.jar", NULL});
    mb_arena_finish(&arena);
    (void)unlink(path);
}

Test(arguments, the_program_is_no_file)
{
    char program[] = "@program";
    char *words[] = {program, NULL};
    char **argv = words;
    int argc = 1;
    struct mb_arena arena = {0};

    cr_assert(eq(int, cli_expand_arguments(&arena, &argc, &argv, NULL), MB_OK));
    expect_words(argc, argv, (const char *const[]){"@program", NULL});
    mb_arena_finish(&arena);
}

Test(arguments, a_file_that_is_not_there_has_a_name)
{
    char program[] = "instrument";
    char missing[] = "@/nowhere/at/all";
    char *words[] = {program, missing, NULL};
    char **argv = words;
    int argc = 2;
    struct mb_arena arena = {0};
    struct mb_error err;

    cr_assert(eq(int, cli_expand_arguments(&arena, &argc, &argv, &err), MB_IO));
    cr_expect_str_eq(err.input, "/nowhere/at/all");
    cr_expect(eq(int, argc, 2));
    mb_arena_finish(&arena);
}
