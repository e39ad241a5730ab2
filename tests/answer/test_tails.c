/* Lengths of requests in two traces. */

#include "answer/diff.h"
#include "answer/finding.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#define MS INT64_C(1000000)
#define ALL(ms, least, most)             \
    {                                    \
        (ms) * MS, (least)*MS, (most)*MS \
    }

struct change_case {
    const char *what;
    struct answer_quantile old;
    struct answer_quantile new;
    double percent;
    double certain;
    bool is_known;
};

static const struct change_case change_cases[] = {
    {"the same", ALL(100, 99, 101), ALL(100, 99, 101), 0, 0, true},
    {"a fifth, narrow intervals", ALL(100, 99, 101), ALL(120, 119, 121), 20, 13.9, true},
    {"a fifth, wide intervals", ALL(100, 80, 120), ALL(120, 100, 140), 20, 0, true},
    {"as runs differ", ALL(100, 100, 100), ALL(105, 105, 105), 5, 0, true},
    {"faster", ALL(120, 119, 121), ALL(100, 99, 101), -16.7, -12.2, true},
    {"too few to know the end", {100 * MS, 99 * MS, INT64_MAX}, ALL(120, 119, 121), 20, 0, false},
    {"too few to know the beginning", ALL(100, 99, 101), ALL(120, 0, 130), 20, 0, true},
    {"below the clock", ALL(0, 0, 0), ALL(120, 119, 121), 0, 0, false},
};

static struct mb_text no_name(const void *context, uint32_t id)
{
    (void)context;
    return id == 7 ? MB_TEXT("a.B.c") : (struct mb_text){0};
}

static struct mb_text other_name(const void *context, uint32_t id)
{
    (void)context;
    return id == 9 ? MB_TEXT("a.B.c") : (struct mb_text){0};
}

Test(tails, tell_what_is_no_chance)
{
    for (size_t i = 0; i < MB_COUNT(change_cases); i++) {
        const struct change_case *c = &change_cases[i];
        struct answer_request was = {.id = 9, .lengths = {.p99 = c->old}};
        struct answer_request is[] = {{.id = 7, .lengths = {.p99 = c->new}}, {.id = 8}};
        const struct answer_facts old = {.requests = {.rows = &was, .count = 1},
                                         .methods.names.find = other_name};
        const struct answer_facts new = {.requests = {.rows = is, .count = 2},
                                         .methods.names.find = no_name};
        union answer_tails tails = {.buf = {0}};
        answer_tails_make(&tails, &old, &new);
        cr_assert(eq(sz, MB_VEC_COUNT(&tails), 2), "%s", c->what);
        const struct answer_tail *tail = &tails.items[0];
        cr_assert(tail->old == &was, "%s", c->what);
        cr_expect(lt(dbl, fabs(tail->p99.percent - c->percent), 0.1), "%s", c->what);
        cr_expect(lt(dbl, fabs(tail->p99.certain_percent - c->certain), 0.1), "%s: %f", c->what,
                  tail->p99.certain_percent);
        cr_expect(eq(int, tail->p99.is_known, c->is_known), "%s", c->what);
        const struct answer_tail *slowest = answer_tails_slowest(&tails, ANSWER_P99);
        cr_expect(slowest == (c->is_known ? tail : NULL), "%s", c->what);
        cr_expect(tails.items[1].old == NULL, "another name is another kind");
        mb_buf_finish(&tails.buf);
    }
}

static struct answer_tail compare(const struct answer_request *was, const struct answer_request *is)
{
    const struct answer_facts old = {.requests = {.rows = was, .count = 1},
                                     .methods.names.find = other_name};
    const struct answer_facts new = {.requests = {.rows = is, .count = 1},
                                     .methods.names.find = no_name};
    union answer_tails tails = {.buf = {0}};

    answer_tails_make(&tails, &old, &new);
    cr_assert(eq(sz, MB_VEC_COUNT(&tails), 1));
    struct answer_tail tail = tails.items[0];
    mb_buf_finish(&tails.buf);
    return tail;
}

Test(tails, have_an_old_kind_that_its_report_left_out)
{
    const struct answer_request was = {.id = 9, .lengths.p50 = ALL(2, 2, 2)};
    const struct answer_request is = {.id = 7, .lengths.p50 = ALL(3, 3, 3)};
    const struct answer_facts old = {.requests = {.left_out = &was, .left_out_count = 1},
                                     .methods.names.find = other_name};
    const struct answer_facts new = {.requests = {.rows = &is, .count = 1},
                                     .methods.names.find = no_name};
    union answer_tails tails = {.buf = {0}};

    answer_tails_make(&tails, &old, &new);
    cr_assert(tails.items[0].old == &was);
    cr_expect(gt(dbl, tails.items[0].p50.certain_percent, 30));
    mb_buf_finish(&tails.buf);
}

/* 20 % more, of which a quarter was without a processor. */
Test(tails, are_longer_on_a_busy_machine)
{
    struct answer_request was = {.id = 9, .lengths.p99 = ALL(100, 99, 101)};
    struct answer_request is = {.id = 7, .lengths.p99 = ALL(120, 119, 121)};

    for (int64_t ready = 0; ready < 12; ready += 6) {
        is.slow_ready_ns = ready * MS;
        double certain = compare(&was, &is).p99.certain_percent;
        cr_expect(ready == 0 ? certain > 13 : certain < 3, "%f", certain);
    }
}

