#include "sample.h"

#include "formats/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ADVICE "\nLess overhead: list what costs most to record, for --blacklist\n"

Test(advice, much_of_it_ends_in_the_command_that_helps)
{
    struct answer_thread busy = sample_thread;
    struct answer_facts facts = sample_report;

    facts.threads.rows = &busy;
    facts.trace_path = MB_TEXT("app.mbtrace");
    busy.losses = &(struct answer_losses){.read.words = 20000000}; /* 200 ms of 1 s */
    sample_expect_put(format_put_advice, &facts,
                      ADVICE "  methodbeat tune app.mbtrace > hot.txt\n");
    facts.map_path = MB_TEXT("my app's/map.txt");
    sample_expect_put(format_put_advice, &facts,
                      ADVICE "  methodbeat tune app.mbtrace --method-map 'my app'\\''s/map.txt' > "
                             "hot.txt\n");
    busy.losses = &(struct answer_losses){.read.words = 9000000};
    sample_expect_put(format_put_advice, &facts, "");
}
