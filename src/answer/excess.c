/* What slow requests did more than the usual ones of their kind. */

#include "abi/profile.h"
#include "abi/record.h"
#include "answer/building.h"
#include "answer/requests.h"
#include "base/number.h"

#include <stdlib.h>

#define MOSTLY 3               /* all but that part */
#define LEAST_STATE_NS 1000000 /* of what a method's usual state tells */
#define WORK_FACTOR 3          /* times as much work as is usual is a cause, */
#define WORK_SHARE 8           /* if it is that part of what the request took more, */
#define LOADED_SHARE 2 /* or that part, with what such work lacks a processor in the mean, */

/* What requests of a kind spent in a method. */
struct spent {
    int64_t own;    /* all less the slow ones; in units, as all here */
    int64_t known;  /* all, by threads whose waits are known, */
    int64_t waited; /* and that, */
    int64_t ready;  /* and without a processor */
};

/* A kind, and what its requests did. */
struct usual {
    const struct answer_request *kind;
    struct spent *spent; /* [id] */
    double slow_total;   /* in units */
    uint64_t slow_calls;
    int64_t ready_ns; /* each of those that are not kept as slow */
    int64_t waited_ns;
    int64_t worked_ns;
};

/* ---- Usual ones ---- */

/* Of the methods that there are. */
static void clear_own(struct usual *usual, const struct answer_sections *sections)
{
    for (size_t i = 0; i < sections->source.thread_count; i++) {
        size_t count;
        const struct trace_node *nodes = trace_trees_of(&sections->trees, i, &count);
        for (size_t k = 0; k < count; k++) {
            usual->spent[nodes[k].id] = (struct spent){0};
        }
    }
    for (size_t i = 0; i < sections->slow_node_count; i++) {
        usual->spent[sections->slow_nodes[i].id & ABI_ID_MASK] = (struct spent){0};
    }
}

/* marks[i] says that node i is of a request of the kind; callers come first. */
static void add_thread(struct usual *usual, const struct trace_node *nodes, size_t count,
                       bool knows_waits, bool *marks)
{
    for (size_t i = 0; i < count; i++) {
        bool is_inside = nodes[i].parent != TRACE_NO_NODE && marks[nodes[i].parent];
        marks[i] = is_inside || (nodes[i].is_request && nodes[i].id == usual->kind->id);
        if (marks[i]) {
            struct spent *spent = &usual->spent[nodes[i].id];
            spent->own = trace_add(spent->own, nodes[i].own);
            spent->known = trace_add(spent->known, knows_waits ? nodes[i].own : 0);
            spent->waited = trace_add(spent->waited, nodes[i].waited);
            spent->ready = trace_add(spent->ready, nodes[i].ready);
        }
    }
}

/* Slow ones are among them all. */
static void take_slow(struct usual *usual, const struct answer_sections *sections, bool *marks)
{
    for (size_t i = 0; i < sections->slow_node_count; i++) {
        const struct abi_profile_node *node = &sections->slow_nodes[i];
        bool is_first = node->parent == ABI_PROFILE_NO_NODE && node->id == usual->kind->id;
        marks[i] = is_first || (node->parent < i && marks[node->parent]);
        if (is_first) {
            usual->slow_calls += node->calls;
            usual->slow_total += (double)node->total;
        }
        if (marks[i] && node->id <= ABI_ID_MASK) {
            int64_t *own = &usual->spent[node->id].own;
            *own = trace_subtract(*own, answer_slow_own(node));
        }
    }
}

/* ---- Each slow one ---- */

/* Of that many requests, each; counts are as the trace has them. */
static int64_t mean_of(int64_t ns, uint64_t count)
{
    return ns / mb_max_i64((int64_t)mb_min_u64(count, INT64_MAX), 1);
}

static int64_t ns_of(const struct answer_clock *clock, uint64_t units)
{
    return answer_ns(clock, (int64_t)(units & INT64_MAX));
}

static void take_pauses(struct answer_model *model)
{
    static const enum answer_state states[] = {[ABI_PAUSE_COLLECTION] = ANSWER_STATE_COLLECTED,
                                               [ABI_PAUSE_THROTTLED] = ANSWER_STATE_THROTTLED,
                                               [ABI_PAUSE_STOPPED] = ANSWER_STATE_STOPPED};
    const struct answer_clock *clock = &model->facts.clock;

    for (size_t i = 0; i < model->sections.pause_count; i++) {
        const struct abi_profile_pause *from = &model->sections.pauses[i];
        if (from->kind >= ABI_PAUSE_COLLECTION && from->kind < MB_COUNT(states)) {
            MB_VEC_PUSH(&model->pauses, (struct answer_pause){states[from->kind],
                                                              (uint64_t)ns_of(clock, from->start),
                                                              ns_of(clock, from->length)});
        }
    }
    model->facts.requests.pauses = model->pauses.items;
    model->facts.requests.pause_count = MB_VEC_COUNT(&model->pauses);
}

