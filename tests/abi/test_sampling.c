#include "abi/sampling.h"

#include "abi/names.h"
#include "abi/section.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdalign.h>
#include <string.h>

#define UNIT (UINT64_C(1) << 32 | 1)
#define CAPACITY 4u /* records of each section */
#define NONE ABI_STACK_NO_NODE

enum { SAMPLING, THREADS, STACKS, SAMPLES, BLOCKS, LOCKS, KINDS };

/* A trace with all sections, without rings; each test breaks one thing in it. */
struct content {
    struct abi_sampling sampling;
    struct abi_sample_thread threads[CAPACITY];
    struct abi_stack_node nodes[CAPACITY];
    struct abi_sample samples[CAPACITY];
    struct abi_block blocks[CAPACITY];
    struct abi_lock locks[CAPACITY];
};

struct image {
    struct abi_trace_header header;
    struct abi_trace_section sections[KINDS];
    alignas(8) struct content content;
};

static struct image image;
static struct abi_sampling_view view;

static struct abi_trace_section make_section(uint32_t kind, size_t size, size_t place,
                                             uint64_t written)
{
    return (struct abi_trace_section){
        .kind = kind,
        .record_size = (uint32_t)size,
        .offset = offsetof(struct image, content) + place,
        .capacity = kind == ABI_SECTION_SAMPLING ? 1 : CAPACITY,
        .written = written,
    };
}

#define SECTION(kind, member, written) \
    make_section(kind, sizeof(*image.content.member), offsetof(struct content, member), written)

static void fill_content(void)
{
    struct content *c = &image.content;

    c->sampling.engine = ABI_ENGINE_JVMTI;
    for (uint32_t i = 0; i < 2; i++) {
        memset(c->threads[i].name, 'a', sizeof(c->threads[i].name));
        memset(c->locks[i].class_name, 'l', sizeof(c->locks[i].class_name));
    }
    c->nodes[0] = (struct abi_stack_node){.parent = NONE, .id = 7};
    c->nodes[1] = (struct abi_stack_node){.parent = NONE, .id = 7, .thread = 1};
    c->nodes[2] = (struct abi_stack_node){.parent = 0, .id = ABI_MAX_ID};
    for (uint32_t i = 0; i < CAPACITY; i++) {
        c->samples[i] = (struct abi_sample){.time = i, .node = i % 3, .state = ABI_SAMPLE_READY};
        c->blocks[i] = (struct abi_block){.begin = i,
                                          .thread = 1,
                                          .node = i % 2 ? NONE : 2,
                                          .lock = 2,
                                          .owner = 1,
                                          .owner_node = 0,
                                          .kind = ABI_BLOCK_PARKED};
    }
}

static void build_image(void)
{
    memset(&image, 0, sizeof(image));
    image.header = (struct abi_trace_header){
        .magic = ABI_TRACE_MAGIC,
        .byte_order = ABI_TRACE_BYTE_ORDER,
        .version = ABI_TRACE_VERSION,
        .ring_size = sizeof(struct abi_trace_ring),
        .mark_size = sizeof(struct abi_trace_mark),
        .state = ABI_TRACE_OPEN,
        .clock_kind = ABI_CLOCK_COUNTER,
        .ns_per_unit = UNIT,
        .section_table_offset = offsetof(struct image, sections),
        .section_count = KINDS,
        .section_size = sizeof(struct abi_trace_section),
    };
    fill_content();
    image.sections[SAMPLING] = make_section(ABI_SECTION_SAMPLING, sizeof(struct abi_sampling),
                                            offsetof(struct content, sampling), 1);
    image.sections[THREADS] = SECTION(ABI_SECTION_SAMPLE_THREADS, threads, 2);
    image.sections[STACKS] = SECTION(ABI_SECTION_STACKS, nodes, 3);
    image.sections[SAMPLES] = SECTION(ABI_SECTION_SAMPLES, samples, 3);
    image.sections[BLOCKS] = SECTION(ABI_SECTION_BLOCKS, blocks, 3);
    image.sections[LOCKS] = SECTION(ABI_SECTION_LOCKS, locks, 2);
}

static void finish_view(void)
{
    abi_sampling_finish(&view);
}

TestSuite(sampling, .init = build_image, .fini = finish_view);

static void open_view(size_t size)
{
    struct abi_tracefile trace;

    abi_sampling_finish(&view);
    cr_assert(eq(int, abi_tracefile_open(&trace, &image, size, NULL), MB_OK));
    cr_assert(eq(int, abi_sampling_open(&view, &trace, NULL), MB_OK));
}

/* "threads nodes locks; samples' times | those of the second run; blocks' likewise; lapped;
 * damaged"
 */
static void expect_view(const char *expected)
{
    struct mb_buf text = {0};

    open_view(sizeof(image));
    mb_buf_printf(&text, "%zu %zu %zu;", view.thread_count, view.node_count, view.lock_count);
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view.sample_counts[r]; i++) {
            mb_buf_printf(&text, " %d", (int)view.samples[r][i].time);
        }
        mb_buf_put_string(&text, r == 0 ? " |" : ";");
    }
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < view.block_counts[r]; i++) {
            mb_buf_printf(&text, " %d", (int)view.blocks[r][i].begin);
        }
        mb_buf_put_string(&text, r == 0 ? " |" : ";");
    }
    mb_buf_printf(&text, " %d; %d", (int)view.lapped_samples, (int)view.damaged);
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, expected);
    mb_buf_finish(&text);
}

