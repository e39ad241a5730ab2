#include "spool/writer.h"
#include "spools.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Issues of the program's own ---- */

static struct spool *spool;
static struct watch_names *names; /* of what is told, and of what is found */
static struct mon_own own;

static uint32_t name(const char *text)
{
    return watch_names_add(names, mb_text_of(text));
}

static void set_up(void)
{
    spools_make_folder();
    names = watch_names_create();
    cr_assert(eq(u32, name("com.x"), 1)); /* as spools.c has it */
    cr_assert(eq(u32, name("HIGH"), 2));
    cr_assert(eq(u32, name("a.b.Main"), 3));
    spools_names = watch_names_view(names);
    own = (struct mon_own){.detail = name("checkout"),
                           .key = name("cart"),
                           .json = name("[1]"),
                           .thread = name("pool")};
    spool = spools_open(NULL);
}

static void tear_down(void)
{
    spools_close(spool);
    spools_remove_folder();
    watch_names_destroy(names);
}

TestSuite(left, .init = set_up, .fini = tear_down, .timeout = 60);

static void restart(void)
{
    spools_close(spool);
    spool = spools_open(NULL);
}

static struct mon_issue own_issue(uint64_t start, uint32_t number)
{
    struct mon_issue issue = spools_issue(start, number, MON_CUSTOM);

    issue.hottest = NULL;
    issue.trace = NULL;
    issue.message = 0;
    issue.own = &own;
    return issue;
}

/* The last process was killed between the two. */
static void note(uint64_t start, uint32_t number)
{
    const struct mon_issue issue = own_issue(start, number);

    spools_take(spool, MON_NOTE, &issue);
}

static bool is(uint32_t number, const char *text)
{
    return mb_text_is(mon_name(&spools_names, number), text);
}

Test(left, own_issues_are_told_as_they_were)
{
    struct mon_event event;

    note(5, 9);
    restart();
    cr_assert(spool_has_previous(spool));
    cr_assert(watch_previous(spool, &event, names));
    cr_assert(eq(u32, event.kind, MON_OWN));
    cr_assert(eq(u64, event.own.start, 5));
    cr_assert(eq(u32, event.own.number, 9));
    cr_assert(is(event.own.detail, "checkout"));
    cr_assert(is(event.own.key, "cart"));
    cr_assert(is(event.own.json, "[1]"));
    cr_assert(is(event.own.thread, "pool"));
    cr_assert(is(event.own.scene, "a.b.Main"));
    cr_assert(event.own.is_foreground);
    cr_assert(ne(i64, event.own.wall_ns, 0));
    cr_assert(not(spool_has_previous(spool)));
}

Test(left, own_issues_are_published_once)
{
    note(5, 9);
    restart();
    restart(); /* one that died before it told them */
    struct mon_event event;
    cr_assert(watch_previous(spool, &event, names));
    struct mon_issue issue = own_issue(event.own.start, event.own.number);
    issue.wall_begin_ns = event.own.wall_ns;
    spools_publish(spool, &issue);
    restart();
    cr_assert(not(watch_previous(spool, &event, names)));
    cr_assert(eq(u32, spools_count_incident(5, 9), 1));
    cr_assert(zero(u32, spools_count_others("left-")));
}

/* Those that find no place in the queue are counted, and not told again. */
Test(left, has_no_more_own_issues_than_were_to_be_written)
{
    struct spool_counts counts;
    uint32_t told = 4 * SPOOL_QUEUE_COUNT;

    spools_options.key_files = spools_options.detail_files = 1000;
    for (uint32_t i = 0; i < told; i++) {
        const struct mon_issue issue = own_issue(7, i + 1);
        spools_take(spool, MON_NOTE, &issue);
        spools_take(spool, MON_ISSUE, &issue);
    }
    restart();
    cr_assert(not(spool_has_previous(spool)));
    cr_assert(spools_read_counts(&counts, SPOOLS_DAY));
    cr_assert(eq(u32, counts.quota.seen[MON_CUSTOM], told));
    cr_assert(eq(u32, counts.quota.results[MON_CUSTOM][SPOOL_WRITTEN], spools_count_files()));
}
