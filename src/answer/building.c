#include "answer/building.h"

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
