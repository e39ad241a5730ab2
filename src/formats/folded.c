/* Collapsed stacks, for flame graphs: "thread;caller;callee weight" a line, each stack once,
 * callers before what they call, and what one of them calls in the order of its bytes. The weight
 * is the own time in ns, or the number of calls. */

#include "base/vec.h"
#include "formats/ids.h"
#include "formats/text.h"
#include "formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each line repeats all callers: the time of what is deeper counts for its caller. */
#define MAX_DEPTH 1000

/* In a line of its own: a hundredth of the narrowest box that a flame graph shows. */
#define LEAST_SHARE 100000

#define NONE UINT32_MAX

#define NO_METHOD UINT32_MAX

/* What a thread or a method is called in a stack. */
struct frame {
    uint32_t id;         /* of the method, or NO_METHOD */
    size_t start;        /* in the text of all */
    struct mb_text text; /* its data is set when all are there */
    uint32_t number;     /* threads first, then methods as they turn up */
};

/* A node, or a thread above its outermost calls. */
struct item {
    int64_t weight;
    int64_t all;    /* and of all that is below it */
    uint32_t first; /* of its calls; NONE */
    uint32_t next;  /* call of the same caller */
    uint32_t rank;  /* of its frame, by text */
};

/* An item on its way out. Those of one stack lie side by side: threads of one name share their
 * lines. */
struct place {
    uint32_t item;
    uint32_t rank;
    uint32_t depth;
};

MB_VEC_TYPE(places, struct place);

struct folding {
    const struct format_writer *writer;
    struct format_ids methods;
    struct mb_buf text;           /* of all frames */
    MB_VEC(struct frame) frames;  /* at last by text */
    union mb_numbers ranks;       /* [number of a frame]: the place of the first of its text */
    MB_VEC(struct item) items;    /* of each thread, followed by its nodes */
    union places places;          /* what is to be written last comes first */
    union places calls;           /* of the stack that is being written */
    struct mb_buf stack;          /* text */
    uint32_t ends[MAX_DEPTH + 1]; /* [depth] in the text of the stack */
    int64_t least;                /* what is shorter counts for its caller */
};

static bool has_failed(const struct folding *folding)
{
    return folding->text.failed || folding->frames.buf.failed || folding->ranks.buf.failed ||
           folding->items.buf.failed || folding->places.buf.failed || folding->calls.buf.failed ||
           folding->stack.failed;
}

/* ---- Frames ---- */

/* Give the frame what was put after start, without the characters to which the format gives a
 * meaning. */
static void end_text(struct mb_buf *text, size_t start, struct frame *frame)
{
    for (size_t i = start; i < text->size; i++) {
        text->bytes[i] = text->bytes[i] == ';' ? ':' : text->bytes[i];
    }
    frame->start = start;
    frame->text.size = text->size - start;
}

static void end_frame(struct folding *folding, size_t start, uint32_t id)
{
    struct frame frame = {
        .id = id,
        .number = (uint32_t)MB_VEC_COUNT(&folding->frames),
    };

    end_text(&folding->text, start, &frame);
    MB_VEC_PUSH(&folding->frames, frame);
}

static void add_thread_frame(struct folding *folding, const struct answer_thread *thread)
{
    size_t start = folding->text.size;

    mb_buf_put_printable(&folding->text, thread->name.size > 0 ? thread->name : MB_TEXT("thread"));
    end_frame(folding, start, NO_METHOD);
}

static void add_method_frames(struct folding *folding, const struct answer_thread *thread)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        bool is_new;
        size_t start = folding->text.size;
        (void)format_ids_number(&folding->methods, thread->nodes[i].id, &folding->text, &is_new);
        if (is_new) {
            format_put_method(&folding->writer->look, folding->writer->names, &folding->text,
                              thread->nodes[i].id, 0);
            end_frame(folding, start, thread->nodes[i].id);
        }
    }
}

static int by_text(const void *a, const void *b)
{
    const struct frame *x = a;
    const struct frame *y = b;

    return mb_text_compare(x->text, y->text);
}

static void sort_frames(struct folding *folding)
{
    struct frame *frames = folding->frames.items;
    size_t count = MB_VEC_COUNT(&folding->frames);

    if (has_failed(folding)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        frames[i].text.data = (const char *)folding->text.bytes + frames[i].start;
    }
    MB_VEC_SORT(&folding->frames, by_text);
}

