#include "instrument/size.h"

#include "base/arena.h"
#include "base/text.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/methodbeat-size-XXXXXX";

static void make(void)
{
    cr_assert(mkdtemp(root) != NULL && chdir(root) == 0);
}

static void leave(void)
{
    cr_assert(eq(int, system("rm -r \"$PWD\""), 0));
}

/* A file of so many bytes below a folder; only its size counts. */
static void put(const char *path, size_t size)
{
    char copy[128];

    (void)snprintf(copy, sizeof(copy), "%s", path);
    for (char *slash = strchr(copy, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(copy, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    for (size_t i = 0; i < size; i++) {
        (void)fputc('x', file);
    }
    (void)fclose(file);
}

static void expect_table(size_t top, const char *expected)
{
    const struct ins_size_paths paths = {"old", "new"};
    struct mb_buf out = {0};

    cr_assert(eq(int, ins_size(&paths, top, &out, NULL), MB_OK));
    mb_buf_put_u1(&out, 0);
    const char *rows = strstr((char *)out.bytes, "bytes\n");
    cr_assert(rows != NULL);
    cr_expect_str_eq(rows + 6, expected, "%s", (char *)out.bytes);
    mb_buf_finish(&out);
}

Test(size, tells_packages_by_growth, .init = make, .fini = leave)
{
    put("old/a/A.class", 100);
    put("old/a/A$1.class", 50);
    put("old/a/b/B.class", 200);
    put("old/a/b/text", 999);
    put("old/Main.class", 10);
    put("old/META-INF/versions/11/a/b/B.class", 40);
    put("old/WEB-INF/classes/w/W.class", 70);
    put("new/a/A.class", 110);
    put("new/a/A$1.class", 50);
    put("new/a/b/B.class", 240);
    put("new/Main.class", 10);
    put("new/META-INF/versions/11/a/b/B.class", 60);
    put("new/w/W.class", 80);
    put("new/z/Added.class", 5);
    expect_table(9, "          85      18.1          470        6  all\n"
                    "          60      25.0          240        2  a/b\n"
                    "          10       6.7          150        2  a\n"
                    "          10      14.3           70        1  w\n"
                    "           5       0.0            0        0  z\n"
                    "           0       0.0           10        1  (none)\n");
    expect_table(1, "          85      18.1          470        6  all\n"
                    "          60      25.0          240        2  a/b\n"
                    "and 4 more packages (--top)\n");
}

Test(size, of_nothing_and_of_what_is_not_there, .init = make, .fini = leave)
{
    const struct ins_size_paths paths = {"old", "none"};
    struct mb_buf out = {0};
    struct mb_error err;

    put("old/text", 3);
    put("new/text", 4);
    expect_table(9, "           0       0.0            0        0  all\n");
    cr_assert(eq(int, ins_size(&paths, 9, &out, &err), MB_IO));
    cr_expect(strstr(err.input, "none") != NULL);
    cr_expect(eq(sz, out.size, 0));
    mb_buf_finish(&out);
}

Test(size, runs_out_of_memory_cleanly, .init = make, .fini = leave)
{
    const struct ins_size_paths paths = {"old", "old"};
    enum mb_status status = MB_NO_MEMORY;

    put("old/a/A.class", 100);
    for (int tries = 0; status == MB_NO_MEMORY; tries++) {
        struct mb_buf out = {0};
        allocations_left = tries;
        mb_alloc_should_fail = fail_after;
        status = ins_size(&paths, 9, &out, NULL);
        mb_alloc_should_fail = NULL;
        mb_buf_finish(&out);
    }
    cr_assert(eq(int, status, MB_OK));
}
