#include "answer/building.h"

#include <stdlib.h>
#include <string.h>

struct mb_text answer_copy_text(struct answer_building *b, const char *text)
{
    size_t size = strlen(text);
    const char *copy = mb_arena_copy(&b->model->arena, text, size);

    b->lacks_memory = b->lacks_memory || copy == NULL;
    return (struct mb_text){copy, copy != NULL ? size : 0};
}

uint64_t answer_last_word(const struct abi_ring_view *view)
{
    for (size_t r = 2; r > 0; r--) {
        if (view->run_counts[r - 1] > 0) {
            return view->runs[r - 1][view->run_counts[r - 1] - 1];
        }
    }
    return 0;
}

/* It can be large. */
void answer_keep_tree(struct answer_model *model, struct answer_thread *thread,
                      struct trace_profile *tree)
{
    thread->nodes = trace_profile_nodes(tree, &thread->node_count);
    MB_VEC_PUSH(&model->nodes, tree->nodes.buf);
    if (!model->nodes.buf.failed) {
        tree->nodes.buf = (struct mb_buf){0};
    }
}

/* ---- Slow messages in groups ---- */

static int by_key(const void *a, const void *b)
{
    const struct answer_slow *x = a;
    const struct answer_slow *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* What is parked comes last: the answer's second sentence tells of it. */
static int by_duration(const void *a, const void *b)
{
    const struct answer_slow *x = a;
    const struct answer_slow *y = b;
    int order = x->is_parked - y->is_parked;
    order =
        order != 0 ? order : (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
    order = order != 0 ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
    order = order != 0 ? order : by_key(a, b);
    return order != 0 ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_total(const void *a, const void *b)
{
    const struct answer_group *x = a;
    const struct answer_group *y = b;
    int order = x->is_parked - y->is_parked;
    order = order != 0 ? order : (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
    return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

/* A message of a main thread is what it is there for, however it waits. */
static bool is_parked(const struct answer_model *model, const struct answer_slow *slow)
{
    const struct answer_thread *thread = slow->thread;

    return thread->is_main && thread->time.knows_ready && !model->facts.recording.has_messages &&
           thread->time.waited_ns >= thread->time.busy_ns / 10 * 9;
}

void answer_make_groups(struct answer_model *model)
{
    struct answer_slow *slow = model->slow.items;
    size_t count = MB_VEC_COUNT(&model->slow);
    struct answer_group group = {.is_parked = true};

    if (count == 0) {
        return;
    }
    MB_VEC_SORT(&model->slow, by_key);
    for (size_t i = 0; i < count; i++) {
        slow[i].is_parked = is_parked(model, &slow[i]);
        group.key = slow[i].key;
        group.is_parked = group.is_parked && slow[i].is_parked;
        group.count++;
        group.total_ns = trace_add(group.total_ns, slow[i].duration_ns);
        group.longest_ns =
            slow[i].duration_ns > group.longest_ns ? slow[i].duration_ns : group.longest_ns;
        if (i + 1 == count || slow[i + 1].key != group.key) {
            MB_VEC_PUSH(&model->groups, group);
            group = (struct answer_group){.is_parked = true};
        }
    }
    MB_VEC_SORT(&model->slow, by_duration);
    MB_VEC_SORT(&model->groups, by_total);
    model->facts.messages.slow = slow;
    model->facts.messages.slow_count = count;
    model->facts.messages.groups = model->groups.items;
    model->facts.messages.group_count = MB_VEC_COUNT(&model->groups);
}