int64_t answer_asked_common(const struct answer_asked *asked, uint64_t start_ns, int64_t length_ns)
{
    int64_t start = (int64_t)(asked->start_ns & INT64_MAX);
    int64_t from = (int64_t)(start_ns & INT64_MAX);
    int64_t until = mb_min_i64(trace_add(from, length_ns), trace_add(start, asked->length_ns));

    return mb_max_i64(until - mb_max_i64(from, start), 0);
}

/* How long the request was paused, by the reason. */
static void find_paused(const struct answer_requests *requests, const struct answer_asked *asked,
                        int64_t paused[ANSWER_STATES])
{
    for (size_t i = 0; i < requests->pause_count; i++) {
        const struct answer_pause *pause = &requests->pauses[i];
        int64_t sum = trace_add(paused[pause->state],
                                answer_asked_common(asked, pause->start_ns, pause->length_ns));
        paused[pause->state] = mb_min_i64(sum, asked->length_ns);
    }
}

/* What it worked more than usual, if it is some times as much: the processors that it lacked
 * meanwhile are a consequence, as many as other work of the kind lacks. Else 0. */
static int64_t more_work_ns(const struct usual *usual, const struct answer_clock *clock,
                            const struct abi_profile_slow *slow, const struct answer_asked *asked)
{
    const struct answer_request *kind = usual->kind;
    int64_t usual_ns = mean_of(answer_worked(kind), kind->calls);
    int64_t worked_ns = (slow->flags & ABI_SLOW_USED) != 0 ? ns_of(clock, slow->worked) : 0;
    int64_t more_ns = worked_ns - usual_ns;
    double loaded = (double)more_ns * (1 + answer_lacked(kind));
    bool is_much =
        more_ns >= asked->more_ns / WORK_SHARE || loaded >= (double)asked->more_ns / LOADED_SHARE;

    return worked_ns / WORK_FACTOR >= usual_ns && more_ns > 0 && is_much ? more_ns : 0;
}

/* What is rather the cause goes first: a collection waits as well while it is held back. */
static const enum answer_state pauses[] = {ANSWER_STATE_STOPPED, ANSWER_STATE_THROTTLED,
                                           ANSWER_STATE_COLLECTED};

/* A pause, or readiness unless it worked, that explains half of what the request took more; methods
 * that it was in meanwhile did not make it slow. False if none does so much. */
static bool find_pause(const struct usual *usual, const struct answer_clock *clock,
                       const struct abi_profile_slow *slow, const int64_t paused[ANSWER_STATES],
                       bool is_work, struct answer_asked *asked)
{
    int64_t most_ns = 0;

    for (size_t i = 0; i < MB_COUNT(pauses) && (most_ns == 0 || most_ns < asked->more_ns / 2);
         i++) {
        most_ns = paused[pauses[i]];
        asked->state = pauses[i];
    }
    if (most_ns < asked->more_ns / 2 || most_ns == 0) {
        most_ns = is_work ? 0 : ns_of(clock, slow->ready) - usual->ready_ns;
        asked->state = ANSWER_STATE_READY;
    }
    bool is_it = most_ns > 0 && most_ns >= asked->more_ns / 2;
    asked->more_ns = is_it ? mb_min_i64(most_ns, asked->more_ns) : asked->more_ns;
    return is_it;
}

/* The method with the greatest excess, if it explains half of what the request took more. The time
 * of its kind's own method is what is not known better. Returns the excess. */
static int64_t find_method(const struct usual *usual, const struct answer_clock *clock,
                           const struct abi_profile_slow *slow, struct answer_asked *asked)
{
    int64_t most_ns = 0;

    for (size_t i = 0; i < ABI_SLOW_METHODS; i++) {
        uint32_t id = slow->ids[i] & ABI_ID_MASK;
        int64_t own_ns = ns_of(clock, slow->own[i]);
        int64_t usual_ns = answer_ns(clock, mb_max_i64(usual->spent[id].own, 0));
        own_ns -= own_ns > 0 ? mean_of(usual_ns, usual->kind->calls - usual->slow_calls) : 0;
        if (own_ns > most_ns && own_ns >= asked->more_ns / 2) {
            asked->id = id;
            most_ns = own_ns;
        }
    }
    return most_ns;
}

