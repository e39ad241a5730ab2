#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/clock.h"
#include "monitor/monitor.h"
#include "monitor/watch/loops.h"
#include "monitor/watch/stack.h"
#include "monitor/watch/watcher.h"
#include "recorder/here.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_OVER_NS (500 * MB_NS_PER_MS)

/* ---- What the recorder has of a message ---- */

/* Newest first in what is kept: 2 MB. */
#define ROOM ((size_t)256 * 1024)

static double units_per_ms(const struct beat_copied *copied)
{
    double ns = (double)(copied->ns_per_unit >> 32) / (double)(copied->ns_per_unit & UINT32_MAX);

    return ns > 0 ? (double)MB_NS_PER_MS / ns : 1;
}

/* The calls that lie outside all others. */
static int64_t cost_of(const struct trace_item *items, size_t count)
{
    int64_t cost = 0;

    for (size_t i = 0; i < count; i++) {
        cost += items[i].depth == 0 ? items[i].duration : 0;
    }
    return cost;
}

static void put_items(const struct trace_stack *stack, const struct beat_copied *copied,
                      struct mon_trace *trace)
{
    struct trace_item kept[TRACE_TRIMMED_MAX];
    double units = units_per_ms(copied);
    size_t count = trace_trim(stack->items, stack->count, units, kept);

    trace->key = trace_key(kept, count, cost_of(stack->items, stack->count));
    trace->items.count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        trace->items.items[i] = (struct mon_item){
            .depth = (uint32_t)kept[i].depth,
            .id = kept[i].id,
            .count = kept[i].count,
            .ms = (int64_t)((double)kept[i].duration / units),
        };
    }
}

static bool decode_words(const uint64_t *words, const struct beat_copied *copied, bool is_open,
                         struct mon_trace *trace)
{
    const struct trace_run run = {words, copied->count};
    const struct trace_options options = {
        .close_open = is_open,
        .has_kinds = true,
        .end_time = (int64_t)copied->now,
        .now = copied->now,
    };
    struct trace_decoder decoder = {0};
    struct trace_stack stack;

    bool is_decoded = trace_decode(&decoder, &run, 1, &options, &stack, NULL) == MB_OK;
    if (is_decoded) {
        put_items(&stack, copied, trace);
        uint64_t lost = stack.losses.lost_entries;
        trace->lost_entries = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
    }
    trace_decoder_finish(&decoder);
    return is_decoded;
}

/* Decode, trim and key the records from a position on. end: MON_TO_THE_END for an open message.
 * False, with an empty trace, without records or memory. */
static bool take_trace(const struct beat_here *from, uint64_t end, struct mon_trace *trace)
{
    struct beat_copied copied;

    *trace = (struct mon_trace){.key = TRACE_NO_KEY};
    if (from->ring == NULL) {
        return false;
    }
    uint64_t *words = malloc(ROOM * sizeof(*words));
    bool is_taken = words != NULL && beat_here_copy(from, end, words, ROOM, &copied) &&
                    decode_words(words, &copied, end == MON_TO_THE_END, trace);
    if (is_taken) {
        trace->is_lapped = copied.is_lapped;
    }
    free(words);
    return is_taken;
}

void watch_stack_add(struct watch_stack *stack, const char *function)
{
    watch_names_add_frame(stack->names, &stack->frames, mb_text_of(function));
}

void watch_stack_taken(struct watch_stack *stack)
{
    stack->is_known = watch_cell_read(stack->cell, &stack->at);
    stack->taken_ns = mb_clock_now_ns();
}

/* ---- Questions ---- */

static void add_question(struct watch_watcher *watcher, const struct mon_action *action)
{
    if (watcher->question_count == WATCH_QUESTION_COUNT) {
        watcher->answers_left_out++;
        return;
    }
    struct watch_question *question = &watcher->questions[watcher->question_count++];
    *question = (struct watch_question){
        .kind = action->kind,
        .loop = action->loop,
        .request = action->request,
        .position = action->position,
        .end_position = action->end_position,
    };
    if (action->kind == MON_TAKE_THREADS) {
        watch_process_begin_threads(&watcher->process);
        question->due_ns = mb_clock_now_ns() + THREADS_OVER_NS;
    }
}

void watch_take_action(void *context, const struct mon_action *action)
{
    struct watch_watcher *watcher = context;

    switch (action->kind) {
    case MON_TAKE_STACK:
    case MON_TAKE_STACKS:
    case MON_TAKE_TRACE:
    case MON_TAKE_PROCESS:
    case MON_TAKE_THREADS:
    case MON_PING:
        add_question(watcher, action);
        break;
    case MON_NOTE:
    case MON_NOTE_CLOSE:
    case MON_ISSUE:
        watch_send_issue(watcher, action);
        break;
    }
}

/* ---- Answers ---- */

static struct mon_event answer_to(const struct watch_question *question, enum mon_kind kind)
{
    return (struct mon_event){.at_ns = mb_clock_now_ns(),
                              .kind = kind,
                              .loop = question->loop,
                              .request = question->request};
}

/* The sequence of the cell, if it is the same before and after; else an impossible one. */
static void answer_stack(struct watch_watcher *watcher, const struct watch_question *question)
{
    struct watch_stack stack = {.names = watcher->names, .cell = watch_loop_cell(question->loop)};
    struct watch_snapshot before;
    int64_t start = mb_clock_now_ns();
    bool is_same = watch_cell_read(stack.cell, &before);

    stack.since_ns = before.since_ns;
    stack.interval_ns = mon_current_options(watcher->mon)->sample_ms * MB_NS_PER_MS;
    if (watcher->has_host) {
        (void)watch_loop_stack(question->loop, &stack);
    }
    struct mon_event event = answer_to(question, MON_STACK);
    watcher->blocked_ns += event.at_ns - start;
    if (stack.taken_ns == 0) {
        watch_stack_taken(&stack);
    } else {
        event.at_ns = stack.taken_ns;
    }
    is_same = is_same && stack.is_known && before.sequence == stack.at.sequence;
    event.stack.sequence = is_same ? before.sequence : WATCH_MOVES;
    event.stack.took_ns = event.at_ns - start;
    event.stack.frames = stack.frames;
    watch_feed(watcher, &event);
}

