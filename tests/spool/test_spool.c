#include "monitor/spool/writer.h"
#include "spools.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY_NS INT64_C(86400000000000)

static struct spool *spool;

static void set_up(void)
{
    spools_make_folder();
    spool = spools_open(NULL);
}

static void tear_down(void)
{
    if (spool != NULL) {
        spools_close(spool);
    }
    spools_remove_folder();
}

TestSuite(spool, .init = set_up, .fini = tear_down);

static void publish(uint32_t number, enum mon_detail detail, uint32_t key)
{
    struct mon_issue issue = spools_issue(1, number, detail);

    spools_issue_with_key(&issue, key);
    spools_publish(spool, &issue);
}

static void note(uint64_t start, uint32_t number)
{
    const struct mon_issue issue = spools_issue(start, number, MON_LAG);

    spools_take(spool, MON_NOTE, &issue);
}

/* Die: what is queued is written, what is noted stays. */
static void die(void)
{
    spools_close(spool);
    spool = NULL;
}

static void restart(void)
{
    if (spool != NULL) {
        die();
    }
    spool = spools_open(NULL);
}

static char *path_of(const char *name)
{
    static char path[160];

    (void)snprintf(path, sizeof(path), "%s/com.x/%s", spools_folder, name);
    return path;
}

/* ---- Files ---- */

static char last_file[256];

static void keep_file(const struct spool_notice *issue)
{
    (void)snprintf(last_file, sizeof(last_file), "%s", issue->file != NULL ? issue->file : "");
}

Test(spool, has_a_file_for_each_issue)
{
    struct stat status;

    spools_on_heard = keep_file;
    publish(17, MON_ANR, 0x9f3a6c01);
    cr_assert(eq(u32, spools_count_files(), 1));
    cr_assert_str_eq(last_file, path_of("20261121/141000.000-ANR-9f3a6c01-1-17.json"));
    cr_assert(zero(int, stat(path_of("20261121"), &status)));
    cr_assert(eq(int, status.st_mode & 07777, 0700));
    cr_assert(eq(u32, spools_count_notes(), 0));
}

static void expect_report(const struct spool_notice *issue)
{
    cr_assert(issue->is_reported);
    cr_assert_not_null(strstr(issue->json, "\"report\":true,\"counted\":{\"same_key_today\":1}}}"));
}

Test(spool, says_in_the_issue_what_became_of_it)
{
    spools_on_heard = expect_report;
    publish(17, MON_ANR, 5);
    cr_assert(eq(u32, spools_heard, 1));
}

Test(spool, tells_listeners_of_what_it_does_not_write)
{
    for (uint32_t i = 0; i < 5; i++) {
        publish(i + 1, MON_LAG, 7);
    }
    cr_assert(eq(u32, spools_heard, 5));
    cr_assert(eq(u32, spools_count_files(), 3));
}

Test(spool, goes_on_counting_after_a_restart)
{
    for (uint32_t i = 0; i < 4; i++) {
        publish(i + 1, MON_LAG, 7);
        restart();
    }
    cr_assert(eq(u32, spools_count_files(), 3));
}

Test(spool, has_the_copy_for_matrix_in_the_same_file)
{
    spools_options.preset = MON_PRESET_MATRIX;
    publish(1, MON_LAG, 7);
    while (spools_heard < 2) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = 200000}, NULL);
    }
    cr_assert(eq(u32, spools_count_files(), 1));
}

Test(spool, writes_each_issue_of_many_at_a_time)
{
    spools_options.detail_files = 1000;
    for (uint32_t i = 0; i < 200; i++) {
        const struct mon_issue issue = spools_issue(1, i + 1, MON_NORMAL);
        spools_take(spool, MON_ISSUE, &issue);
    }
    die();
    cr_assert(ge(u32, spools_count_files(), SPOOL_QUEUE_COUNT));
    cr_assert(eq(u32, spools_count_files(), spools_heard), "the others found the queue full");
}

/* ---- Clocks ---- */

Test(spool, counts_each_day_by_itself_forth_and_back)
{
    publish(1, MON_LAG, 7);
    spools_wall_ns += 3 * DAY_NS;
    publish(2, MON_LAG, 7);
    spools_wall_ns -= 3 * DAY_NS;
    for (uint32_t i = 0; i < 3; i++) {
        publish(i + 3, MON_LAG, 7);
    }
    cr_assert(eq(u32, spools_count_files(), 4));
}

