/* What calls usually take, by those whose records have exact times. Some calls take longer, since
 * the thread lost the processor or the code was not compiled yet, but not half of them. */

#include "answer/building.h"

#include "abi/names.h"
#include "abi/record.h"
#include "base/number.h"

#include <stdlib.h>

#define LEAST_CALLS 40
#define SURE_WORDS 64 /* after a step of the clock: a ring may have had a smaller share before */
#define MOST_LEFT 256 /* calls that one exit ends; more were not open */

struct open_call {
    uint64_t start;
    uint64_t inside; /* of calls that it made */
    uint32_t id;
    uint32_t made;
    uint64_t span; /* of exact times, in which it began */
};

struct walk {
    MB_VEC(struct open_call) open;
    union answer_exact_calls *calls;
    uint64_t time;
    uint64_t exact_words;
    uint64_t exact_left;
    uint64_t span;
};

/* The first records after a step of a coarse clock have exact times. */
static void follow_clock(struct walk *w, uint64_t time)
{
    bool begins = w->exact_left == 0 && time != w->time;

    w->span += w->exact_left == 0;
    w->exact_left = begins ? w->exact_words : w->exact_left;
    w->exact_left -= w->exact_left > 0;
    w->time = time;
}

static void close_call(struct walk *w, size_t place)
{
    const struct open_call call = w->open.items[place];
    uint64_t duration = abi_record_elapsed(call.start, w->time);
    uint64_t own = duration > call.inside ? duration - call.inside : 0;

    MB_VEC_CUT(&w->open, place);
    if (place > 0) {
        w->open.items[place - 1].inside += duration;
        w->open.items[place - 1].made++;
    }
    if (call.span == w->span) {
        MB_VEC_PUSH(w->calls, (struct answer_exact_call){
                                  call.id, (uint32_t)mb_min_u64(own, UINT32_MAX), call.made});
    }
}

/* Calls that an exception left are not counted; after a catch, none that is open. */
static void read_word(struct walk *w, uint64_t word)
{
    uint32_t id = abi_record_id(word);
    size_t count = MB_VEC_COUNT(&w->open);
    size_t place = count;

    follow_clock(w, abi_record_time(word));
    if (abi_record_is_enter(word)) {
        MB_VEC_PUSH(&w->open, (struct open_call){.start = w->time, .id = id, .span = w->span});
    } else if (id == ABI_CATCH_ID) {
        MB_VEC_CUT(&w->open, 0);
    } else {
        while (place > 0 && count - place < MOST_LEFT && w->open.items[place - 1].id != id) {
            place--;
        }
        if (place > 0 && w->open.items[place - 1].id == id) {
            close_call(w, place - 1);
        }
    }
}

void answer_add_exact_calls(struct answer_building *b, const struct abi_ring_view *view)
{
    bool is_all = !b->model->facts.clock.is_coarse || view->entry.is_virtual != 0;
    struct walk w = {
        .calls = &b->model->exact_calls,
        .exact_words = is_all ? UINT64_MAX : mb_min_u64(view->entry.exact_words, SURE_WORDS),
    };

    for (size_t run = 0; run < MB_COUNT(view->runs) && w.exact_words > 0; run++) {
        for (size_t i = 0; i < view->run_counts[run]; i++) {
            if (view->runs[run][i] != ABI_EMPTY_WORD) {
                read_word(&w, view->runs[run][i]);
            }
        }
    }
    mb_buf_fail_with(&w.calls->buf, &w.open.buf);
    mb_buf_finish(&w.open.buf);
}

static int by_id_and_own(const void *a, const void *b)
{
    const struct answer_exact_call *x = a;
    const struct answer_exact_call *y = b;

    return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
                          : (x->own > y->own) - (x->own < y->own);
}

/* The mean of those around the one in the middle: a unit of time may be longer than a call. */
static struct answer_usual usual_of(const struct answer_clock *clock,
                                    const struct answer_exact_call *calls, size_t count)
{
    uint32_t middle = calls[count / 2].own;
    struct answer_usual usual = {.id = calls->id};
    double own = 0;
    double made = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t distance = calls[i].own > middle ? calls[i].own - middle : middle - calls[i].own;
        bool is_near = distance <= middle / 4 + 1;
        usual.calls += is_near;
        own += is_near ? calls[i].own : 0;
        made += calls[i].made;
    }
    usual.own_ns = own / (double)usual.calls * (double)answer_ns(clock, INT32_MAX) / INT32_MAX;
    usual.made = made / (double)count;
    return usual;
}

void answer_make_usual(struct answer_model *model)
{
    const struct answer_exact_call *calls = model->exact_calls.items;
    size_t count = MB_VEC_COUNT(&model->exact_calls);

    MB_VEC_SORT(&model->exact_calls, by_id_and_own);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && calls[end].id == calls[first].id) {
            end++;
        }
        const struct answer_usual usual = usual_of(&model->facts.clock, &calls[first], end - first);
        if (end - first >= LEAST_CALLS && usual.calls >= (end - first) / 2) {
            MB_VEC_PUSH(&model->usual, usual);
        }
    }
    model->facts.methods.usual = model->usual.items;
    model->facts.methods.usual_count = MB_VEC_COUNT(&model->usual);
}

static int by_id(const void *a, const void *b)
{
    const struct answer_usual *x = a;
    const struct answer_usual *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

const struct answer_usual *answer_find_usual(const struct answer_methods *methods, uint32_t id)
{
    const struct answer_usual wanted = {.id = id};

    return methods->usual_count > 0
               ? bsearch(&wanted, methods->usual, methods->usual_count, sizeof(wanted), by_id)
               : NULL;
}
