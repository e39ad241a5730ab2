#include "recorder/weaving.h"

#include "abi/section.h"
#include "recorder/method_names.h"
#include "recorder/methodbeat.h"
#include "recorder/sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static void start(void)
{
    struct beat_options options;

    beat_options_init(&options);
    options.main_words = 1024;
    options.profile = BEAT_OFF;
    options.file = NULL;
    cr_assert(beat_start(&options));
}

/* What the present trace says. */
static uint64_t count_there(enum abi_weaving what)
{
    struct abi_trace_section *section =
        beat_sections_find(beat_recorder.memory, ABI_SECTION_WEAVING);
    uint64_t counts[ABI_WEAVING_COUNT];

    cr_assert(section != NULL);
    cr_assert(eq(u64, section->written, ABI_WEAVING_COUNT));
    memcpy(counts, beat_sections_records(beat_recorder.memory, section), sizeof(counts));
    return counts[what];
}

Test(weaving, is_counted_before_and_during_a_recording)
{
    beat_names_expect();
    beat_weaving_add(ABI_WEAVING_CLASSES, 3);
    start();
    beat_weaving_add(ABI_WEAVING_CLASSES, 1);
    beat_weaving_add(ABI_WEAVING_INSIDE, 7);
    cr_expect(eq(u64, count_there(ABI_WEAVING_CLASSES), 4));
    cr_expect(eq(u64, count_there(ABI_WEAVING_INSIDE), 7));
    cr_expect(eq(u64, count_there(ABI_WEAVING_DAMAGED), 0));
}

Test(weaving, is_of_the_process_until_it_is_reset)
{
    beat_names_expect();
    start();
    beat_weaving_add(ABI_WEAVING_CLASSES, 3);
    beat_stop();
    beat_weaving_add(ABI_WEAVING_CLASSES, 1);
    cr_expect(eq(u64, count_there(ABI_WEAVING_CLASSES), 3), "a trace that is over stays as it is");
    start();
    cr_expect(eq(u64, count_there(ABI_WEAVING_CLASSES), 4));
    beat_weaving_reset();
    cr_expect(eq(u64, count_there(ABI_WEAVING_CLASSES), 0));
}

Test(weaving, takes_no_room_where_probes_were_there_before)
{
    start();
    beat_weaving_add(ABI_WEAVING_CLASSES, 1);
    cr_assert(beat_sections_find(beat_recorder.memory, ABI_SECTION_WEAVING) == NULL);
}
