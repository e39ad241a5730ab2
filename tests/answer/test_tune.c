#include "answer/tune.h"

#include "abi/names.h"
#include "base/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define ONE_NS (UINT64_C(1) << 32 | 1)
#define MS INT64_C(1000000)
#define HEAD "# Probes make about "

static const char map_text[] = "1,1,a.B outer ()V\n2,1,a.B$C inner (I)V\n3,1,a.B <init> ()V\n"
                               "4,1,D other (La.B;[J)La.B;\n";

/* 1 calls the others; ms in all, calls of 2 to 4. */
struct drawn {
    struct trace_method methods[5];
    struct answer_thread thread;
};

static void draw(struct drawn *drawn, int64_t ms, const uint64_t calls[3])
{
    size_t count = 1;

    drawn->methods[0] =
        (struct trace_method){.id = 1, .calls = 1, .total = ms * MS, .self = ms * MS};
    drawn->thread = (struct answer_thread){.calls = 1, .time.busy_ns = ms * MS};
    for (uint32_t i = 0; i < 3; i++) {
        drawn->methods[count] = (struct trace_method){
            .id = 2 + i, .calls = calls[i], .total = (int64_t)calls[i], .self = (int64_t)calls[i]};
        drawn->thread.calls += calls[i];
        count += calls[i] > 0;
    }
    drawn->thread.methods = drawn->methods;
    drawn->thread.method_count = count;
}

static enum mb_status tune(const struct answer_facts *facts, uint64_t percent, struct mb_buf *out)
{
    struct abi_methodmap map = {0};

    cr_assert(eq(int, abi_methodmap_parse(&map, mb_text_of(map_text), "map", NULL), MB_OK));
    mb_buf_reset(out);
    enum mb_status status = answer_tune(facts, &map, percent, out, NULL);
    mb_buf_put_u1(out, 0);
    abi_methodmap_finish(&map);
    return status;
}

/* The lines behind the comments, cut before theirs. */
static void expect_rules(const struct mb_buf *out, const char *expected)
{
    struct mb_text text = mb_text_of((const char *)out->bytes);
    struct mb_text line;
    struct mb_buf found = {0};
    size_t number = 0;

    while (mb_text_next_line(&text, &line, &number)) {
        const char *comment = memchr(line.data, '#', line.size);
        if (line.size > 0 && comment != line.data) {
            cr_assert(comment != NULL);
            mb_buf_put(&found, line.data, (size_t)(comment - line.data));
        }
    }
    mb_buf_put_u1(&found, 0);
    cr_expect_str_eq((const char *)found.bytes, expected, "%s", (const char *)out->bytes);
    mb_buf_finish(&found);
}

static void add(struct answer_facts *facts, const struct drawn *drawn)
{
    *facts = (struct answer_facts){.clock.ns_per_unit = ONE_NS,
                                   .threads.rows = &drawn->thread,
                                   .threads.count = 1,
                                   .methods.rows = drawn->methods,
                                   .methods.count = drawn->thread.method_count};
}

