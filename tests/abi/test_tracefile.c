#include "abi/tracefile.h"

#include "abi/section.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdalign.h>
#include <string.h>

#define RINGS 2u
#define MARKS 1u
#define CAPACITY 8u

/* A whole small trace; each test breaks one thing in it. */
struct sample {
    alignas(8) uint8_t bytes[ABI_TRACE_PAGE * 3];
};

static struct sample sample;

static struct abi_trace_header *header(void)
{
    return (struct abi_trace_header *)(void *)sample.bytes;
}

static struct abi_trace_ring *ring(void)
{
    return (struct abi_trace_ring *)(void *)(sample.bytes + ABI_TRACE_PAGE);
}

static struct abi_trace_mark *mark(void)
{
    return (struct abi_trace_mark *)(void *)(sample.bytes + abi_trace_marks_offset(RINGS));
}

/* The word of position p holds p + 1. */
static void write_words(uint64_t written)
{
    uint64_t *words = (uint64_t *)(void *)(sample.bytes + ABI_TRACE_PAGE * 2);

    for (uint64_t p = 0; p < written; p++) {
        words[p % CAPACITY] = p + 1;
    }
    ring()->written = written;
}

static void build(uint64_t written)
{
    memset(&sample, 0, sizeof(sample));
    *header() = (struct abi_trace_header){
        .magic = ABI_TRACE_MAGIC,
        .byte_order = ABI_TRACE_BYTE_ORDER,
        .version = ABI_TRACE_VERSION,
        .ring_table_offset = ABI_TRACE_PAGE,
        .ring_count = RINGS,
        .ring_size = sizeof(struct abi_trace_ring),
        .mark_table_offset = abi_trace_marks_offset(RINGS),
        .mark_count = MARKS,
        .mark_size = sizeof(struct abi_trace_mark),
        .state = ABI_TRACE_OPEN,
        .clock_kind = ABI_CLOCK_COUNTER,
        .ns_per_unit = abi_ns_per_unit(12, 1),
        .section_table_offset = sizeof(struct abi_trace_header),
        .section_count = 1,
        .section_size = sizeof(struct abi_trace_section),
    };
    *ring() = (struct abi_trace_ring){
        .state = ABI_RING_LIVE,
        .thread_id = 42,
        .thread_name = "main",
        .words_offset = abi_trace_words_offset(RINGS, MARKS),
        .capacity = CAPACITY,
        .claim = 1,
    };
    write_words(written);
}

static enum mb_status open_sample(struct abi_tracefile *trace, size_t size)
{
    return abi_tracefile_open(trace, sample.bytes, size, NULL);
}

static void expect_words(const struct abi_ring_view *view, uint64_t first, uint64_t end)
{
    uint64_t expected = first;

    cr_assert(eq(u64, view->first_position, first));
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++) {
            cr_assert(eq(u64, view->runs[r][i], ++expected));
        }
    }
    cr_assert(eq(u64, expected, end));
}

static struct abi_ring_view read_ring(void)
{
    struct abi_tracefile trace;
    struct abi_ring_view view;
    bool used;

    cr_assert(eq(int, open_sample(&trace, sizeof(sample.bytes)), MB_OK));
    cr_assert(eq(int, abi_tracefile_ring(&trace, 0, &view, &used, NULL), MB_OK));
    cr_assert(used);
    return view;
}

struct window_case {
    const char *what;
    uint64_t written;
    uint32_t state;
    uint64_t base;
    uint64_t first;
};

static const struct window_case window_cases[] = {
    {"empty", 0, ABI_TRACE_OPEN, 0, 0},
    {"not full", 5, ABI_TRACE_OPEN, 0, 0},
    {"full, slot 0 may be torn", 8, ABI_TRACE_OPEN, 0, 1},
    {"full and closed", 8, ABI_TRACE_CLOSED, 0, 0},
    {"lapped, oldest may be torn", 11, ABI_TRACE_OPEN, 0, 4},
    {"lapped and closed", 11, ABI_TRACE_CLOSED, 0, 3},
    {"lapped to a whole number of laps", 24, ABI_TRACE_OPEN, 0, 17},
};

EACH_ROW(tracefile, gives_the_words_oldest_first, window_cases);

ParameterizedTest(size_t *row, tracefile, gives_the_words_oldest_first)
{
    const struct window_case *c = &window_cases[*row];

    build(c->written);
    header()->state = c->state;
    struct abi_ring_view view = read_ring();
    expect_words(&view, c->first, c->written);
    cr_expect(eq(u64, view.lapped_words, c->first), "%s", c->what);
    cr_expect(eq(u64, view.missing_words, 0), "%s", c->what);
}

Test(tracefile, a_base_shifts_positions_not_slots)
{
    build(5);
    ring()->base = 1000;
    ring()->written = 1005;
    struct abi_ring_view view = read_ring();
    cr_assert(eq(u64, view.first_position, 1000));
    cr_assert(eq(sz, view.run_counts[0], 5));
    cr_assert(eq(u64, view.runs[0][0], 1));
}

