/* Suspend functions of Kotlin: entered anew each time they are resumed, by the invokeSuspend of a class
 * of their own, Outer$function$number. */

#include "report/building.h"

#include <stdlib.h>

#define RESUMES "invokeSuspend"
#define SUSPENDS "Lkotlin.coroutines.Continuation;)Ljava.lang.Object;"
#define BRIDGE "access$"

static const struct abi_method *method_of(const struct report_building *b, uint32_t id)
{
    return abi_methodmap_find(&b->trace->names.map, id);
}

static bool does_suspend(const struct abi_method *method)
{
    return method != NULL && mb_text_ends(method->descriptor, mb_text_of(SUSPENDS));
}

/* Skips what the text begins with; false if that is something else. */
static bool skip(struct mb_text *text, struct mb_text prefix)
{
    bool starts = mb_text_starts(*text, prefix);

    *text = starts ? mb_text_from(*text, prefix.size) : *text;
    return starts;
}

static bool resumes(const struct abi_method *method, const struct abi_method *function)
{
    struct mb_text rest = method != NULL ? method->class_name : (struct mb_text){0};

    return method != NULL && mb_text_is(method->name, RESUMES) &&
           skip(&rest, function->class_name) && skip(&rest, mb_text_of("$")) &&
           skip(&rest, function->name) && skip(&rest, mb_text_of("$"));
}

/* A private function is resumed through a bridge. */
static bool is_resumed(const struct report_building *b, const struct export_thread *thread,
                       const struct trace_node *node, const struct abi_method *function)
{
    const struct abi_method *caller = NULL;
    uint32_t parent = node->parent;

    do {
        caller = parent != TRACE_NO_NODE ? method_of(b, thread->nodes[parent].id) : NULL;
        parent = parent != TRACE_NO_NODE ? thread->nodes[parent].parent : TRACE_NO_NODE;
    } while (caller != NULL && mb_text_starts(caller->name, mb_text_of(BRIDGE)));
    return resumes(caller, function);
}

static int by_id(const void *a, const void *b)
{
    const struct export_suspended *x = a;
    const struct export_suspended *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void count_resumed(const struct report_building *b, const struct export_thread *thread,
                          struct export_suspended *rows, size_t count)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        const struct export_suspended wanted = {.id = node->id};
        struct export_suspended *row = bsearch(&wanted, rows, count, sizeof(*rows), by_id);
        if (row != NULL && is_resumed(b, thread, node, method_of(b, node->id))) {
            row->resumed += node->calls;
        }
    }
}

void report_make_suspended(struct report_building *b)
{
    struct export_report *report = &b->model->report;
    struct mb_buf *buf = &b->model->suspended;

    for (size_t i = 0; i < report->method_count; i++) {
        const struct export_suspended row = {.id = report->methods[i].id};
        if (does_suspend(method_of(b, row.id))) {
            mb_buf_put(buf, &row, sizeof(row));
        }
    }
    struct export_suspended *rows = (void *)buf->bytes;
    size_t count = buf->size / sizeof(*rows);
    if (count == 0 || buf->failed) {
        return;
    }
    qsort(rows, count, sizeof(*rows), by_id);
    for (size_t i = 0; i < report->thread_count; i++) {
        count_resumed(b, &report->threads[i], rows, count);
    }
    report->suspended = rows;
    report->suspended_count = count;
}
