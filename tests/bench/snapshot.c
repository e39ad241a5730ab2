/* What a snapshot of `methodbeat top` costs with a full profile, with all that its table is made
 * of: milliseconds, of snapshots between which so many of the nodes changed. usage: bench_snapshot
 * [ROUNDS] */

#include "abi/section.h"
#include "base/clock.h"
#include "jvms/live/recent.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODES 150000u
#define THREADS 16u
#define METHODS 20000u
#define MOST_ROUNDS 1000

#define TABLE_OFFSET ABI_TRACE_PAGE
#define THREADS_OFFSET ((uint64_t)2 * ABI_TRACE_PAGE)
#define NODES_OFFSET ((uint64_t)4 * ABI_TRACE_PAGE)
#define FILE_SIZE (NODES_OFFSET + (uint64_t)NODES * sizeof(struct abi_profile_node))

static uint8_t *file;
static struct live_trace live = {.fd = -1};
static struct live_snapshot snapshots[2];
static struct live_recent recent = {.focus = LIVE_NO_METHOD};
static _Atomic(bool) is_over;

static uint32_t next_random(uint32_t *chance)
{
    *chance ^= *chance << 13;
    *chance ^= *chance >> 17;
    *chance ^= *chance << 5;
    return *chance;
}

static struct abi_profile_node *nodes(void)
{
    return (void *)(file + NODES_OFFSET);
}

static void put_header(void)
{
    struct abi_trace_header *header = (void *)file;
    struct abi_trace_section *table = (void *)(file + TABLE_OFFSET);

    *header = (struct abi_trace_header){
        .magic = ABI_TRACE_MAGIC,
        .byte_order = ABI_TRACE_BYTE_ORDER,
        .version = ABI_TRACE_VERSION,
        .ring_table_offset = TABLE_OFFSET,
        .ring_size = sizeof(struct abi_trace_ring),
        .mark_table_offset = TABLE_OFFSET,
        .mark_size = sizeof(struct abi_trace_mark),
        .state = ABI_TRACE_OPEN,
        .clock_kind = ABI_CLOCK_COUNTER,
        .ns_per_unit = abi_ns_per_unit(1, 1),
        .monotonic_start_ns = mb_clock_now_ns(),
        .section_table_offset = TABLE_OFFSET,
        .section_count = 2,
        .section_size = sizeof(struct abi_trace_section),
    };
    table[0] = (struct abi_trace_section){.kind = ABI_SECTION_PROFILE_THREADS,
                                          .record_size = sizeof(struct abi_profile_thread),
                                          .offset = THREADS_OFFSET,
                                          .capacity = THREADS,
                                          .written = THREADS};
    table[1] = (struct abi_trace_section){.kind = ABI_SECTION_PROFILE_NODES,
                                          .record_size = sizeof(struct abi_profile_node),
                                          .offset = NODES_OFFSET,
                                          .capacity = NODES,
                                          .written = NODES};
}

/* Trees some tens deep; threads take turns. */
static void put_nodes(void)
{
    struct abi_profile_thread *threads = (void *)(file + THREADS_OFFSET);
    uint32_t chance = 1;

    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = (struct abi_profile_thread){
            .name = "worker", .thread_id = i + 1, .flags = ABI_PROFILE_BOUNDS, .thread_count = 1};
    }
    for (uint32_t i = 0; i < NODES; i++) {
        bool is_outermost = i < 2 * THREADS;
        uint32_t back =
            is_outermost ? 0 : 1 + next_random(&chance) % (i / THREADS < 99 ? i / THREADS : 99);
        nodes()[i] = (struct abi_profile_node){
            .parent = is_outermost ? ABI_PROFILE_NO_NODE : i - back * THREADS,
            .id = next_random(&chance) % METHODS,
            .thread = i % THREADS,
        };
    }
}

static void make_file(void)
{
    char path[] = "/tmp/mb_bench_snapshot_XXXXXX";
    const struct answer_source source = {.path = path};
    int fd = mkstemp(path);

    if (fd < 0 || ftruncate(fd, (off_t)FILE_SIZE) != 0 || flock(fd, LOCK_EX) != 0) {
        exit(1);
    }
    file = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) {
        exit(1);
    }
    put_header();
    put_nodes();
    struct mb_error err = {0};
    if (live_trace_open(&live, &source, &err) != MB_OK) {
        (void)fprintf(stderr, "%s\n", err.reason);
        exit(1);
    }
    (void)unlink(path);
}

static void change(uint32_t count, uint32_t *chance)
{
    for (uint32_t i = 0; i < count; i++) {
        struct abi_profile_node *node = &nodes()[next_random(chance) % NODES];
        node->calls += 3;
        node->total += 3000;
    }
}

/* A recorder at work: 100 nodes each millisecond. */
static void *go_on(void *unused)
{
    const struct timespec pause = {.tv_nsec = MB_NS_PER_MS};
    uint32_t chance = 3;

    (void)unused;
    while (!is_over) {
        change(100, &chance);
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

static double take_snapshot(int number)
{
    int64_t start = mb_clock_now_ns();
    struct live_snapshot *to = &snapshots[number % 2];

    if (live_trace_take(&live, to, NULL) != MB_OK ||
        live_recent_find(&recent, &snapshots[1 - number % 2], to, NULL) != MB_OK) {
        exit(1);
    }
    live_recent_sort(&recent, LIVE_BY_WORK);
    return (double)(mb_clock_now_ns() - start) / 1e6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *what, uint32_t changed, int rounds)
{
    double ms[MOST_ROUNDS];
    uint32_t chance = 2;

    for (int i = 0; i < rounds; i++) {
        change(changed, &chance);
        ms[i] = take_snapshot(i);
    }
    qsort(ms, (size_t)rounds, sizeof(*ms), by_size);
    (void)printf(
        "%6u of %u nodes changed%s: minimum %5.2f ms, median %5.2f, nine of ten below %5.2f\n",
        changed, NODES, what, ms[0], ms[rounds / 2], ms[rounds * 9 / 10]);
}

static void measure_all(const char *what, int rounds)
{
    static const uint32_t changes[] = {0, 1500, 15000, 150000};

    for (size_t i = 0; i < MB_COUNT(changes); i++) {
        measure(what, changes[i], rounds);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    pthread_t writer;

    if (rounds < 2 || rounds > MOST_ROUNDS) {
        return 2;
    }
    make_file();
    (void)take_snapshot(0);
    (void)take_snapshot(1);
    measure_all("", rounds);
    if (pthread_create(&writer, NULL, go_on, NULL) == 0) {
        measure_all(", and more meanwhile", rounds);
        is_over = true;
        (void)pthread_join(writer, NULL);
    }
    live_recent_finish(&recent);
    live_snapshot_finish(&snapshots[0]);
    live_snapshot_finish(&snapshots[1]);
    live_trace_finish(&live);
    return 0;
}
