#include "abi/tracefile.h"
#include "recorder/output.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(output, .init = traces_make_folder, .fini = traces_remove_folder);

static bool can_create(void)
{
    struct beat_output output;
    struct mb_error err;

    if (beat_output_create(&output, traces_path, &err) != MB_OK) {
        (void)snprintf(traces_log, sizeof(traces_log), "%s", err.reason);
        return false;
    }
    beat_output_discard(&output);
    return true;
}

Test(output, takes_the_place_of_a_trace_or_of_nothing)
{
    cr_assert(can_create());
    traces_write(traces_path, "");
    cr_assert(can_create());
    traces_write(traces_path, ABI_TRACE_MAGIC "and so on");
    cr_assert(can_create());
    cr_assert(eq(sz, traces_count_files(), 1)); /* discarded ones are gone */
}

Test(output, takes_the_place_of_nothing_else)
{
    traces_write(traces_path, "mbtrac"); /* cut short */
    cr_assert(not(can_create()));
    cr_assert_str_eq(traces_log, "a file that is no trace is in the way");
    traces_write(traces_path, "my diary, of some length");
    cr_assert(not(can_create()));
    cr_assert(eq(int, unlink(traces_path), 0));
    cr_assert(eq(int, mkdir(traces_path, 0700), 0));
    cr_assert(not(can_create()));
}

Test(output, follows_no_symbolic_link)
{
    char target[160];

    (void)snprintf(target, sizeof(target), "%s/target", traces_folder);
    traces_write(target, ABI_TRACE_MAGIC);
    cr_assert(eq(int, symlink(target, traces_path), 0));
    cr_assert(not(can_create()));
    cr_assert_str_eq(traces_log, "a symbolic link is in the way");
    cr_assert(eq(int, unlink(target), 0)); /* one that leads nowhere: open would create it */
    cr_assert(not(can_create()));
    cr_assert(eq(int, access(target, F_OK), -1));
}

Test(output, is_readable_by_its_owner_alone_and_appears_when_told)
{
    struct beat_output output;
    struct stat info;

    (void)umask(0);
    cr_assert(eq(int, beat_output_create(&output, traces_path, NULL), MB_OK));
    cr_assert(eq(int, access(traces_path, F_OK), -1));
    cr_assert(eq(int, beat_output_appear(&output, traces_path, NULL), MB_OK));
    beat_output_discard(&output);
    cr_assert(eq(int, stat(traces_path, &info), 0));
    cr_assert(eq(u32, info.st_mode & 07777, 0600));
    cr_assert(eq(sz, traces_count_files(), 1));
}

Test(output, two_for_one_path_do_not_share_a_file)
{
    struct beat_output a;
    struct beat_output b;

    cr_assert(eq(int, beat_output_create(&a, traces_path, NULL), MB_OK));
    cr_assert(eq(int, beat_output_create(&b, traces_path, NULL), MB_OK));
    cr_assert(ne(int, strcmp(a.temporary, b.temporary), 0));
    beat_output_discard(&a);
    cr_assert(eq(int, beat_output_appear(&b, traces_path, NULL), MB_OK));
    beat_output_discard(&b);
    cr_assert(eq(sz, traces_count_files(), 1));
}

/* The kernel sends SIGXFSZ to who passes the limit, which ends a process that did not expect it. */
Test(output, meets_the_limit_of_file_sizes_without_a_signal)
{
    struct rlimit limit = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    struct beat_output output;

    cr_assert(eq(int, beat_output_create(&output, traces_path, NULL), MB_OK));
    cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &limit), 0));
    cr_assert(eq(int, beat_output_set_size(output.fd, 4096, NULL), MB_OK));
    cr_assert(eq(int, beat_output_set_size(output.fd, 4097, NULL), MB_IO));
    beat_output_discard(&output);
}
