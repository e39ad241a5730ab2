#include "base/file.h"

#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/mb-path-XXXXXX";

/* The working folder, with folders in, in/deep, a link away -> in/deep, and a file. */
static void make_root(void)
{
    cr_assert(mkdtemp(root) != NULL && chdir(root) == 0);
    cr_assert(mkdir("in", 0700) == 0 && mkdir("in/deep", 0700) == 0);
    cr_assert(symlink("in/deep", "away") == 0 && symlink("nowhere", "dangling") == 0);
    FILE *file = fopen("file", "w");
    cr_assert(file != NULL && fclose(file) == 0);
}

static void remove_root(void)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -rf %s", root);
    cr_assert(eq(int, system(command), 0));
}

static const struct resolve_case {
    const char *path;
    const char *resolved; /* below the root; from the file system's root behind '=' */
} resolve_cases[] = {
    {"out", "out"},
    {"./out//x", "out/x"},
    {"in/../out", "out"},
    {"in/deep/../../out/a", "out/a"},
    {"away/x", "in/deep/x"},
    {"away/../x", "in/x"},
    {"away", "away"},
    {"away/.", "in/deep"},
    {"dangling", "dangling"},
    {"new/deep/../x", "new/x"},
    {"new/../../x", "=/tmp/x"},
    {"file/x", "file/x"},
    {"in/", "in"},
    {"/", "=/"},
    {"/..", "=/"},
    {"/nowhere/../../x", "=/x"},
};

EACH_ROW(path, one_place_has_one_name, resolve_cases);

ParameterizedTest(size_t *row, path, one_place_has_one_name, .init = make_root, .fini = remove_root)
{
    const struct resolve_case *c = &resolve_cases[*row];
    struct mb_arena arena = {0};
    const char *resolved = NULL;
    char expected[128];

    (void)snprintf(expected, sizeof(expected), "%s/%s", root, c->resolved);
    cr_assert(eq(int, mb_path_resolve(c->path, &arena, &resolved, NULL), MB_OK));
    cr_assert_str_eq(resolved, c->resolved[0] == '=' ? c->resolved + 1 : expected, "%s", c->path);
    mb_arena_finish(&arena);
}

Test(path, a_working_folder_that_was_deleted_is_told, .init = make_root, .fini = remove_root)
{
    struct mb_arena arena = {0};
    struct mb_error err = {0};
    const char *resolved = NULL;

    cr_assert(eq(int, mkdir("gone", 0700), 0));
    cr_assert(chdir("gone") == 0 && rmdir("../gone") == 0);
    cr_assert(eq(int, mb_path_resolve("out/x", &arena, &resolved, &err), MB_IO));
    cr_assert(strstr(err.reason, "working folder") != NULL);
    cr_assert_str_eq(err.input, "out/x");
    cr_assert(eq(int, mb_path_resolve("/tmp/x", &arena, &resolved, &err), MB_OK));
    cr_assert_str_eq(resolved, "/tmp/x");
    mb_arena_finish(&arena);
}

Test(path, a_name_that_is_too_long_is_told, .init = make_root, .fini = remove_root)
{
    static char path[5000];
    struct mb_arena arena = {0};
    struct mb_error err = {0};
    const char *resolved = NULL;

    memset(path, 'x', sizeof(path) - 1);
    path[300] = '/';
    cr_assert(eq(int, mb_path_resolve(path, &arena, &resolved, &err), MB_IO));
    cr_assert(strstr(err.reason, "too long") != NULL);
    mb_arena_finish(&arena);
}
