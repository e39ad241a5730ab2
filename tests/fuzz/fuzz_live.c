/* Any bytes that are a trace, changed or cut short between two looks, give looks of which parents
 * come first, and what happened between them; or an error that says why not. */

#define _GNU_SOURCE /* memfd_create */

#include "fuzz.h"
#include "jvms/live/recent.h"

#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t sum_of(const uint8_t *bytes, size_t size)
{
    size_t sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + bytes[i];
    }
    return sum;
}

static void change(int fd, size_t size, size_t sum)
{
    off_t place = (off_t)(sum / 8 % size);
    const uint8_t byte = (uint8_t)(sum >> 16);

    if (sum % 8 == 1) {
        PROMISE(ftruncate(fd, place) == 0);
    } else {
        PROMISE(pwrite(fd, &byte, 1, place) == 1);
    }
}

static void check_trees(const struct live_snapshot *look)
{
    for (size_t t = 0; look->sections.are_there && t < look->sections.source.thread_count; t++) {
        size_t count;
        const struct trace_node *nodes = trace_trees_of(&look->sections.trees, t, &count);
        for (size_t i = 0; i < count; i++) {
            PROMISE(nodes[i].parent == TRACE_NO_NODE ? nodes[i].depth == 0 : nodes[i].parent < i);
            PROMISE(nodes[i].own >= 0 && nodes[i].waited + nodes[i].ready <= nodes[i].own);
        }
    }
}

static bool take_look(struct live_trace *live, struct live_snapshot *look)
{
    struct mb_error err = {0};
    enum mb_status status = live_trace_take(live, look, &err);

    PROMISE(status == MB_OK || (status == MB_BAD_TRACE && err.reason[0] != '\0'));
    return status == MB_OK;
}

static void look_twice(struct live_trace *live, int fd, size_t size, size_t sum)
{
    struct live_snapshot snapshots[2] = {{0}};
    struct live_recent recent = {.focus = (uint32_t)sum};

    if (take_look(live, &snapshots[0])) {
        check_trees(&snapshots[0]);
        change(fd, size, sum);
        if (take_look(live, &snapshots[1])) {
            check_trees(&snapshots[1]);
            PROMISE(live_recent_find(&recent, &snapshots[0], &snapshots[1], NULL) == MB_OK);
            live_recent_sort(&recent, LIVE_BY_MEAN);
        }
    }
    live_recent_finish(&recent);
    live_snapshot_finish(&snapshots[0]);
    live_snapshot_finish(&snapshots[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct live_trace live = {.fd = -1};
    char path[64];
    size_t sum = sum_of(bytes, size);
    int fd = memfd_create("trace", MFD_CLOEXEC);
    const struct answer_source source = {.path = path};

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    PROMISE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    if (sum % 8 == 0) { /* as if a recorder had it */
        PROMISE(flock(fd, LOCK_EX) == 0);
    }
    if (live_trace_open(&live, &source, NULL) == MB_OK) {
        look_twice(&live, fd, size, sum);
    }
    live_trace_finish(&live);
    (void)close(fd);
    return 0;
}
