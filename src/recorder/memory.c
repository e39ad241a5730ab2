#include "recorder/memory.h"

#include "recorder/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static struct beat_memory *all; /* newest first */

/* ---- Zeroes ---- */

/* Map zero pages over the range, atomically for threads that store to it meanwhile. */
static bool map_over(const struct beat_memory *memory, int flags, int fd)
{
    const int access = PROT_READ | PROT_WRITE;

#if defined(MB_UNDER_TSAN)
    /* Not through ThreadSanitizer's interceptor, which reports a race with late stores of
     * probes. */
    return syscall(SYS_mmap, memory->bytes, memory->size, (long)access, (long)flags | MAP_FIXED,
                   (long)fd, 0L) != -1;
#else
    return mmap(memory->bytes, memory->size, access, flags | MAP_FIXED, fd, 0) != MAP_FAILED;
#endif
}

static bool put_zeroes(const struct beat_memory *memory)
{
    return map_over(memory, ANONYMOUS, -1);
}

/* NULL with errno. */
static struct beat_memory *create_memory(const struct beat_plan *plan, size_t size)
{
    struct beat_memory *memory = calloc(1, sizeof(*memory));
    size_t cursors_size = plan->ring_count * sizeof(*memory->cursors);
    void *cursors = NULL;

    if (memory == NULL || posix_memalign(&cursors, ABI_TRACE_LINE, cursors_size) != 0) {
        free(memory);
        errno = ENOMEM;
        return NULL;
    }
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        free(cursors);
        free(memory);
        return NULL;
    }
    /* All closed; cursors of lanes are read only after beat_rings_point. */
    memset(cursors, 0xFF, cursors_size - plan->lane_count * sizeof(*memory->cursors));
    *memory = (struct beat_memory){
        .bytes = bytes, .size = size, .fd = -1, .plan = *plan, .cursors = cursors, .next = all};
    all = memory;
    return memory;
}

static bool can_serve(const struct beat_memory *memory, const struct beat_plan *plan, size_t size)
{
    return memory->is_released && memory->size == size && memory->pin_count == 0 &&
           memory->reader_count == 0 && memory->plan.ring_count == plan->ring_count &&
           memory->plan.lane_count == plan->lane_count &&
           memory->plan.profile_nodes == plan->profile_nodes &&
           memory->plan.has_names == plan->has_names &&
           memory->plan.main_words == plan->main_words &&
           memory->plan.thread_words == plan->thread_words;
}

struct beat_memory *beat_memory_take(const struct beat_plan *plan, size_t size,
                                     struct mb_error *err)
{
    struct beat_memory *memory = all;

    assert(beat_has_lock());
    while (memory != NULL && !(can_serve(memory, plan, size) && put_zeroes(memory))) {
        memory = memory->next;
    }
    if (memory == NULL) {
        memory = create_memory(plan, size);
    }
    if (memory == NULL) {
        (void)mb_fail_errno(err, "cannot map the rings");
        return NULL;
    }
    memory->is_released = false;
    return memory;
}

static void drop_content(struct beat_memory *memory)
{
    (void)put_zeroes(memory);
    mb_file_close(memory->fd, &memory->file);
    memory->fd = -1;
}

void beat_memory_release(struct beat_memory *memory)
{
    assert(beat_has_lock());
    if (memory == NULL) {
        return;
    }
    memory->is_released = true;
    if (memory->reader_count == 0) {
        drop_content(memory);
    }
}

void beat_memory_release_all(void)
{
    for (struct beat_memory *memory = all; memory != NULL; memory = memory->next) {
        memory->pin_count = 0;
        memory->reader_count = 0;
        beat_memory_release(memory);
    }
}

void beat_memory_pin(struct beat_memory **pin, struct beat_memory *memory)
{
    assert(beat_has_lock());
    if (memory != NULL) {
        memory->pin_count++;
    }
    if (*pin != NULL) {
        assert((*pin)->pin_count > 0);
        (*pin)->pin_count--;
    }
    *pin = memory;
}

void beat_memory_begin_reading(struct beat_memory *memory)
{
    assert(beat_has_lock());
    memory->reader_count++;
}

void beat_memory_end_reading(struct beat_memory *memory)
{
    assert(beat_has_lock() && memory->reader_count > 0);
    memory->reader_count--;
    if (memory->is_released && memory->reader_count == 0) {
        drop_content(memory);
    }
}

