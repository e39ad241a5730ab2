#include "base/mapping.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_SIZE ((size_t)256 * 1024)

static sigjmp_buf back;
static const char *volatile cut_path;

static void remember(const char *path)
{
    cut_path = path;
    siglongjmp(back, 1);
}

/* A file of FILE_SIZE 'x' without a name. */
static int make_file(void)
{
    char name[] = "/tmp/methodbeat-mapping-XXXXXX";
    int fd = mkstemp(name);
    static char bytes[FILE_SIZE];

    memset(bytes, 'x', sizeof(bytes));
    cr_assert(fd >= 0 && unlink(name) == 0);
    cr_assert(write(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes));
    return fd;
}

static struct mb_text map(int fd, const char *path)
{
    struct mb_text bytes;

    cr_assert(eq(int, mb_map(&bytes, fd, FILE_SIZE, path, NULL), MB_OK));
    return bytes;
}

static bool is_cut(struct mb_text bytes, size_t offset)
{
    const volatile char *view = bytes.data;

    cut_path = NULL;
    if (sigsetjmp(back, 1) == 0) {
        return view[offset] != 'x';
    }
    return true;
}

Test(mapping, the_file_that_was_cut_is_named)
{
    int fds[] = {make_file(), make_file()};
    struct mb_text first = map(fds[0], "first");
    struct mb_text second = map(fds[1], "second");

    mb_mapping_catch(remember);
    cr_assert(eq(int, ftruncate(fds[1], 65536), 0));
    cr_assert(not(is_cut(first, FILE_SIZE - 1)));
    cr_assert(not(is_cut(second, 65535)));
    cr_assert(is_cut(second, FILE_SIZE - 1));
    cr_assert_str_eq(cut_path, "second");
    cr_assert(eq(int, ftruncate(fds[0], 0), 0));
    cr_assert(is_cut(first, 0));
    cr_assert_str_eq(cut_path, "first");
    mb_unmap(first);
    mb_unmap(second);
}

Test(mapping, a_place_in_the_list_is_used_again)
{
    int fd = make_file();

    mb_mapping_catch(remember);
    for (int i = 0; i < 3; i++) {
        mb_unmap(map(fd, "old"));
    }
    struct mb_text bytes = map(fd, "new");
    cr_assert(eq(int, ftruncate(fd, 0), 0));
    cr_assert(is_cut(bytes, 1));
    cr_assert_str_eq(cut_path, "new");
    mb_unmap(bytes);
}

Test(mapping, a_signal_from_elsewhere_still_kills, .signal = SIGBUS)
{
    mb_mapping_catch(remember);
    (void)raise(SIGBUS);
    (void)raise(SIGBUS);
}