Test(tracefile, a_cut_file_gives_what_it_has)
{
    struct abi_tracefile trace;
    struct abi_ring_view view;
    bool used;

    build(6);
    cr_assert(eq(int, open_sample(&trace, ABI_TRACE_PAGE * 2 + 8 * 4 + 3), MB_OK));
    cr_assert(eq(int, abi_tracefile_ring(&trace, 0, &view, &used, NULL), MB_OK));
    expect_words(&view, 0, 4);
    cr_assert(eq(u64, view.missing_words, 2));
    cr_assert(eq(int, open_sample(&trace, ABI_TRACE_PAGE), MB_BAD_TRACE));
    cr_assert(eq(int, open_sample(&trace, 7), MB_BAD_TRACE));
}

Test(tracefile, another_version_is_refused_with_both_numbers)
{
    struct abi_tracefile trace;
    struct mb_error err;

    build(0);
    header()->version = ABI_TRACE_VERSION - 1;
    cr_assert(eq(int, abi_tracefile_open(&trace, sample.bytes, sizeof(sample.bytes), &err),
                 MB_BAD_TRACE));
    cr_expect_str_eq(err.reason,
                     "written by an older methodbeat (version 2); this one reads version 3");
    header()->version = ABI_TRACE_VERSION + 1;
    cr_assert(eq(int, abi_tracefile_open(&trace, sample.bytes, sizeof(sample.bytes), &err),
                 MB_BAD_TRACE));
    cr_expect_str_eq(err.reason,
                     "written by a newer methodbeat (version 4); this one reads version 3");
}

static void expect_path(uint64_t offset, uint64_t size, const char *wanted)
{
    struct abi_tracefile trace;

    header()->mapping_path = offset << 32 | size;
    cr_assert(eq(int, open_sample(&trace, sizeof(sample.bytes)), MB_OK));
    cr_expect(mb_text_is(abi_tracefile_mapping_path(&trace), wanted), "%s", wanted);
}

/* Whatever a trace says of its map's place, only an absolute path that it holds is one. */
Test(tracefile, the_path_of_the_map_lies_in_the_file)
{
    uint64_t offset = ABI_TRACE_MAPPING_OFFSET;
    uint64_t end = sizeof(sample.bytes);

    build(0);
    memcpy(sample.bytes + ABI_TRACE_MAPPING_OFFSET, "/a/b", 4);
    sample.bytes[sizeof(sample.bytes) - 1] = '/';
    expect_path(offset, 4, "/a/b");
    expect_path(offset, 0, "");
    expect_path(0, 0, "");
    expect_path(offset + 1, 3, ""); /* "a/b" */
    expect_path(offset, ABI_TRACE_MAPPING_SIZE, "");
    expect_path(end - 1, 1, "/");
    expect_path(end - 1, 2, "");
    expect_path(end, 1, "");
    expect_path(UINT32_MAX, UINT32_MAX, "");
}

Test(tracefile, unused_rings_are_told_apart_from_damaged_ones)
{
    struct abi_tracefile trace;
    struct abi_ring_view view;
    bool used;

    build(3);
    cr_assert(eq(int, open_sample(&trace, sizeof(sample.bytes)), MB_OK));
    cr_assert(eq(int, abi_tracefile_ring(&trace, 1, &view, &used, NULL), MB_OK));
    cr_assert(not(used));
    ring()->capacity = 0;
    cr_assert(eq(int, abi_tracefile_ring(&trace, 0, &view, &used, NULL), MB_BAD_TRACE));
    ring()->capacity = UINT64_MAX;
    cr_assert(eq(int, abi_tracefile_ring(&trace, 0, &view, &used, NULL), MB_BAD_TRACE));
    ring()->capacity = CAPACITY;
    ring()->words_offset = UINT64_MAX - 7;
    cr_assert(eq(int, abi_tracefile_ring(&trace, 0, &view, &used, NULL), MB_BAD_TRACE));
}

struct header_case {
    const char *what;
    size_t offset;
    uint8_t value;
};

static const struct header_case header_cases[] = {
    {"magic", 0, 'x'},
    {"byte order", offsetof(struct abi_trace_header, byte_order), 1},
    {"version", offsetof(struct abi_trace_header, version), 99},
    {"ring table beyond the end", offsetof(struct abi_trace_header, ring_table_offset) + 7, 0x80},
    {"too many rings", offsetof(struct abi_trace_header, ring_count) + 3, 1},
    {"size of a ring entry", offsetof(struct abi_trace_header, ring_size), 8},
    {"marks beyond the end", offsetof(struct abi_trace_header, mark_table_offset) + 3, 1},
    {"clock", offsetof(struct abi_trace_header, clock_kind), 9},
    {"rate", offsetof(struct abi_trace_header, ns_per_unit), 0},
    {"sections beyond the end", offsetof(struct abi_trace_header, section_table_offset) + 4, 1},
    {"too many sections", offsetof(struct abi_trace_header, section_count), 65},
    {"size of a section's entry", offsetof(struct abi_trace_header, section_size), 8},
};

