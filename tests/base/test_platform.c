/* What systems have in different ways: files, folders, locks and paths. */

#include "base/platform.h"

#include "base/platform_folder.h"
#include "base/platform_system.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/mb-platform-XXXXXX";

static void make_bench(void)
{
    cr_assert(mb_folder_make_new(folder));
    cr_assert_eq(chdir(folder), 0);
}

static bool is_any(const char *name)
{
    return name[0] != '.';
}

static void remove_bench(void)
{
    struct mb_folder open;

    cr_assert(mb_folder_open(&open, folder));
    cr_expect(mb_folder_remove_some(&open, is_any));
    mb_folder_close(&open);
    cr_expect(mb_folder_remove(NULL, folder));
}

TestSuite(platform, .init = make_bench, .fini = remove_bench);

static void put_file(const char *name, const char *text)
{
    int fd = mb_file_open(NULL, name, MB_FILE_EMPTY);

    cr_assert(fd >= 0);
    cr_assert(mb_file_put(fd, text, strlen(text)));
    cr_assert_eq(close(fd), 0);
}

static void expect_text(const char *name, const char *text)
{
    char bytes[64] = "";
    int fd = mb_file_open(NULL, name, MB_FILE_READ);

    cr_assert(fd >= 0);
    cr_expect(mb_file_get(fd, bytes, sizeof(bytes) - 1) >= 0);
    cr_expect_str_eq(bytes, text);
    (void)close(fd);
}

Test(platform, opens_files_as_it_says)
{
    put_file("a", "one");
    cr_expect(mb_file_open(NULL, "a", MB_FILE_NEW) < 0);
    cr_expect(errno == EEXIST);
    cr_expect(mb_file_open(NULL, "b", MB_FILE_READ) < 0);
    cr_expect(errno == ENOENT);
    int fd = mb_file_open(NULL, "a", MB_FILE_APPEND);
    cr_assert(mb_file_put(fd, "two", 3));
    (void)close(fd);
    expect_text("a", "onetwo");
    fd = mb_file_open(NULL, "a", MB_FILE_UPDATE);
    cr_assert(mb_file_put_at(fd, "N", 1, 1));
    cr_assert(mb_file_cut(fd, 4));
    (void)close(fd);
    expect_text("a", "oNet");
}

Test(platform, does_not_follow_links_where_it_says_so)
{
    struct mb_file_info info;
    struct mb_file_info linked;

    put_file("a", "one");
    cr_assert_eq(symlink("a", "link"), 0);
    cr_expect(mb_file_open(NULL, "link", MB_FILE_APPEND) < 0);
    cr_expect(mb_file_open(NULL, "link", MB_FILE_READ_NAME) < 0);
    cr_expect(mb_file_open(NULL, "link", MB_FILE_NEW) < 0);
    cr_assert(mb_file_look_at_link(NULL, "link", &info));
    cr_expect(info.type == MB_FILE_LINK);
    cr_assert(mb_file_look(NULL, "link", &info) && mb_file_look(NULL, "a", &linked));
    cr_expect(info.type == MB_FILE_REGULAR && mb_file_id_is(info.id, linked.id));
    cr_expect(info.size == 3);
}

Test(platform, lists_each_entry_once)
{
    static const char *const names[] = {"a", "b", "c"};
    size_t counts[MB_COUNT(names)] = {0};
    struct mb_entry entry;
    struct mb_listing *listing;

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        put_file(names[i], "");
    }
    listing = mb_listing_begin(NULL, folder);
    cr_assert_neq(listing, NULL);
    while (mb_listing_next(listing, &entry)) {
        cr_assert(strlen(entry.name) == 1 && entry.name[0] >= 'a' && entry.name[0] <= 'c');
        cr_expect(entry.type == MB_FILE_REGULAR || entry.type == MB_FILE_UNKNOWN);
        counts[entry.name[0] - 'a']++;
    }
    cr_expect(errno == 0);
    mb_listing_end(listing);
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        cr_expect(counts[i] == 1);
    }
    cr_expect_eq(mb_listing_begin(NULL, "none"), NULL);
    cr_expect(errno == ENOENT);
}

Test(platform, renames_over_a_file_that_others_read)
{
    struct mb_folder here;
    char text[8] = "";

    cr_assert(mb_folder_open(&here, folder));
    put_file("old", "old");
    put_file("new", "new");
    int fd = mb_file_open(&here, "old", MB_FILE_READ);
    if (mb_file_link(&here, "old", &here, "kept")) {
        expect_text("kept", "old");
    }
    cr_assert(mb_file_rename(&here, "new", &here, "old"));
    expect_text("old", "new");
    cr_expect(mb_file_get(fd, text, sizeof(text)) == 3);
    cr_expect_str_eq(text, "old");
    (void)close(fd);
    cr_expect(!mb_file_rename(&here, "new", &here, "old") && errno == ENOENT);
    mb_folder_close(&here);
}