/* What it worked and waited more than is usual; and a pause, or being ready, if that took longer
 * than both, though no state explains half. Held back by a limit it is ready. */
static void take_parts(const struct usual *usual, const struct answer_clock *clock,
                       const struct abi_profile_slow *slow, const int64_t paused[ANSWER_STATES],
                       struct answer_asked *asked)
{
    int64_t worked_ns = ns_of(clock, slow->worked);
    int64_t ready_ns = ns_of(clock, slow->ready);
    int64_t stopped_ns = trace_add(paused[ANSWER_STATE_COLLECTED], paused[ANSWER_STATE_STOPPED]);
    int64_t rest_ns = trace_subtract(trace_subtract(asked->length_ns, worked_ns), ready_ns);

    asked->worked_ns = worked_ns - usual->worked_ns;
    asked->waited_ns = rest_ns - usual->waited_ns - stopped_ns;
    ready_ns -= usual->ready_ns + paused[ANSWER_STATE_THROTTLED];
    int64_t most_ns = mb_max_i64(mb_max_i64(asked->worked_ns, asked->waited_ns), 0);
    if (ready_ns > most_ns) {
        asked->other = ANSWER_STATE_READY;
        asked->other_ns = ready_ns;
    }
    for (size_t i = 0; i < MB_COUNT(pauses); i++) {
        int64_t ns = paused[pauses[i]];
        if (ns > mb_max_i64(most_ns, asked->other_ns)) {
            asked->other = pauses[i];
            asked->other_ns = ns;
        }
    }
}

/* What it mostly did by itself, in all requests of the kind. */
static enum answer_state usual_state(const struct spent *spent)
{
    int64_t most = spent->known / MOSTLY * (MOSTLY - 1);
    int64_t out = trace_add(spent->waited, spent->ready);
    bool is_known = spent->known > spent->own / MOSTLY * (MOSTLY - 1) && spent->known > 0;

    return is_known && spent->waited >= most                       ? ANSWER_STATE_WAITED
           : is_known && out <= trace_subtract(spent->known, most) ? ANSWER_STATE_WORKED
                                                                   : ANSWER_STATE_TIME;
}

/* Where it is not known what the request's thread did, what its method mostly does. */
static enum answer_state state_of(const struct usual *usual, const struct abi_profile_slow *slow,
                                  const struct answer_asked *asked)
{
    bool is_known = (slow->flags & ABI_SLOW_USED) != 0;
    bool is_long = asked->more_ns >= LEAST_STATE_NS;
    enum answer_state state = !is_known && !is_long ? ANSWER_STATE_TIME
                              : !is_known           ? usual_state(&usual->spent[asked->id])
                              : asked->waited_ns < asked->worked_ns ? ANSWER_STATE_WORKED
                                                                    : ANSWER_STATE_WAITED;
    bool is_io = state == ANSWER_STATE_WAITED && (slow->flags & ABI_SLOW_IO) != 0;

    return asked->id == 0 ? ANSWER_STATE_MIXED : is_io ? ANSWER_STATE_IO : state;
}

static void explain_request(const struct usual *usual, const struct answer_model *model,
                            const struct abi_profile_slow *slow, struct answer_asked *asked)
{
    const struct answer_clock *clock = &model->facts.clock;
    int64_t work_ns = more_work_ns(usual, clock, slow, asked);
    int64_t paused[ANSWER_STATES] = {0};

    find_paused(&model->facts.requests, asked, paused);
    if (find_pause(usual, clock, slow, paused, work_ns > 0, asked)) {
        if (asked->state == ANSWER_STATE_READY) {
            (void)find_method(usual, clock, slow, asked); /* where it was meanwhile */
        }
        return;
    }
    bool is_known = (slow->flags & ABI_SLOW_USED) != 0;
    int64_t method_ns = find_method(usual, clock, slow, asked);
    asked->more_ns = asked->id == 0 ? asked->more_ns : method_ns;
    asked->waited_ns = asked->length_ns;
    if (is_known) {
        take_parts(usual, clock, slow, paused, asked);
    }
    asked->state = state_of(usual, slow, asked);
    if (asked->state == ANSWER_STATE_WORKED && work_ns > 0) {
        asked->ready_ns = mb_max_i64(asked->more_ns - work_ns, 0);
        asked->other_ns = 0;
    }
}

