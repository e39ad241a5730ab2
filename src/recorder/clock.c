#include "recorder/clock.h"

#include "abi/record.h"
#include "base/clock.h"

#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define FIRST_ESTIMATE_NS 200000
#define MAX_READ_NS INT64_C(100) /* a read that traps to the kernel takes several hundred */
#define TRIAL_READS 1000
#define FINEST_UNIT_NS 8 /* 43 bits of it are 19 hours */

int64_t beat_clock_monotonic_ns(void)
{
    return mb_clock_read_ns(CLOCK_MONOTONIC);
}

int64_t beat_clock_cpu_ns(void)
{
    return mb_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Both clocks at one moment: of a few tries the one that took the shortest. */
struct sample {
    uint64_t counter;
    int64_t ns;
};

static struct sample sample_both(void)
{
    struct sample best = {0};
    uint64_t shortest = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t before = beat_counter();
        int64_t ns = beat_clock_monotonic_ns();
        uint64_t took = beat_counter() - before;
        if (took < shortest) {
            shortest = took;
            best = (struct sample){before + took / 2, ns};
        }
    }
    return best;
}

/* Does the CPU promise one rate in all its sleep states? */
static bool rate_is_constant(void)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;

    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
#else
    return true; /* architected */
#endif
}

static bool reads_are_cheap_and_ordered(void)
{
    int64_t start = beat_clock_monotonic_ns();
    uint64_t first = beat_counter();
    uint64_t last = first;

    for (int i = 0; i < TRIAL_READS; i++) {
        uint64_t next = beat_counter();
        if (next < last) {
            return false;
        }
        last = next;
    }
    return last > first && beat_clock_monotonic_ns() - start < TRIAL_READS * MAX_READ_NS;
}

static bool try_counter(void)
{
    if (!BEAT_HAS_COUNTER || !rate_is_constant()) {
        return false;
    }
    /* Twice: the thread may lose the CPU in the middle of one trial. */
    return reads_are_cheap_and_ordered() || reads_are_cheap_and_ordered();
}

bool beat_clock_counter_is_usable(void)
{
    static enum { UNTRIED, USABLE, USELESS } verdict;

    if (verdict == UNTRIED) {
        verdict = try_counter() ? USABLE : USELESS;
    }
    return verdict == USABLE;
}

/* Both halves must fit 32 bits; dropping low bits keeps the ratio to 2^-31. */
static uint64_t make_fraction(uint64_t ns, uint64_t units)
{
    while (ns > UINT32_MAX || units > UINT32_MAX) {
        ns >>= 1;
        units >>= 1;
    }
    return abi_ns_per_unit((uint32_t)ns, (uint32_t)units);
}

/* Ticks of the counter, and the nanoseconds that they took. */
struct rate {
    uint64_t ticks;
    uint64_t ns;
};

static struct rate first_estimate(void)
{
    static struct rate rate;
    struct sample start = sample_both();
    struct sample end = start;

    while (rate.ns == 0 && end.ns - start.ns < FIRST_ESTIMATE_NS) {
        end = sample_both();
    }
    if (rate.ns == 0) {
        rate = (struct rate){end.counter - start.counter, (uint64_t)(end.ns - start.ns)};
    }
    return rate;
}

static void begin_counter(struct abi_trace_header *header)
{
    struct rate rate = first_estimate();
    struct sample start = sample_both();
    uint32_t shift = 0;

    while (rate.ns << shift < rate.ticks * FINEST_UNIT_NS) {
        shift++;
    }
    header->counter_shift = shift;
    header->counter_start = start.counter;
    header->monotonic_start_ns = start.ns;
    header->resolution_ns = (rate.ns << shift) / rate.ticks + 1;
    header->ns_per_unit = make_fraction(rate.ns << shift, rate.ticks);
}

void beat_clock_begin(struct abi_trace_header *header, enum abi_clock_kind kind, uint32_t tick_ms)
{
    header->clock_kind = kind;
    header->wall_start_ns = mb_clock_read_ns(CLOCK_REALTIME);
    header->monotonic_start_ns = beat_clock_monotonic_ns();
    header->boottime_start_ns = mb_clock_read_ns(CLOCK_BOOTTIME);
    if (kind == ABI_CLOCK_COUNTER) {
        begin_counter(header);
        return;
    }
    header->resolution_ns = tick_ms * UINT64_C(1000000);
    header->ns_per_unit = abi_ns_per_unit(BEAT_COARSE_UNIT_NS, 1);
    header->coarse_time = 1;
}

static void refine_counter(struct abi_trace_header *header)
{
    struct sample now = sample_both();
    uint64_t units = (now.counter - header->counter_start) >> header->counter_shift;
    uint64_t ns = (uint64_t)(now.ns - header->monotonic_start_ns);

    if (ns >= FIRST_ESTIMATE_NS && units > 0) {
        atomic_store_explicit(&header->ns_per_unit, make_fraction(ns, units), memory_order_relaxed);
    }
    atomic_store_explicit(&header->now, units, memory_order_relaxed);
}

void beat_clock_refine(struct abi_trace_header *header)
{
    if (header->clock_kind == ABI_CLOCK_COUNTER) {
        refine_counter(header);
    } else {
        beat_clock_refresh(header);
    }
}

uint64_t beat_clock_now(const struct abi_trace_header *header)
{
    if (header->clock_kind == ABI_CLOCK_COUNTER) {
        return (beat_counter() - header->counter_start) >> header->counter_shift;
    }
    return (uint64_t)(beat_clock_monotonic_ns() - header->monotonic_start_ns) / BEAT_COARSE_UNIT_NS;
}

/* Times wrap round: one that is more than half the range later is taken as earlier. */
static bool is_behind(uint64_t time, uint64_t than)
{
    return ((than - time) & ABI_TIME_MASK) - 1 < ABI_TIME_MASK / 2;
}

void beat_clock_refresh(struct abi_trace_header *header)
{
    uint64_t now =
        (uint64_t)(beat_clock_monotonic_ns() - header->monotonic_start_ns) / BEAT_COARSE_UNIT_NS;
    uint64_t time = (now & ABI_TIME_MASK) != 0 ? now & ABI_TIME_MASK : 1;

    /* Relaxed, all: a time is all the probes take from here. Another thread may have refreshed the
     * clock since we read the time, be it long ago: it never goes back. 0: it was stopped. */
    uint64_t before = atomic_load_explicit(&header->coarse_time, memory_order_relaxed);
    while (before != 0 && is_behind(before, time)) {
        atomic_store_explicit(&header->now, now, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&header->coarse_time, &before, time,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return;
        }
    }
}

void beat_clock_stop(struct abi_trace_header *header)
{
    atomic_store_explicit(&header->coarse_time, 0, memory_order_relaxed);
}
