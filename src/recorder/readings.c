#include "recorder/readings.h"

#include "base/check.h"
#include "base/pages.h"
#include "recorder/clock.h"
#include "recorder/core.h"
#include "recorder/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define QUEUE "/proc/thread-self/schedstat"
#define MOST_KEPT 64
#define KEPT_SHARE 8 /* of the numbers that the process may have: the others are the program's */
#define UNTRIED 0    /* queue of a thread: else the descriptor and 1 */
#define NOT_KEPT (-1)
#define TEXT_SIZE 96
#define MOST_RINGS 1024u
#define CLAIM_BITS 10 /* the sessions go above */
#define CLAIM_MASK 0xFFFFFu

/* [ring]: made once, and kept, since a probe may be late. */
static _Atomic(struct prof_readings *) readings[MOST_RINGS];

/* A claim of another session is another one. */
static uint32_t claim_in(uint32_t session, uint32_t claim)
{
    return ((session << CLAIM_BITS) + claim) & CLAIM_MASK;
}

/* By system calls alone: in a signal handler, too. */
static struct prof_readings *readings_of(uint32_t ring)
{
    struct prof_readings *made = NULL;

    if (ring >= MOST_RINGS) {
        return NULL;
    }
    struct prof_readings *present = atomic_load_explicit(&readings[ring], memory_order_acquire);
    if (present != NULL) {
        return present;
    }
    made = mb_map_zeroes(1, sizeof(*made));
    if (made != NULL && !atomic_compare_exchange_strong(&readings[ring], &present, made)) {
        mb_unmap_zeroes(made, 1, sizeof(*made));
        made = present;
    }
    return made;
}

/* ---- The file of a thread's time in the queue ----
 *
 * To open it takes five times as long as to read it, so as many as MOST_KEPT threads keep it open.
 * The program may close it and have its number for another file: what is read tells. */

static _Atomic(int) kept;

/* False if this is another file. */
static bool read_kept(int fd, char text[TEXT_SIZE])
{
    ssize_t size = pread(fd, text, TEXT_SIZE - 1, 0);

    text[size > 0 ? size : 0] = '\0';
    return size > 0 && text[strspn(text, "0123456789 \n")] == '\0';
}

static int keep_queue(void)
{
    struct rlimit limit = {0};
    int fd = open(QUEUE, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool is_low = fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
                  (rlim_t)fd < limit.rlim_cur / KEPT_SHARE;

    if (is_low && atomic_fetch_add(&kept, 1) < MOST_KEPT) {
        return fd + 1;
    }
    (void)atomic_fetch_sub(&kept, is_low);
    if (fd >= 0) {
        (void)close(fd);
    }
    return NOT_KEPT;
}

void beat_readings_end(struct beat_thread *thread)
{
    char text[TEXT_SIZE];
    int fd = thread->queue - 1;

    thread->queue = NOT_KEPT;
    if (fd >= 0) {
        (void)atomic_fetch_sub(&kept, 1);
        if (read_kept(fd, text)) {
            (void)close(fd);
        }
    }
}

static bool read_queue(struct beat_queue *queue)
{
    char text[TEXT_SIZE];

    if (beat_thread.queue == UNTRIED) {
        beat_thread.queue = NOT_KEPT; /* for signal handlers meanwhile */
        beat_thread.queue = keep_queue();
    }
    if (beat_thread.queue > UNTRIED && read_kept(beat_thread.queue - 1, text)) {
        return beat_usage_parse(text, 0, queue);
    }
    beat_readings_end(&beat_thread);
    return beat_usage_read_queue(QUEUE, 0, queue) == 1;
}

/* How often the calling thread has given its processor up by itself. Where that is refused, it may
 * have waited at any time. */
static uint64_t count_waits(void)
{
    struct rusage usage = {0};

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw
                                                 : (uint64_t)beat_clock_monotonic_ns();
}

void beat_readings_take(void)
{
    const struct beat_cursor *cursor = beat_thread.cursor;
    const struct beat_recorder *recorder = &beat_recorder;
    const int error = errno;
    struct beat_queue queue;

    /* Relaxed, all: only this thread writes its ring; a stale session fits no reader. */
    if (atomic_load_explicit(&cursor->low_index, memory_order_relaxed) != BEAT_CLOSED) {
        const struct abi_trace_ring *ring = cursor->ring;
        const void *first = (const uint8_t *)cursor->header + cursor->header->ring_table_offset;
        struct prof_readings *of_ring =
            readings_of((uint32_t)(ring - (const struct abi_trace_ring *)first));
        uint32_t session = atomic_load_explicit(&recorder->session, memory_order_relaxed);
        uint64_t waits = count_waits(); /* first: those of the other readings count at the begin */
        uint64_t now = (uint64_t)beat_clock_monotonic_ns();
        if (of_ring != NULL && read_queue(&queue)) {
            const struct prof_read read = {now, queue.queued_ns, queue.ran_ns, waits};
            prof_readings_put(of_ring, claim_in(session, beat_thread.claim),
                              atomic_load_explicit(&ring->written, memory_order_relaxed), &read);
        }
    }
    errno = error;
}

const struct prof_readings *beat_readings_of(uint32_t ring, uint32_t session, uint32_t *claim)
{
    *claim = claim_in(session, *claim);
    return ring < MOST_RINGS ? atomic_load_explicit(&readings[ring], memory_order_acquire) : NULL;
}