static void age(const char *folder, int64_t day)
{
    const struct timespec times[2] = {{.tv_sec = day * 86400 + 5}, {.tv_sec = day * 86400 + 5}};
    char command[400];

    (void)snprintf(command, sizeof(command), "touch -d @%ld %s/*", (long)times[0].tv_sec,
                   path_of(folder));
    cr_assert(zero(int, system(command)));
}

Test(spool, keeps_files_for_seven_days)
{
    publish(1, MON_LAG, 7);
    age("20261121", SPOOLS_DAY);
    spools_wall_ns += 7 * DAY_NS;
    restart();
    cr_assert(eq(u32, spools_count_files(), 1));
    spools_wall_ns += DAY_NS;
    restart();
    cr_assert(eq(u32, spools_count_files(), 0));
    cr_assert(ne(int, access(path_of("20261121"), F_OK), 0), "its folder is gone");
}

Test(spool, removes_old_files_without_a_restart)
{
    publish(1, MON_LAG, 7);
    age("20261121", SPOOLS_DAY);
    spools_wall_ns += 8 * DAY_NS;
    publish(2, MON_LAG, 7);
    cr_assert(eq(u32, spools_count_files(), 1));
    cr_assert(eq(u32, spools_count_incident(1, 2), 1));
}

Test(spool, removes_nothing_when_the_clock_is_wrong)
{
    publish(1, MON_LAG, 7);
    age("20261121", SPOOLS_DAY);
    spools_wall_ns += 3 * DAY_NS;
    publish(2, MON_LAG, 8);
    spools_wall_ns -= 2000 * DAY_NS; /* a phone that forgot the time */
    restart();
    publish(3, MON_LAG, 9);
    cr_assert(eq(u32, spools_count_files(), 3));
    spools_wall_ns += 2000 * DAY_NS;
    restart();
    cr_assert(eq(u32, spools_count_incident(1, 1), 1));
    cr_assert(eq(u32, spools_count_incident(1, 2), 1));
}

/* ---- Room ---- */

Test(spool, of_limited_size_loses_what_weighs_least)
{
    spools_options.spool_kb = 8;
    spools_options.detail_files = 1000;
    publish(1, MON_ANR, 1);
    publish(2, MON_BUSY, 2);
    publish(3, MON_LAG, 3);
    publish(4, MON_BUSY, 4);
    for (uint32_t i = 5; i < 40; i++) {
        publish(i, MON_ANR, i);
    }
    cr_assert(eq(u32, spools_count_incident(1, 2) + spools_count_incident(1, 4), 0));
    cr_assert(eq(u32, spools_count_incident(1, 1), 0), "the oldest of equals");
    cr_assert(eq(u32, spools_count_incident(1, 39), 1));
    publish(50, MON_LAG, 50);
    cr_assert(eq(u32, spools_count_incident(1, 50), 0), "does not push out what weighs more");
}

/* The file of the day's first incident, again under so many numbers. */
static void link_often(uint32_t count)
{
    char command[600];

    (void)snprintf(command, sizeof(command),
                   "cd %s && f=$(ls *-1-1.json) && seq 2 %u | "
                   "while read -r n; do echo \"ln $f ${f%%-1.json}-$n.json\"; done | sh",
                   path_of("20261121"), count);
    cr_assert(zero(int, system(command)));
}

Test(spool, far_above_its_limit_is_made_small_at_once)
{
    struct timespec used;

    publish(1, MON_LAG, 1);
    link_often(3000);
    spools_options.spool_kb = 8;
    restart();
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    int64_t before = used.tv_sec * INT64_C(1000) + used.tv_nsec / 1000000;
    publish(5000, MON_ANR, 2);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    int64_t after = used.tv_sec * INT64_C(1000) + used.tv_nsec / 1000000;
    cr_expect(eq(u32, spools_count_incident(1, 5000), 1));
    cr_expect(lt(u32, spools_count_files(), 20));
    cr_expect(lt(i64, after - before, 2000), "each file was looked for in all");
}

Test(spool, leaves_out_files_that_are_too_large)
{
    static const struct mon_trace trace = {.key = 1, .items = {MON_ITEM_COUNT, {{0}}}};
    struct mon_issue issue = spools_issue(1, 1, MON_ANR);

    issue.trace = &trace;
    spools_options.file_kb = 1;
    spools_publish(spool, &issue);
    cr_assert(zero(u32, spools_count_files()));
    spools_options.file_kb = 2;
    spools_publish(spool, &issue);
    cr_assert(eq(u32, spools_count_files(), 1));
}

