#include "sample.h"

#include "formats/html.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

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
