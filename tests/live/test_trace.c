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

static struct live_trace live = {.fd = -1};
static struct live_snapshot snapshot;
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
    live_snapshot_finish(&snapshot);
    live_trace_finish(&live);
    bench_end();
}

TestSuite(trace, .init = begin, .fini = end);

static enum mb_status open_it(void)
{
    const struct answer_source source = {.path = path};

    return live_trace_open(&live, &source, &err);
}

/* Change the header of the file, which stays the same file. */
static void change_header(size_t offset, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY);

    cr_assert(eq(long, pwrite(fd, bytes, size, (off_t)offset), (long)size));
    (void)close(fd);
}

Test(trace, a_snapshot_tells_what_the_file_says_by_then)
{
    struct bench_profile more = whole;
    const struct abi_profile_node later[] = {
        {ABI_PROFILE_NO_NODE, 1, 0, 0, .calls = 7, .total = 95}};
    size_t count;

    cr_assert(eq(int, open_it(), MB_OK));
    cr_assert(eq(int, live_trace_take(&live, &snapshot, &err), MB_OK));
    cr_expect(eq(u64, snapshot.time, 100));
    cr_expect(eq(int, snapshot.state, LIVE_ENDED));
    cr_expect(eq(u64, trace_trees_of(&snapshot.sections.trees, 0, &count)->calls, 2));
    more.nodes = later;
    bench_write_trace("t", ring, 1, 0);
    bench_add_profile("t", &more);
    cr_assert(eq(int, live_trace_take(&live, &snapshot, &err), MB_OK));
    cr_expect(eq(u64, trace_trees_of(&snapshot.sections.trees, 0, &count)->calls, 7));
    cr_expect(eq(sz, count, 1));
}

static const struct state_case {
    const char *what;
    uint32_t state;
    bool is_locked;
    enum live_state expected;
} state_cases[] = {
    {"a killed process", ABI_TRACE_OPEN, false, LIVE_LEFT},
    {"a recorder at work", ABI_TRACE_OPEN, true, LIVE_WRITTEN},
    {"a stopped one", ABI_TRACE_CLOSED, true, LIVE_STOPPED},
    {"the end", ABI_TRACE_CLOSED, false, LIVE_ENDED},
};

Test(trace, knows_whether_anybody_writes)
{
    cr_assert(eq(int, open_it(), MB_OK));
    for (size_t i = 0; i < MB_COUNT(state_cases); i++) {
        const struct state_case *c = &state_cases[i];
        int fd = open(path, O_RDONLY);
        change_header(offsetof(struct abi_trace_header, state), &c->state, sizeof(c->state));
        if (c->is_locked) {
            cr_assert(eq(int, flock(fd, LOCK_EX | LOCK_NB), 0));
        }
        cr_assert(eq(int, live_trace_take(&live, &snapshot, &err), MB_OK), "%s", c->what);
        cr_expect(eq(int, snapshot.state, c->expected), "%s", c->what);
        (void)close(fd);
    }
}

/* Open calls last until the present, while somebody writes. */
Test(trace, goes_on_by_the_clock_of_the_machine)
{
    const uint32_t state = ABI_TRACE_OPEN;
    int fd = open(path, O_RDONLY);

    change_header(offsetof(struct abi_trace_header, state), &state, sizeof(state));
    cr_assert(eq(int, flock(fd, LOCK_EX | LOCK_NB), 0));
    cr_assert(eq(int, open_it(), MB_OK));
    cr_assert(eq(int, live_trace_take(&live, &snapshot, &err), MB_OK));
    uint64_t first = snapshot.time;
    (void)usleep(20000);
    cr_assert(eq(int, live_trace_take(&live, &snapshot, &err), MB_OK));
    cr_expect(ge(u64, snapshot.time - first, 20000000));
    cr_expect(lt(u64, snapshot.time - first, 10000000000));
    (void)close(fd);
}

/* The keeper has not come yet: the snapshot waits a while, then says so. */
Test(trace, counts_threads_whose_last_words_are_not_read)
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
    cr_assert(eq(int, live_trace_take(&live, &snapshot, &err), MB_OK));
    cr_expect(eq(u32, snapshot.late_threads, 1));
    (void)close(fd);
}

Test(trace, refuses_what_is_no_trace)
{
    bench_write_text("t", "no trace");
    cr_expect(eq(int, open_it(), MB_BAD_TRACE));
    cr_assert_str_eq(err.reason, "too short for a trace file");
}

Test(trace, refuses_a_folder)
{
    (void)snprintf(path, sizeof(path), "/tmp");
    cr_expect(eq(int, open_it(), MB_BAD_TRACE));
}

Test(trace, refuses_a_trace_without_a_profile)
{
    bench_write_trace("t", ring, 1, 0);
    cr_assert(eq(int, open_it(), MB_OK));
    cr_expect(eq(int, live_trace_take(&live, &snapshot, &err), MB_BAD_TRACE));
}

Test(trace, notices_that_the_file_became_shorter)
{
    static const off_t sizes[] = {0, 100, ABI_TRACE_PAGE, ABI_TRACE_PAGE + 256, 5 * ABI_TRACE_PAGE};

    for (size_t i = 0; i < MB_COUNT(sizes); i++) {
        bench_write_trace("t", ring, 1, 0);
        bench_add_profile("t", &whole);
        cr_assert(eq(int, open_it(), MB_OK));
        cr_assert(eq(int, truncate(path, sizes[i]), 0));
        cr_expect(eq(int, live_trace_take(&live, &snapshot, &err), MB_BAD_TRACE), "%ld",
                  (long)sizes[i]);
        live_trace_finish(&live);
    }
}

Test(trace, notices_that_another_file_took_its_place)
{
    cr_assert(eq(int, open_it(), MB_OK));
    cr_expect(not(live_trace_is_replaced(&live)));
    bench_write_text("other", "x");
    cr_assert(eq(int, rename(bench_path("other"), path), 0));
    cr_expect(live_trace_is_replaced(&live));
    cr_assert(eq(int, unlink(path), 0));
    cr_expect(not(live_trace_is_replaced(&live))); /* absent is not another */
}

/* Whatever stands in it, no snapshot reads outside of it: sanitizers watch. */
Test(trace, survives_any_bytes)
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
            status = live_trace_take(&live, &snapshot, &err);
        }
        cr_expect(status == MB_OK || status == MB_BAD_TRACE || status == MB_BAD_USAGE, "%s",
                  err.reason);
        live_snapshot_finish(&snapshot);
        live_trace_finish(&live);
    }
}
