/* The profile of a whole run against what the program knows it did: threads that start and end
 * while they are drained, rings that lap, kill -9 at random moments, methods that fall silent.
 *
 * usage: whole [KILLS [ROUNDS]] */
#include "abi/profile.h"
#include "abi/section.h"
#include "base/file.h"
#include "recorder/methodbeat.h"
#include "recorder/throttle.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 64
#define UNITS 1000 /* of work of such a thread; each 4 calls, 8 words */
#define LAPPED_WORDS 5000
#define LAPPED_UNITS 300000

enum id {
    WHOLE = 1,
    OUTER,
    INNER,
    LEAF,
    HOT,
    HOT_TOO,
};

static char path[] = "/tmp/mb_wholeXXXXXX";

static void fail(const char *what, uint64_t is, uint64_t should_be)
{
    (void)fprintf(stderr, "%s: %" PRIu64 ", not %" PRIu64 "\n", what, is, should_be);
    (void)unlink(path);
    _exit(1);
}

static void expect(const char *what, uint64_t is, uint64_t should_be)
{
    if (is != should_be) {
        fail(what, is, should_be);
    }
}

static void start(uint32_t words, enum beat_switch throttle)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = path;
    options.threads = BEAT_THREADS_ALL;
    options.main_words = words;
    options.thread_words = words;
    options.max_threads =
        words > 16384 ? 2 : 2 * THREADS; /* the file is read whole, again and again */
    options.profile = BEAT_ON;
    options.profile_nodes = 10000;
    options.throttle = throttle;
    if (!beat_start(&options)) {
        fail("no start", 0, 1);
    }
}

/* ---- Work ---- */

static void work(void)
{
    beat_i(OUTER);
    beat_i(INNER);
    beat_i(LEAF);
    beat_o(LEAF);
    beat_o(INNER);
    beat_i(LEAF);
    beat_o(LEAF);
    beat_o(OUTER);
}

static void *run_thread(void *unused)
{
    beat_i(WHOLE);
    for (int i = 0; i < UNITS; i++) {
        work();
    }
    beat_o(WHOLE);
    return unused;
}

/* ---- Reading ---- */

struct profile {
    struct mb_buf bytes;
    struct abi_tracefile trace;
    const struct abi_profile_thread *rows;
    const struct abi_profile_node *nodes;
    const struct abi_profile_mute *mutes;
    size_t row_count;
    size_t node_count;
    size_t mute_count;
};

static const void *read_section(const struct profile *profile, uint32_t kind, size_t size,
                                size_t *count)
{
    struct abi_section_view view;

    if (!abi_tracefile_section(&profile->trace, kind, 0, size, &view) ||
        view.entry.record_size != size) {
        fail("no section of kind", 0, kind);
    }
    expect("records that the file holds", view.count, view.entry.written);
    *count = view.count;
    return view.records;
}

/* Every index points to something, at every moment. */
static void check_indexes(const struct profile *profile)
{
    for (size_t i = 0; i < profile->node_count; i++) {
        const struct abi_profile_node *node = &profile->nodes[i];
        if (node->parent != ABI_PROFILE_NO_NODE && node->parent >= i) {
            fail("a parent behind its child", node->parent, i);
        }
        if (node->thread >= profile->row_count || node->id < WHOLE || node->id > HOT_TOO) {
            fail("a node of nobody", node->thread, node->id);
        }
    }
}

static struct profile read_profile(void)
{
    struct profile profile = {0};
    struct mb_error err;

    if (mb_file_read(&profile.bytes, path, &err) != MB_OK ||
        abi_tracefile_open(&profile.trace, profile.bytes.bytes, profile.bytes.size, &err) !=
            MB_OK) {
        (void)fprintf(stderr, "%s\n", err.reason);
        fail("no trace", 0, 1);
    }
    profile.rows = read_section(&profile, ABI_SECTION_PROFILE_THREADS, sizeof(*profile.rows),
                                &profile.row_count);
    profile.nodes = read_section(&profile, ABI_SECTION_PROFILE_NODES, sizeof(*profile.nodes),
                                 &profile.node_count);
    profile.mutes = read_section(&profile, ABI_SECTION_PROFILE_MUTES, sizeof(*profile.mutes),
                                 &profile.mute_count);
    check_indexes(&profile);
    return profile;
}

static void finish(struct profile *profile)
{
    mb_buf_finish(&profile->bytes);
}

static uint64_t count_calls(const struct profile *profile, uint32_t id)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < profile->node_count; i++) {
        calls += profile->nodes[i].id == id ? profile->nodes[i].calls : 0;
    }
    return calls;
}

