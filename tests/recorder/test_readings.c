#include "recorder/readings.h"

#include "recorder/core.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* By the thread itself, before the words of methods that are timed. */
Test(readings, are_taken_at_both_ends_of_requests)
{
    struct beat_options options;
    uint32_t session = 0;
    struct prof_read before = {0};
    struct prof_read after = {0};

    beat_options_init(&options);
    options.tick_ms = 1000;
    cr_assert(beat_start(&options));
    beat_i(4);
    beat_time(5, true);
    errno = EAGAIN;
    beat_i(5);
    (void)usleep(2000);
    beat_o(5);
    cr_expect(eq(int, errno, EAGAIN));
    session = atomic_load(&beat_recorder.session);
    uint32_t claim = beat_thread.claim;
    const struct prof_readings *readings = beat_readings_of(BEAT_MAIN_RING, session, &claim);
    cr_assert(readings != NULL);
    cr_expect(not(prof_readings_find(readings, claim, 0, &before)), "the other is not timed");
    cr_expect(prof_readings_find(readings, claim, 1, &before));
    cr_expect(prof_readings_find(readings, claim, 2, &after));
    cr_expect(le(u64, before.ready_ns, after.ready_ns));
    cr_expect(ge(u64, after.time_ns - before.time_ns, 2000000), "whatever the coarse clock does");
    claim = beat_thread.claim;
    (void)beat_readings_of(BEAT_MAIN_RING, session + 2, &claim);
    cr_expect(not(prof_readings_find(readings, claim, 1, &before)), "nor is it of another session");
    beat_stop();
}

static int count_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    cr_assert(folder != NULL);
    while (readdir(folder) != NULL) {
        count++;
    }
    (void)closedir(folder);
    return count;
}

static void *read_twice(void *opened)
{
    int before = count_open();

    beat_i(4);
    beat_i(5);
    beat_o(5);
    *(int *)opened = count_open() - before;
    return NULL;
}

static int count_kept_by_thread(void)
{
    pthread_t thread;
    int kept = -1;

    cr_assert(pthread_create(&thread, NULL, read_twice, &kept) == 0);
    (void)pthread_join(thread, NULL);
    return kept;
}

/* The file that a thread reads stays open for as long as the thread lives, in its process alone. */
Test(readings, keep_one_file_of_each_thread)
{
    struct beat_options options;
    int status = -1;

    beat_options_init(&options);
    options.tick_ms = 1000;
    options.threads = BEAT_THREADS_ALL;
    cr_assert(beat_start(&options));
    beat_time(5, true);
    int before = count_open();
    beat_i(5);
    beat_o(5);
    cr_expect(eq(int, count_open(), before + 1));
    cr_expect(eq(int, count_kept_by_thread(), 1));
    cr_expect(eq(int, count_open(), before + 1), "it ended");
    pid_t child = fork();
    if (child == 0) {
        _exit(count_open() == before ? 0 : 1);
    }
    cr_assert(waitpid(child, &status, 0) == child);
    cr_expect(eq(int, status, 0));
    beat_stop();
}

/* The number is of another file then, which is not to be closed. */
Test(readings, survive_a_program_that_closes_it)
{
    struct beat_options options;

    beat_options_init(&options);
    options.tick_ms = 1000;
    cr_assert(beat_start(&options));
    beat_time(5, true);
    beat_i(4);
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)close(before);
    beat_i(5); /* has that number now */
    cr_assert(close(before) == 0);
    cr_assert(open("/dev/null", O_RDONLY | O_CLOEXEC) == before);
    beat_o(5);
    beat_readings_end(&beat_thread);
    cr_expect(fcntl(before, F_GETFD) >= 0);
    uint32_t claim = beat_thread.claim;
    struct prof_read read = {0};
    const struct prof_readings *readings =
        beat_readings_of(BEAT_MAIN_RING, atomic_load(&beat_recorder.session), &claim);
    cr_expect(prof_readings_find(readings, claim, 2, &read), "read by name");
    beat_stop();
}