/* Where each request says what of it that was, no error is left. */
Test(tails, are_compared_without_waits_for_a_processor)
{
    struct answer_request was = {.id = 9,
                                 .lengths = {.calls = 900, .p99 = ALL(100, 99, 101)},
                                 .on_processor = {.calls = 800, .p99 = ALL(60, 60, 60)},
                                 .slow_ready_ns = 40 * MS};
    struct answer_request is = {.id = 7,
                                .lengths = {.calls = 900, .p99 = ALL(150, 149, 151)},
                                .on_processor = {.calls = 800, .p99 = ALL(72, 72, 72)},
                                .slow_ready_ns = 80 * MS};
    const struct answer_tail_change change = compare(&was, &is).p99;

    cr_expect(change.is_on_processor);
    cr_expect(eq(i64, change.new->ns, 72 * MS));
    cr_expect(lt(dbl, fabs(change.percent - 20), 0.1));
    cr_expect(gt(dbl, change.certain_percent, 16));
}

/* What a thread that a request waits for lacked is not known. At p50, as much as usual requests; at
 * p99, as all work of the kind: at most for as long as it waited. */
Test(tails, of_requests_that_wait_are_longer_where_others_lack_a_processor)
{
    struct answer_request was = {
        .id = 9,
        .used_ns = 1000 * MS,
        .total_ns = 1000 * MS,
        .lengths = {.calls = 900, .p50 = ALL(60, 60, 60), .p99 = ALL(60, 60, 60)},
        .on_processor = {.calls = 800, .p50 = ALL(60, 60, 60), .p99 = ALL(60, 60, 60)}};
    struct answer_request is = {
        .id = 7,
        .used_ns = 1000 * MS,
        .total_ns = 1100 * MS,
        .lengths = {.calls = 900, .p50 = ALL(80, 80, 80), .p99 = ALL(900, 900, 900)},
        .on_processor = {.calls = 800, .p50 = ALL(72, 72, 72), .p99 = ALL(72, 72, 72)}};
    static const double certain[][2] = {/* exp(log(72 / 60) - 0.03 - error) */
                                        {16.4, 16.4},
                                        {10.4, 6.3},
                                        {4.8, 0}};

    for (size_t half = 0; half < MB_COUNT(certain); half++) {
        is.waited_ns = (int64_t)half * 500 * MS;
        struct answer_tail tail = compare(&was, &is);
        cr_expect(lt(dbl, fabs(tail.p50.certain_percent - certain[half][0]), 0.1));
        cr_expect(lt(dbl, fabs(tail.p99.certain_percent - certain[half][1]), 0.1), "%f",
                  tail.p99.certain_percent);
    }
}

struct need_case {
    struct answer_tail_change change;
    uint64_t least;
    uint64_t most;
};

Test(tails, say_how_many_requests_a_verdict_takes)
{
    static const struct need_case cases[] = {
        {{.is_known = true, .is_on_processor = true, .calls = 5000, .chance = 0.05}, 0, 0},
        {{.is_known = true, .is_on_processor = true, .calls = 5000, .chance = 0.1}, 7000, 8000},
        {{.is_known = true, .calls = 5000, .chance = 0.1}, 9000, 11000},
        {{.is_known = true, .calls = 5000, .busy = 0.1}, UINT64_MAX, UINT64_MAX},
        {{.is_known = false}, 1000, 1000},
    };

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        uint64_t needs = answer_tail_needs(&cases[i].change, 10);
        cr_expect(needs >= cases[i].least && needs <= cases[i].most, "%zu: %llu", i,
                  (unsigned long long)needs);
    }
}

Test(tails, have_new_causes)
{
    const struct answer_excess by[] = {
        {.id = 0, .count = 9}, {.state = ANSWER_STATE_WORKED, .id = 9, .count = 9, .more_ns = 400}};
    const struct answer_excess some = {
        .state = ANSWER_STATE_WORKED, .id = 7, .count = 5, .more_ns = 490};
    const struct answer_excess few = {.state = ANSWER_STATE_WORKED, .id = 8, .count = 4};
    const struct answer_excess io = {.state = ANSWER_STATE_IO, .id = 7, .count = 5};
    const struct answer_excess none = {.id = 0, .count = 50};
    const struct answer_excess grown = {
        .state = ANSWER_STATE_WORKED, .id = 7, .count = 5, .more_ns = 510};
    struct answer_request other = {
        .known_calls = 200, .slow_count = 18, .asked_count = 18, .excesses = by, .excess_count = 1};
    const struct answer_methods methods = {.names.find = no_name};
    const struct answer_methods others = {.names.find = other_name};
    const struct answer_request same = {.known_calls = 100, .slow_count = 20, .asked_count = 5};
    const struct answer_side side = {&same, &methods};
    const struct answer_side other_side = {&other, &others};

    cr_expect(answer_tail_lacks(&some, &side, &other_side, ANSWER_GROWN));
    cr_expect(not(answer_tail_lacks(&few, &side, &other_side, ANSWER_GROWN)), "may be chance");
    cr_expect(not(answer_tail_lacks(&none, &side, &other_side, ANSWER_GROWN)));
    other.excess_count = 2;
    cr_expect(not(answer_tail_lacks(&some, &side, &other_side, ANSWER_GROWN)),
              "the name is the same");
    cr_expect(answer_tail_lacks(&io, &side, &other_side, ANSWER_GROWN), "in another state");
    cr_expect(answer_tail_lacks(&grown, &side, &other_side, ANSWER_GROWN),
              "ten times as long, of each");
    cr_expect(not(answer_tail_lacks(&grown, &side, &other_side, 0)), "a tenth of it is left");
    other = (struct answer_request){0};
    cr_expect(not(answer_tail_lacks(&some, &side, &other_side, ANSWER_GROWN)),
              "it has no slow ones");
}

