/* The body of a thread waits for work, and what counts is below it. Waits for work are known by the
 * name of their method, by how recorded calls go round, or since they are between requests; what
 * calls such a wait is the body. A thread that hangs looks much the same: the main thread is made
 * for something else, and below the outermost call only what was seen to go round is a wait for
 * work. */

#include "answer/building.h"

#include "abi/names.h"
#include "base/number.h"
#include "trace/decoder.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_REQUESTS 30 /* of a thread, before what it waits between them is for more */

enum wait_kind { WAIT_NONE, WAIT_FOR_RESULT, WAIT_PERHAPS, WAIT_FOR_WORK, WAIT_KINDS };

/* What names of methods end with. Perhaps: for work, if nothing but the body of a thread calls it,
 * and no wait of the other kind is there. What calls a wait for a result is not idle. */
static const char *const wait_names[WAIT_KINDS][20] = {
    [WAIT_FOR_WORK] = {"ThreadPoolExecutor.getTask", ".ForkJoinPool.awaitWork",
                       ".DelayScheduler.loop", ".ReferenceQueue.remove",
                       ".Reference.waitForReferencePendingList", "CoroutineScheduler$Worker.park",
                       "CoroutineScheduler$Worker.tryPark", "CoroutineScheduler$Worker.doPark",
                       "EventLoop.select", "EventLoop.epollWait", "ThreadEventExecutor.takeTask",
                       "ThreadEventExecutor.confirmShutdown", ".StandardServer.await",
                       ".MessageQueue.next", ".VMRuntime.runHeapTasks"},
    [WAIT_PERHAPS] = {"Queue.take", "Queue.poll", "Deque.take", ".EventQueue.getNextEvent",
                      ".SelectorImpl.select", ".ServerSocket.accept",
                      ".ServerSocketChannelImpl.accept", ".NioEndpoint.serverSocketAccept",
                      ".Object.wait", ".ConditionObject.await", ".ConditionObject.awaitNanos",
                      ".DefaultTimeSource.parkNanos"},
    [WAIT_FOR_RESULT] = {".Thread.join", ".CyclicBarrier.dowait", "CompletionService.take",
                         ".awaitTermination"},
};

struct mark {
    int64_t waited;    /* of the node and what it calls */
    uint64_t requests; /* calls below it that are */
    enum wait_kind kind;
    bool is_inside; /* a wait for work, or called by one */
};

/* A thread and its tree. */
struct life {
    struct mb_text name;
    uint64_t members;
    bool is_main;
    struct trace_node *nodes;
    struct mark *marks;
    size_t count;
};

static int64_t without_tenth(int64_t time)
{
    return time - time / 10;
}

static enum wait_kind kind_of(const struct answer_names *names, uint32_t id)
{
    struct mb_text name = names->find(names->context, id);
    const char *end = name.size > 0 ? memchr(name.data, '(', name.size) : NULL;
    size_t kind = WAIT_NONE;

    name.size = end != NULL ? (size_t)(end - name.data) : name.size;
    for (size_t i = WAIT_KINDS; i > 1; i--) {
        for (const char *const *at = wait_names[i - 1]; *at != NULL; at++) {
            kind = mb_text_ends(name, mb_text_of(*at)) ? i - 1 : kind;
        }
    }
    return (enum wait_kind)kind;
}

bool answer_waits_for_work(const struct answer_names *names, uint32_t id)
{
    return kind_of(names, id) >= WAIT_PERHAPS;
}

static bool is_known(const union answer_idle_methods *idle, const struct life *life, uint32_t id)
{
    struct mb_text stem = answer_name_stem(life->name);
    size_t i = 0;

    while (i < MB_VEC_COUNT(idle) &&
           !(idle->items[i].id == id && mb_text_equal(idle->items[i].stem, stem))) {
        i++;
    }
    return i < MB_VEC_COUNT(idle);
}

static uint32_t root_of(const struct life *life, uint32_t node)
{
    while (life->nodes[node].parent != TRACE_NO_NODE) {
        node = life->nodes[node].parent;
    }
    return node;
}

/* Each caller has all of the thread's time, in a call that never came back, or does nothing but
 * wait so. The outermost is of the first kind. A loop that does more than wait is one that people
 * look for. */
static bool is_body(const struct life *life, uint32_t wait)
{
    uint32_t root = root_of(life, wait);
    int64_t all = without_tenth(life->nodes[root].total);
    bool is = true;

    for (uint32_t i = wait; is && i != TRACE_NO_NODE; i = life->nodes[i].parent) {
        const struct trace_node *node = &life->nodes[i];
        bool has_all = node->calls <= life->members && node->total >= all;
        bool only_waits = i != root && life->nodes[wait].total >= without_tenth(node->total);
        bool works = node->own > node->total / 10 && node->waited < node->own / 2;
        is = (has_all || only_waits) && !works && life->marks[i].kind != WAIT_FOR_RESULT;
    }
    return is;
}

