#include "archive/input.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test works in a folder of its own, which goes with all that is in it. */
static char root[] = "/tmp/mb-folder-XXXXXX";

static void enter(void)
{
    cr_assert(mkdtemp(root) != NULL && chdir(root) == 0);
}

static void leave(void)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -r %s", root);
    cr_expect(eq(int, chdir("/"), 0));
    cr_expect(eq(int, system(command), 0));
}

static void make_folder(const char *path)
{
    cr_assert(eq(int, mkdir(path, 0777), 0));
}

static void make_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0666);

    cr_assert(fd >= 0);
    cr_assert(eq(int, (int)write(fd, path, strlen(path)), (int)strlen(path)));
    close(fd);
}

static void expect_entries(const char *const *names, size_t count)
{
    struct ar_input *input;

    cr_assert(eq(int, ar_input_open(&input, ".", NULL), MB_OK));
    cr_expect(eq(sz, ar_input_count(input), count));
    for (size_t i = 0; i < count && i < ar_input_count(input); i++) {
        cr_expect_str_eq(ar_input_entry(input, i)->name.data, names[i]);
    }
    ar_input_close(input);
}

Test(folder, files_are_sorted_by_path)
{
    static const char *const names[] = {"a-b", "a/C.class", "a/b/c", "b"};

    enter();
    make_file("b");
    make_folder("a");
    make_folder("a/b");
    make_file("a/b/c");
    make_file("a/C.class");
    make_file("a-b");
    make_folder("empty");
    expect_entries(names, MB_COUNT(names));
    leave();
}

Test(folder, content_is_read_from_what_links_lead_to)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);
    struct mb_buf scratch = {0};
    struct mb_text content;
    struct ar_input *input;

    enter();
    make_folder("a");
    make_file("a/x");
    cr_assert(eq(int, symlink("a/x", "y"), 0));
    cr_assert(eq(int, symlink("a", "z"), 0));
    cr_assert(eq(int, ar_input_open(&input, ".", NULL), MB_OK));
    cr_assert(eq(sz, ar_input_count(input), 3)); /* a/x, y, z/x */
    for (size_t i = 0; i < 3; i++) {
        cr_assert(eq(int, ar_entry_read(input, i, codec, &scratch, &content, NULL), MB_OK));
        cr_expect(mb_text_is(content, "a/x"));
    }
    ar_input_close(input);
    ar_codec_destroy(codec);
    mb_buf_finish(&scratch);
    leave();
}

/* Two links in each of two folders: without looking back, 2 to the power of 40 paths. */
Test(folder, links_back_are_passed_over)
{
    static const char *const names[] = {"a/b/x", "a/x2", "top"};

    enter();
    make_folder("a");
    make_folder("a/b");
    make_file("a/b/x");
    make_file("a/x2");
    make_file("top");
    cr_assert(eq(int, symlink(".", "self"), 0));
    cr_assert(eq(int, symlink("..", "a/up"), 0));
    cr_assert(eq(int, symlink("../..", "a/b/top"), 0));
    cr_assert(eq(int, symlink("..", "a/b/up"), 0));
    expect_entries(names, MB_COUNT(names));
    leave();
}

/* 30 folders, each with two links to the next: a thousand million paths, none of them a circle. */
Test(folder, a_bomb_of_links_is_refused)
{
    struct mb_error err = {0};
    struct ar_input *input;

    enter();
    for (int i = 0; i < 30; i++) {
        char path[32];
        char next[32];
        (void)snprintf(path, sizeof(path), "d%d", i);
        make_folder(path);
        (void)snprintf(next, sizeof(next), "../d%d", i + 1);
        (void)snprintf(path, sizeof(path), "d%d/a", i);
        cr_assert(eq(int, symlink(next, path), 0));
        (void)snprintf(path, sizeof(path), "d%d/b", i);
        cr_assert(eq(int, symlink(next, path), 0));
    }
    make_folder("d30");
    cr_expect(eq(int, ar_input_open(&input, ".", &err), MB_IO));
    cr_expect_str_eq(err.reason, "links lead to over 100000 folders");
    leave();
}

Test(folder, links_to_nothing_and_pipes_are_passed_over)
{
    static const char *const names[] = {"b"};

    enter();
    make_file("b");
    cr_assert(symlink("nowhere", "a") == 0 && symlink("self", "self") == 0 &&
              symlink("b/c", "below") == 0 && mkfifo("pipe", 0666) == 0);
    expect_entries(names, MB_COUNT(names));
    leave();
}

Test(folder, without_links_it_has_its_own_files_alone)
{
    struct ar_input *input;

    enter();
    make_folder("a");
    make_file("a/own");
    cr_assert(symlink("a", "other") == 0 && symlink("a/own", "same") == 0 &&
              symlink("nowhere", "none") == 0);
    cr_assert(eq(int, ar_input_open_without_links(&input, ".", NULL), MB_OK));
    cr_assert(eq(sz, ar_input_count(input), 1));
    cr_expect_str_eq(ar_input_entry(input, 0)->name.data, "a/own");
    ar_input_close(input);
    leave();
}
