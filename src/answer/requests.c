#include "answer/requests.h"

#include "abi/profile.h"
#include "abi/record.h"
#include "answer/building.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_REQUESTS 30    /* of a kind that is told */
#define LEAST_P99_NS 100000  /* shorter calls are steps of a loop, */
#define LEAST_P90_NS 1000000 /* as are these, if all together take less than */
#define STEP_SHARE 100       /* that part of the time of requests, by the one in the middle, */
#define SLOW_SHARE 10        /* and that part with those that are slow now and then; */
#define LATE_P99_NS 10000000 /* without one in a hundred that a person waits for; */
#define RARE_SHARE 1000      /* or that part, by the one in the middle, */
#define RARE_CALLS 50        /* and are fewer than that part of all */
#define MOST_LACKED 7.0      /* what mostly waits lacks a processor for other reasons */
#define GUESS_PART 3         /* a holder that is known of fewer is a guess */
#define SURE_ERRORS 2.576    /* of a normal distribution: 99 of 100 are within */

/* ---- Lengths ---- */

bool answer_length_is(uint64_t length, enum answer_which which)
{
    bool is_request = ((uint32_t)(length >> 32) & ABI_LENGTH_REQUEST) != 0;
    bool is_less = ((uint32_t)length & ABI_LENGTH_ON_PROCESSOR) != 0;

    return is_less == (which == ANSWER_ON_PROCESSOR) && (is_request || which == ANSWER_CALLS);
}

/* By method and bucket. */
static int by_bucket(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a & ~((uint64_t)ABI_LENGTH_REQUEST << 32);
    const uint64_t y = *(const uint64_t *)b & ~((uint64_t)ABI_LENGTH_REQUEST << 32);

    return (x > y) - (x < y);
}

static void take_lengths(struct answer_building *b)
{
    const struct answer_sections *sections = &b->model->sections;
    union answer_length_words *lengths = &b->model->lengths;

    mb_buf_put(&lengths->buf, sections->lengths, sections->length_count * sizeof(uint64_t));
    MB_VEC_SORT(lengths, by_bucket);
    b->model->facts.methods.lengths = lengths->items;
    b->model->facts.methods.length_count = MB_VEC_COUNT(lengths);
}