/* Other children of a node's caller that were called so often at least. */
static size_t count_siblings(const struct life *life, uint32_t node, uint64_t calls)
{
    uint32_t parent = life->nodes[node].parent;
    size_t count = 0;

    for (size_t i = parent != TRACE_NO_NODE ? parent + 1 : 0; i < life->count; i++) {
        const struct trace_node *other = &life->nodes[i];
        count +=
            i != node && other->parent == parent && !other->is_sampled && other->calls >= calls;
    }
    return count;
}

/* ---- What goes round ---- */

/* Nine tenths of its thread's life, and half of the recording. */
static int64_t least_of(const struct answer_building *b, const struct abi_profile_thread *row)
{
    uint64_t end = (row->flags & ABI_PROFILE_ENDED) != 0 ? row->last_time : b->end;
    int64_t life = end > row->first_time ? (int64_t)((end - row->first_time) & INT64_MAX) : 0;

    return mb_max_i64(without_tenth(life), (int64_t)((b->end & INT64_MAX) / 2));
}

/* What a thread waited at least can have been outside of the one call. Without a processor it did
 * not work either. */
static bool does_wait(const struct answer_building *b, const struct life *life, size_t row,
                      const struct trace_node *root)
{
    int64_t inside = 0;

    for (size_t i = 0; i < life->count; i++) {
        bool is_outermost = life->nodes[i].parent == TRACE_NO_NODE;
        inside = trace_add(inside, is_outermost ? life->nodes[i].total : 0);
    }
    const struct trace_usage usage = trace_usage_of(&b->model->sections.source, row, inside);
    int64_t waited = trace_add(usage.waited, usage.ready);

    waited = trace_subtract(waited, trace_subtract(inside, root->longest));
    return usage.knows_ready && waited >= without_tenth(root->longest);
}

/* The outermost call if it waits by itself; the wait between other calls of a loop, entered once
 * more than each of them; or one to which the loop came back. The only call of a loop that was made
 * once may be stuck in its work. */
static bool goes_round(const struct life *life, uint32_t node, int64_t least)
{
    const struct trace_node *n = &life->nodes[node];
    bool is_outermost = n->parent == TRACE_NO_NODE;

    if (n->total < (is_outermost ? least : least / 2) || life->marks[node].waited < n->total / 2 ||
        count_siblings(life, node, n->calls) > 0 || !is_body(life, node)) {
        return false;
    }
    return is_outermost ? n->own >= n->total / 2
                        : n->calls > life->members || count_siblings(life, node, 0) > 0;
}

static void find_waits(struct answer_building *b, const struct life *life, size_t row,
                       int64_t least)
{
    for (uint32_t i = 0; i < life->count && least > 0; i++) {
        const struct trace_node *root = &life->nodes[root_of(life, i)];
        const struct answer_idle_method method = {answer_name_stem(life->name), life->nodes[i].id};
        if (life->nodes[i].total >= least / 2 && root->is_open && root->longest >= least &&
            goes_round(life, i, least) && does_wait(b, life, row, root)) {
            MB_VEC_PUSH(&b->idle, method);
        }
    }
}

/* ---- Where they are ---- */

/* In a loop that had work the wait for it is called as often as what does it, or more often. A
 * stuck worker looks idle; its siblings show that it is not. */
static bool is_wait(const struct answer_building *b, const struct life *life, uint32_t node,
                    bool has_sure)
{
    enum wait_kind kind = life->marks[node].kind;

    if (kind == WAIT_FOR_WORK || life->is_main) {
        return kind == WAIT_FOR_WORK;
    }
    if (kind == WAIT_PERHAPS && !has_sure) {
        return is_body(life, node);
    }
    return is_known(&b->idle, life, life->nodes[node].id) && is_body(life, node) &&
           count_siblings(life, node, life->nodes[node].calls + 1) == 0;
}

/* All below a wait that is known by name; else what waits itself. */
static bool is_below(const struct life *life, uint32_t node)
{
    const struct trace_node *n = &life->nodes[node];

    if (n->parent == TRACE_NO_NODE || !life->marks[n->parent].is_inside) {
        return false;
    }
    return life->marks[n->parent].kind != WAIT_NONE ||
           ((n->is_sampled || n->is_open) && life->marks[node].waited >= without_tenth(n->total));
}

/* What a body waits itself between the requests of its thread is for the next one. */
static bool is_between_requests(const struct life *life, uint32_t body)
{
    const struct trace_node *node = &life->nodes[body];

    return !life->is_main && node->parent == TRACE_NO_NODE && node->waited >= node->own / 2 &&
           life->marks[body].requests >= LEAST_REQUESTS * life->members;
}