/* ---- Files ---- */

/* Blocks for part of a file. Where the file system cannot promise them, zeroes do as well. */
static int reserve_blocks(int fd, uint64_t offset, uint64_t size)
{
    static const uint8_t zeroes[16384];
    int error;

    if (size == 0) { /* which posix_fallocate refuses */
        return 0;
    }
    do {
        error = posix_fallocate(fd, (off_t)offset, (off_t)size);
    } while (error == EINTR);
    if (error != EOPNOTSUPP && error != EINVAL) {
        return error;
    }
    for (uint64_t done = 0; done < size;) {
        size_t part = size - done < sizeof(zeroes) ? (size_t)(size - done) : sizeof(zeroes);
        if (!mb_file_put_at(fd, zeroes, part, offset + done)) {
            return errno;
        }
        done += part;
    }
    return 0;
}

static enum mb_status fill_file(const struct beat_memory *memory, int fd,
                                const struct beat_extent *extent, struct mb_error *err)
{
    errno = reserve_blocks(fd, extent->offset, extent->size);
    if (errno != 0) {
        return mb_fail_errno(err, "no room for the trace");
    }
    if (!mb_file_put_at(fd, memory->bytes + extent->offset, (size_t)extent->used, extent->offset)) {
        return mb_fail_errno(err, "cannot write");
    }
    return MB_OK;
}

static enum mb_status fill_all(const struct beat_memory *memory, int fd,
                               const struct beat_extent *extents, size_t count,
                               struct mb_error *err)
{
    MB_TRY(beat_output_set_size(fd, memory->size, err));
    for (size_t i = 0; i < count; i++) {
        MB_TRY(fill_file(memory, fd, &extents[i], err));
    }
    return MB_OK;
}

/* Copy the file's content, seen through a second mapping, back to anonymous memory. */
static void take_back(const struct beat_memory *memory, const uint8_t *view,
                      const struct beat_extent *extents, size_t count)
{
    bool empty = put_zeroes(memory);

    for (size_t i = 0; empty && i < count; i++) {
        memcpy(memory->bytes + extents[i].offset, view + extents[i].offset,
               (size_t)extents[i].used);
    }
}

/* A mapping that fails at a fixed address may leave a hole there, so the file is mapped elsewhere
 * first. */
static enum mb_status switch_to_file(struct beat_memory *memory, struct beat_output *output,
                                     const char *path, const struct beat_extent *extents,
                                     size_t extent_count, struct mb_error *err)
{
    void *view = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, output->fd, 0);

    if (view == MAP_FAILED) {
        return mb_fail_errno(err, "cannot map the trace");
    }
    enum mb_status status = map_over(memory, MAP_SHARED, output->fd)
                                ? beat_output_appear(output, path, err)
                                : mb_fail_errno(err, "cannot map the trace");
    if (status != MB_OK) {
        take_back(memory, view, extents, extent_count);
    }
    (void)munmap(view, memory->size);
    if (status == MB_OK) {
        /* A fresh file has blocks, and nothing in them to read ahead. */
        (void)madvise(memory->bytes, memory->size, MADV_RANDOM);
    }
    return status;
}

enum mb_status beat_memory_move_to_file(struct beat_memory *memory, const char *path,
                                        const struct beat_extent *extents, size_t extent_count,
                                        struct mb_error *err)
{
    struct beat_output output;

    assert(beat_has_lock() && memory->fd < 0);
    MB_TRY(beat_output_create(&output, path, err));
    enum mb_status status = fill_all(memory, output.fd, extents, extent_count, err);
    if (status == MB_OK) {
        status = switch_to_file(memory, &output, path, extents, extent_count, err);
    }
    if (status != MB_OK) {
        beat_output_discard(&output);
        return status;
    }
    memory->fd = output.fd;
    memory->file = mb_file_identify(output.fd);
    return MB_OK;
}

bool beat_memory_has_file(const struct beat_memory *memory)
{
    return mb_file_is(memory->fd, &memory->file);
}

bool beat_memory_reserve(const struct beat_memory *memory, uint64_t offset, uint64_t size)
{
    return memory->fd < 0 ||
           (beat_memory_has_file(memory) && reserve_blocks(memory->fd, offset, size) == 0);
}
