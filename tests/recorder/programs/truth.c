/* Sleeps, loops, recursion and threads whose duration the program measures itself, within the
 * probes and around them: what is recorded lies between the two, whenever others have the CPU. With
 * the counter it is off by 0.2 % or 10 us, with the coarse clock by a tick. Ticks come late when
 * others have the CPU; then there are more attempts, and each call must be right in one of them. */
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/clock.h"
#include "base/file.h"
#include "recorder/counter.h"
#include "recorder/methodbeat.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS INT64_C(1000000)
#define TICK_MS 5
#define MAX_CALLS 64
#define FIRST_ID_OF_THREAD 32
#define CALLS 13
#define LATE_NS NS_PER_MS /* how late the scheduler may make a tick */
#define ATTEMPTS 50       /* on a machine that does other things too */

/* What the program says: the call with this id took so long. An id is the same call each time. */
static struct measured {
    int64_t within_ns;
    int64_t around_ns;
} measured[MAX_CALLS];
static MB_THREAD_LOCAL uint32_t next_id;

static void do_sleep(int64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    (void)nanosleep(&t, NULL);
}

static void spin(int64_t ns)
{
    int64_t end = mb_clock_now_ns() + ns;

    while (mb_clock_now_ns() < end) {
    }
}

/* Call act under a new id, between probes. */
static void call(void (*act)(int64_t), int64_t ns)
{
    uint32_t id = next_id++;

    int64_t before = mb_clock_now_ns();
    beat_i(id);
    int64_t start = mb_clock_now_ns();
    act(ns);
    measured[id].within_ns = mb_clock_now_ns() - start;
    beat_o(id);
    measured[id].around_ns = mb_clock_now_ns() - before;
}

static void recurse(int64_t depth)
{
    spin(NS_PER_MS);
    if (depth > 0) {
        call(recurse, depth - 1);
    }
}

static void *on_thread(void *unused)
{
    (void)unused;
    next_id = FIRST_ID_OF_THREAD;
    call(do_sleep, 12 * NS_PER_MS);
    call(spin, 7 * NS_PER_MS);
    return NULL;
}

static void run_program(void)
{
    pthread_t thread;

    next_id = 1;
    (void)pthread_create(&thread, NULL, on_thread, NULL);
    call(do_sleep, 20 * NS_PER_MS);
    call(spin, 50 * 1000);
    call(spin, 300 * 1000);
    call(spin, 30 * NS_PER_MS);
    call(recurse, 5);
    call(do_sleep, 250 * NS_PER_MS);
    (void)pthread_join(thread, NULL);
}

struct clock_case {
    const char *what;
    enum beat_clock clock;
    int attempts;
    int64_t absolute_ns;
    int64_t per_mille;
};

static const struct clock_case clock_cases[] = {
    {"counter", BEAT_CLOCK_COUNTER, 1, 10000, 2},
    {"coarse", BEAT_CLOCK_COARSE, ATTEMPTS, TICK_MS *NS_PER_MS + LATE_NS, 0},
};

/* Durations by id, from one ring; ids are used once. */
static void read_ring(const struct abi_tracefile *trace, const struct abi_ring_view *view,
                      int64_t *recorded_ns)
{
    uint64_t entered[MAX_CALLS] = {0};

    for (size_t i = 0; i < view->run_counts[0]; i++) {
        uint64_t word = view->runs[0][i];
        uint32_t id = abi_record_id(word);
        if (abi_record_is_enter(word)) {
            entered[id] = word;
        } else {
            uint64_t units = abi_record_elapsed(entered[id], word);
            recorded_ns[id] = (int64_t)abi_trace_ns(trace->header.ns_per_unit, units);
        }
    }
}

static int64_t off_by(const struct measured *call, int64_t recorded_ns)
{
    if (recorded_ns < call->within_ns) {
        return call->within_ns - recorded_ns;
    }
    return recorded_ns > call->around_ns ? recorded_ns - call->around_ns : 0;
}

/* How many calls were never right so far. */
static uint32_t compare(const struct clock_case *c, const int64_t *recorded_ns, bool *was_right)
{
    uint32_t wrong = 0;
    uint32_t calls = 0;
    int64_t worst = 0;

    for (uint32_t id = 1; id < MAX_CALLS; id++) {
        if (measured[id].around_ns == 0) {
            continue;
        }
        int64_t off = off_by(&measured[id], recorded_ns[id]);
        int64_t allowed = measured[id].around_ns * c->per_mille / 1000;
        worst = off > worst ? off : worst;
        was_right[id] |= off <= (allowed > c->absolute_ns ? allowed : c->absolute_ns);
        calls++;
        if (!was_right[id]) {
            wrong++;
            (void)fprintf(
                stderr, "%s: call %u took %" PRId64 " to %" PRId64 " ns, recorded %" PRId64 "\n",
                c->what, id, measured[id].within_ns, measured[id].around_ns, recorded_ns[id]);
        }
    }
    (void)printf("%s: %u calls, worst is off by %" PRId64 " ns\n", c->what, calls, worst);
    return calls == CALLS ? wrong : MAX_CALLS;
}

static uint32_t check(const struct clock_case *c, const char *path, bool *was_right)
{
    struct beat_options options;
    struct mb_buf bytes = {0};
    struct abi_tracefile trace;
    struct abi_ring_view view;
    int64_t recorded_ns[MAX_CALLS] = {0};
    bool used;

    memset(measured, 0, sizeof(measured));
    beat_options_init(&options);
    options.file = path;
    options.threads = BEAT_THREADS_ALL;
    options.clock = c->clock;
    options.tick_ms = TICK_MS;
    (void)beat_start(&options);
    run_program();
    beat_stop();
    if (mb_file_read(&bytes, path, NULL) != MB_OK ||
        abi_tracefile_open(&trace, bytes.bytes, bytes.size, NULL) != MB_OK) {
        (void)fprintf(stderr, "%s: no trace\n", c->what);
        return 1;
    }
    /* Slow to read, as on a busy machine that is emulated: the coarse clock has its place. */
    if (c->clock == BEAT_CLOCK_COUNTER && trace.header.clock_kind != ABI_CLOCK_COUNTER) {
        (void)printf("%s: refused here\n", c->what);
        mb_buf_finish(&bytes);
        return 0;
    }
    for (uint32_t i = 0; i < trace.header.ring_count; i++) {
        if (abi_tracefile_ring(&trace, i, &view, &used, NULL) == MB_OK && used) {
            read_ring(&trace, &view, recorded_ns);
        }
    }
    mb_buf_finish(&bytes);
    return compare(c, recorded_ns, was_right);
}

int main(void)
{
    char path[] = "/tmp/mb_truthXXXXXX";
    int fd = mkstemp(path);
    int wrong = 0;

    (void)close(fd);
    for (size_t i = 0; i < MB_COUNT(clock_cases); i++) {
        bool was_right[MAX_CALLS] = {false};
        int left = clock_cases[i].attempts;
        if (clock_cases[i].clock == BEAT_CLOCK_COUNTER && !BEAT_HAS_COUNTER) {
            (void)printf("%s: this machine has none that programs may read\n", clock_cases[i].what);
            continue;
        }
        while (left > 0 && check(&clock_cases[i], path, was_right) != 0) {
            left--;
        }
        wrong += left == 0;
    }
    (void)unlink(path);
    return wrong == 0 ? 0 : 1;
}
