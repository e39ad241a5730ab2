#include "abi/control.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

Test(control, a_request_waits_for_the_one_before)
{
    struct abi_trace_header header = {0};
    uint64_t number = 0;

    cr_assert(abi_control_ask(&header, ABI_CONTROL_DUMP, &number));
    cr_expect(eq(u64, number, 1));
    cr_expect(eq(u32, abi_control_detail(header.request), ABI_CONTROL_DUMP));
    cr_expect(not(abi_control_ask(&header, ABI_CONTROL_STOP, &number)));
    header.answered = abi_control_word(1, ABI_CONTROL_FAILED);
    cr_assert(abi_control_ask(&header, ABI_CONTROL_STOP, &number));
    cr_expect(eq(u64, number, 2));
    cr_expect(eq(u64, abi_control_number(header.request), 2));
}

Test(control, nobody_is_asked_who_does_not_listen)
{
    struct abi_trace_header header = {.answered = ABI_CONTROL_DEAF};
    uint64_t number = 0;

    cr_expect(not(abi_control_ask(&header, ABI_CONTROL_DUMP, &number)));
    cr_expect(eq(u64, header.request, 0));
}

struct path_case {
    const char *trace;
    const char *dump;
};

static const struct path_case path_cases[] = {
    {"/a/app.mbtrace", "/a/app.77-3.mbtrace"},
    {"app", "app.77-3.mbtrace"},
    {".mbtrace", ".mbtrace.77-3.mbtrace"},
    {"/a.mbtrace/b", "/a.mbtrace/b.77-3.mbtrace"},
};

EACH_ROW(control, dumps_lie_beside_the_trace, path_cases);

ParameterizedTest(size_t *row, control, dumps_lie_beside_the_trace)
{
    char path[64];

    cr_assert(abi_control_dump_path(path, sizeof(path), path_cases[*row].trace, 77, 3));
    cr_expect_str_eq(path, path_cases[*row].dump);
    cr_expect(not(
        abi_control_dump_path(path, strlen(path_cases[*row].dump), path_cases[*row].trace, 77, 3)));
}

Test(control, a_deleted_file_keeps_its_name)
{
    char path[] = "/a/b (deleted)";
    char whole[] = " (deleted)";

    abi_control_trim(path);
    cr_expect_str_eq(path, "/a/b");
    abi_control_trim(whole);
    cr_expect_str_eq(whole, " (deleted)");
}
