#include "abi/section.h"

#include "abi/profile.h"
#include "abi/tracefile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdalign.h>
#include <string.h>

#define OFFSET ((uint64_t)ABI_TRACE_PAGE)
#define CAPACITY 4u
#define KIND ABI_SECTION_PROFILE_MUTES
#define RECORD_SIZE sizeof(struct abi_profile_mute)

/* A trace with one section of four records, without rings. */
struct sample {
    alignas(8) uint8_t bytes[ABI_TRACE_PAGE + CAPACITY * RECORD_SIZE];
};

static struct sample sample;

static struct abi_trace_header *header(void)
{
    return (struct abi_trace_header *)(void *)sample.bytes;
}

static struct abi_trace_section *section(void)
{
    return (struct abi_trace_section *)(void *)(sample.bytes + sizeof(struct abi_trace_header));
}

static void build(void)
{
    memset(&sample, 0, sizeof(sample));
    *header() = (struct abi_trace_header){
        .magic = ABI_TRACE_MAGIC,
        .byte_order = ABI_TRACE_BYTE_ORDER,
        .version = ABI_TRACE_VERSION,
        .ring_table_offset = ABI_TRACE_PAGE,
        .ring_size = sizeof(struct abi_trace_ring),
        .mark_table_offset = ABI_TRACE_PAGE,
        .mark_size = sizeof(struct abi_trace_mark),
        .state = ABI_TRACE_OPEN,
        .clock_kind = ABI_CLOCK_COUNTER,
        .ns_per_unit = abi_ns_per_unit(12, 1),
        .section_table_offset = sizeof(struct abi_trace_header),
        .section_count = 2,
        .section_size = sizeof(struct abi_trace_section),
    };
    section()[0] = (struct abi_trace_section){.kind = 99, .record_size = 1};
    section()[1] = (struct abi_trace_section){.kind = KIND,
                                              .record_size = RECORD_SIZE,
                                              .offset = OFFSET,
                                              .capacity = CAPACITY,
                                              .written = 3};
}

/* How many records a file of that size shows; -1: no such section. */
static int count_records(size_t size)
{
    struct abi_tracefile trace;
    struct abi_section_view view;

    cr_assert(eq(int, abi_tracefile_open(&trace, sample.bytes, size, NULL), MB_OK));
    if (!abi_tracefile_section(&trace, KIND, 0, RECORD_SIZE, &view)) {
        return -1;
    }
    cr_assert(eq(ptr, (void *)(uintptr_t)view.records, sample.bytes + OFFSET));
    return (int)view.count;
}

TestSuite(section, .init = build);

Test(section, shows_what_was_written)
{
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), 3));
}

Test(section, shows_no_more_than_its_capacity)
{
    section()[1].written = CAPACITY + 1;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), (int)CAPACITY));
}

Test(section, shows_whole_records_of_a_short_file)
{
    cr_expect(eq(int, count_records(OFFSET + 2 * RECORD_SIZE + 1), 2));
    cr_expect(eq(int, count_records(OFFSET), 0));
}

Test(section, refuses_an_offset_behind_the_file)
{
    section()[1].offset = sizeof(sample.bytes) + 8;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
    section()[1].offset = UINT64_MAX - 7;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
}

Test(section, refuses_records_out_of_line)
{
    section()[1].offset = OFFSET + 4;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
}

Test(section, refuses_records_that_are_too_short)
{
    section()[1].record_size = RECORD_SIZE - 8;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
    section()[1].record_size = 0;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
}

Test(section, refuses_records_of_half_words)
{
    section()[1].record_size = RECORD_SIZE + 4;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
    section()[1].record_size = UINT32_MAX;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
}

Test(section, shows_longer_records_that_the_file_holds_whole)
{
    section()[1].record_size = RECORD_SIZE + 8;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), 3));
    cr_expect(eq(int, count_records(sizeof(sample.bytes) - RECORD_SIZE), 2));
    section()[1].record_size = UINT32_MAX - 7;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), 0));
}

/* ---- Rows of another size than the file's ---- */

/* The words of all records are 1, 2, 3, ... */
static void number_words(void)
{
    uint64_t *words = (uint64_t *)(void *)(sample.bytes + OFFSET);

    for (uint64_t i = 0; i < CAPACITY * RECORD_SIZE / sizeof(uint64_t); i++) {
        words[i] = i + 1;
    }
}

/* The rows as records of that size, each of so many words; where there are none in a row of the
 * file, zeros. */
static void expect_rows(size_t record_size)
{
    struct abi_tracefile trace;
    struct abi_section_view view;
    struct mb_buf copies = {0};
    size_t words = record_size / sizeof(uint64_t);
    size_t stride = RECORD_SIZE / sizeof(uint64_t);

    cr_assert(eq(int, abi_tracefile_open(&trace, sample.bytes, sizeof(sample.bytes), NULL), MB_OK));
    cr_assert(abi_tracefile_section(&trace, KIND, 0, RECORD_SIZE, &view));
    const uint64_t *rows = abi_section_rows(&view, record_size, &copies);
    cr_assert(rows != NULL);
    for (size_t i = 0; i < view.count * words; i++) {
        size_t word = i % words;
        uint64_t wanted = word < stride ? i / words * stride + word + 1 : 0;
        cr_expect(eq(u64, rows[i], wanted), "word %zu of records of %zu bytes", i, record_size);
    }
    cr_expect(eq(sz, copies.size, record_size == RECORD_SIZE ? 0 : view.count * record_size));
    mb_buf_finish(&copies);
}

Test(section, gives_rows_as_they_are)
{
    number_words();
    expect_rows(RECORD_SIZE);
}

Test(section, fills_shorter_rows_with_zeros)
{
    number_words();
    expect_rows(RECORD_SIZE + 8);
}

Test(section, cuts_longer_rows)
{
    number_words();
    expect_rows(RECORD_SIZE - 8);
}

Test(section, is_another_with_another_group)
{
    section()[1].group = 1;
    cr_expect(eq(int, count_records(sizeof(sample.bytes)), -1));
}