EACH_ROW(tracefile, refuses_a_broken_header, header_cases);

ParameterizedTest(size_t *row, tracefile, refuses_a_broken_header)
{
    const struct header_case *c = &header_cases[*row];
    struct abi_tracefile trace;

    build(3);
    cr_assert(eq(int, open_sample(&trace, sizeof(sample.bytes)), MB_OK));
    sample.bytes[c->offset] = c->value;
    cr_expect(eq(int, open_sample(&trace, sizeof(sample.bytes)), MB_BAD_TRACE), "%s", c->what);
}

Test(tracefile, a_mark_dies_when_its_ring_laps_it)
{
    struct abi_tracefile trace;
    struct abi_trace_mark found;
    uint32_t index;

    build(11);
    *mark() = (struct abi_trace_mark){.in_use = 1, .claim = 1, .position = 5, .source = "start"};
    cr_assert(eq(int, open_sample(&trace, sizeof(sample.bytes)), MB_OK));
    cr_assert(eq(int, abi_tracefile_mark(&trace, 0, &index, &found), ABI_MARK_VALID));
    cr_assert(eq(u32, index, 0));
    cr_assert_str_eq(found.source, "start");
    write_words(14); /* position 5 is now the slot that may be torn */
    cr_assert(eq(int, abi_tracefile_mark(&trace, 0, &index, &found), ABI_MARK_LAPPED));
    cr_assert_str_eq(found.source, "start");
    write_words(11);
    ring()->claim = 2;
    cr_assert(eq(int, abi_tracefile_mark(&trace, 0, &index, &found), ABI_MARK_LOST));
    ring()->claim = 1;
    mark()->in_use = RINGS + 1;
    cr_assert(eq(int, abi_tracefile_mark(&trace, 0, &index, &found), ABI_MARK_LOST));
    mark()->in_use = 1;
    mark()->position = 12;
    cr_assert(eq(int, abi_tracefile_mark(&trace, 0, &index, &found), ABI_MARK_LOST));
    mark()->in_use = 0;
    cr_assert(eq(int, abi_tracefile_mark(&trace, 0, &index, &found), ABI_MARK_FREE));
}

/* 8 slots, 11 words: positions 4 to 7 at the end of the ring, 8 to 10 at its start. */
Test(tracefile, a_view_is_cut_in_either_run)
{
    for (uint64_t position = 0; position <= 11; position++) {
        build(11);
        struct abi_ring_view view = read_ring();
        uint64_t first = view.first_position;
        abi_ring_view_cut(&view, position);
        expect_words(&view, position > first ? position : first, 11);
        cr_expect(eq(u64, view.lapped_words, position > first ? 0 : first));
        cr_expect(eq(u64, view.missing_words, 0));
        for (size_t r = 0; r < 2; r++) {
            if (view.run_counts[r] > 0) {
                cr_expect(eq(u64, view.run_positions[r],
                             r == 0 ? view.first_position : 11 - view.run_counts[1]));
            }
        }
    }
}

Test(tracefile, a_view_is_cut_from_both_sides)
{
    for (uint64_t end = 0; end <= 12; end++) {
        build(11);
        struct abi_ring_view view = read_ring();
        uint64_t first = view.first_position;
        uint64_t last = end < 11 ? end : 11;
        abi_ring_view_cut_end(&view, end);
        expect_words(&view, first, last > first ? last : first);
        cr_expect(eq(u64, view.entry.written, last));
        cr_expect(eq(u64, view.missing_words, 0));
        abi_ring_view_cut(&view, last);
        expect_words(&view, last > first ? last : first, last > first ? last : first);
    }
}

Test(tracefile, units_become_nanoseconds_without_overflow)
{
    /* 2.596 GHz >> 5, as a fraction that fills both halves. */
    uint64_t rate = abi_ns_per_unit(3200000000u, 259600000u);

    cr_assert(eq(u64, abi_trace_ns(rate, 259600000u), 3200000000u));
    cr_assert(eq(u64, abi_trace_ns(rate, UINT64_C(8000000000000)), UINT64_C(98613251155624)));
    cr_assert(eq(u64, abi_trace_ns(0, 5), 0));
    cr_assert(eq(u64, abi_trace_units(rate, 3200000000u), 259600000u));
    cr_assert(eq(u64, abi_trace_units(rate, UINT64_C(98613251155625)), UINT64_C(8000000000000)));
    cr_assert(eq(u64, abi_trace_units(0, 5), 0));
}
