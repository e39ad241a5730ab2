#include "cli/page.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static void expect_path(const char *trace, const char *expected)
{
    char *path = cli_page_path(trace);

    cr_expect_str_eq(path, expected);
    free(path);
}

Test(page, goes_beside_the_trace)
{
    expect_path("app.mbtrace", "app.html");
    expect_path("/tmp/a.b/app.mbtrace", "/tmp/a.b/app.html");
    expect_path("app", "app.html");
    expect_path("app.mbtrace.old", "app.mbtrace.old.html");
    expect_path(".mbtrace", ".mbtrace.html");
    expect_path("a/.mbtrace", "a/.mbtrace.html");
}
