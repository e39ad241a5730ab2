#include "cli/run_map.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/test_run_map.XXXXXX";

static void begin(void)
{
    FILE *file;

    cr_assert(mkdtemp(home) != NULL && chdir(home) == 0);
    cr_assert(mkdir("out", 0700) == 0 && mkdir("out/classes", 0700) == 0);
    file = fopen("out/methodMapping.txt", "w");
    cr_assert(file != NULL && fclose(file) == 0);
}

static void end(void)
{
    (void)unlink("out/methodMapping.txt");
    (void)unlink("methodMapping.txt");
    (void)rmdir("out/classes");
    (void)rmdir("out");
    (void)rmdir(home);
}

TestSuite(run_map, .init = begin, .fini = end);

/* Words that getopt could take are strings of our own there, too. */
static void expect(const char *option, const char *path, const char *wanted)
{
    char java[] = "java";
    char *command[] = {java, strdup(option), path != NULL ? strdup(path) : NULL, NULL};
    struct cli_run_launch launch;
    cli_run_launch_read(&launch, command);
    char *map = cli_run_map(&launch);

    cr_expect(eq(int, map != NULL, wanted != NULL), "%s %s", option, path != NULL ? path : "");
    if (map != NULL && wanted != NULL) {
        cr_expect_str_eq(map, wanted);
    }
    cli_run_launch_finish(&launch);
    free(command[1]);
    free(command[2]);
    free(map);
}

Test(run_map, it_is_in_or_beside_a_part_of_a_path)
{
    expect("-jar", "out/app.jar", "out/methodMapping.txt");
    expect("-cp", "lib/a.jar:out/app.jar", "out/methodMapping.txt");
    expect("-classpath", "out/classes", "out/methodMapping.txt");
    expect("-p", "out/classes/", "out/methodMapping.txt");
    expect("--module-path", "out", "out/methodMapping.txt");
    expect("--class-path=::out", NULL, "out/methodMapping.txt");
    expect("-cp", "out/classes/", "out/methodMapping.txt");
}

Test(run_map, other_words_name_no_classes)
{
    expect("-jar", "lib/app.jar", NULL);
    expect("-jar", NULL, NULL);
    expect("-cp", "", NULL);
    expect("--classes=out", NULL, NULL);
    expect("-jar=out/app.jar", NULL, NULL);
    expect("-f", "out/app.jar", NULL);
}

static void expect_above(const char *option, const char *path)
{
    char *whole = realpath("out/methodMapping.txt", NULL);

    expect(option, path, whole);
    free(whole);
}

Test(run_map, it_is_above_them)
{
    expect_above("-jar", "out/classes/lib/app.jar");
    expect_above("-cp", "lib/a.jar:out/classes/lib/*");
    expect_above("-p", "out/classes/lib/");
    cr_assert(mkdir("out/methodMapping.txt.d", 0700) == 0 && chdir("out/methodMapping.txt.d") == 0);
    char *whole = realpath("../methodMapping.txt", NULL);
    expect("-jar", "app.jar", whole);
    expect("Main", NULL, whole);
    free(whole);
    cr_assert(chdir("../..") == 0 && rmdir("out/methodMapping.txt.d") == 0);
}

Test(run_map, where_we_are_and_at_the_root_too)
{
    FILE *file = fopen("methodMapping.txt", "w");

    cr_assert(file != NULL && fclose(file) == 0);
    expect("-jar", "app.jar", "methodMapping.txt");
    expect("-jar", "./app.jar", "./methodMapping.txt");
    expect("-jar", "/app.jar", NULL);
}
