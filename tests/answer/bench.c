#include "bench.h"

#include "base/buf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/methodbeat-report-XXXXXX";

void bench_begin(void)
{
    cr_assert(ne(ptr, mkdtemp(folder), NULL));
}

void bench_end(void)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        (void)unlink(bench_path(entry->d_name));
    }
    (void)closedir(entries);
    cr_assert(eq(int, rmdir(folder), 0));
}

const char *bench_path(const char *name)
{
    static char path[512];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

void bench_write(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(bench_path(name), "wb");

    cr_assert(ne(ptr, file, NULL));
    cr_assert(eq(sz, fwrite(bytes, 1, size, file), size));
    cr_assert(eq(int, fclose(file), 0));
}

void bench_write_text(const char *name, const char *text)
{
    bench_write(name, text, strlen(text));
}

static void pad(struct mb_buf *out, uint64_t size)
{
    while (out->size < size) {
        mb_buf_put_u1(out, 0);
    }
}

static uint64_t count_words(const struct bench_thread *thread)
{
    uint64_t count = 0;

    while (count < MB_COUNT(thread->words) && thread->words[count] != 0) {
        count++;
    }
    return count;
}

static void put_ring(struct mb_buf *out, const struct bench_thread *thread, uint32_t number,
                     uint64_t words_offset)
{
    struct abi_trace_ring ring = {
        .state = ABI_RING_ENDED,
        .thread_id = 70 + number,
        .words_offset = words_offset,
        .capacity = MB_COUNT(thread->words),
        .is_main = thread->is_main,
        .claim = 1,
        .written = count_words(thread),
    };

    (void)snprintf(ring.thread_name, sizeof(ring.thread_name), "%s", thread->name);
    mb_buf_put(out, &ring, sizeof(ring));
}

void bench_write_trace(const char *name, const struct bench_thread *threads, uint32_t count,
                       uint64_t mapping_hash)
{
    struct abi_trace_header header = {
        .magic = ABI_TRACE_MAGIC,
        .byte_order = ABI_TRACE_BYTE_ORDER,
        .version = ABI_TRACE_VERSION,
        .ring_table_offset = ABI_TRACE_PAGE,
        .ring_count = count,
        .ring_size = sizeof(struct abi_trace_ring),
        .mark_table_offset = abi_trace_marks_offset(count),
        .mark_size = sizeof(struct abi_trace_mark),
        .state = ABI_TRACE_CLOSED,
        .process_id = 4711,
        .mapping_hash = mapping_hash,
        .process_name = "bench",
        .clock_kind = ABI_CLOCK_COUNTER,
        .resolution_ns = 1,
        .ns_per_unit = abi_ns_per_unit(1, 1),
    };
    uint64_t words = abi_trace_words_offset(count, 0);
    struct mb_buf out = {0};

    mb_buf_put(&out, &header, sizeof(header));
    pad(&out, ABI_TRACE_PAGE);
    for (uint32_t i = 0; i < count; i++) {
        put_ring(&out, &threads[i], i, words + i * (uint64_t)ABI_TRACE_PAGE);
    }
    for (uint32_t i = 0; i < count; i++) {
        pad(&out, words + i * (uint64_t)ABI_TRACE_PAGE);
        mb_buf_put(&out, threads[i].words, sizeof(threads[i].words));
    }
    bench_write(name, out.bytes, out.size);
    mb_buf_finish(&out);
}
