#include "answer/model.h"

#include "abi/names.h"
#include "bench.h"

#include "formats/writer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define NS_PER_MS 1000000

static const struct bench_thread threads[] = {
    {"main",
     {IN(ABI_MESSAGE_ID, 0), IN(1, 0), IN(2, 100), OUT(2, 900), OUT(1, 1000),
      OUT(ABI_MESSAGE_ID, 1000), IN(ABI_MESSAGE_ID, 1010), OUT(ABI_MESSAGE_ID, 1020)},
     true},
    {"pool-1",
     {OUT(2, 40), IN(3, 50), OUT(3, 60), IN(3, 60), IN(3, 61), OUT(3, 69), OUT(3, 70)},
     false},
};

static struct answer_trace trace;
static struct answer_model model;
static struct mb_error err;

static void begin(void)
{
    bench_begin();
    bench_write_trace("t", threads, 2, 0);
    const struct answer_source source = {.path = bench_path("t")};
    cr_assert(eq(int, answer_trace_load(&trace, &source, &err), MB_OK));
}

static void end(void)
{
    answer_model_finish(&model);
    answer_trace_finish(&trace);
    bench_end();
}

TestSuite(model, .init = begin, .fini = end);

static enum mb_status build(const struct answer_options *options)
{
    return answer_model_build(&model, &trace, options, NULL, &err);
}

Test(model, has_all_threads_and_their_profiles)
{
    cr_assert(eq(int, build(&(struct answer_options){.threshold_ns = 1}), MB_OK));
    const struct answer_facts *facts = &model.facts;
    cr_assert(eq(sz, facts->threads.count, 2));
    const struct answer_thread *main = &facts->threads.rows[0];
    const struct answer_thread *pool = &facts->threads.rows[1];
    cr_expect(main->is_main);
    cr_expect(mb_text_is(pool->name, "pool-1"));
    cr_expect(eq(u64, main->calls, 4));
    cr_expect(eq(u64, pool->calls, 3));
    cr_expect(eq(u64, pool->losses->read.lost_entries, 1));
    cr_expect(eq(i64, main->time.busy_ns, 1010 * (int64_t)NS_PER_MS));
    cr_expect(eq(i64, pool->time.busy_ns, 20 * (int64_t)NS_PER_MS));
    cr_expect(eq(sz, main->node_count, 3));
    cr_expect(eq(sz, pool->node_count, 2), "3 and 3 below itself");
    cr_expect(eq(sz, facts->methods.count, 4));
    cr_expect(eq(u64, pool->time.start_ns, 50 * (uint64_t)NS_PER_MS));
}

/* Messages of a thread that has them, outermost calls of the other. */
Test(model, finds_what_is_slow)
{
    cr_assert(
        eq(int, build(&(struct answer_options){.threshold_ns = 10 * (int64_t)NS_PER_MS}), MB_OK));
    const struct answer_facts *facts = &model.facts;
    cr_expect(facts->recording.has_messages);
    cr_expect(eq(u64, facts->messages.root_count, 4));
    cr_expect(eq(i64, facts->messages.longest_root_ns, 1000 * (int64_t)NS_PER_MS));
    cr_assert(eq(sz, facts->messages.slow_count, 4));
    cr_expect(eq(u32, facts->messages.slow[0].key, 2));
    cr_expect(eq(sz, facts->messages.slow[0].item_count, 3));
    cr_expect(mb_text_is(facts->messages.slow[1].thread->name, "pool-1"));
    cr_assert(eq(sz, facts->messages.group_count, 3));
    cr_expect(eq(u64, facts->messages.groups[1].count, 2));
    cr_expect(eq(i64, facts->messages.groups[1].total_ns, 20 * (int64_t)NS_PER_MS));
}

Test(model, is_of_one_thread_if_asked_for)
{
    cr_assert(eq(int, build(&(struct answer_options){.thread = "pool-1"}), MB_OK));
    cr_expect(eq(sz, model.facts.threads.count, 1));
    cr_expect(not(model.facts.recording.has_messages));
    cr_expect(eq(int, build(&(struct answer_options){.thread = "none"}), MB_BAD_USAGE));
}

Test(model, writes_with_its_format)
{
    const struct answer_options options = {0};
    struct format_writer writer;

    cr_assert(eq(int, format_writer_init(&writer, &format_folded, NULL, NULL, NULL), MB_OK));
    cr_assert(eq(int, format_write(&writer, &model, &trace, &options, &err), MB_OK));
    mb_buf_put_u1(&writer.out, 0);
    const char *text = (char *)writer.out.bytes;
    cr_expect(ne(ptr, strstr(text, "pool-1;#3;#3 8000000\n"), NULL), "%s", text);
    format_writer_finish(&writer);
}

Test(model, notes_what_is_not_known)
{
    cr_assert(eq(int, build(&(struct answer_options){0}), MB_OK));
    cr_assert(eq(sz, model.facts.recording.note_count, 1));
    cr_expect(eq(int, (int)model.facts.recording.notes[0].kind, (int)ANSWER_KIND_NO_MAP_HASH));
}

Test(model, refuses_marks_that_are_not_there)
{
    cr_expect(eq(int, build(&(struct answer_options){.mark = "none"}), MB_BAD_USAGE));
}
