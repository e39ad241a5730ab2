/* The wall clock is an hour ahead as recording begins, and set right meanwhile: the coarse clock
 * goes on ticking, and who asks through the trace is answered. Linked so that the recorder asks
 * here for the time (--wrap).
 *
 * usage: set_back */
#include "abi/control.h"
#include "recorder/core.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static atomic_bool is_ahead = true;

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = __real_clock_gettime(clock, time);

    if (clock == CLOCK_REALTIME && atomic_load(&is_ahead)) {
        time->tv_sec += 3600;
    }
    return result;
}

static uint64_t coarse_time(void)
{
    return atomic_load(&beat_recorder.header->coarse_time);
}

/* How often it was another time than before. */
static int count_ticks(int wanted)
{
    uint64_t last = coarse_time();
    int ticks = 0;

    for (int ms = 0; ms < PATIENCE_MS && ticks < wanted; ms++) {
        (void)usleep(1000);
        ticks += coarse_time() != last;
        last = coarse_time();
    }
    return ticks;
}

static bool is_answered(void)
{
    struct abi_trace_header *header = beat_recorder.header;
    uint64_t number = 0;

    if (!abi_control_ask(header, ABI_CONTROL_DUMP, &number)) {
        return false;
    }
    for (int ms = 0; ms < PATIENCE_MS; ms++) {
        if (abi_control_number(atomic_load(&header->answered)) == number) {
            return true;
        }
        (void)usleep(1000);
    }
    return false;
}

int main(void)
{
    char folder[] = "/tmp/mb_set_backXXXXXX";
    char trace[64];
    struct beat_options options;

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(trace, sizeof(trace), "%s/t.mbtrace", folder);
    beat_options_init(&options);
    options.clock = BEAT_CLOCK_COARSE;
    options.file = trace;
    (void)beat_start(&options);
    beat_i(1);
    int before = count_ticks(10);
    atomic_store(&is_ahead, false);
    int after = count_ticks(100);
    bool answered = is_answered();
    beat_stop();
    (void)unlink(trace);
    (void)printf("%d ticks before, %d after, %s\n", before, after,
                 answered ? "answered" : "not answered");
    return before == 10 && after == 100 && answered ? 0 : 1;
}
