#include "monitor/spool/writer.h"
#include "spools.h"

#include "base/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spool *spool;
static char last_json[8192];
static char last_detail[64];
static uint64_t last_key;
static bool was_killed;

static void keep(const struct spool_notice *issue)
{
    (void)snprintf(last_json, sizeof(last_json), "%s", issue->json);
    (void)snprintf(last_detail, sizeof(last_detail), "%s", issue->detail);
    last_key = issue->key;
    was_killed = strcmp(issue->ended, "killed") == 0;
}

static void set_up(void)
{
    spools_make_folder();
    spools_on_heard = keep;
    spool = spools_open(NULL);
}

static void tear_down(void)
{
    spools_close(spool);
    spools_remove_folder();
}

TestSuite(orphans, .init = set_up, .fini = tear_down, .timeout = 60);

static void restart(void)
{
    spools_close(spool);
    spool = spools_open(NULL);
}

/* Listeners hear of all orphans, too. */
static uint32_t recover(void)
{
    uint32_t count = spools_recover(spool);

    restart();
    return count;
}

static void note(uint64_t start, uint32_t number, enum mon_detail detail, enum mon_ended ended)
{
    struct mon_issue issue = spools_issue(start, number, detail);

    issue.ended = ended;
    spools_take(spool, MON_NOTE, &issue);
}

Test(orphans, open_stalls_are_published_as_killed)
{
    note(5, 9, MON_HANG, MON_ENDED_OPEN);
    restart();
    cr_assert(not(spool_is_written(spool)));
    cr_assert(eq(u32, recover(), 1));
    cr_assert(eq(u32, spools_count_incident(5, 9), 1));
    cr_assert(zero(u32, spools_count_notes()));
    cr_assert(was_killed);
    cr_assert_str_eq(last_detail, "HANG");
    cr_assert(eq(u64, last_key, 9));
    cr_assert_not_null(strstr(last_json, "\"incident\":\"5-9\",\"detail\":\"HANG\""));
    cr_assert_not_null(strstr(last_json, "\"watched_ns\":2900000000,"));
    cr_assert_not_null(strstr(last_json, "\"ended\":\"killed\""));
    cr_assert_not_null(strstr(last_json, "a.b.C.run"));
    cr_assert_not_null(strstr(last_json, "\"report\":true"));
    cr_assert(zero(u32, recover()));
}

Test(orphans, stalls_that_were_over_are_published_as_they_were)
{
    note(5, 9, MON_LAG, MON_ENDED_OPEN);
    note(5, 9, MON_ANR, MON_ENDED_NORMAL);
    restart();
    cr_assert(eq(u32, recover(), 1));
    cr_assert(not(was_killed));
    cr_assert_str_eq(last_detail, "ANR");
}

Test(orphans, own_issues_are_published_as_they_were)
{
    static const struct mon_report own = {.detail = 5, .key = 6, .json = 4, .thread = 3};
    struct mon_issue issue = spools_issue(5, 9, MON_CUSTOM);

    issue.hottest = NULL;
    issue.trace = NULL;
    issue.report = &own;
    spools_take(spool, MON_NOTE, &issue);
    restart();
    cr_assert(eq(u32, recover(), 1));
    cr_assert_str_eq(last_detail, "a.b.C.load");
    cr_assert_not_null(strstr(last_json, "\"told\":{\"key\":\"a.b.C.run\""));
}

/* Killed after its file had its name, and before the note went. */
Test(orphans, what_is_there_is_not_published_again)
{
    struct mon_issue issue = spools_issue(5, 9, MON_LAG);

    spools_publish(spool, &issue);
    note(5, 9, MON_LAG, MON_ENDED_OPEN);
    restart();
    cr_assert(spool_is_written(spool));
    cr_assert(zero(u32, spools_count_notes()));
    cr_assert(eq(u32, spools_count_incident(5, 9), 1));
}

Test(orphans, damage_is_removed)
{
    char command[200];

    note(5, 9, MON_LAG, MON_ENDED_OPEN);
    (void)snprintf(command, sizeof(command), "echo {} > %s/com.x/.5-9; touch %s/com.x/.note",
                   spools_folder, spools_folder);
    cr_assert(zero(int, system(command)));
    restart();
    cr_assert(zero(u32, recover()));
    cr_assert(zero(u32, spools_count_incident(5, 9)));
}

/* Those that find no place in the queue are not told again. */
Test(orphans, has_no_more_own_issues_than_were_to_be_written)
{
    static const struct mon_report own = {.detail = 5, .json = 4};
    uint32_t told = 4 * SPOOL_QUEUE_COUNT;

    spools_options.key_files = spools_options.detail_files = 1000;
    for (uint32_t i = 0; i < told; i++) {
        struct mon_issue issue = spools_issue(7, i + 1, MON_CUSTOM);
        issue.report = &own;
        spools_take(spool, MON_NOTE, &issue);
        spools_take(spool, MON_ISSUE, &issue);
    }
    restart();
    cr_assert(spool_is_written(spool));
    cr_assert(ge(u32, spools_count_files(), SPOOL_QUEUE_COUNT));
    cr_assert(le(u32, spools_count_files(), told));
}

/* ---- What the system knows ---- */

static void confirm(void *context, const struct spool_head *stall, struct mb_buf *issue)
{
    (void)context;
    cr_assert(eq(u32, stall->incident.number, 9));
    issue->size -= 2;
    mb_buf_put_string(issue, ",\"confirmed\":true}}");
}

Test(orphans, stalls_are_completed_by_who_knows_more)
{
    const struct spool_setup setup = {.folder = spools_folder,
                                      .process = "com.x",
                                      .options = &spools_options,
                                      .names = &spools_names,
                                      .killed = confirm,
                                      .wall_ns = spools_tell_time};
    char command[200];

    note(5, 9, MON_LAG, MON_ENDED_OPEN);
    note(5, 10, MON_LAG, MON_ENDED_NORMAL);
    spools_close(spool);
    spool = spool_open(&setup, NULL);
    cr_assert(eq(u32, recover(), 2));
    (void)snprintf(command, sizeof(command),
                   "grep -q '\"confirmed\":true,\"report\":true' %s/com.x/20261121/*-5-9.json",
                   spools_folder);
    cr_assert(zero(int, system(command)));
}
