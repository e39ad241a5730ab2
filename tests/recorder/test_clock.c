#include "abi/record.h"
#include "recorder/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define NS_PER_MS UINT64_C(1000000)

static uint64_t refreshed(uint64_t coarse_time)
{
    struct abi_trace_header header = {0};

    beat_clock_begin(&header, ABI_CLOCK_COARSE, 5);
    header.coarse_time = coarse_time;
    beat_clock_refresh(&header);
    return header.coarse_time;
}

/* A thread may lose the CPU after it has read the time, and another refresh the clock meanwhile. */
Test(probe, the_coarse_clock_never_goes_back)
{
    const uint64_t minutes = 300000000;

    cr_assert(lt(u64, refreshed(1), minutes));
    cr_assert(eq(u64, refreshed(minutes), minutes));
    cr_assert(lt(u64, refreshed(ABI_TIME_MASK - 1), minutes)); /* from the end to the start */
    cr_assert(eq(u64, refreshed(0), 0));                       /* it was stopped */
}

static uint64_t rate_of(const struct abi_trace_header *header)
{
    return abi_trace_ns(header->ns_per_unit, UINT64_C(1) << 40);
}

/* The first estimate of the process serves all sessions; each refines its own. */
Test(clock, each_session_has_the_rate_of_the_first)
{
    struct abi_trace_header first = {0};
    struct abi_trace_header second = {0};

    if (!beat_clock_counter_is_usable()) {
        cr_skip_test("no counter");
    }
    beat_clock_begin(&first, ABI_CLOCK_COUNTER, 5);
    beat_clock_begin(&second, ABI_CLOCK_COUNTER, 5);
    cr_assert(eq(u64, rate_of(&first), rate_of(&second)));
    cr_assert(eq(u32, first.counter_shift, second.counter_shift));
    cr_assert(le(i64, first.monotonic_start_ns, second.monotonic_start_ns));
    cr_assert(lt(u64, first.counter_start, second.counter_start));
    cr_assert(ge(u64, first.resolution_ns, 1));
    int64_t end = first.monotonic_start_ns + 20 * (int64_t)NS_PER_MS;
    while (beat_clock_monotonic_ns() < end) {
    }
    beat_clock_refine(&first);
    uint64_t change = rate_of(&first) > rate_of(&second) ? rate_of(&first) - rate_of(&second)
                                                         : rate_of(&second) - rate_of(&first);
    cr_assert(lt(u64, change, rate_of(&second) / 20)); /* 5 %: somebody may have had the CPU */
    cr_assert(gt(u64, first.now, 0));
}

Test(clock, a_stopped_coarse_clock_says_so)
{
    struct abi_trace_header header = {0};

    beat_clock_begin(&header, ABI_CLOCK_COARSE, 5);
    cr_assert(ne(u64, header.coarse_time, 0));
    cr_assert(eq(u64, header.resolution_ns, 5 * NS_PER_MS));
    beat_clock_stop(&header);
    beat_clock_refresh(&header);
    cr_assert(eq(u64, header.coarse_time, 0));
}
