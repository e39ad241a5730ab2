#include "abi/names.h"
#include "abi/record.h"
#include "recorder/keeper.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t words[16];

static void start(enum beat_clock clock, uint32_t min_ns)
{
    struct beat_options options = traces_options(NULL);

    options.clock = clock;
    options.min_ns = min_ns;
    options.main_words = 1024;
    cr_assert(beat_start(&options));
}

static size_t copy(void)
{
    size_t count = 16;

    cr_assert(beat_copy(NULL, BEAT_SELF, words, &count));
    return count;
}

static void pause_ms(long ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000};

    nanosleep(&t, NULL);
}

/* The ticker is a thread that wants the CPU in time. Try again where others have it; what the clock
 * never does it does not do in any of the attempts. */
#define ATTEMPTS 50

static int64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static bool coarse_time_moves(void)
{
    int64_t begin_us = now_us();

    start(BEAT_CLOCK_COARSE, 0);
    beat_i(1);
    pause_ms(50);
    beat_o(1);
    int64_t all_us = now_us() - begin_us;
    cr_assert(eq(sz, copy(), 2));
    uint64_t elapsed_us = abi_record_elapsed(words[0], words[1]);
    cr_assert(le(u64, elapsed_us, (uint64_t)all_us + 1));
    beat_stop();
    return elapsed_us >= 30000;
}

Test(probe, coarse_time_moves_while_no_message_was_seen)
{
    int attempt = 0;

    while (attempt < ATTEMPTS && !coarse_time_moves()) {
        attempt++;
    }
    cr_assert(lt(int, attempt, ATTEMPTS));
}

static bool coarse_time_rests_and_ticks(void)
{
    start(BEAT_CLOCK_COARSE, 0);
    beat_i(ABI_MESSAGE_ID);
    beat_o(ABI_MESSAGE_ID);
    pause_ms(30); /* the ticker comes to rest */
    beat_i(1);
    pause_ms(30);
    beat_i(2); /* no message runs: same time */
    beat_i(ABI_MESSAGE_ID);
    pause_ms(30);
    beat_i(3); /* it ticks again */
    beat_o(ABI_MESSAGE_ID);
    cr_assert(eq(sz, copy(), 7));
    beat_stop();
    /* Messages make the clock exact, and need no ticker for that. */
    cr_assert(ge(u64, abi_record_elapsed(words[1], words[4]), 59999));
    return abi_record_elapsed(words[2], words[3]) == 0 &&
           abi_record_elapsed(words[3], words[4]) >= 50000 &&
           abi_record_elapsed(words[4], words[5]) >= 10000;
}

Test(probe, messages_refresh_the_coarse_clock_and_let_it_rest)
{
    int attempt = 0;

    while (attempt < ATTEMPTS && !coarse_time_rests_and_ticks()) {
        attempt++;
    }
    cr_assert(lt(int, attempt, ATTEMPTS));
}

static size_t count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t count = 0;

    for (struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        count += task->d_name[0] != '.';
    }
    (void)closedir(tasks);
    return count;
}

Test(keeper, one_thread_keeps_all_sessions)
{
    size_t before = count_threads();

    for (int i = 0; i < 200; i++) {
        start(BEAT_CLOCK_COARSE, 0);
        while (count_threads() > before + 1) { /* the kernel still lists one that has returned */
            pause_ms(1);
        }
        beat_stop();
    }
    while (count_threads() > before) { /* and ends with the last */
        pause_ms(1);
    }
}

static bool is_named(const char *task, const char *name)
{
    char path[300];
    char found[64] = "";

    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task);
    FILE *file = fopen(path, "r");
    if (file != NULL) { /* else it has ended */
        (void)!fgets(found, sizeof(found), file);
        (void)fclose(file);
    }
    return strcmp(found, name) == 0;
}

static bool has_thread_of_name(const char *name)
{
    DIR *tasks = opendir("/proc/self/task");
    bool has = false;

    for (struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        has = has || is_named(task->d_name, name);
    }
    (void)closedir(tasks);
    return has;
}

/* For those who look which thread takes the time. */
Test(keeper, has_a_name)
{
    start(BEAT_CLOCK_COARSE, 0);
    while (!has_thread_of_name("methodbeat\n")) {
        pause_ms(1);
    }
    beat_stop();
}

Test(keeper, what_is_started_in_time_stays)
{
    setenv("METHODBEAT_START_WITHIN_MS", "50", 1);
    beat_i(1);
    cr_assert(beat_start(NULL));
    pause_ms(200);
    cr_assert(beat_is_recording());
}