Test(tune, leaves_out_the_fewest)
{
    struct drawn drawn;
    struct answer_facts facts;
    struct mb_buf out = {0};

    draw(&drawn, 100, (uint64_t[]){600000, 1000000, 200000}); /* 36 ms of 100 at 20 ns a call */
    add(&facts, &drawn);
    cr_assert(eq(int, tune(&facts, 57, &out), MB_OK));
    expect_rules(&out, "");
    cr_assert(eq(int, tune(&facts, 30, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B <init> ()V ");
    cr_assert(eq(int, tune(&facts, 20, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B <init> ()V -keepmethod a/B$C inner (I)V ");
    cr_assert(strstr((char *)out.bytes,
                     HEAD "56.3 % (40.4 to 81.8 %) of the time without them, at 20 ns") != NULL);
    cr_assert(strstr((char *)out.bytes,
                     "of the 2 methods below it is about 6.3 % (4.5 to 9.1 %)") != NULL);
    facts.clock.is_coarse = true; /* 8 ns a call */
    cr_assert(eq(int, tune(&facts, 10, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B <init> ()V ");
    mb_buf_finish(&out);
}

/* A thread that only waits for the one that works does not hide what that spends on probes; one
 * that makes few calls is not worth a rule. */
Test(tune, looks_at_each_thread_that_matters)
{
    struct drawn waits;
    struct drawn works;
    struct drawn brief;
    struct answer_thread threads[3];
    struct trace_method methods[5];
    struct answer_facts facts;
    struct mb_buf out = {0};

    draw(&waits, 100000, (uint64_t[]){0, 0, 0});
    draw(&works, 100, (uint64_t[]){600000, 0, 200000});
    draw(&brief, 1, (uint64_t[]){0, 20000, 0});
    threads[0] = waits.thread;
    threads[1] = works.thread;
    threads[2] = brief.thread;
    memcpy(methods, works.methods, sizeof(methods));
    methods[3] = brief.methods[1];
    add(&facts, &works);
    facts.threads.rows = threads;
    facts.threads.count = 3;
    facts.methods.rows = methods;
    facts.methods.count = 4;
    cr_assert(eq(int, tune(&facts, 10, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B$C inner (I)V ");
    cr_assert(eq(int, tune(&facts, 2, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B$C inner (I)V -keepmethod D other (La/B;[J)La/B; ");
    mb_buf_finish(&out);
}

/* More than all of the time it cannot be; and a message has no rule, nor has what the map lacks. */
Test(tune, takes_part_of_the_time_at_most)
{
    struct drawn drawn;
    struct answer_facts facts;
    struct mb_buf out = {0};

    draw(&drawn, 1, (uint64_t[]){1000000, 3, 4});
    drawn.methods[2].id = ABI_MESSAGE_ID;
    drawn.methods[3].id = 77;
    add(&facts, &drawn);
    cr_assert(eq(int, tune(&facts, 0, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B$C inner (I)V -keepmethod a/B outer ()V ");
    cr_assert(strstr((char *)out.bytes, HEAD "1900.0 % (1900.0 to 1900.0 %)") != NULL, "%s",
              (char *)out.bytes);
    mb_buf_finish(&out);
}

/* What the throttle took out stays out; and what a thread waits for is not its work. */
Test(tune, lists_what_was_muted)
{
    static const struct answer_mute mutes[] = {{.id = 4, .calls = 5}, {.id = 77, .calls = 9}};
    struct drawn drawn;
    struct answer_facts facts;
    struct mb_buf out = {0};

    draw(&drawn, 100, (uint64_t[]){6000, 1000, 5});
    add(&facts, &drawn);
    facts.methods.mutes = mutes;
    facts.methods.mute_count = MB_COUNT(mutes);
    cr_assert(eq(int, tune(&facts, 5, &out), MB_OK));
    expect_rules(&out, "-keepmethod D other (La/B;[J)La/B; ");
    cr_assert(strstr((char *)out.bytes, " # 5 calls, mean 1 ns, probes 100 ns, then muted\n") !=
              NULL);
    facts.methods.mute_count = 0;
    drawn.thread.time.waited_ns = 99 * MS; /* 140 us of 1 ms */
    cr_assert(eq(int, tune(&facts, 5, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B$C inner (I)V ");
    mb_buf_finish(&out);
}

/* A profile that lacks words lacks calls, but not their time. */
Test(tune, reckons_in_what_was_not_seen)
{
    struct drawn drawn;
    struct answer_facts facts;
    struct mb_buf out = {0};

    draw(&drawn, 100, (uint64_t[]){400000, 600000, 200000});
    drawn.thread.losses = &(struct answer_losses){.read.words = 2400002};
    add(&facts, &drawn);
    cr_assert(eq(int, tune(&facts, 32, &out), MB_OK)); /* 24 ms of 100 */
    expect_rules(&out, "");
    drawn.thread.losses =
        &(struct answer_losses){.read.words = 2400002, .unseen_words = 1200001}; /* 36 ms */
    cr_assert(eq(int, tune(&facts, 32, &out), MB_OK));
    expect_rules(&out, "-keepmethod a/B <init> ()V ");
    cr_assert(strstr((char *)out.bytes, HEAD "56.3 % (40.4 to 81.8 %)") != NULL);
    cr_assert(strstr((char *)out.bytes, "# Of the records 33.3 % are missing, and reckoned in") !=
              NULL);
    mb_buf_finish(&out);
}
