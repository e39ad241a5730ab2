#include "archive/sink.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void finish(struct ar_sink *sink)
{
    mb_buf_finish(&sink->buf);
}

Test(sink, the_comment_stands_behind_its_size)
{
    struct ar_sink sink = {.fd = -1, .comment = MB_TEXT("comment")};

    cr_assert(ar_sink_put(&sink, MB_TEXT("archive\0\0")));
    cr_assert(ar_sink_finish(&sink));
    cr_assert(eq(sz, sink.buf.size, 7 + 2 + 7));
    cr_expect_arr_eq(sink.buf.bytes, "archive\7\0comment", sink.buf.size);
    finish(&sink);
}

/* More than is kept for patching, so that parts have left the buffer before the end. */
Test(sink, all_arrives_in_the_file)
{
    static char part[100000];
    static char read_back[1000000];
    char path[] = "/tmp/mb-sink-XXXXXX";
    struct ar_sink sink = {.fd = mkstemp(path)};

    for (int i = 0; i < 10; i++) {
        for (size_t k = 0; k < sizeof(part); k++) {
            part[k] = (char)((size_t)i + k * 7);
        }
        cr_assert(ar_sink_put(&sink, (struct mb_text){part, sizeof(part)}));
    }
    cr_expect(sink.buf.size < 5 * sizeof(part));
    cr_assert(ar_sink_finish(&sink));
    cr_assert(eq(int, (int)pread(sink.fd, read_back, sizeof(read_back), 0), sizeof(read_back)));
    for (size_t i = 0; i < sizeof(read_back); i++) {
        char expected = (char)(i / sizeof(part) + i % sizeof(part) * 7);
        cr_assert(eq(chr, read_back[i], expected), "byte %zu", i);
    }
    close(sink.fd);
    unlink(path);
    finish(&sink);
}

Test(sink, a_full_disk_is_remembered)
{
    struct ar_sink sink = {.fd = open("/dev/full", O_WRONLY)};

    cr_assert(ar_sink_put(&sink, MB_TEXT("x")));
    cr_expect(eq(int, ar_sink_finish(&sink), false));
    cr_expect(eq(int, sink.saved_errno, ENOSPC));
    close(sink.fd);
    finish(&sink);
}