static void mark_nodes(const struct answer_building *b, const struct life *life)
{
    bool has_sure = false;

    for (size_t i = 0; i < life->count; i++) {
        has_sure = has_sure || life->marks[i].kind == WAIT_FOR_WORK;
    }
    for (uint32_t i = 0; i < life->count; i++) {
        uint32_t parent = life->nodes[i].parent;
        struct mark *mark = &life->marks[i];
        bool is = is_below(life, i);
        mark->kind = is ? life->marks[parent].kind : mark->kind;
        mark->is_inside = is || is_wait(b, life, i, has_sure);
        for (uint32_t k = i; mark->is_inside && k != TRACE_NO_NODE && !life->nodes[k].is_idle;
             k = life->nodes[k].parent) {
            life->nodes[k].is_idle = true;
        }
        life->nodes[i].is_idle = life->nodes[i].is_idle || is_between_requests(life, i);
    }
}

/* False without memory. */
static bool begin_marks(struct answer_building *b, struct life *life)
{
    uint32_t *kinds = trace_id_table(&b->wait_kinds);

    life->marks = kinds != NULL ? calloc(life->count + 1, sizeof(*life->marks)) : NULL;
    for (size_t i = life->count; life->marks != NULL && i > 0; i--) {
        const struct trace_node *node = &life->nodes[i - 1];
        struct mark *mark = &life->marks[i - 1];
        uint32_t *kind = &kinds[node->id];
        *kind = *kind == 0 ? WAIT_KINDS + kind_of(&b->model->facts.methods.names, node->id) : *kind;
        mark->kind = (enum wait_kind)(*kind - WAIT_KINDS);
        mark->waited = trace_add(mark->waited, node->waited);
        if (node->parent != TRACE_NO_NODE) {
            struct mark *caller = &life->marks[node->parent];
            caller->waited = trace_add(caller->waited, mark->waited);
            caller->requests += mark->requests + (node->is_request ? node->calls : 0);
        }
    }
    return life->marks != NULL;
}

/* By what the recorder knows, or by the name that a JVM and Android give it. */
static struct life life_of(struct mb_text name, bool is_main, uint64_t members)
{
    return (struct life){.name = name,
                         .is_main = is_main || mb_text_is(name, "main"),
                         .members = mb_max_u64(members, 1)};
}

enum mb_status answer_find_idle(struct answer_building *b, struct mb_error *err)
{
    struct answer_sections *sections = &b->model->sections;

    for (size_t i = 0; i < sections->source.thread_count; i++) {
        const struct abi_profile_thread *row = &sections->source.threads[i];
        struct mb_text name = {row->name, strnlen(row->name, ABI_TRACE_NAME_SIZE)};
        struct life life = life_of(name, (row->flags & ABI_PROFILE_MAIN) != 0, row->thread_count);
        const struct trace_node *nodes = trace_trees_of(&sections->trees, i, &life.count);
        life.nodes = sections->trees.nodes.items + (nodes - sections->trees.nodes.items);
        if (life.is_main) {
            continue;
        }
        if (!begin_marks(b, &life)) {
            return mb_fail_memory(err);
        }
        find_waits(b, &life, i, least_of(b, row));
        free(life.marks);
    }
    return b->idle.buf.failed ? mb_fail_memory(err) : MB_OK;
}

static enum mb_status take_ids(struct answer_building *b, struct answer_thread *thread,
                               const struct life *life, struct mb_error *err)
{
    uint32_t *ids = MB_NEW_ARRAY(&b->model->arena, uint32_t, life->count + 1);
    int64_t own = 0;

    if (ids == NULL) {
        return mb_fail_memory(err);
    }
    thread->idle_ids = ids;
    thread->idle_count = 0;
    for (uint32_t i = 0; i < life->count; i++) {
        const struct trace_node *node = &life->nodes[i];
        if (!node->is_idle) {
            continue;
        }
        bool is_counted = thread->losses == NULL || !life->nodes[root_of(life, i)].is_sampled;
        own = trace_add(own, is_counted ? node->own : 0);
        if (!answer_is_idle(thread, node->id)) {
            ids[thread->idle_count++] = node->id;
        }
    }
    thread->time.idle_ns = answer_ns(&b->model->facts.clock, own);
    return MB_OK;
}

enum mb_status answer_take_idle(struct answer_building *b, struct answer_thread *thread,
                                struct mb_error *err)
{
    struct life life = life_of(thread->name, thread->is_main, thread->member_count);

    life.nodes = (struct trace_node *)(uintptr_t)thread->nodes; /* the model's own */
    life.count = thread->node_count;
    if (!begin_marks(b, &life)) {
        return mb_fail_memory(err);
    }
    mark_nodes(b, &life);
    enum mb_status status = take_ids(b, thread, &life, err);
    free(life.marks);
    return status;
}

bool answer_is_idle(const struct answer_thread *thread, uint32_t id)
{
    size_t i = 0;

    while (i < thread->idle_count && thread->idle_ids[i] != id) {
        i++;
    }
    return i < thread->idle_count;
}
