#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(chrome, events_are_in_microseconds)
{
    (void)sample_write(&format_chrome, &sample_report);
    sample_expect("\"name\":\"thread_name\",\"args\":{\"name\":\"main;1\"}");
    sample_expect("\"tid\":7,\"name\":\"d.E\",\"ts\":12000.000,\"dur\":600000.000,"
                  "\"args\":{\"open\":true}}");
}

/* A unit is 5/3 ns: 2 units are 3 ns, 4 are 6. */
Test(chrome, a_call_ends_with_its_caller)
{
    static const struct trace_item items[] = {
        {.start = 0, .duration = 4, .id = 1, .count = 1},
        {.start = 2, .duration = 2, .id = 2, .depth = 1, .count = 1},
    };
    const struct trace_stack stack = {.items = (struct trace_item *)(uintptr_t)items, .count = 2};
    const struct answer_clock clock = {.ns_per_unit = UINT64_C(5) << 32 | 3};
    struct format_writer writer = {.format = &format_chrome,
                                   .process = &sample_report.process,
                                   .clock = &clock,
                                   .names = &sample_report.methods.names};

    format_calls(&writer, &sample_thread, &stack);
    mb_buf_put_u1(&writer.out, 0);
    cr_expect(ne(ptr, strstr((char *)writer.out.bytes, "\"ts\":0.000,\"dur\":0.006"), NULL));
    cr_expect(ne(ptr, strstr((char *)writer.out.bytes, "\"ts\":0.003,\"dur\":0.003"), NULL));
    format_writer_finish(&writer);
}
