/* Outputs that appear together or not at all. What kill -9 leaves: test_recover.c. */

#include "bench.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(publish, all_appears_on_commit_and_nothing_else_stays, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "x/y/b", "two"), MB_OK));
    cr_assert(eq(int, access(bench_at("a"), F_OK), -1));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(bench_holds("a", "one"));
    cr_assert(bench_holds("x/y/b", "two"));
    cr_assert(eq(int, bench_count(""), 2));
}

Test(publish, without_commit_the_old_stays, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    publish = pub_create();
    cr_assert(eq(int, bench_put(publish, "a", "other"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "new/b", "other"), MB_OK));
    cr_assert(eq(int, pub_remove(publish, bench_at("a"), NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(bench_holds("a", "one"));
    cr_assert(eq(int, bench_count(""), 1));
}

Test(publish, equal_bytes_are_not_written, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct stat before;
    struct stat after;
    bool is_same = true;

    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(eq(int, stat(bench_at("a"), &before), 0));
    publish = pub_create();
    cr_assert(eq(int, pub_update(publish, bench_at("a"), "one", 3, &is_same, NULL), MB_OK));
    cr_assert(is_same);
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    cr_assert(eq(int, stat(bench_at("a"), &after), 0));
    cr_assert(eq(sz, before.st_ino, after.st_ino));
    cr_assert(eq(int, pub_update(publish, bench_at("a"), "onE", 3, &is_same, NULL), MB_OK));
    cr_assert(not(is_same));
    pub_destroy(publish);
}

Test(publish, a_removal_happens_on_commit, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    publish = pub_create();
    cr_assert(eq(int, pub_remove(publish, bench_at("a"), NULL), MB_OK));
    cr_assert(bench_holds("a", "one"));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(eq(int, bench_count(""), 0));
}

Test(publish, only_regular_files_are_replaced, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    bool is_same = true;

    cr_assert(eq(int, mkdir(bench_at("folder"), 0700), 0));
    cr_assert(eq(int, mkfifo(bench_at("pipe"), 0600), 0));
    cr_assert(eq(int, bench_put(publish, "folder", "one"), MB_IO));
    cr_assert(eq(int, bench_put(publish, "pipe", "one"), MB_IO));
    cr_assert(eq(int, pub_update(publish, bench_at("pipe"), "one", 3, &is_same, NULL), MB_IO));
    cr_assert(not(is_same));
    pub_destroy(publish);
    cr_assert(eq(int, bench_count(""), 2));
}

/* A call that removes what is not needed any more may fail; the outputs are there. */
Test(publish, a_call_that_fails_takes_all_back, .init = bench_begin, .fini = bench_end)
{
    static const int errors[] = {EXDEV, EACCES, ENOSPC, EIO};
    int failed = 0;

    for (int at_call = 0; at_call < BENCH_MOST_CALLS && bench_calls_left < 0; at_call++) {
        struct pub_outputs *publish = pub_create();
        bench_make_old_set();
        bench_error = errors[at_call % 4];
        bench_calls_left = at_call;
        enum mb_status status = bench_put_set(publish, "new");
        pub_destroy(publish);
        if (bench_calls_left >= 0) {
            break;
        }
        cr_assert(eq(int, bench_recover_in("") + bench_recover_in("y"), 0));
        bool is_set = status == MB_OK ? bench_is_new_set() : bench_is_old_set();
        cr_assert(is_set, "call %d fails", at_call);
        failed += status != MB_OK;
    }
    cr_assert(ge(int, bench_calls_left, 0));
    cr_assert(gt(int, failed, 5));
}

/* As when somebody mounts something there meanwhile; of a file that was not there, nothing was
 * kept. */
Test(publish, a_mount_that_shows_late_takes_all_back, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct mb_error err = {0};

    bench_write("b", "old");
    cr_assert(eq(int, bench_put(publish, "a", "new"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "b", "new"), MB_OK));
    bench_has_mounts = true;
    cr_assert(eq(int, pub_commit(publish, &err), MB_IO));
    pub_destroy(publish);
    cr_expect(ne(ptr, strstr(err.reason, "cannot put it in place"), NULL), "%s", err.reason);
    cr_expect(bench_holds("b", "old"));
    cr_expect(eq(int, bench_count(""), 1));
}

Test(publish, without_hard_links_old_files_are_kept_all_the_same, .init = bench_begin,
     .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    bench_write("a", "old");
    cr_assert(eq(int, bench_put(publish, "a", "new"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "b", "new"), MB_OK));
    bench_error = EPERM;
    bench_calls_left = 0; /* the link of a */
    cr_assert(eq(int, mkdir(bench_at("b"), 0700), 0));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_IO));
    pub_destroy(publish);
    cr_assert(eq(int, bench_calls_left, -1));
    cr_assert(bench_holds("a", "old"));
    cr_assert(eq(int, bench_count(""), 2));
}

Test(publish, staging_folders_of_live_runs_stay, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *live = pub_create();

    cr_assert(eq(int, bench_put(live, "a", "one"), MB_OK));
    cr_assert(eq(int, bench_count(""), 1));
    struct pub_outputs *other = pub_create();
    cr_assert(eq(int, bench_put(other, "b", "two"), MB_OK));
    cr_assert(eq(int, bench_count(""), 2));
    cr_assert(eq(int, pub_commit(live, NULL), MB_OK));
    pub_destroy(live);
    pub_destroy(other);
    cr_assert(bench_holds("a", "one"));
    cr_assert(eq(int, bench_count(""), 1));
}

Test(publish, where_there_are_no_locks_nothing_is_left, .init = bench_begin, .fini = bench_end)
{
    static const int errors[] = {ENOLCK, EOPNOTSUPP, EINVAL};

    for (size_t i = 0; i < MB_COUNT(errors); i++) {
        struct pub_outputs *publish = pub_create();
        bench_flock_error = errors[i];
        cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
        cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
        pub_destroy(publish);
        cr_assert(bench_holds("a", "one"));
        cr_assert(eq(int, bench_count(""), 1));
    }
}

Test(publish, a_link_is_replaced_not_what_it_points_to, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct stat info;

    bench_write("store", "mine");
    cr_assert(eq(int, symlink("store", bench_at("a")), 0));
    cr_assert(eq(int, symlink("nowhere", bench_at("b")), 0));
    cr_assert(eq(int, bench_put(publish, "a", "new"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "b", "new"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(eq(int, lstat(bench_at("a"), &info), 0));
    cr_assert(eq(int, (int)(info.st_mode & S_IFMT), S_IFREG));
    cr_assert(bench_holds("store", "mine"));
    cr_assert(bench_holds("a", "new"));
    cr_assert(bench_holds("b", "new"));
    cr_assert(eq(int, bench_count(""), 3));
}

/* What comes between the two looks at a place. */
Test(publish, what_appears_meanwhile_is_not_done_away_with, .init = bench_begin, .fini = bench_end)
{
    for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
        struct pub_outputs *publish = pub_create();
        struct mb_error err = {0};
        cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
        cr_assert(eq(int, bench_put(publish, "b", "one"), MB_OK));
        cr_assert(eq(int, is_pipe ? mkfifo(bench_at("b"), 0600) : mkdir(bench_at("b"), 0700), 0));
        cr_assert(eq(int, pub_commit(publish, &err), MB_IO));
        cr_assert_str_eq(err.input, bench_at("b"));
        pub_destroy(publish);
        cr_assert(eq(int, bench_count(""), 1));
        cr_assert(eq(int, is_pipe ? unlink(bench_at("b")) : rmdir(bench_at("b")), 0));
    }
}

Test(publish, what_is_kept_must_stay, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct mb_error err = {0};
    bool is_same = false;

    bench_write("a", "one");
    cr_assert(eq(int, pub_update(publish, bench_at("a"), "one", 3, &is_same, NULL), MB_OK));
    cr_assert(is_same);
    cr_assert(eq(int, pub_keep(publish, bench_at("none"), NULL), MB_OK));
    cr_assert(eq(int, pub_keep(publish, bench_root, NULL), MB_OK)); /* folders do change */
    cr_assert(eq(int, bench_put(publish, "b", "one"), MB_OK));
    bench_write("a", "other");
    cr_assert(eq(int, pub_commit(publish, &err), MB_IO));
    cr_assert_str_eq(err.input, bench_at("a"));
    pub_destroy(publish);
    cr_assert(bench_holds("a", "other"));
    cr_assert(eq(int, bench_count(""), 1));
}

Test(publish, stat_tells_what_the_commit_leaves, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct mb_file_info before;
    struct mb_file_info after;

    bench_write("a", "longer");
    bench_write("kept", "old");
    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(pub_look(publish, bench_at("a"), &before));
    cr_assert(eq(u64, before.size, 3));
    cr_assert(pub_look(publish, bench_at("kept"), &after));
    cr_assert(eq(int, pub_look(publish, bench_at("none"), &after), 0));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(mb_file_look(NULL, bench_at("a"), &after));
    cr_assert(mb_file_id_is(before.id, after.id));
    cr_assert(eq(i64, before.changed_ns, after.changed_ns));
}

/* As after the death of an input that was cut off. */
Test(publish, abandoning_leaves_nothing, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    char name[32];

    for (int i = 0; i < 120; i++) {
        (void)snprintf(name, sizeof(name), "new/%s/%d", i % 2 == 0 ? "x" : "y", i);
        cr_assert(eq(int, bench_put(publish, name, "one"), MB_OK));
    }
    cr_assert(eq(int, bench_count(""), 1));
    pub_abandon();
    cr_assert(eq(int, bench_count(""), 0));
    pub_destroy(publish);
}

Test(publish, a_place_that_cannot_be_is_named, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct mb_error err = {0};

    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    cr_assert(eq(int, pub_write(publish, bench_at("a/b"), "x", 1, &err), MB_IO));
    cr_assert_str_eq(err.input, bench_at("a/b"));
    cr_assert(eq(int, pub_write(publish, "/proc/x", "x", 1, &err), MB_IO));
    cr_assert(eq(int, pub_write(publish, bench_root, "x", 1, &err), MB_IO));
    pub_destroy(publish);
}