/* Of all, without slow ones of which all is known. */
static void take_rest(struct usual *usual, const struct answer_sections *sections,
                      const struct answer_clock *clock)
{
    const uint32_t all = ABI_SLOW_USED | ABI_SLOW_READY;
    const struct answer_request *kind = usual->kind;
    int64_t worked_ns = answer_worked(kind);
    int64_t ready_ns = trace_subtract(kind->total_ns, kind->used_ns);
    int64_t waited_ns = kind->waited_ns;
    uint64_t count = kind->calls;

    for (size_t i = 0; i < sections->slow_count; i++) {
        const struct abi_profile_slow *slow = &sections->slow[i];
        if (slow->id == kind->id && slow->length > 0 && (slow->flags & all) == all && count > 0) {
            int64_t used_ns = trace_add(ns_of(clock, slow->worked), ns_of(clock, slow->ready));
            worked_ns = trace_subtract(worked_ns, ns_of(clock, slow->worked));
            ready_ns = trace_subtract(ready_ns, ns_of(clock, slow->ready));
            waited_ns = trace_subtract(
                waited_ns, mb_max_i64(trace_subtract(ns_of(clock, slow->length), used_ns), 0));
            count--;
        }
    }
    usual->worked_ns = mean_of(mb_max_i64(worked_ns, 0), count);
    usual->ready_ns = mb_min_i64(mean_of(mb_max_i64(ready_ns, 0), count), kind->known_p50_ns);
    usual->waited_ns = mb_min_i64(mean_of(mb_max_i64(waited_ns, 0), count), kind->known_p50_ns);
}

static void add_requests(struct answer_model *model, struct usual *usual,
                         struct answer_request *kind)
{
    const struct answer_sections *sections = &model->sections;
    const struct answer_clock *clock = &model->facts.clock;
    int64_t ready_ns = 0;
    uint64_t ready_count = 0;

    if (usual->slow_calls == 0 || usual->slow_calls >= kind->known_calls) {
        return;
    }
    int64_t slow_ns = answer_ns(clock, (int64_t)usual->slow_total);
    kind->slow_count = usual->slow_calls;
    kind->slower_ns =
        mean_of(slow_ns, usual->slow_calls) -
        mean_of(trace_subtract(kind->known_ns, slow_ns), kind->known_calls - usual->slow_calls);
    take_rest(usual, sections, clock);
    for (size_t i = 0; i < sections->slow_count; i++) {
        const struct abi_profile_slow *slow = &sections->slow[i];
        if (slow->id == kind->id && slow->length > 0) {
            struct answer_asked asked = {.request = kind->id,
                                         .thread_id = slow->thread_id,
                                         .start_ns = (uint64_t)ns_of(clock, slow->start),
                                         .length_ns = ns_of(clock, slow->length)};
            asked.more_ns = mb_max_i64(asked.length_ns - kind->known_p50_ns, 0);
            explain_request(usual, model, slow, &asked);
            MB_VEC_PUSH(&model->asked, asked);
            ready_ns = trace_add(ready_ns, ns_of(clock, slow->ready));
            ready_count += (slow->flags & ABI_SLOW_READY) != 0;
        }
    }
    kind->slow_ready_ns = mean_of(ready_ns, ready_count);
}

enum mb_status answer_make_excesses(struct answer_building *b, struct mb_error *err)
{
    const struct answer_sections *sections = &b->model->sections;
    size_t most = sections->source.node_count + sections->slow_node_count;

    if (sections->slow_node_count == 0) {
        return MB_OK;
    }
    take_pauses(b->model);
    bool *marks = malloc(most * sizeof(*marks));
    struct spent *spent = calloc(ABI_ID_MASK + 1, sizeof(*spent));

    for (size_t k = 0; marks != NULL && spent != NULL && k < MB_VEC_COUNT(&b->model->requests);
         k++) {
        struct usual usual = {.kind = &b->model->requests.items[k], .spent = spent};
        clear_own(&usual, sections);
        for (size_t i = 0; i < sections->source.thread_count; i++) {
            size_t count;
            const struct trace_node *nodes = trace_trees_of(&sections->trees, i, &count);
            bool is_virtual = (sections->source.threads[i].flags & ABI_PROFILE_VIRTUAL) != 0;
            add_thread(&usual, nodes, count, !is_virtual, marks);
        }
        take_slow(&usual, sections, marks);
        add_requests(b->model, &usual, &b->model->requests.items[k]);
    }
    bool fits = marks != NULL && spent != NULL;
    free(marks);
    free(spent);
    return fits ? MB_OK : mb_fail_memory(err);
}
