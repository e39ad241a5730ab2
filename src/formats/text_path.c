/* Where the time went: from the outermost calls down, as long as one call has most of it. */

#include "formats/text.h"

#include "answer/marks.h"

#include <inttypes.h>

#define BAR_WIDTH 10
#define NAME_COLUMN 42
#define MAX_INDENT 24

static void put_node(const struct answer_methods *methods, const struct format_look *look,
                     const struct answer_path *path, const struct trace_node *node, size_t indent,
                     struct mb_buf *out)
{
    double share = path->total > 0 ? (double)node->total / (double)path->total : 0;
    int bar = share >= 1 ? BAR_WIDTH : share > 0 ? (int)(share * BAR_WIDTH + 0.5) : 0;

    indent = indent < MAX_INDENT ? indent : MAX_INDENT;
    mb_buf_put_string(out, "  ");
    answer_put_time(out, answer_ns(path->clock, node->total), 8);
    answer_put_percent(out, node->total, path->total, 6);
    mb_buf_printf(out, " %-*.*s", BAR_WIDTH, bar, "##########");
    answer_put_time(out, answer_ns(path->clock, node->own), 8);
    format_put_count(out, node->calls, node->is_sampled, 7);
    mb_buf_printf(out, "  %*s", (int)indent, "");
    format_put_method(look, &methods->names, out, node->id, NAME_COLUMN + 2 + indent);
    answer_put_marks(methods, out, node->id, node->is_open);
    answer_put_inferred(out, node->inferred, node->total);
    answer_put_sampled(methods, out, node->is_sampled ? node->total : 0, node->total);
    mb_buf_put_string(out, node->is_folded ? " (recurses)" : "");
    if (node->waited > node->own / 2) {
        mb_buf_put_string(out, path->pool->lacks_ready ? " (waits?)" : " (waits)");
    } else if (node->ready > node->own / 2) {
        mb_buf_put_string(out, " (ready)");
    }
    mb_buf_put_u1(out, '\n');
}

static size_t put_steps(const struct answer_methods *methods, const struct format_look *look,
                        const struct answer_path *path, struct mb_buf *out)
{
    size_t count = MB_VEC_COUNT(&path->steps);
    const uint32_t *steps = path->steps.items;
    size_t indent = 0;
    size_t passed = 0;

    for (size_t i = 0; i < count; i++) {
        const struct trace_node *node = &path->nodes[steps[i]];
        if (look->columns > 0 && !answer_path_tells(path, i)) {
            passed++;
            continue;
        }
        if (passed > 0) {
            mb_buf_printf(out, "%*s(%zu call%s in between)\n", (int)(NAME_COLUMN + 2 + indent), "",
                          passed, passed == 1 ? "" : "s");
            passed = 0;
        }
        put_node(methods, look, path, node, indent++, out);
    }
    return indent;
}

static void put_branches(const struct answer_methods *methods, const struct format_look *look,
                         const struct answer_path *path, size_t indent, struct mb_buf *out)
{
    uint32_t branch = answer_path_branch(path, TRACE_NO_NODE);

    for (size_t i = 0; i < ANSWER_MOST_BRANCHES && branch != TRACE_NO_NODE; i++) {
        put_node(methods, look, path, &path->nodes[branch], indent, out);
        branch = answer_path_branch(path, branch);
    }
}

void format_put_path(const struct answer_methods *methods, const struct format_look *look,
                     const struct answer_path *path, struct mb_buf *out)
{
    struct mb_buf name = {0};

    if (path->node_count == 0 || path->total <= 0) {
        return;
    }
    answer_put_pool(&name, path->pool);
    mb_buf_put_u1(&name, 0);
    format_put_heading(look, out, "Hot path of %s", name.failed ? "" : (const char *)name.bytes);
    mb_buf_finish_part(out, &name);
    mb_buf_printf(out, "  %8s%6s %-*s%8s%7s  %s\n", "total", "%", BAR_WIDTH, "", "own", "calls",
                  "method");
    size_t indent = put_steps(methods, look, path, out);
    put_branches(methods, look, path, indent, out);
}
