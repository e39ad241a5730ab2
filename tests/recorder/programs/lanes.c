/* Logical threads wander over threads of the system, in the middle of their calls, while others
 * restart, stop and dump. Nothing may crash, and in every lane of every dump calls nest, as long as
 * it was one logical thread after the other that wrote there.
 *
 * usage: lanes [RESTARTS] [SECONDS]     whichever is reached first */
#include "recorder/lanes.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "recorder/methodbeat.h"
#include "tests/recorder/programs/quiet.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CARRIERS 5
#define LOGICAL 40
#define DEPTH 6
#define POOL 64

static atomic_bool over;
static atomic_ulong calls;
static atomic_ulong checked_words;
static char folder[] = "/tmp/mb_lanesXXXXXX";
static char trace[64];
static char dump[64];

static void fail(const char *what, uint64_t a, uint64_t b)
{
    (void)fprintf(stderr, "%s: %" PRIu64 " %" PRIu64 "\n", what, a, b);
    abort();
}

/* ---- Logical threads ---- */

struct logical {
    uint64_t lane;
    uint32_t depth;
    uint32_t turn;
};

/* Those that no carrier has, and the lanes that nobody has. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct logical *waiting[LOGICAL];
static size_t waiting_count;
static uint64_t pool[POOL];
static size_t pool_count;

static struct logical *mount(uint32_t choice)
{
    struct logical *taken = NULL;

    (void)pthread_mutex_lock(&lock);
    if (waiting_count > 0) {
        size_t at = choice % waiting_count;
        taken = waiting[at];
        waiting[at] = waiting[--waiting_count];
    }
    (void)pthread_mutex_unlock(&lock);
    return taken;
}

static void unmount(struct logical *thread)
{
    (void)pthread_mutex_lock(&lock);
    waiting[waiting_count++] = thread;
    (void)pthread_mutex_unlock(&lock);
}

static uint64_t take_lane(void)
{
    uint64_t lane = BEAT_NO_LANE;

    (void)pthread_mutex_lock(&lock);
    if (pool_count > 0) {
        lane = pool[--pool_count];
    }
    (void)pthread_mutex_unlock(&lock);
    return lane != BEAT_NO_LANE ? lane : beat_lane_create("wanderer");
}

static void give_back(uint64_t lane)
{
    (void)pthread_mutex_lock(&lock);
    if (pool_count < POOL) {
        pool[pool_count++] = lane;
        lane = BEAT_NO_LANE;
    }
    (void)pthread_mutex_unlock(&lock);
    if (lane != BEAT_NO_LANE) {
        beat_lane_end(lane);
    }
}

/* The session of its lane is over: what it is inside of is not of the next one. */
static void lose(struct logical *thread)
{
    thread->lane = BEAT_NO_LANE;
    thread->depth = 0;
}

/* One entry or exit; the id is the depth. */
static void step(struct logical *thread)
{
    bool enters = thread->depth == 0 || (thread->depth < DEPTH && thread->turn++ % 3 != 0);

    if (thread->lane == BEAT_NO_LANE) {
        thread->lane = take_lane();
    }
    if (thread->lane == BEAT_NO_LANE) {
        return;
    }
    if (enters) {
        if (!beat_lane_i(thread->lane, thread->depth + 1)) {
            lose(thread);
            return;
        }
        thread->depth++;
        atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
        return;
    }
    if (!beat_lane_o(thread->lane, thread->depth)) {
        lose(thread);
        return;
    }
    if (--thread->depth == 0) {
        give_back(thread->lane);
        thread->lane = BEAT_NO_LANE;
    } else if (thread->turn % 1009 == 0) { /* dies of an exception, and another begins */
        beat_lane_end(thread->lane);
        lose(thread);
    }
}

static void *carry(void *seed)
{
    uint32_t choice = (uint32_t)(uintptr_t)seed;

    while (!atomic_load(&over)) {
        struct logical *thread = mount(choice++);
        for (uint32_t i = 0; thread != NULL && i < 1 + choice % 50; i++) {
            step(thread);
        }
        if (thread != NULL) {
            unmount(thread);
        }
    }
    return NULL;
}

/* ---- What the dumps hold ---- */

