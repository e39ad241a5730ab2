#include "recorder/sections.h"

#include "abi/section.h"
#include "recorder/method_names.h"
#include "recorder/methodbeat.h"
#include "recorder/throttle.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdalign.h>
#include <string.h>

static alignas(struct abi_trace_header) uint8_t bytes[ABI_TRACE_PAGE];
static struct beat_memory memory = {.bytes = bytes};
static struct beat_options options;
static struct beat_recorder recorder = {
    .memory = &memory, .header = (void *)bytes, .options = &options};

static const uint32_t kinds[] = {ABI_SECTION_PROFILE_THREADS,
                                 ABI_SECTION_PROFILE_MUTES,
                                 ABI_SECTION_PROFILE_NODES,
                                 ABI_SECTION_PROFILE_LENGTHS,
                                 ABI_SECTION_PROFILE_SLOW_NODES,
                                 ABI_SECTION_PROFILE_SLOW,
                                 ABI_SECTION_PROFILE_PAUSES,
                                 ABI_SECTION_WEAVING,
                                 ABI_SECTION_NAMES,
                                 ABI_SECTION_SAMPLING,
                                 ABI_SECTION_SAMPLE_THREADS,
                                 ABI_SECTION_STACKS,
                                 ABI_SECTION_SAMPLES,
                                 ABI_SECTION_BLOCKS,
                                 ABI_SECTION_LOCKS};

/* Returns what is planned for. */
static uint64_t begin(enum beat_switch profile, uint32_t nodes, uint64_t offset)
{
    options.profile = profile;
    options.profile_nodes = nodes;
    uint64_t size = beat_sections_plan(&options);
    beat_sections_init(&recorder, offset);
    return size;
}

Test(sections, take_nothing_without_a_profile)
{
    struct beat_extent extents[BEAT_SECTION_COUNT];

    cr_assert(eq(u64, begin(BEAT_OFF, 5000, ABI_TRACE_PAGE), 0));
    cr_assert(eq(u32, recorder.header->section_count, 0));
    cr_assert(beat_sections_find(&memory, ABI_SECTION_PROFILE_NODES) == NULL);
    cr_assert(eq(sz, beat_sections_used(&memory, extents), 0));
}

/* By a profile of before. */
Test(sections, without_a_profile_have_what_is_muted)
{
    cr_assert(beat_mute(5));
    cr_assert(gt(u64, begin(BEAT_OFF, 5000, ABI_TRACE_PAGE), 0));
    cr_assert(eq(u32, recorder.header->section_count, 1));
    cr_assert(beat_sections_find(&memory, ABI_SECTION_PROFILE_MUTES) != NULL);
    cr_assert(beat_sections_find(&memory, ABI_SECTION_PROFILE_NODES) == NULL);
}

Test(sections, lie_side_by_side_in_whole_pages_within_what_was_planned)
{
    uint64_t first = 10 * (uint64_t)ABI_TRACE_PAGE;
    beat_recorder.expects_names = true;
    options.sample = BEAT_SAMPLE_ONLY;
    uint64_t size = begin(BEAT_ON, 5000, first);
    uint64_t end = first;

    cr_assert(eq(u32, recorder.header->section_count, BEAT_SECTION_COUNT));
    for (size_t i = 0; i < BEAT_SECTION_COUNT; i++) {
        const struct abi_trace_section *section = beat_sections_find(&memory, kinds[i]);
        cr_assert(section != NULL);
        cr_assert(eq(u64, section->offset, end), "no gap, no overlap");
        cr_assert(eq(u64, section->offset % ABI_TRACE_PAGE, 0));
        cr_assert(beat_sections_records(&memory, section) == bytes + section->offset);
        end += abi_trace_whole_pages(section->capacity * section->record_size);
    }
    cr_assert(eq(u64, end - first, size));
}

Test(sections, have_room_for_as_many_nodes_as_wanted_but_not_for_hardly_any)
{
    (void)begin(BEAT_ON, 5000, 0);
    cr_assert(eq(u64, beat_sections_find(&memory, ABI_SECTION_PROFILE_NODES)->capacity, 5000));
    (void)begin(BEAT_ON, 1, 0);
    cr_assert(eq(u64, beat_sections_find(&memory, ABI_SECTION_PROFILE_NODES)->capacity, 1024));
    cr_assert(eq(u32, options.profile_nodes, 1024), "and say so");
}

Test(sections, in_use_is_what_was_written)
{
    struct beat_extent extents[BEAT_SECTION_COUNT];

    (void)begin(BEAT_ON, 5000, ABI_TRACE_PAGE);
    beat_sections_find(&memory, ABI_SECTION_PROFILE_MUTES)->written = 3;
    cr_assert(eq(sz, beat_sections_used(&memory, extents), 8), "of names those of kinds");
    cr_assert(eq(u64, extents[0].size, 0));
    cr_assert(eq(u64, extents[1].size, 3 * sizeof(struct abi_profile_mute)));
    cr_assert(
        eq(u64, extents[1].offset, beat_sections_find(&memory, ABI_SECTION_PROFILE_MUTES)->offset));
    cr_assert(eq(u64, extents[2].size, 0));
}

/* ---- What became of classes ---- */

static void start(void)
{
    struct beat_options given;

    beat_options_init(&given);
    given.main_words = 1024;
    given.profile = BEAT_OFF;
    given.file = NULL;
    cr_assert(beat_start(&given));
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