/* The first of the method. */
static size_t find_lengths(const struct answer_methods *methods, uint32_t id)
{
    size_t first = 0;
    size_t end = methods->length_count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (abi_length_id(methods->lengths[middle]) < id) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Calls of a method, some of them. */
struct looked_up {
    const struct answer_methods *methods;
    const struct answer_clock *clock;
    uint32_t id;
    enum answer_which which;
    uint64_t calls;
};

/* As if the calls of a bucket were spread evenly over it. */
static int64_t length_in(const struct looked_up *up, uint32_t bucket, uint64_t place,
                         uint64_t calls)
{
    double first = (double)abi_length_first(bucket);
    double width = (double)(abi_length_first(bucket + 1) - abi_length_first(bucket)) - 1;
    double units = first + width * ((double)place + 0.5) / (double)calls;

    return answer_ns(up->clock, (int64_t)units);
}

/* How long the call of that place took, in the order of their lengths. */
static int64_t length_at(const struct looked_up *up, uint64_t place)
{
    const uint64_t *lengths = up->methods->lengths;
    size_t i = find_lengths(up->methods, up->id);
    uint64_t passed = 0;

    for (; i < up->methods->length_count && abi_length_id(lengths[i]) == up->id; i++) {
        uint64_t calls = answer_length_is(lengths[i], up->which) ? abi_length_calls(lengths[i]) : 0;
        if (place < passed + calls) {
            return length_in(up, abi_length_bucket_of(lengths[i]), place - passed, calls);
        }
        passed += calls;
    }
    return 0;
}

static struct answer_quantile quantile_of(const struct looked_up *up, uint64_t percent)
{
    double share = (double)percent / 100;
    double place = (double)up->calls * share;
    double error = SURE_ERRORS * sqrt(place * (1 - share));

    return (struct answer_quantile){
        .ns = length_at(up, up->calls * percent / 100),
        .least_ns = place > error ? length_at(up, (uint64_t)(place - error)) : 0,
        .most_ns = place + error + 1 < (double)up->calls
                       ? length_at(up, (uint64_t)(place + error + 1))
                       : INT64_MAX,
    };
}

struct answer_lengths answer_lengths_of(const struct answer_methods *methods,
                                        const struct answer_clock *clock, uint32_t id,
                                        enum answer_which which)
{
    struct answer_lengths lengths = {0};
    size_t first = find_lengths(methods, id);

    for (size_t i = first; i < methods->length_count && abi_length_id(methods->lengths[i]) == id;
         i++) {
        uint64_t length = methods->lengths[i];
        lengths.calls += answer_length_is(length, which) ? abi_length_calls(length) : 0;
    }
    const struct looked_up up = {methods, clock, id, which, lengths.calls};
    if (lengths.calls > 0) {
        lengths.p50 = quantile_of(&up, 50);
        lengths.p90 = quantile_of(&up, 90);
        lengths.p99 = quantile_of(&up, 99);
    }
    return lengths;
}

bool answer_next_length(const struct answer_methods *methods, const struct answer_clock *clock,
                        const struct answer_request *kind, size_t *next,
                        struct answer_length *length)
{
    const uint64_t *lengths = methods->lengths;
    size_t i = *next > 0 ? *next : find_lengths(methods, kind->id);

    while (i < methods->length_count && abi_length_id(lengths[i]) == kind->id &&
           !answer_length_is(lengths[i], kind->which)) {
        i++;
    }
    *next = i + 1;
    if (i >= methods->length_count || abi_length_id(lengths[i]) != kind->id) {
        return false;
    }
    uint64_t first = abi_length_first(abi_length_bucket_of(lengths[i]));
    uint64_t end = abi_length_first(abi_length_bucket_of(lengths[i]) + 1);
    *length = (struct answer_length){answer_ns(clock, (int64_t)((first + end - 1) / 2)),
                                     abi_length_calls(lengths[i])};
    return true;
}

/* Buckets are on a log scale already. */
struct answer_spread answer_spread_of(const struct answer_methods *methods,
                                      const struct answer_clock *clock,
                                      const struct answer_request *kind)
{
    struct answer_spread spread = {0};
    const uint64_t *lengths = methods->lengths;
    size_t first = find_lengths(methods, kind->id);
    size_t end = first;

    while (end < methods->length_count && abi_length_id(lengths[end]) == kind->id) {
        end++;
    }
    if (end > first) {
        uint32_t least = abi_length_bucket_of(lengths[first]);
        uint32_t count = abi_length_bucket_of(lengths[end - 1]) - least + 1;
        for (size_t i = first; i < end; i++) {
            uint64_t calls =
                answer_length_is(lengths[i], kind->which) ? abi_length_calls(lengths[i]) : 0;
            spread.bars[(abi_length_bucket_of(lengths[i]) - least) * ANSWER_BARS / count] += calls;
        }
        spread.least_ns = answer_ns(clock, (int64_t)abi_length_first(least));
    }
    return spread;
}

/* ---- Causes in words ---- */

bool answer_tells_holder(const struct answer_excess *cause)
{
    return cause->block != NULL && cause->block->owner.size > 0 &&
           cause->known_count >= cause->count / GUESS_PART;
}

struct answer_value answer_holder_value(const struct answer_excess *cause)
{
    static const struct answer_value none;

    if (!answer_tells_holder(cause)) {
        return none;
    }
    struct mb_text owner = cause->block->owner;
    struct answer_value value =
        ANSWER_TEXT("holder", cause->are_owners ? answer_name_stem(owner) : owner);
    value.number = cause->are_owners;
    return value;
}

struct answer_value answer_held_value(const struct answer_excess *cause)
{
    bool is_told = answer_tells_holder(cause) && cause->block->owner_method > 0;

    return ANSWER_METHOD(is_told ? "held" : NULL, is_told ? cause->block->owner_method : 0);
}

/* ---- Work ---- */

int64_t answer_worked(const struct answer_request *kind)
{
    return mb_max_i64(trace_subtract(kind->used_ns, kind->waited_ns), 0);
}

double answer_lacked(const struct answer_request *kind)
{
    double lacked = (double)(kind->total_ns - kind->used_ns);

    return mb_min_f64(lacked / (double)mb_max_i64(answer_worked(kind), 1), MOST_LACKED);
}

/* ---- Kinds ---- */

const char *answer_state_name(enum answer_state state)
{
    static const char *const names[ANSWER_STATES] = {[ANSWER_STATE_MIXED] = "mixed",
                                                     [ANSWER_STATE_COLLECTED] = "collection",
                                                     [ANSWER_STATE_THROTTLED] = "throttled",
                                                     [ANSWER_STATE_STOPPED] = "stopped",
                                                     [ANSWER_STATE_READY] = "ready",
                                                     [ANSWER_STATE_TIME] = "time",
                                                     [ANSWER_STATE_WORKED] = "worked",
                                                     [ANSWER_STATE_LOCKED] = "locked",
                                                     [ANSWER_STATE_IO] = "io",
                                                     [ANSWER_STATE_WAITED] = "waited"};

    return names[state];
}

static bool is_wait(const struct answer_building *b, const struct answer_request *kind)
{
    bool is = kind->is_pause || answer_waits_for_work(&b->model->facts.methods.names, kind->id);

    for (size_t i = 0; !is && i < MB_VEC_COUNT(&b->idle); i++) {
        is = b->idle.items[i].id == kind->id;
    }
    return is;
}

static struct answer_request *find_kind(struct answer_building *b, uint32_t id)
{
    union answer_request_rows *requests = &b->model->requests;
    size_t i = 0;

    while (i < MB_VEC_COUNT(requests) && requests->items[i].id != id) {
        i++;
    }
    if (i == MB_VEC_COUNT(requests)) {
        MB_VEC_PUSH(requests, (struct answer_request){.id = id});
    }
    return requests->buf.failed ? NULL : &requests->items[i];
}

static int most_time_first(const void *a, const void *b)
{
    const struct answer_request *x = a;
    const struct answer_request *y = b;
    int order = (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

/* By its name without parameters, or else as recorded. */
static bool is_kind(const struct answer_building *b, const struct trace_node *node)
{
    const struct answer_names *names = &b->model->facts.methods.names;
    struct mb_text globs = b->options->requests;

    if (globs.size == 0) {
        return node->is_request;
    }
    struct mb_text name = names->find(names->context, node->id);
    const char *end = name.size > 0 ? memchr(name.data, '(', name.size) : NULL;
    name.size = end != NULL ? (size_t)(end - name.data) : name.size;
    return mb_text_like(name, globs);
}

/* Of a node and what it calls. */
struct spent {
    int64_t ready;
    int64_t waited;
};

static void add_spent(struct spent *sum, int64_t ready, int64_t waited)
{
    sum->ready = trace_add(sum->ready, ready);
    sum->waited = trace_add(sum->waited, waited);
}

static void add_node(struct answer_building *b, const struct trace_node *node,
                     const struct spent *spent)
{
    const struct answer_clock *clock = &b->model->facts.clock;
    struct answer_request *kind = find_kind(b, node->id);

    if (kind != NULL) {
        int64_t longest_ns = answer_ns(clock, node->longest);
        kind->calls += node->calls;
        kind->total_ns = trace_add(kind->total_ns, answer_ns(clock, node->total));
        kind->used_ns =
            trace_add(kind->used_ns, answer_ns(clock, trace_subtract(node->total, spent->ready)));
        kind->waited_ns = trace_add(kind->waited_ns, answer_ns(clock, spent->waited));
        kind->own_ns = trace_add(kind->own_ns, answer_ns(clock, node->own));
        kind->longest_ns = longest_ns > kind->longest_ns ? longest_ns : kind->longest_ns;
    }
}

/* Callers come before what they call. What is within a request is left out. False without memory.
 */
static bool add_tree(struct answer_building *b, const struct trace_node *nodes, size_t count)
{
    struct spent *spent = calloc(count + 1, sizeof(*spent));
    bool *inside = calloc(count + 1, sizeof(*inside));
    bool fits = spent != NULL && inside != NULL;

    for (size_t i = count; fits && i > 0; i--) {
        const struct trace_node *node = &nodes[i - 1];
        add_spent(&spent[i - 1], node->ready, node->waited);
        if (node->parent != TRACE_NO_NODE) {
            add_spent(&spent[node->parent], spent[i - 1].ready, spent[i - 1].waited);
        }
    }
    for (size_t i = 0; fits && i < count; i++) {
        inside[i] = nodes[i].parent != TRACE_NO_NODE && inside[nodes[i].parent];
        if (!inside[i] && is_kind(b, &nodes[i])) {
            add_node(b, &nodes[i], &spent[i]);
            inside[i] = true;
        }
    }
    free(spent);
    free(inside);
    return fits;
}

/* Of those that were known as requests, by their buckets. */
static int64_t sum_known(const struct answer_methods *methods, const struct answer_clock *clock,
                         uint32_t id)
{
    const struct answer_request kind = {.id = id, .which = ANSWER_REQUESTS};
    struct answer_length length;
    double sum = 0;

    for (size_t next = 0; answer_next_length(methods, clock, &kind, &next, &length);) {
        sum += (double)length.ns * (double)length.calls;
    }
    return sum < (double)INT64_MAX ? (int64_t)sum : INT64_MAX;
}

/* A method like sleep, which requests call as loops do: where the loop began before the recording,
 * its calls look like requests. */
static bool is_pause(const struct answer_request *kind, uint64_t all_calls)
{
    return all_calls > kind->calls && kind->waited_ns >= kind->used_ns - kind->used_ns / 10 &&
           kind->own_ns >= kind->total_ns - kind->total_ns / 10;
}

/* Requests are known as such from some moment on: if the method is nothing else, all of its calls
 * were. */
static void add_lengths(struct answer_building *b, struct answer_request *kind)
{
    const struct answer_methods *methods = &b->model->facts.methods;
    const struct answer_clock *clock = &b->model->facts.clock;
    struct answer_lengths all = answer_lengths_of(methods, clock, kind->id, ANSWER_CALLS);
    bool is_all = all.calls <= kind->calls + kind->calls / 10;

    struct answer_lengths known = answer_lengths_of(methods, clock, kind->id, ANSWER_REQUESTS);
    kind->is_pause = is_pause(kind, all.calls);
    kind->ready_ns = (kind->total_ns - kind->used_ns) / (int64_t)mb_max_u64(kind->calls, 1);
    kind->slow_ready_ns = kind->ready_ns; /* if no slow one is known */
    kind->which = is_all ? ANSWER_CALLS : ANSWER_REQUESTS;
    kind->lengths = is_all ? all : known;
    bool is_late = known.calls > 0 && known.calls < kind->calls - kind->calls / 50;
    kind->known_calls = is_late ? known.calls : kind->calls;
    kind->known_ns = is_late ? sum_known(methods, clock, kind->id) : kind->total_ns;
    kind->known_p50_ns = is_late ? known.p50.ns : kind->lengths.p50.ns;
    kind->lengths.p50.ns = mb_min_i64(kind->lengths.p50.ns, kind->longest_ns);
    kind->lengths.p90.ns = mb_min_i64(kind->lengths.p90.ns, kind->longest_ns);
    kind->lengths.p99.ns = mb_min_i64(kind->lengths.p99.ns, kind->longest_ns);
    kind->on_processor = answer_lengths_of(methods, clock, kind->id, ANSWER_ON_PROCESSOR);
}

/* Of kinds that work. */
struct sum {
    uint64_t calls;
    int64_t used_ns;
};

/* Or it is mostly short, and the few slow ones have a tenth of the time. */
static bool is_long(const struct answer_request *kind, const struct sum *all)
{
    bool is_much = kind->used_ns >= all->used_ns / SLOW_SHARE && kind->longest_ns >= LEAST_P90_NS;

    return kind->lengths.p99.ns >= LEAST_P99_NS || is_much;
}

/* Time without a processor makes no step a request. */
static bool is_step(const struct answer_request *kind, const struct sum *all)
{
    double usual_ns = (double)kind->lengths.p50.ns * (double)kind->calls;
    bool is_rare =
        usual_ns < (double)all->used_ns / RARE_SHARE && kind->calls < all->calls / RARE_CALLS;
    const struct answer_lengths *lengths =
        kind->on_processor.calls > 0 ? &kind->on_processor : &kind->lengths;
    bool is_short = kind->lengths.p90.ns < LEAST_P90_NS && lengths->p99.ns < LATE_P99_NS &&
                    usual_ns < (double)all->used_ns / STEP_SHARE &&
                    kind->used_ns < all->used_ns / SLOW_SHARE;

    return is_rare || is_short;
}

enum mb_status answer_make_requests(struct answer_building *b, struct mb_error *err)
{
    const struct answer_sections *sections = &b->model->sections;
    union answer_request_rows *requests = &b->model->requests;
    size_t kept = 0;
    struct sum all = {0};

    if (b->options->thread != NULL) {
        return MB_OK; /* lengths are of all threads */
    }
    take_lengths(b);
    for (size_t i = 0; i < sections->source.thread_count; i++) {
        size_t count;
        const struct trace_node *nodes = trace_trees_of(&sections->trees, i, &count);
        if (!add_tree(b, nodes, count)) {
            return mb_fail_memory(err);
        }
    }
    for (size_t i = 0; i < MB_VEC_COUNT(requests); i++) {
        add_lengths(b, &requests->items[i]);
        bool is_work = !is_wait(b, &requests->items[i]);
        all.used_ns = trace_add(all.used_ns, is_work ? requests->items[i].used_ns : 0);
        all.calls += is_work ? requests->items[i].calls : 0;
    }
    struct answer_request *left_out =
        MB_NEW_ARRAY(&b->model->arena, struct answer_request, MB_VEC_COUNT(requests) + 1);
    size_t *left_out_count = &b->model->facts.requests.left_out_count;
    if (left_out == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < MB_VEC_COUNT(requests); i++) {
        const struct answer_request kind = requests->items[i];
        bool is_named = b->options->requests.size > 0; /* told, however short */
        bool is_kind = kind.lengths.calls >= LEAST_REQUESTS && !is_wait(b, &kind);
        bool is = is_named || (is_kind && is_long(&kind, &all));
        bool is_short = !is_named && is_step(&kind, &all);
        b->model->facts.requests.short_count += is && is_short;
        if (is && !is_short) {
            requests->items[kept++] = kind;
        } else if (is_kind) {
            left_out[(*left_out_count)++] = kind;
        }
    }
    MB_VEC_CUT(requests, kept);
    MB_VEC_SORT(requests, most_time_first);
    b->model->facts.requests.rows = requests->items;
    b->model->facts.requests.count = kept;
    b->model->facts.requests.left_out = left_out;
    b->model->facts.requests.lost_count = sections->lost_slow;
    b->model->facts.requests.slow_nodes = sections->slow_nodes;
    b->model->facts.requests.slow_node_count = sections->slow_node_count;
    return MB_OK;
}