static uint64_t sum_own(const struct profile *profile)
{
    uint64_t own = 0;

    for (size_t i = 0; i < profile->node_count; i++) {
        own += profile->nodes[i].total - profile->nodes[i].child_total;
    }
    return own;
}

struct sums {
    uint64_t words;
    uint64_t lost_words;
    uint64_t unmatched; /* entries, exits and closes that are no word's */
    uint64_t threads;
    uint64_t outer_time;
    uint64_t with_cpu;
};

static struct sums sum_rows(const struct profile *profile)
{
    struct sums sums = {0};

    for (size_t i = 0; i < profile->row_count; i++) {
        const struct abi_profile_thread *row = &profile->rows[i];
        sums.words += row->words;
        sums.lost_words += row->lost_words;
        sums.unmatched += row->lost_entries + row->lost_exits + row->inferred;
        sums.threads += row->thread_count;
        sums.outer_time += row->outer_time;
        sums.with_cpu += row->cpu_time != 0;
    }
    return sums;
}

/* Enter the whole, and go on when that is in the profile: in a short ring it would be lapped. */
static void enter_whole(void)
{
    size_t nodes = 0;

    beat_i(WHOLE);
    while (nodes == 0) {
        struct profile profile = read_profile();
        nodes = profile.node_count;
        finish(&profile);
    }
}

/* ---- Tests ---- */

static void count_threads(int rounds)
{
    pthread_t threads[THREADS];
    uint64_t all = (uint64_t)THREADS * (uint64_t)rounds;

    start(16384, BEAT_OFF);
    for (int r = 0; r < rounds; r++) {
        for (int t = 0; t < THREADS; t++) {
            if (pthread_create(&threads[t], NULL, run_thread, NULL) != 0) {
                fail("no thread", 0, 1);
            }
        }
        for (int t = 0; t < THREADS; t++) {
            (void)pthread_join(threads[t], NULL);
        }
    }
    beat_stop();
    struct profile profile = read_profile();
    struct sums sums = sum_rows(&profile);
    uint64_t refused = profile.trace.header.refused_words;
    expect("lost words", sums.lost_words, 0);
    expect("words", sums.words + refused, all * (UNITS * 8 + 2));
    if (refused > 0) {
        /* A probe waits two seconds for the lock, and hundreds of threads for a processor. */
        (void)printf("%" PRIu64 " words had no ring in time\n", refused);
        finish(&profile);
        return;
    }
    expect("threads", sums.threads, all);
    expect("unmatched", sums.unmatched, 0);
    expect("calls of the whole", count_calls(&profile, WHOLE), all);
    expect("outer calls", count_calls(&profile, OUTER), all * UNITS);
    expect("inner calls", count_calls(&profile, INNER), all * UNITS);
    expect("leaf calls", count_calls(&profile, LEAF), all * UNITS * 2);
    expect("own time", sum_own(&profile), sums.outer_time);
    expect("threads with CPU time", sums.with_cpu, profile.row_count);
    (void)printf("%" PRIu64 " threads in %zu rows\n", all, profile.row_count);
    finish(&profile);
}

static void lap(void)
{
    start(LAPPED_WORDS, BEAT_OFF);
    enter_whole();
    for (int i = 0; i < LAPPED_UNITS; i++) {
        work();
    }
    beat_o(WHOLE);
    beat_stop();
    struct profile profile = read_profile();
    struct sums sums = sum_rows(&profile);
    expect("words, lost ones too", sums.words + sums.lost_words, LAPPED_UNITS * 8 + 2);
    expect("calls of the whole", count_calls(&profile, WHOLE), 1);
    expect("own time", sum_own(&profile), sums.outer_time);
    expect("time of the whole", profile.nodes[0].total, sums.outer_time);
    expect("CPU time is known", sums.with_cpu, 1);
    (void)printf("%" PRIu64 " of %d words were lapped\n", sums.lost_words, LAPPED_UNITS * 8 + 2);
    finish(&profile);
}

static void call(uint32_t id)
{
    beat_i(id);
    beat_o(id);
}