/* ---- Folders that are not there ---- */

Test(spool, removed_while_running_is_made_again)
{
    publish(1, MON_LAG, 7);
    spools_remove_folder();
    publish(2, MON_LAG, 7);
    cr_assert(eq(u32, spools_count_files(), 1));
}

/* Those that are noted again: at the next stage, or as they last. */
Test(spool, removed_while_running_keeps_its_notes)
{
    note(1, 9);
    spools_remove_folder();
    publish(2, MON_LAG, 7);
    note(1, 9);
    die();
    restart();
    cr_assert(eq(u32, spools_recover(spool), 1));
    cr_assert(eq(u32, spools_count_incident(1, 9), 1));
}

Test(spool, emptied_while_running_goes_on)
{
    char command[200];

    note(1, 9);
    publish(1, MON_LAG, 7);
    (void)snprintf(command, sizeof(command), "rm -rf %s/*", path_of(""));
    cr_assert(zero(int, system(command)));
    publish(2, MON_LAG, 7);
    cr_assert(eq(u32, spools_count_files(), 1));
    restart();
    cr_assert(eq(u32, spools_recover(spool), 1));
}

Test(spool, that_cannot_be_had_is_tried_again)
{
    struct mb_error err;

    die();
    spools_remove_folder();
    int file = open(spools_folder, O_WRONLY | O_CREAT, 0600);
    cr_assert(ge(int, file, 0));
    (void)close(file);
    err.status = MB_OK;
    spool = spools_open(&err);
    cr_assert(eq(int, err.status, MB_IO));
    publish(1, MON_LAG, 7);
    cr_assert(eq(u32, spools_heard, 1), "heard all the same");
    cr_assert(zero(int, unlink(spools_folder)));
    publish(2, MON_LAG, 7);
    cr_assert(eq(u32, spools_count_files(), 1));
}

Test(spool, stays_where_it_is_when_the_process_moves)
{
    cr_assert(zero(int, chdir(spools_folder)));
    const struct spool_setup setup = {
        .folder = "near", .process = "com.x", .options = &spools_options, .names = &spools_names};
    struct spool *other = spool_open(&setup, NULL);
    const struct mon_issue issue = spools_issue(1, 1, MON_LAG);

    cr_assert(zero(int, chdir("/")));
    spools_take(other, MON_ISSUE, &issue);
    spools_close(other);
    cr_assert(eq(u32, spools_count_files(), 1));
    cr_assert(ne(int, access("near", F_OK), 0));
}

Test(spool, had_again_goes_on)
{
    char away[100];

    publish(1, MON_LAG, 7);
    die();
    (void)snprintf(away, sizeof(away), "%s-away", spools_folder);
    cr_assert(zero(int, rename(spools_folder, away)));
    int file = open(spools_folder, O_WRONLY | O_CREAT, 0600);
    cr_assert(ge(int, file, 0));
    (void)close(file);
    spool = spools_open(NULL);
    publish(2, MON_LAG, 7);
    cr_assert(zero(int, unlink(spools_folder)));
    cr_assert(zero(int, rename(away, spools_folder)));
    publish(3, MON_LAG, 7);
    cr_assert(eq(u32, spools_count_files(), 2));
}

/* A write beyond the limit of file sizes is told by a signal, too. */
Test(spool, with_a_limit_of_file_sizes_goes_on)
{
    const struct rlimit small = {100, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

    cr_assert(zero(int, setrlimit(RLIMIT_FSIZE, &small)));
    publish(1, MON_LAG, 7);
    publish(2, MON_LAG, 8);
    cr_assert(zero(int, setrlimit(RLIMIT_FSIZE, &none)));
    publish(3, MON_LAG, 7);
    cr_assert(eq(u32, spools_heard, 3));
    cr_assert(eq(u32, spools_count_files(), 1));
}

/* The keys of each file are those that issues of Matrix have (spools.c). */
Test(spool, writes_what_readers_of_matrix_know)
{
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        publish((uint32_t)detail, detail, (uint32_t)detail);
    }
    cr_assert(eq(u32, spools_count_files(), MON_DETAIL_COUNT - 1));
}