/* A call's id is its depth, so that words of two threads at a time do not fit together. Those of a
 * lapped ring begin anywhere. */
static void check_lane(const struct abi_ring_view *view)
{
    uint64_t depth = view->first_position == 0 ? 0 : UINT64_MAX;
    uint64_t count = 0;

    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++) {
            uint64_t word = view->runs[r][i];
            uint64_t id = abi_record_id(word);
            uint64_t before = abi_record_is_enter(word) ? id - 1 : id;
            if (depth != UINT64_MAX && before != depth) {
                fail("calls that do not nest", depth, id);
            }
            depth = abi_record_is_enter(word) ? id : id - 1;
            count++;
        }
    }
    atomic_fetch_add_explicit(&checked_words, count, memory_order_relaxed);
}

static void check_dump(void)
{
    struct abi_tracefile file;
    struct stat info;
    int fd = open(dump, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) {
        fail("no dump", 0, 0);
    }
    void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED ||
        abi_tracefile_open(&file, bytes, (size_t)info.st_size, NULL) != MB_OK) {
        fail("no trace", (uint64_t)info.st_size, 0);
    }
    for (uint32_t i = 0; i < file.header.ring_count; i++) {
        struct abi_ring_view view;
        bool used;
        if (abi_tracefile_ring(&file, i, &view, &used, NULL) != MB_OK) {
            fail("an entry that makes no sense", i, 0);
        }
        if (used && view.entry.is_virtual) {
            check_lane(&view);
        }
    }
    (void)munmap(bytes, (size_t)info.st_size);
    (void)close(fd);
}

/* ---- Restarts ---- */

static struct beat_options options_of(unsigned long round)
{
    struct beat_options options;

    beat_options_init(&options);
    options.log = ignore;
    options.throttle = BEAT_OFF; /* calls of a method that falls silent leave a gap in what nests */
    options.threads = round % 32 == 31 ? BEAT_THREADS_MAIN : BEAT_THREADS_ALL;
    options.main_words = 1024;
    options.thread_words = round % 4 == 3 ? 1024 : 5000;
    options.max_threads = 4;
    options.max_virtual = round % 8 == 7 ? 10 : 100;
    options.clock = round % 2 == 0 ? BEAT_CLOCK_COARSE : BEAT_CLOCK_AUTO;
    options.file = round % 64 == 5 ? trace : NULL;
    return options;
}

static void *disturb(void *unused)
{
    for (unsigned long round = 0; !atomic_load(&over); round++) {
        if (beat_dump(dump)) {
            check_dump();
        }
        if (round % 4 == 0) {
            beat_stop();
        }
    }
    return unused;
}

int main(int argc, char **argv)
{
    unsigned long restarts = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000;
    time_t until = time(NULL) + (argc > 2 ? atoi(argv[2]) : 20);
    struct logical logical[LOGICAL] = {{0}};
    pthread_t threads[CARRIERS];
    pthread_t disturber;
    unsigned long done = 0;

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(trace, sizeof(trace), "%s/t.mbtrace", folder);
    (void)snprintf(dump, sizeof(dump), "%s/d.mbtrace", folder);
    for (size_t i = 0; i < LOGICAL; i++) {
        waiting[waiting_count++] = &logical[i];
    }
    struct beat_options first = options_of(0);
    (void)beat_start(&first);
    for (uintptr_t i = 0; i < CARRIERS; i++) {
        (void)pthread_create(&threads[i], NULL, carry, (void *)i);
    }
    (void)pthread_create(&disturber, NULL, disturb, NULL);
    while (done < restarts && time(NULL) < until) {
        struct beat_options options = options_of(++done);
        beat_stop();
        (void)beat_start(&options);
        (void)usleep(done % 10 == 0 ? 2000 : 50);
    }
    atomic_store(&over, true);
    for (int i = 0; i < CARRIERS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)pthread_join(disturber, NULL);
    beat_stop();
    (void)unlink(trace);
    (void)unlink(dump);
    (void)rmdir(folder);
    if (atomic_load(&checked_words) == 0) {
        fail("nothing was checked", done, atomic_load(&calls));
    }
    (void)printf("%lu restarts, %lu calls, %lu words checked\n", done, atomic_load(&calls),
                 atomic_load(&checked_words));
    return 0;
}
