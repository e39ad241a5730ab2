/* Suspend functions of Kotlin: entered anew each time they are resumed, by the invokeSuspend of a
 * class of their own, Outer$function$number. The JVM's name of a function may have more than
 * Kotlin's. */

#include "answer/building.h"
#include "classfile/class.h"

#include <stdlib.h>

#define RESUMES "invokeSuspend"
#define SUSPENDS "Lkotlin.coroutines.Continuation;)Ljava.lang.Object;"
#define BRIDGE "access$"
#define OPEN_BODY "$suspendImpl"     /* what an open function does, so that super can call it */
#define BODIES_CLASS "$DefaultImpls" /* has what functions of an interface do */
#define INLINE_MEMBER "-impl"        /* a function of an inline class */
#define HASH_SIZE 8                  /* of "-Wb3-L9Y", for inline classes among the parameters */
#define PART "__"                    /* Facade__Part is one file of several that are one class */

static const struct abi_method *method_of(const struct answer_building *b, uint32_t id)
{
    return abi_methodmap_find(&b->trace->names.map, id);
}

static bool does_suspend(const struct abi_method *method)
{
    return method != NULL && mb_text_ends(method->descriptor, mb_text_of(SUSPENDS));
}

/* Skips what the text begins with; false if that is something else. */
static bool skip_prefix(struct mb_text *text, struct mb_text prefix)
{
    bool starts = mb_text_starts(*text, prefix);

    *text = starts ? mb_text_from(*text, prefix.size) : *text;
    return starts;
}

static bool cut_end(struct mb_text *text, struct mb_text suffix)
{
    bool ends = mb_text_ends(*text, suffix);

    text->size -= ends ? suffix.size : 0;
    return ends;
}

/* Cuts off the last c and what follows it; false if there is none. */
static bool cut_last(struct mb_text *text, char c)
{
    size_t after = mb_text_after_last(*text, c);

    text->size = after > 0 ? after - 1 : text->size;
    return after > 0;
}

/* Without $PartOfAFacade of a private function, or $module of an internal one. A local function is
 * outer$local, static, and that is its name. */
static void cut_scope(struct mb_text *name, const struct abi_method *function, bool is_member)
{
    struct mb_text class_name = function->class_name;
    struct mb_text part = mb_text_from(class_name, mb_text_after_last(class_name, '.'));
    struct mb_text rest = *name;

    if (cut_end(&rest, part) && cut_end(&rest, mb_text_of("$"))) {
        *name = rest;
    } else if (is_member) {
        (void)cut_last(name, '$');
    }
}

/* The name in Kotlin of a function that has another for the JVM. */
static struct mb_text plain_name(const struct abi_method *function)
{
    struct mb_text name = function->name;
    bool is_open = cut_end(&name, mb_text_of(OPEN_BODY));

    cut_scope(&name, function, is_open || (function->access & CF_ACC_STATIC) == 0);
    if (!cut_end(&name, mb_text_of(INLINE_MEMBER)) && name.size > HASH_SIZE &&
        name.data[name.size - HASH_SIZE] == '-') {
        name.size -= HASH_SIZE;
    }
    return name;
}

/* True if the class is named after the function's; *inner becomes the rest of its name. */
static bool is_within(struct mb_text class_name, const struct abi_method *function,
                      struct mb_text *inner)
{
    struct mb_text outer = function->class_name;

    (void)cut_end(&outer, mb_text_of(BODIES_CLASS));
    *inner = class_name;
    if (!skip_prefix(inner, outer)) {
        return false;
    }
    (void)skip_prefix(inner, mb_text_of(BODIES_CLASS));
    if (mb_text_starts(*inner, mb_text_of(PART))) {
        struct mb_text rest = *inner;
        *inner = mb_text_from(*inner, mb_text_split(&rest, '$').size);
    }
    return skip_prefix(inner, mb_text_of("$"));
}

static bool is_resumption(const struct abi_method *method, const struct abi_method *function)
{
    struct mb_text name;

    return method != NULL && mb_text_is(method->name, RESUMES) &&
           is_within(method->class_name, function, &name) && cut_last(&name, '$') &&
           (mb_text_equal(name, function->name) || mb_text_equal(name, plain_name(function)));
}

/* True if the method only passes a call on: a bridge to what is private, or a facade. */
static bool passes_on(const struct abi_method *method, const struct abi_method *function)
{
    struct mb_text rest = function->class_name;

    return mb_text_starts(method->name, mb_text_of(BRIDGE)) ||
           (mb_text_equal(method->name, function->name) && skip_prefix(&rest, method->class_name) &&
            mb_text_starts(rest, mb_text_of(PART)));
}

static bool is_resumed(const struct answer_building *b, const struct answer_thread *thread,
                       const struct trace_node *node, const struct abi_method *function)
{
    const struct abi_method *caller = NULL;
    uint32_t parent = node->parent;

    do {
        caller = parent != TRACE_NO_NODE ? method_of(b, thread->nodes[parent].id) : NULL;
        parent = parent != TRACE_NO_NODE ? thread->nodes[parent].parent : TRACE_NO_NODE;
    } while (caller != NULL && passes_on(caller, function));
    return is_resumption(caller, function);
}

static void count_resumed(const struct answer_building *b, const struct answer_thread *thread,
                          struct answer_suspended *rows, size_t count)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        const struct answer_suspended wanted = {.id = node->id};
        struct answer_suspended *row =
            bsearch(&wanted, rows, count, sizeof(*rows), answer_by_suspended_id);
        if (row != NULL && is_resumed(b, thread, node, method_of(b, node->id))) {
            row->resumed += node->calls;
        }
    }
}

void answer_make_suspended(struct answer_building *b)
{
    const struct answer_threads *threads = &b->model->facts.threads;
    struct answer_methods *methods = &b->model->facts.methods;
    struct answer_model *model = b->model;

    for (size_t i = 0; i < methods->count; i++) {
        const struct answer_suspended row = {.id = methods->rows[i].id};
        if (does_suspend(method_of(b, row.id))) {
            MB_VEC_PUSH(&model->suspended, row);
        }
    }
    struct answer_suspended *rows = model->suspended.items;
    size_t count = MB_VEC_COUNT(&model->suspended);
    if (count == 0 || model->suspended.buf.failed) {
        return;
    }
    MB_VEC_SORT(&model->suspended, answer_by_suspended_id);
    for (size_t i = 0; i < threads->count; i++) {
        count_resumed(b, &threads->rows[i], rows, count);
    }
    methods->suspended = rows;
    methods->suspended_count = count;
}
