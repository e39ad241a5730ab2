#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

Test(export, every_format_is_found_by_its_name)
{
    static const char *const names[] = {"text", "json", "matrix", "folded", "chrome", "html"};

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        const struct export_format *format = export_find(names[i]);
        cr_assert(ne(ptr, (void *)(uintptr_t)format, NULL), "%s", names[i]);
        cr_expect_str_eq(format->name, names[i]);
    }
    cr_assert(eq(ptr, (void *)(uintptr_t)export_find("xml"), NULL));
}

static void expect_extension(const char *path, const char *name)
{
    const struct export_format *format = export_find_extension(path);

    cr_expect_str_eq(format != NULL ? format->name : "none", name, "%s", path);
}

Test(export, an_extension_tells_the_format)
{
    expect_extension("a/b.json", "json");
    expect_extension("b.trace.json", "chrome");
    expect_extension("b.chrome.json", "chrome");
    expect_extension("b.folded", "folded");
    expect_extension("b", "none");
    expect_extension(".json", "none");
}

Test(export, units_become_nanoseconds)
{
    cr_assert(eq(i64, export_ns(&sample_report, 3), 6000000));
    cr_assert(eq(i64, export_ns(&sample_report, -3), -6000000));
    cr_assert(eq(i64, export_ns(&sample_report, 0), 0));
}

static void expect_order(enum export_order order, const uint32_t ids[3])
{
    struct trace_method *rows = export_sort_methods(sample_methods, 3, order);

    cr_assert(ne(ptr, rows, NULL));
    for (size_t i = 0; i < 3; i++) {
        cr_expect(eq(u32, rows[i].id, ids[i]), "order %d, row %zu", (int)order, i);
    }
    free(rows);
}

Test(export, methods_sort_by_each_column_then_by_id)
{
    expect_order(EXPORT_BY_SELF, (const uint32_t[]){2, 3, 1});
    expect_order(EXPORT_BY_CALLS, (const uint32_t[]){3, 1, 2});
    free(export_sort_methods(NULL, 0, EXPORT_BY_SELF));
}

Test(export, sums_are_those_of_all_threads)
{
    const struct export_thread threads[] = {
        {.calls = 1,
         .losses = {.words = 2, .lost_exits = 1, .inferred_exits = 4},
         .start_ns = 50,
         .end_ns = 60},
        {.calls = 0, .lapped_words = 5, .start_ns = 1, .end_ns = 1},
        {.calls = 3, .dropped_calls = 2, .missing_words = 9, .start_ns = 40, .end_ns = 90},
    };
    struct export_report all = sample_report;

    all.threads = threads;
    all.thread_count = 3;
    struct export_sums sums = export_sum(&all);
    cr_expect(eq(u64, sums.words, 2));
    cr_expect(eq(u64, sums.lapped_words, 5));
    cr_expect(eq(u64, sums.missing_words, 9));
    cr_expect(eq(u64, sums.lost_exits, 1));
    cr_expect(eq(u64, sums.inferred_exits, 4));
    cr_expect(eq(u64, sums.calls, 4));
    cr_expect(eq(u64, sums.start_ns, 40), "a thread without calls has no start");
    cr_expect(eq(u64, sums.end_ns, 90));
    all.thread_count = 0;
    sums = export_sum(&all);
    cr_expect(eq(u64, sums.end_ns - sums.start_ns, 0));
}
