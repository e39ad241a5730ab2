/* Callgrind's format, for KCachegrind: each method with what it cost itself, and its calls of
 * others. A name is told once, with a number. There are no files to tell. */

#include "answer/edges.h"
#include "answer/marks.h"
#include "formats/ids.h"
#include "formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>

struct callgrind {
    struct format_ids numbers;
    union answer_edges edges;
};

/* "fn=(1) a.Main.run", or "fn=(1)" where that has been told. */
static void put_function(struct format_writer *writer, const char *field, uint32_t id)
{
    struct callgrind *state = writer->state;
    struct mb_buf *out = &writer->out;
    bool is_new;
    uint32_t number = format_ids_number(&state->numbers, id, out, &is_new);

    mb_buf_printf(out, "%s=(%" PRIu32 ")", field, number);
    if (is_new) {
        mb_buf_put_u1(out, ' ');
        answer_put_name(out, writer->names, id);
    }
    mb_buf_put_u1(out, '\n');
}

/* "desc: Marked: ~ muted while ...: a.Main.run". At a name, a mark would make two of it
 * where files are added up. */
static void put_marks(struct format_writer *writer)
{
    struct mb_buf note = {0};

    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        mb_buf_reset(&note);
        answer_put_mark_note(&writer->facts->methods, &note, i);
        mb_buf_fail_with(&writer->out, &note);
        if (note.size > 0) {
            mb_buf_put_string(&writer->out, "desc: Marked: ");
            mb_buf_put(&writer->out, note.bytes, note.size);
            mb_buf_put_u1(&writer->out, '\n');
        }
    }
    mb_buf_finish(&note);
}

static void put_head(struct format_writer *writer, int64_t total_ns, uint64_t calls)
{
    struct mb_buf *out = &writer->out;

    mb_buf_printf(out,
                  "# callgrind format\nversion: 1\ncreator: methodbeat " MB_VERSION
                  "\npid: %" PRIu32 "\ncmd: ",
                  writer->process->id);
    mb_buf_put_printable(out, writer->process->name);
    mb_buf_printf(out, "\npart: 1\n\ndesc: Shows: %s\n",
                  answer_tree_source(&writer->facts->recording));
    put_marks(writer);
    mb_buf_printf(
        out,
        "event: ns : Nanoseconds\nevent: calls : Calls\npositions: line\nevents: ns calls\n"
        "summary: %" PRId64 " %" PRIu64 "\n\nfl=(1) (methods)\n",
        total_ns, calls);
}

/* The edges of a method that calls: from the first that is not below it. */
static const struct answer_edge *find_edges(const struct answer_edge *edges, size_t count,
                                            uint32_t caller)
{
    size_t low = 0;

    while (count > 0) {
        size_t half = count / 2;
        bool is_below = edges[low + half].caller + 1 < caller + 1;
        low = is_below ? low + half + 1 : low;
        count = is_below ? count - half - 1 : half;
    }
    return &edges[low];
}

static void put_method(struct format_writer *writer, const struct trace_method *method)
{
    struct callgrind *state = writer->state;
    const struct answer_edge *edges = state->edges.items;
    size_t count = MB_VEC_COUNT(&state->edges);

    mb_buf_put_u1(&writer->out, '\n');
    put_function(writer, "fn", method->id);
    mb_buf_printf(&writer->out, "0 %" PRId64 " %" PRIu64 "\n",
                  answer_ns(writer->clock, method->self), method->calls);
    for (const struct answer_edge *edge = find_edges(edges, count, method->id);
         edge < edges + count && edge->caller == method->id; edge++) {
        put_function(writer, "cfn", edge->callee);
        mb_buf_printf(&writer->out, "calls=%" PRIu64 " 0\n0 %" PRId64 " %" PRIu64 "\n", edge->calls,
                      answer_ns(writer->clock, edge->total), edge->all_calls);
    }
    format_drain(writer);
}

static void put_graph(struct format_writer *writer)
{
    const struct answer_methods *all = &writer->facts->methods;
    struct callgrind *state = writer->state;
    struct trace_method *methods = answer_sort_methods(all->rows, all->count, ANSWER_BY_SELF);
    int64_t total_ns = 0;
    uint64_t calls = 0;

    answer_edges_collect(&state->edges, &writer->facts->threads);
    writer->out.failed = writer->out.failed || state->edges.buf.failed || methods == NULL;
    if (!writer->out.failed) {
        for (size_t i = 0; i < all->count; i++) {
            total_ns = trace_add(total_ns, answer_ns(writer->clock, methods[i].self));
            calls += methods[i].calls;
        }
        put_head(writer, total_ns, calls);
        for (size_t i = 0; i < all->count; i++) {
            put_method(writer, &methods[i]);
        }
        mb_buf_printf(&writer->out, "\ntotals: %" PRId64 " %" PRIu64 "\n", total_ns, calls);
    }
    free(methods);
}

static void finish_state(struct format_writer *writer)
{
    struct callgrind *state = writer->state;

    format_ids_finish(&state->numbers);
    mb_buf_finish(&state->edges.buf);
}

const struct format format_callgrind = {
    .name = "callgrind",
    .extension = ".callgrind",
    .state_size = sizeof(struct callgrind),
    .end = put_graph,
    .finish = finish_state,
};
