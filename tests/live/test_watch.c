#include "jvms/live/watch.h"

#include "bench.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static const struct abi_profile_node nodes[] = {
    {ABI_PROFILE_NO_NODE, 1, 0, 0, .calls = 2, .total = 90},
    {0, 2, 0, 0, .calls = 9, .total = 60},
};
static const struct abi_profile_thread threads[] = {{.name = "main", .last_time = 100}};
static const struct bench_profile whole = {threads, 1, nodes, 2, NULL, 0, 0, 0, 0};
static const struct bench_thread ring[] = {{"main", {IN(1, 0), OUT(1, 1)}, true}};

static struct live_watch *watch;
static char path[512];
static int fd;

/* A recorder is at work, or has stopped but keeps its file. */
static void set_state(uint32_t state)
{
    cr_assert(eq(long, pwrite(fd, &state, sizeof(state), offsetof(struct abi_trace_header, state)),
                 (long)sizeof(state)));
}

static void begin(void)
{
    bench_begin();
    bench_write_trace("t", ring, 1, 0);
    bench_add_profile("t", &whole);
    (void)snprintf(path, sizeof(path), "%s", bench_path("t"));
    fd = open(path, O_RDWR);
    cr_assert(eq(int, flock(fd, LOCK_EX | LOCK_NB), 0));
    set_state(ABI_TRACE_OPEN);
    const struct answer_source source = {.path = path};
    const struct live_watch_wish wish = {.source = &source, .sort = &live_sorts[0]};
    cr_assert(eq(int, live_watch_open(&watch, &wish, NULL), MB_OK));
}

static void end(void)
{
    live_watch_finish(watch);
    (void)close(fd);
    bench_end();
}

TestSuite(watch, .init = begin, .fini = end);

static void step(void)
{
    (void)usleep(1000);
    cr_assert(eq(int, live_watch_step(watch, NULL), MB_OK));
}

Test(watch, has_a_table_after_the_first_step)
{
    cr_expect(live_watch_facts(watch).recent == NULL);
    step();
    cr_expect(live_watch_news(watch).is_new_table);
    cr_expect(live_watch_facts(watch).recent != NULL);
    cr_expect(not(live_watch_is_over(watch)));
}

/* What is asked for of the same time is an answer, however often it stood still meanwhile. */
Test(watch, keeps_the_table_of_a_recording_that_stands_still)
{
    step();
    set_state(ABI_TRACE_CLOSED);
    step();
    cr_expect(live_watch_news(watch).is_new_table, "it has stopped");
    step();
    cr_expect(not(live_watch_news(watch).is_new_table));
    cr_assert(live_watch_facts(watch).recent != NULL);
    int64_t interval_ns = live_watch_facts(watch).recent->interval_ns;
    cr_assert(eq(int, live_watch_sort(watch, &live_sorts[1], NULL), MB_OK));
    cr_assert(live_watch_facts(watch).recent != NULL);
    cr_expect(eq(i64, live_watch_facts(watch).recent->interval_ns, interval_ns));
    cr_expect_str_eq(live_watch_facts(watch).order, live_sorts[1].name);
    cr_assert(eq(int, live_watch_focus(watch, 1, NULL), MB_OK));
    cr_assert(live_watch_facts(watch).recent != NULL);
    step();
    cr_expect(live_watch_facts(watch).recent != NULL);
}

Test(watch, forgets_what_was_before_on_request)
{
    step();
    cr_assert(eq(int, live_watch_restart(watch, NULL), MB_OK));
    cr_expect(live_watch_facts(watch).recent == NULL);
}
