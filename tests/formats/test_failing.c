/* Every format where memory runs out, and where the sink does. */

#include "base/arena.h"
#include "sample.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static enum mb_status take(void *context, const void *bytes, size_t size, struct mb_error *err)
{
    enum mb_status *answer = context;

    (void)bytes;
    (void)size;
    return *answer == MB_OK ? MB_OK : mb_fail(err, *answer, MB_NO_OFFSET, "no more");
}

static enum mb_status write_sample(const struct format *format, enum mb_status answer)
{
    const struct format_sink sink = {.take = take, .context = &answer};
    struct format_writer writer;
    struct mb_error err = {0};

    cr_assert(eq(int, format_writer_init(&writer, format, &sample_look, &sink, NULL), MB_OK));
    sample_pass(&writer, &sample_report);
    enum mb_status status = format_writer_check(&writer, &err);
    cr_expect(eq(int, status, err.status), "%s", format->name);
    format_writer_finish(&writer);
    return status;
}

Test(failing, every_format_runs_out_of_memory_cleanly)
{
    for (size_t i = 0; format_at(i) != NULL; i++) {
        const struct format *format = format_at(i);
        if (format->put_trace != NULL) {
            continue; /* of records, which the sample has none of */
        }
        enum mb_status status = MB_NO_MEMORY;
        int tries = 0;
        for (; status == MB_NO_MEMORY && tries < 1000; tries++) {
            allocations_left = tries;
            mb_alloc_should_fail = fail_after;
            status = write_sample(format, MB_OK);
            mb_alloc_should_fail = NULL;
        }
        cr_expect(eq(int, status, MB_OK), "%s", format->name);
        cr_expect(gt(int, tries, 1), "%s", format->name);
    }
}

Test(failing, every_format_passes_on_that_the_sink_fails)
{
    for (size_t i = 0; format_at(i) != NULL; i++) {
        cr_expect(format_at(i)->put_trace != NULL || write_sample(format_at(i), MB_IO) == MB_IO,
                  "%s", format_at(i)->name);
    }
}
