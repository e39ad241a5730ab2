#include "sample.h"

#include "formats/html.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(html, has_the_parts_in_order)
{
    static const char *const parts[] = {
        "<!doctype html>", "Content-Security-Policy", "<p class=\"lead\">", "id=\"trust\"",
        "id=\"slow\"",     "id=\"methods\"",          "id=\"threads\"",     "</html>"};
    const char *at = sample_write(&format_html, &sample_report);

    for (size_t i = 0; i < MB_COUNT(parts); i++) {
        const char *found = strstr(at, parts[i]);
        cr_assert(ne(sz, (uintptr_t)found, 0), "%s is not where it should be", parts[i]);
        at = found;
    }
}

Test(html, escapes_names)
{
    (void)sample_write(&format_html, &sample_report);
    sample_expect("<title>p&quot;q - methodbeat</title>");
    sample_expect("B;&quot;c&quot; +</span>");
    sample_expect("<dt>note</dt><dd>names are from something &quot;odd&quot;</dd>");
}

Test(html, is_small_without_a_trace)
{
    size_t size = format_page_style_size + format_page_chart_size + format_page_program_size;

    cr_expect(le(sz, size, 123904), "121 KiB");
}

/* The first and the last bytes of what is allowed to run and to style are what was hashed. */
Test(html, has_the_style_that_its_policy_allows)
{
    const char *page = sample_write(&format_html, &sample_report);

    sample_expect(format_page_style_hash);
    sample_expect(format_page_program_hash);
    cr_expect(
        eq(int, memcmp(strstr(page, "<style>") + 7, format_page_style, format_page_style_size), 0));
}