static void throttle(void)
{
    uint64_t made = 400000;

    start(2000000, BEAT_ON); /* room for all, however late the keeper is */
    beat_i(WHOLE);
    for (uint64_t calls = 0; calls < 400000; calls++) {
        call(HOT);
        while (calls == 200000 && atomic_load(&beat_muted[HOT]) == 0) {
            (void)usleep(20000); /* the keeper's turn, which may have spared it on a busy machine */
            for (int i = 0; i < 2000; i++, made++) {
                call(HOT);
            }
        }
    }
    beat_o(WHOLE);
    beat_stop();
    struct profile profile = read_profile();
    expect("muted methods", profile.mute_count, 1);
    expect("the one that is muted", profile.mutes[0].id, HOT);
    expect("unmatched", sum_rows(&profile).unmatched, 0);
    uint64_t calls = count_calls(&profile, HOT);
    if (calls < profile.mutes[0].calls || calls >= made) {
        fail("calls of a muted method", calls, profile.mutes[0].calls);
    }
    finish(&profile);
    start(1000000, BEAT_OFF);
    call(HOT);
    call(HOT_TOO);
    beat_stop();
    profile = read_profile();
    expect("calls of a muted method after a restart", count_calls(&profile, HOT), 0);
    expect("calls of another one", count_calls(&profile, HOT_TOO), 1);
    expect("muted methods after a restart", profile.mute_count, 1);
    expect("why", profile.mutes[0].reason, ABI_MUTED_BEFORE);
    finish(&profile);
}

/* Which may be slow to read, as on a busy machine that is emulated: then the coarse clock has its
 * place. */
static bool has_counter(const struct profile *profile)
{
    return profile->trace.header.clock_kind == ABI_CLOCK_COUNTER;
}

/* ---- Kills ---- */

static _Atomic(uint64_t) *done; /* shared with the child: units of work */

static void work_for_ever(uint32_t words)
{
    start(words, BEAT_OFF);
    enter_whole();
    for (;;) {
        work();
        atomic_fetch_add(done, 1);
    }
}

static void kill_one(int number)
{
    atomic_store(done, 0);
    pid_t child = fork();
    if (child == 0) {
        work_for_ever(number % 2 == 0 ? LAPPED_WORDS : 1000000);
    }
    while (atomic_load(done) == 0) {
        (void)usleep(100);
    }
    (void)usleep((useconds_t)(rand() % (number % 3 == 0 ? 500 : 40000)));
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

/* A row tells what was fed whole portions ago, nodes of now. */
static void check_killed(const struct profile *profile)
{
    struct sums sums = sum_rows(profile);
    uint64_t most = (atomic_load(done) + 1) * 2;

    expect("rows", profile->row_count, 1);
    if (count_calls(profile, LEAF) > most) {
        fail("leaf calls", count_calls(profile, LEAF), most);
    }
    expect("calls of the whole that have ended", profile->nodes[0].calls, 0);
    if (profile->nodes[0].open_since == 0 && profile->node_count > 1) {
        fail("the whole is open since", 0, 1);
    }
    if (sums.words > most * 4 + 1) {
        fail("words", sums.words, most * 4 + 1);
    }
}

static void kill_often(int kills)
{
    uint64_t calls = 0;

    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (done == MAP_FAILED) {
        fail("no memory", 0, 1);
    }
    for (int i = 0; i < kills; i++) {
        kill_one(i);
        struct profile profile = read_profile();
        check_killed(&profile);
        calls += count_calls(&profile, LEAF);
        finish(&profile);
    }
    (void)printf("%d kills, %" PRIu64 " calls in profiles\n", kills, calls);
}

/* ---- Sleep ---- */

/* How often the threads of this process have gone to sleep. */
static uint64_t count_sleeps(void)
{
    char line[256];
    uint64_t sleeps = 0;
    FILE *tasks = popen("cat /proc/$PPID/task/*/status", "r");

    while (tasks != NULL && fgets(line, sizeof(line), tasks) != NULL) {
        uint64_t count = 0;
        if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &count) == 1) {
            sleeps += count;
        }
    }
    if (tasks != NULL) {
        (void)pclose(tasks);
    }
    return sleeps;
}

static void be_idle(void)
{
    start(16384, BEAT_ON);
    work();
    (void)usleep(1000000); /* this is what is measured */
    uint64_t before = count_sleeps();
    (void)usleep(1000000);
    uint64_t sleeps = count_sleeps() - before;
    beat_stop();
    struct profile profile = read_profile();
    if (sleeps > 50 && has_counter(&profile)) { /* else each tick is one */
        fail("wake-ups of an idle program in a second", sleeps, 50);
    }
    finish(&profile);
    (void)printf("%" PRIu64 " wake-ups in an idle second\n", sleeps);
}

int main(int argc, char **argv)
{
    int fd = mkstemp(path);

    (void)close(fd);
    srand((unsigned)time(NULL));
    kill_often(argc > 1 ? atoi(argv[1]) : 50);
    count_threads(argc > 2 ? atoi(argv[2]) : 10);
    lap();
    throttle();
    be_idle();
    (void)unlink(path);
    return 0;
}
