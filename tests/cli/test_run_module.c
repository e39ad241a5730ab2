#include "cli/run_module.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "@/tmp/test_run_module.XXXXXX";

static void expect(char **command, const char *wanted)
{
    char *module = cli_run_module(command);

    cr_assert(eq(int, module != NULL, wanted != NULL));
    if (wanted != NULL) {
        cr_expect_str_eq(module, wanted);
    }
    free(module);
}

static void expect_of_file(const char *text, const char *wanted)
{
    char java[] = "java";
    char *command[] = {java, path, NULL};
    FILE *file = fopen(path + 1, "w");

    cr_assert(file != NULL);
    (void)fputs(text, file);
    (void)fclose(file);
    expect(command, wanted);
}

Test(run_module, it_follows_its_option)
{
    char java[] = "java";
    char option[] = "-m";
    char name[] = "a.b/c.D";
    char joined[] = "--module=x";
    char program[] = "-jar";

    expect((char *[]){java, option, name, NULL}, "a.b");
    expect((char *[]){java, joined, NULL}, "x");
    expect((char *[]){java, program, name, NULL}, NULL);
    expect((char *[]){java, option, NULL}, NULL);
    expect((char *[]){NULL}, NULL);
}

Test(run_module, files_of_arguments_are_read)
{
    int fd = mkstemp(path + 1);

    cr_assert(ge(int, fd, 0));
    (void)close(fd);
    expect_of_file("-p x -m a/b", "a");
    expect_of_file("# -m a/b\n--module\n\t\"c/d\" -m e/f\n", "c");
    expect_of_file("'--module=g/h'", "g");
    expect_of_file("-m", NULL);
    expect_of_file("\"-m", NULL);
    expect_of_file("", NULL);
    (void)unlink(path + 1);
    cr_assert(eq(int, mkfifo(path + 1, 0600), 0));
    char pipe[] = "java";
    expect((char *[]){pipe, path, NULL}, NULL); /* and does not wait for a writer */
    (void)unlink(path + 1);
    char java[] = "java";
    expect((char *[]){java, path, NULL}, NULL); /* there is no such file */
}
