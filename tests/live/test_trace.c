#include "live/trace.h"

#include "bench.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static const struct abi_profile_thread threads[] = {{.name = "main", .last_time = 100}};
static const struct abi_profile_node nodes[] = {
    {ABI_PROFILE_NO_NODE, 1, 0, 0, .calls = 2, .total = 90},
};
static const struct bench_profile whole = {threads, 1, nodes, 1, NULL, 0, 0, 0, 0};
static const struct bench_thread ring[] = {{"main", {IN(1, 0), OUT(1, 1)}, true}};

static struct answer_live live = {.fd = -1};
static struct answer_look look;
static struct mb_error err;
static char path[512];

static void begin(void)
{
    bench_begin();
    bench_write_trace("t", ring, 1, 0);
    bench_add_profile("t", &whole);
    (void)snprintf(path, sizeof(path), "%s", bench_path("t"));
}

static void end(void)
{
    answer_look_finish(&look);
    answer_live_finish(&live);
    bench_end();
}

TestSuite(live, .init = begin, .fini = end);

static enum mb_status open_it(void)
{
    const struct answer_source source = {.path = path};

    return answer_live_open(&live, &source, &err);
}

/* Change the header of the file, which stays the same file. */
static void change_header(size_t offset, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY);

    cr_assert(eq(long, pwrite(fd, bytes, size, (off_t)offset), (long)size));
    (void)close(fd);
}

Test(live, a_look_tells_what_the_file_says_by_then)
{
    struct bench_profile more = whole;
    const struct abi_profile_node later[] = {
        {ABI_PROFILE_NO_NODE, 1, 0, 0, .calls = 7, .total = 95}};
    size_t count;

    cr_assert(eq(int, open_it(), MB_OK));
    cr_assert(eq(int, answer_live_look(&live, &look, &err), MB_OK));
    cr_expect(eq(u64, look.time, 100));
    cr_expect(eq(int, look.state, ANSWER_LIVE_ENDED));
    cr_expect(eq(u64, trace_trees_of(&look.sections.trees, 0, &count)->calls, 2));
    more.nodes = later;
    bench_write_trace("t", ring, 1, 0);
    bench_add_profile("t", &more);
    cr_assert(eq(int, answer_live_look(&live, &look, &err), MB_OK));
    cr_expect(eq(u64, trace_trees_of(&look.sections.trees, 0, &count)->calls, 7));
    cr_expect(eq(sz, count, 1));
}

static const struct state_case {
    const char *what;
    uint32_t state;
    bool is_locked;
    enum answer_live_state expected;
} state_cases[] = {
    {"a killed process", ABI_TRACE_OPEN, false, ANSWER_LIVE_LEFT},
    {"a recorder at work", ABI_TRACE_OPEN, true, ANSWER_LIVE_WRITTEN},
    {"a stopped one", ABI_TRACE_CLOSED, true, ANSWER_LIVE_STOPPED},
    {"the end", ABI_TRACE_CLOSED, false, ANSWER_LIVE_ENDED},
};

Test(live, knows_whether_anybody_writes)
{
    cr_assert(eq(int, open_it(), MB_OK));
    for (size_t i = 0; i < MB_COUNT(state_cases); i++) {
        const struct state_case *c = &state_cases[i];
        int fd = open(path, O_RDONLY);
        change_header(offsetof(struct abi_trace_header, state), &c->state, sizeof(c->state));
        if (c->is_locked) {
            cr_assert(eq(int, flock(fd, LOCK_EX | LOCK_NB), 0));
        }
        cr_assert(eq(int, answer_live_look(&live, &look, &err), MB_OK), "%s", c->what);
        cr_expect(eq(int, look.state, c->expected), "%s", c->what);
        (void)close(fd);
    }
}

/* Open calls last until the present, while somebody writes. */
Test(live, goes_on_by_the_clock_of_the_machine)
{
    const uint32_t state = ABI_TRACE_OPEN;
    int fd = open(path, O_RDONLY);

    change_header(offsetof(struct abi_trace_header, state), &state, sizeof(state));
    cr_assert(eq(int, flock(fd, LOCK_EX | LOCK_NB), 0));
    cr_assert(eq(int, open_it(), MB_OK));
    cr_assert(eq(int, answer_live_look(&live, &look, &err), MB_OK));
    uint64_t first = look.time;
    (void)usleep(20000);
    cr_assert(eq(int, answer_live_look(&live, &look, &err), MB_OK));
    cr_expect(ge(u64, look.time - first, 20000000));
    cr_expect(lt(u64, look.time - first, 10000000000));
    (void)close(fd);
}