Test(spool, follows_no_links)
{
    die();
    spools_remove_folder();
    char other[100];
    (void)snprintf(other, sizeof(other), "%s-other", spools_folder);
    cr_assert(zero(int, mkdir(spools_folder, 0700) + mkdir(other, 0700)));
    char link[100];
    (void)snprintf(link, sizeof(link), "%s/com.x", spools_folder);
    cr_assert(zero(int, symlink(other, link)));
    spool = spools_open(NULL);
    publish(1, MON_LAG, 7);
    cr_assert(zero(int, rmdir(other)), "nothing was put there");
    cr_assert(eq(u32, spools_count_files(), 0));
}

static void expect_report_without_file(void *context, const struct spool_notice *issue)
{
    (void)context;
    cr_assert(issue->is_reported);
    cr_assert(zero(ptr, (void *)(uintptr_t)issue->file));
    spools_heard++;
}

Test(spool, without_a_folder_is_heard)
{
    const struct spool_setup setup = {.folder = "",
                                      .process = "com.x",
                                      .options = &spools_options,
                                      .names = &spools_names,
                                      .notify = expect_report_without_file};
    struct spool *other = spool_open(&setup, NULL);
    const struct mon_issue issue = spools_issue(1, 1, MON_LAG);

    spools_take(other, MON_NOTE, &issue);
    spools_take(other, MON_ISSUE, &issue);
    spools_close(other);
    cr_assert(zero(u32, spools_count_files()));
    cr_assert(eq(u32, spools_heard, 1));
}

/* ---- Two processes of one name ---- */

Test(spool, of_a_second_process_is_beside_the_first)
{
    struct mb_error err = {.status = MB_OK};
    struct spool *other = spools_open(&err);
    struct mon_issue issue = spools_issue(2, 1, MON_LAG);

    publish(1, MON_LAG, 7);
    spools_publish(other, &issue);
    cr_assert(zero(int, access(path_of("../com.x-2/20261121"), F_OK)));
    cr_assert(eq(u32, spools_count_files(), 2));
    cr_expect(eq(int, err.status, MB_OK), "there are files: nothing is said");
    spools_close(other);
}

Test(spool, left_by_a_second_process_is_published_by_the_next)
{
    struct spool *other = spools_open(NULL);
    struct mon_issue issue = spools_issue(2, 5, MON_LAG);

    spools_take(other, MON_NOTE, &issue);
    spools_close(other);
    cr_assert(zero(u32, spools_recover(spool)), "that was not there yet");
    restart();
    cr_assert(eq(u32, spools_recover(spool), 1));
    cr_assert(eq(u32, spools_count_incident(2, 5), 1));
    restart();
    cr_assert(zero(u32, spools_recover(spool)));
}

/* ---- Stalls that are open ---- */

Test(spool, forgets_stalls_that_were_published_or_dropped)
{
    struct mon_issue issue = spools_issue(1, 3, MON_LAG);

    note(1, 3);
    spools_take(spool, MON_ISSUE, &issue);
    note(1, 4);
    issue = spools_issue(1, 4, MON_LAG);
    spools_take(spool, MON_NOTE_CLOSE, &issue);
    restart();
    cr_assert(zero(u32, spools_recover(spool)));
    cr_assert(eq(u32, spools_count_files(), 1));
}

Test(spool, publishes_very_many_in_turns)
{
    spools_options.detail_files = spools_options.key_files = spools_options.key_daily = 1000;
    for (uint64_t start = 1; start <= 7; start++) {
        for (uint32_t i = 0; i < 24; i++) {
            note(start, i + 1);
        }
    }
    restart();
    cr_assert(eq(u32, spools_recover(spool), 144));
    cr_assert(eq(u32, spools_count_notes(), 24));
    restart();
    cr_assert(eq(u32, spools_recover(spool), 24));
    cr_assert(zero(u32, spools_count_notes()));
}

/* ---- Listeners ---- */

static void close_it(const struct spool_notice *issue)
{
    char before[4096];

    (void)snprintf(before, sizeof(before), "%s", issue->json);
    spool_close(spool, 60000);
    cr_assert_str_eq(issue->json, before);
}

Test(spool, may_be_closed_by_its_listener)
{
    struct mon_issue issues[5];

    spools_on_heard = close_it;
    for (uint32_t i = 0; i < MB_COUNT(issues); i++) {
        issues[i] = spools_issue(1, i + 1, MON_LAG);
    }
    spools_publish(spool, &issues[0]);
    spool = NULL;
    cr_assert(eq(u32, spools_count_files(), 1));
    spool = spools_open(NULL); /* the folder is free again */
    cr_assert(zero(int, access(path_of("20261121"), F_OK)));
    cr_assert(ne(int, access(path_of("../com.x-2"), F_OK), 0));
}