/* Names that are the same when they are cut are told in full. */
static void tell_apart(struct folding *folding)
{
    struct frame *frames = folding->frames.items;
    size_t count = MB_VEC_COUNT(&folding->frames);
    struct mb_buf full = {0}; /* those of text stay where they are until all are compared */
    size_t before = folding->text.size;
    bool was_equal = false;

    for (size_t i = 0; i < count; i++) {
        bool is_equal = i + 1 < count && mb_text_equal(frames[i].text, frames[i + 1].text);
        if ((is_equal || was_equal) && frames[i].id != NO_METHOD) {
            size_t start = full.size;
            answer_put_name(&full, folding->writer->names, frames[i].id);
            end_text(&full, start, &frames[i]);
            frames[i].start += before;
        }
        was_equal = is_equal;
    }
    mb_buf_put(&folding->text, full.bytes, full.size);
    mb_buf_finish_part(&folding->text, &full);
}

/* Equal texts have one rank. */
static void rank_frames(struct folding *folding)
{
    struct frame *frames = folding->frames.items;
    size_t count = MB_VEC_COUNT(&folding->frames);
    uint32_t *ranks = MB_VEC_EXTEND(&folding->ranks, count);
    uint32_t rank = 0;

    if (has_failed(folding)) {
        return;
    }
    sort_frames(folding);
    if (folding->writer->look.columns > 0) {
        tell_apart(folding);
        sort_frames(folding);
    }
    for (uint32_t i = 0; i < count && !has_failed(folding); i++) {
        rank = i > 0 && mb_text_equal(frames[rank].text, frames[i].text) ? rank : i;
        ranks[frames[i].number] = rank;
    }
}

static void collect_frames(struct folding *folding)
{
    const struct answer_threads *threads = &folding->writer->facts->threads;

    for (size_t t = 0; t < threads->count; t++) {
        add_thread_frame(folding, &threads->rows[t]);
    }
    for (size_t t = 0; t < threads->count; t++) {
        add_method_frames(folding, &threads->rows[t]);
    }
    rank_frames(folding);
}

/* ---- Items ---- */

static int64_t weight_of(const struct folding *folding, const struct trace_node *node)
{
    bool is_last = node->depth + 1 == MAX_DEPTH;

    return folding->writer->look.weight == FORMAT_WEIGHT_CALLS
               ? (int64_t)(node->calls & INT64_MAX)
               : answer_ns(folding->writer->clock, is_last ? node->total : node->own);
}

/* Of what is above nothing: times of a damaged trace may be neither that nor short enough for their
 * sum. */
static int64_t add_weight(int64_t sum, int64_t weight)
{
    if (weight <= 0) {
        return sum;
    }
    return weight < INT64_MAX - sum ? sum + weight : INT64_MAX;
}

/* The thread's own item is followed by those of its nodes. */
static void link_thread(struct folding *folding, const struct answer_thread *thread, uint32_t rank,
                        uint32_t own)
{
    struct item *items = folding->items.items;
    const uint32_t *ranks = folding->ranks.items;

    items[own] = (struct item){.first = NONE, .next = NONE, .rank = rank};
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        uint32_t caller = node->parent != TRACE_NO_NODE ? own + 1 + node->parent : own;
        size_t number = folding->writer->facts->threads.count - 1 +
                        format_ids_number(&folding->methods, node->id, &folding->text, NULL);
        bool is_shown = node->depth < MAX_DEPTH;
        items[own + 1 + i] = (struct item){
            .weight = weight_of(folding, node),
            .first = NONE,
            .next = is_shown ? items[caller].first : NONE,
            .rank = ranks[number],
        };
        items[caller].first = is_shown ? own + 1 + i : items[caller].first;
    }
}

/* Callees have higher indices than their callers. */
static void sum_thread(struct folding *folding, const struct answer_thread *thread, uint32_t own)
{
    struct item *items = folding->items.items;

    for (size_t i = thread->node_count; i > 0; i--) {
        const struct trace_node *node = &thread->nodes[i - 1];
        struct item *item = &items[own + i];
        uint32_t caller = node->parent != TRACE_NO_NODE ? own + 1 + node->parent : own;
        item->all = add_weight(item->all, item->weight);
        items[caller].all = add_weight(items[caller].all, node->depth < MAX_DEPTH ? item->all : 0);
    }
}

static void put_place(union places *places, const struct folding *folding, uint32_t index,
                      uint32_t depth)
{
    const struct item *items = folding->items.items;

    MB_VEC_PUSH(places, (struct place){.item = index, .rank = items[index].rank, .depth = depth});
}

static int last_rank_first(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int order = (x->rank < y->rank) - (x->rank > y->rank);

    return order != 0 ? order : (x->item > y->item) - (x->item < y->item);
}