Test(platform, locks_a_folder_for_one)
{
    struct mb_folder one;
    struct mb_folder other;

    cr_assert(mb_folder_open(&one, folder) && mb_folder_open(&other, folder));
    cr_assert(mb_folder_lock(&one, MB_LOCK_ALONE) == MB_LOCKED);
    cr_expect(mb_folder_lock(&other, MB_LOCK_ALONE) == MB_LOCK_TAKEN);
    cr_expect(mb_folder_lock(&other, MB_LOCK_SHARED) == MB_LOCK_TAKEN);
    mb_folder_unlock(&one);
    cr_expect(mb_folder_lock(&other, MB_LOCK_SHARED) == MB_LOCKED);
    cr_expect(mb_folder_lock(&one, MB_LOCK_SHARED) == MB_LOCKED);
    mb_folder_close(&one);
    cr_expect(mb_folder_lock(&other, MB_LOCK_ALONE) == MB_LOCKED);
    mb_folder_close(&other);
    cr_expect(!mb_folder_is_open(&one) && !mb_folder_is_open(&other));
}

Test(platform, removes_an_open_folder)
{
    struct mb_folder parent;
    struct mb_folder inner;
    struct mb_file_info info;
    char path[64];

    (void)snprintf(path, sizeof(path), "%s/.inner-XXXXXX", folder);
    cr_assert(mb_folder_make_new(path));
    cr_assert(mb_folder_open(&parent, folder) && mb_folder_open_in(&inner, &parent, path));
    cr_expect(mb_folder_is_ours(&inner));
    cr_assert(mb_folder_lock(&inner, MB_LOCK_ALONE) == MB_LOCKED);
    int fd = mb_file_open(&inner, "7", MB_FILE_NEW);
    cr_assert(fd >= 0);
    (void)close(fd);
    cr_expect(!mb_folder_remove_open(&inner, &parent));
    cr_expect(mb_folder_remove_some(&inner, is_any));
    cr_expect(mb_folder_remove_open(&inner, &parent));
    cr_expect(mb_file_look(&inner, "", &info) && info.is_removed);
    cr_expect(!mb_file_look(NULL, path, &info) && errno == ENOENT);
    mb_folder_close(&inner);
    mb_folder_close(&parent);
}

Test(platform, knows_where_paths_begin)
{
    char *working = mb_path_working();
    char *real = mb_path_real("../.");

    cr_assert(working != NULL && real != NULL);
    cr_expect(mb_path_is_absolute(working) && mb_path_is_absolute(real));
    cr_expect(strncmp(working, real, strlen(real)) == 0);
    cr_expect(mb_path_root_size("/a") == 1);
    cr_expect(!mb_path_is_absolute("a/b") && !mb_path_is_absolute(""));
    cr_expect(mb_path_real("none") == NULL && errno == ENOENT);
    free(working);
    free(real);
}

/* ---- Names ---- */

Test(names, are_portable_or_not)
{
    static const char *const portable[] = {"a.class",  "com",       "COM10", "nul2.txt", "a b",
                                           "\xc3\xa4", "auxiliary", ".a",    "lpt0"};
    static const char *const others[] = {"",     "aux.class", "NUL",  "Com1.x.y", "lpt9",
                                         "con ", "a:b",       "a.",   "a ",       "a\x1f",
                                         "a|b",  "a\\b",      "\xff", "CONIN$",   "nul .x"};

    for (size_t i = 0; i < MB_COUNT(portable); i++) {
        cr_expect(mb_name_is_portable(mb_text_of(portable[i])), "%s", portable[i]);
    }
    for (size_t i = 0; i < MB_COUNT(others); i++) {
        cr_expect(!mb_name_is_portable(mb_text_of(others[i])), "%s", others[i]);
    }
}

/* ---- The rest ---- */

Test(system, tells_dates_in_utc)
{
    struct tm date;

    cr_assert(mb_time_to_utc(951782399, &date));
    cr_expect(date.tm_year == 100 && date.tm_mon == 1 && date.tm_mday == 28 && date.tm_sec == 59);
    cr_expect(!mb_time_to_utc(INT64_MAX, &date));
}
