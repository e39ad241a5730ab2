#include "jvms/process/compact.h"

#include "abi/section.h"
#include "abi/tracefile.h"
#include "recorder/methodbeat.h"
#include "recorder/traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 3000u /* more than the other thread's ring holds */

static char packed[160];

static void prepare(void)
{
    traces_make_folder();
    (void)snprintf(packed, sizeof(packed), "%s/packed.mbtrace", traces_folder);
}

TestSuite(compact, .init = prepare, .fini = traces_remove_folder);

static void *call(void *unused)
{
    for (uint32_t id = 1; id <= CALLS; id++) {
        beat_i(id);
        beat_o(id);
    }
    return unused;
}

static void record(bool ends)
{
    struct beat_options options = traces_options(traces_path);
    pthread_t thread;

    options.threads = BEAT_THREADS_ALL;
    options.thread_words = 1024;
    options.profile = BEAT_ON;
    cr_assert(beat_start(&options));
    (void)call(NULL);
    cr_assert(eq(int, pthread_create(&thread, NULL, call, NULL), 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    if (ends) {
        beat_stop();
    }
}

static bool pack(void)
{
    struct mb_error err;
    bool is_done = false;
    int from = open(traces_path, O_RDONLY | O_CLOEXEC);
    int to = open(packed, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    cr_assert(eq(int, proc_compact(from, to, &is_done, &err), MB_OK));
    (void)close(from);
    (void)close(to);
    return is_done;
}

static void expect_same_ring(const struct abi_tracefile *whole, const struct abi_tracefile *part,
                             uint32_t index)
{
    struct abi_ring_view a;
    struct abi_ring_view b;
    bool used;
    bool is_used;

    cr_assert(eq(int, abi_tracefile_ring(whole, index, &a, &used, NULL), MB_OK));
    cr_assert(eq(int, abi_tracefile_ring(part, index, &b, &is_used, NULL), MB_OK));
    cr_assert(eq(int, used, is_used));
    cr_assert(eq(u64, a.first_position, b.first_position));
    cr_assert(eq(u64, a.missing_words, b.missing_words));
    for (size_t r = 0; used && r < 2; r++) {
        cr_assert(eq(sz, a.run_counts[r], b.run_counts[r]));
        cr_assert(eq(int, memcmp(a.runs[r], b.runs[r], a.run_counts[r] * sizeof(uint64_t)), 0));
    }
}

static void expect_same_section(const struct abi_tracefile *whole, const struct abi_tracefile *part,
                                uint32_t kind)
{
    struct abi_section_view a;
    struct abi_section_view b;

    bool is_there = abi_tracefile_section(whole, kind, 0, 8, &a);
    cr_assert(eq(int, is_there, abi_tracefile_section(part, kind, 0, 8, &b)));
    cr_assert(eq(sz, a.count, b.count));
    cr_assert(eq(int, memcmp(a.records, b.records, a.count * a.entry.record_size), 0));
}

static void expect_same(void)
{
    struct traces_loaded whole = traces_load(traces_path);
    struct traces_loaded part = traces_load(packed);

    cr_assert(part.bytes.size < whole.bytes.size / 20, "%zu of %zu", part.bytes.size,
              whole.bytes.size);
    for (uint32_t i = 0; i < part.trace.header.ring_count; i++) {
        expect_same_ring(&whole.trace, &part.trace, i);
    }
    expect_same_section(&whole.trace, &part.trace, ABI_SECTION_PROFILE_NODES);
    expect_same_section(&whole.trace, &part.trace, ABI_SECTION_PROFILE_THREADS);
    mb_buf_finish(&whole.bytes);
    mb_buf_finish(&part.bytes);
}

Test(compact, it_holds_what_the_trace_holds)
{
    record(true);
    cr_assert(pack());
    expect_same();
}

/* Its process is gone: what still records may add to the trace between two looks at it. */
Test(compact, a_killed_recording_is_as_it_was)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        record(false);
        _exit(0);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(eq(int, status, 0));
    cr_assert(pack());
    expect_same();
}

Test(compact, tables_that_make_no_sense_are_left_alone)
{
    struct abi_trace_ring ring;

    record(true);
    int fd = open(traces_path, O_RDWR | O_CLOEXEC);
    cr_assert(eq(sz, (size_t)pread(fd, &ring, sizeof(ring), ABI_TRACE_PAGE), sizeof(ring)));
    ring.words_offset = UINT64_MAX / 16 * 8;
    cr_assert(eq(sz, (size_t)pwrite(fd, &ring, sizeof(ring), ABI_TRACE_PAGE), sizeof(ring)));
    (void)close(fd);
    cr_assert(not(pack()));
}

Test(compact, a_trace_that_a_process_may_still_write_to_stays)
{
    struct stat before;
    struct stat after;

    record(true);
    cr_assert(eq(int, stat(traces_path, &before), 0));
    proc_compact_file(traces_path);
    cr_assert(eq(int, stat(traces_path, &after), 0));
    cr_assert(eq(u64, before.st_ino, after.st_ino));
}
