/* kill -9 at random moments: every trace must open, hold every record whose probe had returned,
 * and at most the record being written may be bad.
 *
 * usage: crash [KILLS] */
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/file.h"
#include "recorder/methodbeat.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IDS 999983u /* a prime, so that laps of the ring and of the ids do not agree */

/* Shared with the child: how many of its probes have returned. */
static _Atomic(uint64_t) *returned;
static char path[] = "/tmp/mb_crashXXXXXX";

static uint32_t id_at(uint64_t position)
{
    return (uint32_t)(position / 2 % IDS) + 1;
}

/* The record at an even position enters, the next one leaves. */
static void record_for_ever(uint32_t words)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = path;
    options.main_words = words;
    options.throttle = BEAT_OFF; /* each call is counted on */
    if (!beat_start(&options)) {
        _exit(1);
    }
    for (uint64_t position = 0;; position += 2) {
        beat_i(id_at(position));
        atomic_store_explicit(returned, position + 1, memory_order_release);
        beat_o(id_at(position));
        atomic_store_explicit(returned, position + 2, memory_order_release);
    }
}

static void kill_after(pid_t child, long max_us)
{
    while (atomic_load(returned) == 0) {
        (void)usleep(100);
    }
    (void)usleep((useconds_t)(rand() % max_us));
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

static uint64_t count_bad(const struct abi_ring_view *view)
{
    uint64_t bad = 0;
    uint64_t position = view->first_position;

    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++, position++) {
            uint64_t head = abi_record_head(id_at(position), position % 2 == 0);
            bad += (view->runs[r][i] & ~ABI_TIME_MASK) != head;
        }
    }
    return bad;
}

/* Records lost or bad; more than one is a failure. */
static uint64_t read_back(uint64_t *held)
{
    struct mb_buf bytes = {0};
    struct abi_tracefile trace;
    struct abi_ring_view view;
    struct mb_error err;
    char line[512];
    bool used = false;
    uint64_t bad = UINT64_MAX;

    if (mb_file_read(&bytes, path, &err) == MB_OK &&
        abi_tracefile_open(&trace, bytes.bytes, bytes.size, &err) == MB_OK &&
        abi_tracefile_ring(&trace, 0, &view, &used, &err) == MB_OK && used) {
        uint64_t owed = atomic_load(returned);
        uint64_t written = view.entry.written;
        bad = count_bad(&view) + (written < owed ? owed - written : 0) + view.missing_words;
        *held = view.run_counts[0] + view.run_counts[1];
    } else {
        (void)fprintf(stderr, "%s\n", mb_error_format(&err, line, sizeof(line)));
    }
    mb_buf_finish(&bytes);
    return bad;
}

int main(int argc, char **argv)
{
    int kills = argc > 1 ? atoi(argv[1]) : 50;
    uint64_t total = 0;
    uint64_t lost = 0;
    int fd = mkstemp(path);

    (void)close(fd);
    srand((unsigned)time(NULL));
    returned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (returned == MAP_FAILED) {
        return 1;
    }
    for (int i = 0; i < kills; i++) {
        uint64_t held = 0;
        atomic_store(returned, 0);
        pid_t child = fork();
        if (child == 0) {
            record_for_ever(i % 2 == 0 ? 4096 : 1000000);
        }
        kill_after(child, i % 3 == 0 ? 500 : 40000);
        uint64_t bad = read_back(&held);
        if (bad > 1) {
            (void)fprintf(stderr, "kill %d: %" PRIu64 " records lost or bad\n", i, bad);
            return 1;
        }
        total += held;
        lost += bad;
    }
    (void)unlink(path);
    (void)printf("%d kills: %" PRIu64 " records read back, %" PRIu64 " lost\n", kills, total, lost);
    return 0;
}