static void make_items(struct folding *folding)
{
    const struct answer_threads *threads = &folding->writer->facts->threads;
    const uint32_t *ranks = folding->ranks.items;
    size_t count = threads->count;
    uint32_t own = 0;
    int64_t all = 0;

    for (size_t t = 0; t < threads->count; t++) {
        count += threads->rows[t].node_count;
    }
    (void)mb_buf_extend(&folding->items.buf, count * sizeof(struct item));
    if (has_failed(folding)) {
        return;
    }
    for (size_t t = 0; t < threads->count; t++) {
        link_thread(folding, &threads->rows[t], ranks[t], own);
        sum_thread(folding, &threads->rows[t], own);
        all = add_weight(all, folding->items.items[own].all);
        put_place(&folding->places, folding, own, 0);
        own += 1 + (uint32_t)threads->rows[t].node_count;
    }
    MB_VEC_SORT(&folding->places, last_rank_first);
    folding->least =
        folding->writer->look.columns > 0 && folding->writer->look.weight != FORMAT_WEIGHT_CALLS
            ? all / LEAST_SHARE
            : 0;
}

/* ---- Lines ---- */

/* Of the calls that were collected those go that are not worth lines; what they weigh. */
static int64_t drop_short(struct folding *folding)
{
    const struct item *items = folding->items.items;
    struct place *calls = folding->calls.items;
    size_t count = MB_VEC_COUNT(&folding->calls);
    size_t kept = 0;
    int64_t dropped = 0;

    for (size_t i = 0, end; i < count; i = end) {
        int64_t all = 0;
        for (end = i; end < count && calls[end].rank == calls[i].rank; end++) {
            all = add_weight(all, items[calls[end].item].all);
        }
        if (all >= folding->least) {
            memmove(&calls[kept], &calls[i], (end - i) * sizeof(*calls));
            kept += end - i;
        } else {
            dropped = add_weight(dropped, all);
        }
    }
    MB_VEC_CUT(&folding->calls, kept);
    return dropped;
}

/* Takes the items of the next stack away, and leaves their calls in calls. */
static int64_t take_stack(struct folding *folding, struct place *stack)
{
    const struct item *items = folding->items.items;
    union places *places = &folding->places;
    const struct place *rows = places->items;
    size_t end = MB_VEC_COUNT(places);
    int64_t weight = 0;

    *stack = rows[end - 1];
    mb_buf_reset(&folding->calls.buf);
    while (end > 0 && rows[end - 1].depth == stack->depth && rows[end - 1].rank == stack->rank) {
        const struct item *item = &items[rows[--end].item];
        weight = add_weight(weight, item->weight);
        for (uint32_t call = item->first; call != NONE; call = items[call].next) {
            put_place(&folding->calls, folding, call, stack->depth + 1);
        }
    }
    MB_VEC_CUT(places, end);
    MB_VEC_SORT(&folding->calls, last_rank_first);
    if (folding->least > 0 && !folding->calls.buf.failed) {
        weight = add_weight(weight, drop_short(folding));
    }
    mb_buf_put(&places->buf, folding->calls.items, folding->calls.buf.size);
    return weight;
}

/* The stack differs from the last one from this depth on. */
static void end_stack(struct folding *folding, const struct place *stack)
{
    const struct mb_text text = folding->frames.items[stack->rank].text;
    struct mb_buf *line = &folding->stack;

    line->size = 0;
    if (stack->depth > 0) {
        line->size = folding->ends[stack->depth - 1];
        mb_buf_put_u1(line, ';');
    }
    mb_buf_put(line, text.data, text.size);
    folding->ends[stack->depth] = (uint32_t)line->size;
}

static void put_lines(struct folding *folding, struct format_writer *writer)
{
    struct mb_buf *out = &writer->out;

    while (MB_VEC_COUNT(&folding->places) > 0 && !has_failed(folding)) {
        struct place stack;
        int64_t weight = take_stack(folding, &stack);
        end_stack(folding, &stack);
        if (weight > 0) {
            mb_buf_put(out, folding->stack.bytes, folding->stack.size);
            mb_buf_printf(out, " %" PRId64 "\n", weight);
            format_drain(writer);
        }
    }
    out->failed = out->failed || has_failed(folding);
}

static void put_stacks(struct format_writer *writer)
{
    struct folding *folding = writer->state;

    folding->writer = writer;
    if (writer->facts->threads.count > 0) {
        collect_frames(folding);
        make_items(folding);
        put_lines(folding, writer);
    }
}

static void finish_state(struct format_writer *writer)
{
    struct folding *folding = writer->state;

    format_ids_finish(&folding->methods);
    mb_buf_finish(&folding->text);
    mb_buf_finish(&folding->frames.buf);
    mb_buf_finish(&folding->ranks.buf);
    mb_buf_finish(&folding->items.buf);
    mb_buf_finish(&folding->places.buf);
    mb_buf_finish(&folding->calls.buf);
    mb_buf_finish(&folding->stack);
}

const struct format format_folded = {
    .name = "folded",
    .extension = ".folded",
    .state_size = sizeof(struct folding),
    .end = put_stacks,
    .finish = finish_state,
};
