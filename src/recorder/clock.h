/* Where times come from: chosen, calibrated and described in the trace header. */

#ifndef RECORDER_CLOCK_H
#define RECORDER_CLOCK_H

#include "abi/tracefile.h"
#include "recorder/counter.h"

#include <stdbool.h>
#include <stdint.h>

/* The unit of the coarse clock's word. Finer than its tick, since messages refresh it too. */
#define BEAT_COARSE_UNIT_NS 1000u

/* True if this CPU has a counter that never stops, never goes back, runs at one rate and can be
 * read in user mode at a sane cost. Measures for about 50 us, once. Under the lock. */
bool beat_clock_counter_is_usable(void);

/* Time 0 is now: fill the clock's part of header. With the counter, the first call of all spins
 * 0.2 ms to estimate its rate. Under the lock. */
void beat_clock_begin(struct abi_trace_header *header, enum abi_clock_kind kind, uint32_t tick_ms);

/* Measure the rate again over all the time since the beginning; note the present time. */
void beat_clock_refine(struct abi_trace_header *header);

/* The present time, all 64 bits. */
uint64_t beat_clock_now(const struct abi_trace_header *header);

/* Store the present time in the coarse clock's word, unless it was stopped. */
void beat_clock_refresh(struct abi_trace_header *header);

/* Make the coarse clock's word 0 for good: probes that read nothing else then know that recording
 * is over. */
void beat_clock_stop(struct abi_trace_header *header);

int64_t beat_clock_monotonic_ns(void);

/* CPU time of the process so far. */
int64_t beat_clock_cpu_ns(void);

#endif