/* Ends with 0; out's own. */
static const char *put_verdict(struct mb_buf *out, const struct answer_diff *diff,
                               const struct answer_methods *methods)
{
    const struct answer_voice voice = {.names = &methods->names};
    struct answer_findings findings = {0};

    answer_find_verdict(&findings, diff);
    answer_put_sentences(out, &findings, &voice);
    answer_findings_finish(&findings);
    mb_buf_put_u1(out, 0);
    return (const char *)out->bytes;
}

/* Though nothing is certain of its length. */
Test(tails, tell_a_new_cause)
{
    const struct answer_excess causes[] = {
        {.state = ANSWER_STATE_READY, .id = 7, .count = 9, .more_ns = 900},
        {.state = ANSWER_STATE_IO, .id = 8, .count = 6, .more_ns = 60},
        {.state = ANSWER_STATE_WORKED, .id = 7, .count = 5, .more_ns = 70}};
    struct answer_request was = {
        .id = 9, .calls = 50, .slow_count = 4, .lengths.p99 = ALL(100, 99, 101)};
    struct answer_request is = was;
    const struct answer_methods methods = {.names.find = no_name};
    const struct answer_methods others = {.names.find = other_name};
    struct answer_tail tail = {.new = &is, .old = &was};
    struct answer_diff diff = {.new_methods = &methods, .old_methods = &others};
    struct mb_buf out = {0};

    is.id = 7;
    is.known_calls = 50;
    is.excesses = causes;
    is.excess_count = MB_COUNT(causes);
    MB_VEC_PUSH(&diff.tails, tail);
    const char *said = put_verdict(&out, &diff, &methods);
    cr_expect(strstr(said, "New in slow requests: 5 of 50 ") != NULL, "%s", said);
    mb_buf_finish(&out);
    mb_buf_finish(&diff.tails.buf);
}

struct told_case {
    struct answer_excess cause;
    const char *told;
};

static void judge_told(const struct told_case *c)
{
    const struct answer_excess causes[] = {{.state = ANSWER_STATE_READY, .id = 7, .count = 9},
                                           c->cause};
    struct answer_request was = {.id = 9, .lengths.p99 = ALL(100, 99, 101)};
    struct answer_request is = {
        .id = 7, .lengths.p99 = ALL(120, 119, 121), .excesses = causes, .excess_count = 2};
    const struct answer_methods methods = {.names.find = no_name};
    struct answer_diff diff = {.old.is_whole = true, .new.is_whole = true};
    struct mb_buf out = {0};

    MB_VEC_PUSH(&diff.tails, compare(&was, &is));
    const char *said = put_verdict(&out, &diff, &methods);
    cr_expect(strstr(said, "Slower requests, and no certain change of the whole") == said);
    cr_expect(strstr(said, c->told) != NULL, "%s", said);
    mb_buf_finish(&out);
    mb_buf_finish(&diff.tails.buf);
}

/* Though the run as a whole took no longer. */
Test(tails, that_are_longer_are_told_first)
{
    static const struct answer_block block = {.owner = MB_TEXT_ROW("janitor"), .owner_method = 7};
    static const struct told_case cases[] = {
        {{.state = ANSWER_STATE_IO, .id = 7, .below = 7, .count = 5},
         "a.B.c took 120 ms at p99, was 100 ms: slow ones read or wrote in a.B.c below a.B.c."},
        {{.state = ANSWER_STATE_IO, .id = 7, .count = 4}, "at p99, was 100 ms."},
        {{.state = ANSWER_STATE_COLLECTED, .count = 5},
         "was 100 ms: slow ones paused for garbage collection."},
        {{.state = ANSWER_STATE_MIXED, .count = 5}, "at p99, was 100 ms."},
        {{.state = ANSWER_STATE_LOCKED, .id = 7, .count = 6, .known_count = 2, .block = &block},
         "slow ones waited in a.B.c, for a lock that janitor held in a.B.c."},
        {{.state = ANSWER_STATE_LOCKED, .id = 7, .count = 6, .known_count = 1, .block = &block},
         "slow ones waited in a.B.c, for a lock."},
    };

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        judge_told(&cases[i]);
    }
}
