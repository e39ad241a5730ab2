/* What a killed run left is put right by the next one, which may be killed too. */

#include "bench.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int commit_set(const char *unused)
{
    struct pub_outputs *publish = pub_create();
    bool is_good = bench_put_set(publish, "new") == MB_OK;

    (void)unused;
    pub_destroy(publish);
    return is_good ? 0 : 1;
}

/* 0, 1 or -SIGKILL. */
static int in_child(int (*work)(const char *), const char *name, int killed_at)
{
    int state = 0;
    pid_t child = fork();

    if (child == 0) {
        bench_calls_left = killed_at;
        _exit(work(name));
    }
    cr_assert(eq(int, waitpid(child, &state, 0), child));
    return WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
}

/* Whichever of the places is looked at first. */
Test(recover, what_kill_9_leaves_is_put_right_by_the_next_run, .init = bench_begin,
     .fini = bench_end)
{
    int ends[2] = {0};

    for (int at_call = 0;; at_call++) {
        const char *place = at_call % 2 != 0 ? "" : "y";
        bench_make_old_set();
        if (in_child(commit_set, NULL, at_call) == 0) {
            break;
        }
        bool was_mixed = !bench_is_old_set() && !bench_is_new_set();
        cr_assert(eq(int, bench_recover_in(place), 0));
        cr_assert(eq(int, bench_recover_in(at_call % 2 != 0 ? "y" : ""), 0));
        cr_assert(bench_is_old_set() || bench_is_new_set(), "killed at call %d", at_call);
        ends[bench_is_new_set()] += was_mixed;
        cr_assert(lt(int, at_call, BENCH_MOST_CALLS));
    }
    cr_assert(gt(int, ends[0], 3), "rolled back from the middle");
    cr_assert(gt(int, ends[1], 3), "tidied up after the end");
    cr_assert(bench_is_new_set());
}

Test(recover, putting_right_may_be_killed_too, .init = bench_begin, .fini = bench_end)
{
    int ended = 0;

    for (int at_call = 0; at_call < BENCH_MOST_CALLS; at_call += 2) {
        int again = 0;
        for (int code = 1; code != 0; again++) {
            bench_make_old_set();
            if (in_child(commit_set, NULL, at_call) == 0) {
                cr_assert(gt(int, ended, 5));
                return;
            }
            code = in_child(bench_recover_in, again % 2 != 0 ? "" : "y", again);
            cr_assert(eq(int, bench_recover_in("") + bench_recover_in("y"), 0));
            cr_assert(bench_is_old_set() || bench_is_new_set(), "killed at calls %d and %d",
                      at_call, again);
        }
        ended++;
    }
    cr_assert(false, "it never ended");
}

Test(recover, folders_that_are_not_ours_stay, .init = bench_begin, .fini = bench_end)
{
    static const char *const names[] = {".methodbeat-notes", ".methodbeat-abcdef",
                                        ".methodbeat-1-0", ".methodbeat-", ".methodbeat-a.b.c."};
    char file[64];

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        cr_assert(eq(int, mkdir(bench_at(names[i]), 0700), 0));
        (void)snprintf(file, sizeof(file), "%s/1", names[i]);
        bench_write(file, "mine");
        (void)snprintf(file, sizeof(file), "%s/journal", names[i]);
        bench_write(file, "Dear diary");
    }
    struct pub_outputs *publish = pub_create();
    cr_assert(eq(int, bench_put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(eq(int, bench_count(""), 1 + (int)MB_COUNT(names)));
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        (void)snprintf(file, sizeof(file), "%s/1", names[i]);
        cr_assert(bench_holds(file, "mine"));
        (void)snprintf(file, sizeof(file), "%s/journal", names[i]);
        cr_assert(bench_holds(file, "Dear diary"));
    }
}

Test(recover, a_journal_that_leads_out_of_its_folder_is_not_ours, .init = bench_begin,
     .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    bench_write("a", "old");
    cr_assert(eq(int, mkdir(bench_at("y"), 0700), 0));
    cr_assert(eq(int, bench_put(publish, "y/../b", "new"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(bench_holds("b", "new"));
    cr_assert(eq(int, bench_count(""), 3));
    cr_assert(eq(int, bench_count("y"), 0));
}
