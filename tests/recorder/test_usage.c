#include "recorder/clock.h"
#include "recorder/usage.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static const struct line {
    const char *text;
    bool is_told;
    uint64_t queued_ns;
} lines[] = {
    {"3000000000 86118 12\n", true, 86118},
    {"3100000000 0 1\n", true, 0},
    {"2000000000 86118 12\n", false, 0}, /* of another thread */
    {"0 0 0\n", false, 0},               /* nobody keeps it */
    {"3000000000 0 0\n", false, 0},      /* has run, and never began to */
    {"", false, 0},
    {"3000000000\n", false, 0},
    {"3000000000 86118\n", false, 0},
    {"3000000000 86118 12", false, 0},
    {"3000000000 86118 12 7\n", false, 0},
    {"3000000000 -5 12\n", false, 0},
    {"3000000000 +5 12\n", false, 0},
    {"3000000000  5 12\n", false, 0},
    {"3000000000 99999999999999999999 12\n", false, 0},
    {"three 5 12\n", false, 0},
};

Test(usage, only_what_makes_sense_is_believed)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct beat_queue queue = {0};
        bool is_told = beat_usage_parse(lines[i].text, 3 * SECOND, &queue);
        cr_expect(eq(u8, is_told, lines[i].is_told), "line %zu", i);
        cr_expect(eq(u64, is_told ? queue.queued_ns : 0, lines[i].queued_ns), "line %zu", i);
        bool is_of_any = beat_usage_parse(lines[i].text, 0, &queue);
        cr_expect(eq(u8, is_of_any, is_told || i == 2), "line %zu", i);
    }
}

static void burn(uint64_t ns)
{
    struct timespec used = {0};

    while ((uint64_t)used.tv_sec * SECOND + (uint64_t)used.tv_nsec < ns) {
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    }
}

/* Two of us on one processor: one is ready while the other runs. */
Test(usage, who_waits_for_a_processor_is_ready)
{
    struct beat_usage usage = {0};

    cr_assert(beat_usage_read(&usage, (uint32_t)gettid()));
    if (!usage.knows_queue) {
        cr_skip("this system does not tell");
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    cr_assert(eq(int, sched_setaffinity(0, sizeof(one), &one), 0));
    pid_t child = fork();
    if (child == 0) {
        burn(SECOND / 2);
        _exit(0);
    }
    burn(usage.cpu_ns + SECOND / 4);
    uint64_t before = usage.queued_ns;
    cr_assert(beat_usage_read(&usage, (uint32_t)gettid()));
    cr_expect(ge(u64, usage.cpu_ns, SECOND / 4));
    cr_expect(ge(u64, usage.queued_ns - before, SECOND / 20));
    (void)waitpid(child, NULL, 0);
}

Test(usage, a_thread_that_is_not_there_tells_nothing)
{
    struct beat_usage usage = {0};

    cr_assert(not(beat_usage_read(&usage, 4194305)));
}

/* The program may have all the files open that it may: then there is no answer this time, nor one
 * that would be taken for another. */
Test(usage, a_program_without_a_file_to_spare_is_asked_again)
{
    struct beat_usage usage = {0};
    struct rlimit few = {0, 0};
    struct rlimit all;

    cr_assert(beat_usage_read(&usage, (uint32_t)gettid()));
    bool knew = usage.knows_queue;
    (void)getrlimit(RLIMIT_NOFILE, &all);
    few.rlim_max = all.rlim_max;
    cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &few), 0));
    burn(usage.cpu_ns + SECOND / 100);
    struct beat_usage none = usage;
    cr_expect(eq(u8, beat_usage_read(&none, (uint32_t)gettid()), !knew));
    cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &all), 0));
    cr_assert(beat_usage_read(&usage, (uint32_t)gettid()));
    cr_expect(eq(u8, usage.knows_queue, knew));
}

/* In the trace's clock a unit is 2 ns here. */
static const struct since {
    const char *what;
    enum abi_clock_kind clock;
    struct beat_usage before;
    struct beat_usage usage;
    struct prof_usage expected;
} sinces[] = {
    {"what came before the first record is not the calls'",
     ABI_CLOCK_COUNTER,
     {0},
     {.time = 1500,
      .slack = 3,
      .cpu_ns = 9000,
      .queued_ns = 80,
      .knows_queue = true,
      .is_known = true},
     {.now = 1500, .cpu_ns = 1000, .worked = 500, .ready = 40, .slack = 3, .knows_ready = true}},
    {"all of it may be",
     ABI_CLOCK_COUNTER,
     {0},
     {.time = 1500, .cpu_ns = 700, .is_known = true},
     {.now = 1500, .cpu_ns = 700, .worked = 350}},
    {"a record newer than the answer",
     ABI_CLOCK_COUNTER,
     {0},
     {.time = 900, .cpu_ns = 700, .is_known = true},
     {.now = 900}},
    {"from one answer to the next",
     ABI_CLOCK_COUNTER,
     {.time = 1500, .cpu_ns = 9000, .queued_ns = 80, .knows_queue = true, .is_known = true},
     {.time = 2500, .cpu_ns = 9600, .queued_ns = 180, .knows_queue = true, .is_known = true},
     {.now = 2500, .cpu_ns = 600, .worked = 300, .ready = 50, .knows_ready = true}},
    {"ticks are no closer",
     ABI_CLOCK_COARSE,
     {.cpu_ns = 9000, .is_known = true},
     {.time = 2500, .slack = 3, .cpu_ns = 9600, .is_known = true},
     {.now = 2500, .cpu_ns = 600, .worked = 300, .slack = 1003}},
    {"times that were read with each record are",
     ABI_CLOCK_COARSE,
     {.cpu_ns = 9000, .is_known = true},
     {.time = 2500, .slack = 3, .cpu_ns = 9600, .is_known = true, .is_exact = true},
     {.now = 2500, .cpu_ns = 600, .worked = 300, .slack = 3}},
};

Test(usage, is_told_from_one_answer_to_the_next)
{
    static struct abi_trace_header header = {.resolution_ns = 1000};

    atomic_store(&header.ns_per_unit, abi_ns_per_unit(2, 1));
    for (size_t i = 0; i < sizeof(sinces) / sizeof(*sinces); i++) {
        const struct since *one = &sinces[i];
        header.clock_kind = one->clock;
        struct prof_usage found = beat_usage_since(&header, &one->before, &one->usage, 1000);
        cr_expect(eq(u64, found.now, one->expected.now), "%s", one->what);
        cr_expect(eq(u64, found.cpu_ns, one->expected.cpu_ns), "%s", one->what);
        cr_expect(eq(u64, found.worked, one->expected.worked), "%s", one->what);
        cr_expect(eq(u64, found.ready, one->expected.ready), "%s", one->what);
        cr_expect(eq(u64, found.slack, one->expected.slack), "%s", one->what);
        cr_expect(eq(u8, found.knows_ready, one->expected.knows_ready), "%s", one->what);
    }
}

Test(usage, is_asked_for_within_the_time_that_it_says)
{
    static struct abi_trace_header header;
    struct beat_usage usage = {0};

    beat_clock_begin(&header, ABI_CLOCK_COUNTER, 0);
    uint64_t before = beat_clock_now(&header);
    cr_assert(beat_usage_ask(&usage, &header, (uint32_t)gettid()));
    uint64_t after = beat_clock_now(&header);
    cr_expect(usage.is_known);
    cr_expect(ge(u64, usage.time, before));
    cr_expect(le(u64, usage.time + usage.slack, after));
    struct beat_usage none = usage;
    cr_expect(not(beat_usage_ask(&none, &header, 4194305)));
}
