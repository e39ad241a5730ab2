#include "abi/names.h"
#include "abi/record.h"
#include "recorder/keeper.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME_SIZE sizeof(((struct dirent *)NULL)->d_name)

static uint64_t words[16];

static void start(enum beat_clock clock)
{
    struct beat_options options = traces_options(NULL);

    options.clock = clock;
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

    start(BEAT_CLOCK_COARSE);
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
    start(BEAT_CLOCK_COARSE);
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
        start(BEAT_CLOCK_COARSE);
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

/* The keeper's folder among the tasks; false: it has not named itself yet. */
static bool find_keeper(char task[NAME_SIZE])
{
    DIR *tasks = opendir("/proc/self/task");
    bool is_found = false;

    for (struct dirent *next = readdir(tasks); next != NULL && !is_found; next = readdir(tasks)) {
        is_found = is_named(next->d_name, "methodbeat\n");
        (void)snprintf(task, NAME_SIZE, "%s", next->d_name);
    }
    (void)closedir(tasks);
    return is_found;
}

static void await_keeper(char task[NAME_SIZE])
{
    while (!find_keeper(task)) {
        pause_ms(1);
    }
}

/* For those who look which thread takes the time. */
Test(keeper, has_a_name)
{
    char task[NAME_SIZE];

    start(BEAT_CLOCK_COARSE);
    await_keeper(task);
    beat_stop();
}

static long count_waits(const char *task)
{
    static const char title[] = "voluntary_ctxt_switches:";
    char path[NAME_SIZE + 64];
    char line[256];
    long count = -1;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, title, strlen(title)) == 0) {
            count = strtol(line + strlen(title), NULL, 10);
        }
    }
    (void)fclose(file);
    cr_assert(ge(long, count, 0));
    return count;
}

/* How often it is woken in a second of a program that has nothing to do, with the clock of Android.
 */
static long wakes_in_a_second(enum beat_switch profile)
{
    struct beat_options options = traces_options(NULL);
    char task[NAME_SIZE];

    options.clock = BEAT_CLOCK_COARSE;
    options.profile = profile;
    options.control = BEAT_OFF;
    cr_assert(beat_start(&options));
    beat_i(ABI_MESSAGE_ID);
    beat_o(ABI_MESSAGE_ID);
    await_keeper(task);
    (void)sleep(1); /* it comes to rest */
    long before = count_waits(task);
    (void)sleep(1);
    long waits = count_waits(task) - before;
    beat_stop();
    return waits;
}

Test(keeper, sleeps_where_nothing_is_to_be_done)
{
    cr_expect(eq(long, wakes_in_a_second(BEAT_OFF), 0));
}

Test(keeper, looks_seldom_where_nothing_is_to_be_told)
{
    long wakes = wakes_in_a_second(BEAT_ON);

    cr_expect(ge(long, wakes, 1));
    cr_expect(le(long, wakes, 12));
}

Test(keeper, what_is_started_in_time_stays)
{
    setenv("METHODBEAT_START_WITHIN_MS", "50", 1);
    beat_i(1);
    cr_assert(beat_start(NULL));
    pause_ms(200);
    cr_assert(beat_is_recording());
}