/* The keeper has not come yet: the look waits a while, then says so. */
Test(live, counts_threads_whose_last_words_are_not_read)
{
    const struct abi_profile_thread behind[] = {
        {.name = "main", .ring = 1, .claim = 1, .position = 1, .last_time = 100}};
    const uint32_t state = ABI_TRACE_OPEN;
    struct bench_profile profile = whole;
    int fd;

    profile.threads = behind;
    bench_write_trace("t", ring, 1, 0);
    bench_add_profile("t", &profile);
    change_header(offsetof(struct abi_trace_header, state), &state, sizeof(state));
    fd = open(path, O_RDONLY);
    cr_assert(eq(int, flock(fd, LOCK_EX | LOCK_NB), 0));
    cr_assert(eq(int, open_it(), MB_OK));
    cr_assert(eq(int, answer_live_look(&live, &look, &err), MB_OK));
    cr_expect(eq(u32, look.late_threads, 1));
    (void)close(fd);
}

Test(live, refuses_what_is_no_trace)
{
    bench_write_text("t", "no trace");
    cr_expect(eq(int, open_it(), MB_BAD_TRACE));
    cr_assert_str_eq(err.reason, "too short for a trace file");
}

Test(live, refuses_a_folder)
{
    (void)snprintf(path, sizeof(path), "/tmp");
    cr_expect(eq(int, open_it(), MB_BAD_TRACE));
}

Test(live, refuses_a_trace_without_a_profile)
{
    bench_write_trace("t", ring, 1, 0);
    cr_assert(eq(int, open_it(), MB_OK));
    cr_expect(eq(int, answer_live_look(&live, &look, &err), MB_BAD_TRACE));
}

Test(live, notices_that_the_file_became_shorter)
{
    static const off_t sizes[] = {0, 100, ABI_TRACE_PAGE, ABI_TRACE_PAGE + 256, 5 * ABI_TRACE_PAGE};

    for (size_t i = 0; i < MB_COUNT(sizes); i++) {
        bench_write_trace("t", ring, 1, 0);
        bench_add_profile("t", &whole);
        cr_assert(eq(int, open_it(), MB_OK));
        cr_assert(eq(int, truncate(path, sizes[i]), 0));
        cr_expect(eq(int, answer_live_look(&live, &look, &err), MB_BAD_TRACE), "%ld",
                  (long)sizes[i]);
        answer_live_finish(&live);
    }
}

Test(live, notices_that_another_file_took_its_place)
{
    cr_assert(eq(int, open_it(), MB_OK));
    cr_expect(not(answer_live_is_replaced(&live)));
    bench_write_text("other", "x");
    cr_assert(eq(int, rename(bench_path("other"), path), 0));
    cr_expect(answer_live_is_replaced(&live));
    cr_assert(eq(int, unlink(path), 0));
    cr_expect(not(answer_live_is_replaced(&live))); /* absent is not another */
}

/* Whatever stands in it, no look reads outside of it: sanitizers watch. */
Test(live, survives_any_bytes)
{
    uint32_t random = 12345;

    for (int round = 0; round < 300; round++) {
        uint8_t noise[8];
        bench_write_trace("t", ring, 1, 0);
        bench_add_profile("t", &whole);
        for (int i = 0; i < 4; i++) {
            random = random * 1664525 + 1013904223;
            memset(noise, (int)(random >> 24), sizeof(noise));
            size_t place = i < 2 ? 32 + (random >> 8) % 480 : (random >> 8) % (7 * ABI_TRACE_PAGE);
            change_header(place, noise, 1 + (random >> 4) % sizeof(noise));
        }
        enum mb_status status = open_it();
        for (int i = 0; i < 2 && status == MB_OK; i++) {
            status = answer_live_look(&live, &look, &err);
        }
        cr_expect(status == MB_OK || status == MB_BAD_TRACE || status == MB_BAD_USAGE, "%s",
                  err.reason);
        answer_look_finish(&look);
        answer_live_finish(&live);
    }
}
