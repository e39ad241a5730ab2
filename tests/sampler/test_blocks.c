#include "sampler/blocks.h"

#include "abi/sampling.h"
#include "base/clock.h"
#include "base/file.h"
#include "recorder/method_names.h"
#include "recorder/methodbeat.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAITER 5u /* no threads of the system: they are told of only */
#define OWNER 6u

static int releases;

static bool enter_loop(void)
{
    return true;
}

static void leave_loop(void)
{
}

static void resolve_frames(const struct samp_frame *frames, size_t count, struct samp_place *places)
{
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct samp_place){.id = (uint32_t)(uintptr_t)frames[i].method};
    }
}

static void release_handle(void *handle)
{
    releases += handle != NULL;
}

static void name_lock(void *lock, char name[ABI_LOCK_NAME_SIZE])
{
    (void)lock;
    (void)strcpy(name, "T");
}

static struct samp_thread *find_owner(uint32_t kind, void *lock, const struct samp_thread *waiter,
                                      int64_t *stopped_ns)
{
    (void)kind;
    (void)lock;
    (void)waiter;
    (void)stopped_ns;
    return samp_threads_own(OWNER);
}

static bool is_same(void *lock, void *other)
{
    return lock == other;
}

static uint32_t walk_thread(const struct samp_thread *thread,
                            struct samp_frame frames[SAMP_WAIT_DEPTH])
{
    (void)thread;
    frames[0] = (struct samp_frame){.method = (void *)(uintptr_t)1};
    return 1;
}

static uint32_t walk_own(struct samp_frame *frames)
{
    return walk_thread(NULL, frames);
}

static const struct samp_engine engine = {.enter = enter_loop,
                                          .leave = leave_loop,
                                          .resolve = resolve_frames,
                                          .release = release_handle,
                                          .name_lock = name_lock,
                                          .find_owner = find_owner,
                                          .is_same = is_same,
                                          .walk = walk_thread};

static void rest_ms(long ms)
{
    const struct timespec nap = {.tv_nsec = ms * MB_NS_PER_MS};

    (void)nanosleep(&nap, NULL);
}

static void add_thread(uint32_t thread_id)
{
    struct samp_thread thread = {.thread_id = thread_id};

    (void)snprintf(thread.name, sizeof(thread.name), "thread %u", thread_id);
    cr_assert(samp_threads_add(&thread));
}

/* The only wait of a trace, if it has one. */
static struct abi_block read_block(const char *path)
{
    struct abi_sampling_view view;
    struct abi_tracefile trace;
    struct mb_buf bytes = {0};

    cr_assert(eq(int, mb_file_read(&bytes, path, NULL), MB_OK));
    cr_assert(eq(int, abi_tracefile_open(&trace, bytes.bytes, bytes.size, NULL), MB_OK));
    cr_assert(eq(int, abi_sampling_open(&view, &trace, NULL), MB_OK));
    cr_assert(eq(sz, view.block_counts[0] + view.block_counts[1], 1));
    const struct abi_block block = view.blocks[view.block_counts[0] == 0][0];
    abi_sampling_finish(&view);
    mb_buf_finish(&bytes);
    return block;
}

/* A wait that lasts while one engine takes another's place; it ends before that one is there, or
 * after. */
static struct abi_block wait_on(bool ends_between)
{
    char path[] = "/tmp/mb_blocksXXXXXX";
    struct beat_options options;
    static int lock;

    cr_assert(ge(int, mkstemp(path), 0));
    beat_options_init(&options);
    options.file = path;
    beat_names_expect();
    cr_assert(samp_start(&engine) && beat_start(&options));
    add_thread(WAITER);
    add_thread(OWNER);
    cr_assert(samp_block_begin(WAITER, ABI_BLOCK_MONITOR, &lock));
    rest_ms(100); /* the owner is asked for */
    samp_pause();
    void *left = ends_between ? samp_block_end(WAITER, walk_own) : NULL;
    cr_assert(samp_start(&engine));
    add_thread(WAITER);
    left = ends_between ? left : samp_block_end(WAITER, walk_own);
    cr_expect(eq(ptr, left, NULL), "its record needs the lock");
    cr_expect(eq(ptr, samp_block_end(WAITER, walk_own), NULL), "it waits no more");
    beat_stop();
    samp_stop();
    cr_expect(eq(int, releases, 1), "of the lock");
    const struct abi_block block = read_block(path);
    (void)unlink(path);
    return block;
}

Test(blocks, end_after_their_engine)
{
    const struct abi_block block = wait_on(false);

    cr_expect(ne(u32, block.owner, 0));
    cr_expect(gt(u64, block.end, block.begin));
}

Test(blocks, end_between_engines)
{
    const struct abi_block block = wait_on(true);

    cr_expect(gt(u64, block.end, block.begin));
}
