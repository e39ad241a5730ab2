#include "answer/input.h"

#include "abi/names.h"
#include "abi/record.h"
#include "base/file.h"
#include "bench.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static struct answer_trace trace;
static struct mb_error err;

static void begin(void)
{
    static const struct bench_thread thread = {"main", {IN(1, 0), OUT(1, 5)}, true};

    bench_begin();
    bench_write_trace("t", &thread, 1, 0);
}

static void end(void)
{
    answer_trace_finish(&trace);
    bench_end();
}

TestSuite(input, .init = begin, .fini = end);

/* Of the trace "t" with a map that has messages. */
static enum mb_status load(void)
{
    char map_path[512];
    char trace_path[512];
    const struct answer_source source = {.path = trace_path, .map.file = map_path, .force = true};

    (void)snprintf(trace_path, sizeof(trace_path), "%s", bench_path("t"));
    (void)snprintf(map_path, sizeof(map_path), "%s", bench_path("messages.txt"));
    return answer_trace_load(&trace, &source, &err);
}

/* As the trace says of its platform; 0 is what older ones say. */
static void expect_message(uint32_t platform, const char *wanted)
{
    struct mb_buf bytes = {0};

    cr_assert(eq(int, mb_file_read(&bytes, bench_path("t"), &err), MB_OK));
    memcpy(bytes.bytes + offsetof(struct abi_trace_header, platform), &platform, sizeof(platform));
    bench_write("t", bytes.bytes, bytes.size);
    mb_buf_finish(&bytes);
    cr_assert(eq(int, load(), MB_OK));
    const struct answer_names names = answer_map_names(&trace.names);
    cr_expect(mb_text_is(names.find(names.context, ABI_MESSAGE_ID), wanted));
    cr_expect(mb_text_is(names.find(names.context, 1), "a.A.run"));
    answer_trace_finish(&trace);
    trace = (struct answer_trace){0};
}

Test(input, messages_are_a_handlers_on_android_only)
{
    bench_write_text(
        "messages.txt",
        "1,1,a.A run ()V\n1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n");
    expect_message(0, "android.os.Handler.dispatchMessage");
    expect_message(ABI_PLATFORM_ANDROID, "android.os.Handler.dispatchMessage");
    expect_message(ABI_PLATFORM_OTHER, "(message)");
}

/* 43 bits of a time stand for the one near the latest that is known. */
Test(input, times_are_widened_near_now)
{
    const uint64_t lap = UINT64_C(1) << ABI_TIME_BITS;

    cr_expect(eq(u64, answer_trace_time(&trace, 17), 17));
    trace.file.header.now = 3 * lap + 4;
    cr_expect(eq(u64, answer_trace_time(&trace, 2), 3 * lap + 2));
    cr_expect(eq(u64, answer_trace_time(&trace, 6), 3 * lap + 6));
    cr_expect(eq(u64, answer_trace_time(&trace, lap - 1), 3 * lap - 1));
}

Test(input, threads_have_names_and_ids)
{
    cr_expect(answer_is_thread("main", 77, NULL));
    cr_expect(answer_is_thread("main", 77, "main"));
    cr_expect(answer_is_thread("main", 77, "77"));
    cr_expect(not(answer_is_thread("main", 77, "7")));
    cr_expect(not(answer_is_thread("main", 77, "")));
}
