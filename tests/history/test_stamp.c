#include "instrument/history/stamp.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test is in a process and in a folder of its own. */
static char folder[] = "/tmp/methodbeat-stamp-XXXXXX";

static void make_folder(void)
{
    cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
}

static void remove_folder(void)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    cr_assert(chdir("/") == 0 && system(command) == 0);
}

TestSuite(stamp, .init = make_folder, .fini = remove_folder);

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static uint64_t hash_of(const char *path)
{
    uint64_t hash = 1;

    cr_assert(eq(int, history_hash_content(&hash, path, NULL), MB_OK));
    return hash;
}

Test(stamp, tells_a_file_from_its_successors)
{
    put("a", "text");
    struct history_stamp stamp = history_stamp_of("a");
    cr_assert(history_is_stamped(&stamp, "a"));
    put("b", "text");
    cr_assert(eq(int, rename("b", "a"), 0));
    cr_assert(not(history_is_stamped(&stamp, "a")));
    cr_assert(eq(int, unlink("a"), 0));
    stamp = history_stamp_of("a");
    cr_assert(eq(u64, stamp.number, 0));
    cr_assert(not(history_is_stamped(&stamp, "a")));
}

/* What is stamped before the commit is what is there behind it. */
Test(stamp, knows_outputs_before_they_are_in_place)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%s/out/a", folder);
    struct pub_outputs *publish = pub_create();
    cr_assert(eq(int, pub_write(publish, path, "text", 4, NULL), MB_OK));
    struct history_stamp stamp = history_stamp_output(publish, path);
    cr_assert(not(history_is_stamped(&stamp, path)));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(history_is_stamped(&stamp, path));
}

Test(stamp, hashes_what_is_in_a_folder)
{
    cr_assert(eq(int, mkdir("f", 0777), 0));
    put("f/a", "one");
    uint64_t one = hash_of("f");
    cr_assert(eq(u64, hash_of("f"), one));
    put("f/a", "two");
    uint64_t two = hash_of("f");
    cr_assert(ne(u64, two, one));
    cr_assert(eq(int, rename("f/a", "f/b"), 0));
    cr_assert(ne(u64, hash_of("f"), two));
    cr_assert(eq(u64, hash_of("f/b"), hash_of("f/b")));
}
