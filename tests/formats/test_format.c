#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(format, every_format_is_found_by_its_name)
{
    static const char *const names[] = {"text", "json", "matrix", "folded", "chrome", "html"};

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        const struct format *format = format_find(names[i]);
        cr_assert(ne(ptr, (void *)(uintptr_t)format, NULL), "%s", names[i]);
        cr_expect_str_eq(format->name, names[i]);
    }
    cr_assert(eq(ptr, (void *)(uintptr_t)format_find("xml"), NULL));
}

static void expect_extension(const char *path, const char *name)
{
    const struct format *format = format_find_extension(path);

    cr_expect_str_eq(format != NULL ? format->name : "none", name, "%s", path);
}

Test(format, an_extension_tells_the_format)
{
    expect_extension("a/b.json", "json");
    expect_extension("b.trace.json", "chrome");
    expect_extension("b.chrome.json", "chrome");
    expect_extension("b.folded", "folded");
    expect_extension("b", "none");
    expect_extension(".json", "none");
}