Test(sampling, shows_what_was_written)
{
    expect_view("2 3 2; 0 1 2 |; 0 1 2 |; 0; 0");
    cr_expect(eq(u32, view.sampling.engine, ABI_ENGINE_JVMTI));
    cr_expect(eq(u64, view.ns_per_unit, UNIT));
}

/* Its last field was not there at first. */
Test(sampling, figures_of_an_older_trace_are_shorter)
{
    image.sections[SAMPLING].record_size = offsetof(struct abi_sampling, polled);
    image.content.sampling.polled = 5;
    expect_view("2 3 2; 0 1 2 |; 0 1 2 |; 0; 0");
    cr_expect(eq(u32, view.sampling.engine, ABI_ENGINE_JVMTI));
    cr_expect(eq(u64, view.sampling.polled, 0));
}

Test(sampling, names_end)
{
    open_view(sizeof(image));
    cr_expect(eq(sz, strlen(view.threads[1].name), ABI_TRACE_NAME_SIZE - 1));
    cr_expect(eq(sz, strlen(view.locks[1].class_name), ABI_LOCK_NAME_SIZE - 1));
}

Test(sampling, is_empty_without_sections)
{
    image.header.section_count = 0;
    expect_view("0 0 0; |; |; 0; 0");
}

/* Positions 4 and 5 are in slots 0 and 1; the one in slot 2 may be half written. */
Test(sampling, a_lapped_ring_is_unrolled)
{
    image.sections[SAMPLES].written = 6;
    image.content.samples[0].time = 4;
    image.content.samples[1].time = 5;
    expect_view("2 3 2; 3 | 4 5; 0 1 2 |; 3; 0");
    image.header.state = ABI_TRACE_CLOSED;
    expect_view("2 3 2; 2 3 | 4 5; 0 1 2 |; 2; 0");
}

Test(sampling, a_ring_that_is_just_full_may_be_written_on)
{
    image.sections[SAMPLES].written = CAPACITY;
    expect_view("2 3 2; 1 2 3 |; 0 1 2 |; 1; 0");
}

Test(sampling, positions_that_no_ring_can_have)
{
    image.sections[SAMPLES].written = UINT64_MAX;
    expect_view("2 3 2; |; 0 1 2 |; 0; 1");
    image.sections[SAMPLES].capacity = 0;
    expect_view("2 3 2; |; 0 1 2 |; 0; 1");
}

/* The file ends in the second lock. */
Test(sampling, shows_whole_records_of_a_short_file)
{
    open_view(offsetof(struct image, content) + offsetof(struct content, locks) +
              sizeof(struct abi_lock) + 1);
    cr_expect(eq(sz, view.lock_count, 1));
    cr_expect(eq(u64, view.damaged, 4), "that lock, and the blocks for it");
    open_view(offsetof(struct image, content) + offsetof(struct content, samples) +
              2 * sizeof(struct abi_sample));
    cr_expect(eq(sz, view.sample_counts[0], 2));
    cr_expect(eq(sz, view.block_counts[0], 0));
}

static void break_parent(void)
{
    image.content.nodes[2].parent = 2;
}

static void break_caller_of_other_thread(void)
{
    image.content.nodes[2].parent = 1;
}

static void break_id(void)
{
    image.content.nodes[2].id = ABI_MESSAGE_ID;
}

static void break_thread(void)
{
    image.content.nodes[2].thread = 2;
}

static void break_node(void)
{
    image.content.samples[1].node = 3;
}

static void break_newest(void)
{
    image.content.samples[2].node = NONE;
}

static void break_state(void)
{
    image.content.samples[0].state = ABI_SAMPLE_STATE_COUNT;
}

static void break_owner(void)
{
    image.content.blocks[1].owner = 3;
}

static void break_kind(void)
{
    image.content.blocks[0].kind = 0;
}

static void break_rate(void)
{
    image.sections[BLOCKS].ns_per_unit = UNIT + 1;
}

static const struct break_case {
    const char *what;
    void (*break_it)(void);
    const char *text;
} cases[] = {
    {"a parent that comes later", break_parent, "2 2 2; 0 1 |; 1 |; 0; 4"},
    {"a caller in another thread", break_caller_of_other_thread, "2 2 2; 0 1 |; 1 |; 0; 4"},
    {"an id that no method has", break_id, "2 2 2; 0 1 |; 1 |; 0; 4"},
    {"a thread that is not there", break_thread, "2 2 2; 0 1 |; 1 |; 0; 4"},
    {"a node that is not there", break_node, "2 3 2; 2 |; 0 1 2 |; 0; 2"},
    {"a node that came while the file was read", break_newest, "2 3 2; 0 1 |; 0 1 2 |; 0; 1"},
    {"a state that is none", break_state, "2 3 2; 1 2 |; 0 1 2 |; 0; 1"},
    {"an owner that is not there", break_owner, "2 3 2; 0 1 2 |; 2 |; 0; 2"},
    {"a kind of block that is none", break_kind, "2 3 2; 0 1 2 |; 1 2 |; 0; 1"},
    {"times of two rates", break_rate, "2 3 2; 0 1 2 |; |; 0; 1"},
};

Test(sampling, what_makes_no_sense_is_cut_off)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        build_image();
        cases[i].break_it();
        cr_log_info("%s", cases[i].what);
        expect_view(cases[i].text);
    }
}