static void answer_stacks(struct watch_watcher *watcher, const struct watch_question *question)
{
    int64_t start = mb_clock_now_ns();
    char *text = watcher->has_host && watcher->host.stacks != NULL
                     ? watcher->host.stacks(watcher->host.context)
                     : NULL;
    struct mon_event event = answer_to(question, MON_STACKS);

    watcher->blocked_ns += event.at_ns - start;
    if (text != NULL) {
        event.stacks.text = watch_names_pass(watcher->names, mb_text_of(text));
    }
    free(text);
    watch_feed(watcher, &event);
}

static void answer_trace(struct watch_watcher *watcher, const struct watch_question *question)
{
    struct mon_event event = answer_to(question, MON_TRACE);
    const struct beat_here from =
        watch_place_of(&watcher->loops[question->loop], question->position);

    if (!take_trace(&from, question->end_position, &event.trace) && from.ring != NULL) {
        watcher->answers_left_out++;
    }
    watch_feed(watcher, &event);
}

/* "5f1c-17", followed by end, which is "" or " end". */
static struct beat_mark put_mark(const struct beat_here *at, const struct mon_issue *issue,
                                 const char *end)
{
    char name[48];

    (void)snprintf(name, sizeof(name), "%" PRIx64 "-%" PRIu32 "%s", issue->start,
                   issue->span.number, end);
    return beat_here_mark(at, name);
}

/* A range of its own, or that of the oldest. */
static struct watch_range *range_of(struct watch_watcher *watcher, uint32_t number)
{
    for (uint32_t i = 0; i < WATCH_MARK_COUNT; i++) {
        if (watcher->marks[i].number == number) {
            return &watcher->marks[i];
        }
    }
    struct watch_range *range = &watcher->marks[watcher->mark_count++ % WATCH_MARK_COUNT];
    beat_unmark(&range->begin);
    beat_unmark(&range->end);
    *range = (struct watch_range){.number = number};
    return range;
}

void watch_mark(struct watch_watcher *watcher, const struct mon_issue *issue)
{
    struct beat_here at = watch_place_of(&watcher->loops[issue->span.loop], issue->span.position);

    if (issue->trace == NULL || issue->trace->key == TRACE_NO_KEY ||
        issue->span.end_position == 0 || at.ring == NULL) {
        return;
    }
    struct watch_range *range = range_of(watcher, issue->span.number);
    if (range->begin.slot == 0) {
        range->begin = put_mark(&at, issue, "");
    }
    at.position = issue->span.end_position;
    if (issue->span.end_position != MON_TO_THE_END && range->end.slot == 0) {
        range->end = put_mark(&at, issue, ABI_MARK_END);
    }
}

static void answer_process(struct watch_watcher *watcher, const struct watch_question *question)
{
    struct mon_event event = answer_to(question, MON_PROCESS);

    watch_process_read(&watcher->process, watcher->names, &event.process);
    watch_feed(watcher, &event);
}

static void answer_threads(struct watch_watcher *watcher, const struct watch_question *question)
{
    struct mon_event event = answer_to(question, MON_CPU);

    watch_process_read_threads(&watcher->process, watcher->names, &event.cpu);
    watch_feed(watcher, &event);
}

/* What cannot be asked has nothing to hide: it is back at once. */
static void send_ping(struct watch_watcher *watcher, const struct watch_question *question)
{
    int64_t start = mb_clock_now_ns();
    bool is_sent = watcher->has_host && watch_loop_ping(question->loop, question->request);

    watcher->blocked_ns += mb_clock_now_ns() - start;
    if (!is_sent) {
        struct mon_event event = answer_to(question, MON_PONG);
        watch_feed(watcher, &event);
    }
}

typedef void answerer(struct watch_watcher *watcher, const struct watch_question *question);

static answerer *const answerers[] = {
    [MON_TAKE_STACK] = answer_stack,     [MON_TAKE_STACKS] = answer_stacks,
    [MON_TAKE_TRACE] = answer_trace,     [MON_TAKE_PROCESS] = answer_process,
    [MON_TAKE_THREADS] = answer_threads, [MON_PING] = send_ping,
};

bool watch_answer(struct watch_watcher *watcher)
{
    struct watch_question questions[WATCH_QUESTION_COUNT];
    uint32_t count = 0;
    uint32_t waiting = 0;
    int64_t now = mb_clock_now_ns();

    for (uint32_t i = 0; i < watcher->question_count; i++) {
        const struct watch_question *question = &watcher->questions[i];
        if (question->due_ns <= now) {
            questions[count++] = *question;
        } else {
            watcher->questions[waiting++] = *question;
        }
    }
    watcher->question_count = waiting;
    for (uint32_t i = 0; i < count; i++) {
        answerers[questions[i].kind](watcher, &questions[i]);
    }
    return count > 0;
}

int64_t watch_answer_due_ns(const struct watch_watcher *watcher)
{
    int64_t due = INT64_MAX;

    for (uint32_t i = 0; i < watcher->question_count; i++) {
        due = watcher->questions[i].due_ns < due ? watcher->questions[i].due_ns : due;
    }
    return due;
}
