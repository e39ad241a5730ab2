/* Which methods code without probes may call, by what their classes, links and the class path
 * say. */

#include "hierarchy.h"
#include "plan/boundary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static enum mb_status assign(struct hierarchy *h)
{
    const struct plan_boundary_request request = {
        .sources = &h->sources,
        .names = h->names,
        .classes = h->order,
        .class_count = h->count,
        .library = &h->library,
    };

    return plan_assign_boundary(&request, NULL);
}

static void close_and_assign(struct hierarchy *h)
{
    hierarchy_close_links(h);
    h->source.is_output_current = true;
    cr_assert(eq(int, assign(h), MB_OK));
}

static const struct plan_method *find_method(const struct hierarchy *h, size_t number,
                                             const char *method)
{
    const struct plan_class *cls = &h->classes[number];

    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (mb_text_is(mb_intern_get(h->names, cls->methods[i].name), method)) {
            return &cls->methods[i];
        }
    }
    return NULL;
}

static void expect(const struct hierarchy *h, size_t number, const char *method,
                   enum rule_boundary boundary)
{
    const struct plan_method *found = find_method(h, number, method);

    cr_assert(found != NULL);
    cr_expect(eq(u8, found->boundary, (uint8_t)boundary), "%s of class %zu: %s", method, number,
              rule_boundary_name((enum rule_boundary)found->boundary));
}

static void link_to(struct hierarchy *h, size_t from, struct plan_link link, const char *target,
                    const char *method)
{
    link.target = hierarchy_name(h, target);
    link.target_key = hierarchy_key(method);
    hierarchy_link(h, from, &link);
}

/* The class makes a lambda of the interface, whose method is go; the body is its own method. */
static void link_lambda(struct hierarchy *h, size_t from, const char *type, const char *target,
                        const char *body)
{
    struct plan_link link = {
        .kind = PLAN_LINK_LAMBDA, .type = hierarchy_name(h, type), .key = hierarchy_key("go")};

    link_to(h, from, link, target, body);
}

static void link_annotation(struct hierarchy *h, size_t from, uint32_t method, const char *type)
{
    struct plan_link link = {
        .kind = PLAN_LINK_ANNOTATION, .type = hierarchy_name(h, type), .number = method};

    hierarchy_link(h, from, &link);
}

static const struct plan_link call = {.kind = PLAN_LINK_CALL};

Test(boundary, overridden_methods_are_called)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A:l/L,java/lang/Runnable run open plain .toString");
    size_t b = hierarchy_add(&h, "b/B:a/A open -run plain");

    hierarchy_add_library(&h, "l/L:l/M own");
    hierarchy_add_library(&h, "l/M open");
    close_and_assign(&h);
    expect(&h, a, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "open", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "plain", RULE_BOUNDARY_NONE);
    expect(&h, a, "toString", RULE_BOUNDARY_NONE);
    expect(&h, b, "open", RULE_BOUNDARY_OVERRIDES);
    expect(&h, b, "run", RULE_BOUNDARY_NONE);
    cr_expect(not(h.source.is_output_current));
    h.source.is_output_current = true;
    cr_assert(eq(int, assign(&h), MB_OK));
    cr_expect(h.source.is_output_current, "the same again changes nothing");
    hierarchy_finish(&h);
}

Test(boundary, a_subclass_alone_may_name_the_type)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A run other");
    size_t b = hierarchy_add(&h, "b/B:a/A run");
    size_t c = hierarchy_add(&h, "c/C:b/B,java/lang/Runnable");
    size_t d = hierarchy_add(&h, "d/D:a/A run");

    close_and_assign(&h);
    expect(&h, a, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "other", RULE_BOUNDARY_NONE);
    expect(&h, b, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, d, "run", RULE_BOUNDARY_NONE);
    cr_expect(eq(u16, h.classes[c].method_count, 0));
    hierarchy_finish(&h);
}

/* Its own code calls what it overrides, others what it implements; b/B is theirs with a class
 * between. */
Test(boundary, a_subclass_of_the_library_may_name_the_type)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A run own open other");
    size_t b = hierarchy_add(&h, "b/B:l/L other");
    size_t c = hierarchy_add(&h, "c/C:a/A run open");

    hierarchy_add_library(&h, "l/L:a/A own");
    hierarchy_add_library(&h, "l/M:l/L,java/lang/Runnable,l/I");
    hierarchy_add_library(&h, "l/I open");
    hierarchy_add_library(&h, "l/J other");
    close_and_assign(&h);
    expect(&h, a, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "own", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "open", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "other", RULE_BOUNDARY_NONE);
    expect(&h, b, "other", RULE_BOUNDARY_NONE);
    expect(&h, c, "run", RULE_BOUNDARY_NONE);
    expect(&h, c, "open", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

/* The interface is named by a class of the inputs below one of the library. */
Test(boundary, a_class_of_the_library_hides_none_below)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A run");

    (void)hierarchy_add(&h, "b/B:l/L,java/lang/Runnable");
    hierarchy_add_library(&h, "l/L:a/A");
    close_and_assign(&h);
    expect(&h, a, "run", RULE_BOUNDARY_OVERRIDES);
    hierarchy_finish(&h);
}

Test(boundary, of_an_unknown_supertype_any_may_be_called)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A go -hide .help");
    size_t b = hierarchy_add(&h, "b/B:a/A,l/L go");
    size_t c = hierarchy_add(&h, "c/C go");

    hierarchy_add_library(&h, "l/L:x/Lost");
    h.classes[a].methods[0].verdict = RULE_TRACE;
    h.classes[b].methods[0].boundary = RULE_BOUNDARY_NATIVE;
    h.classes[c].methods[0].boundary = RULE_BOUNDARY_UNKNOWN; /* of the last run */
    close_and_assign(&h);
    expect(&h, a, "go", RULE_BOUNDARY_UNKNOWN);
    expect(&h, a, "hide", RULE_BOUNDARY_NONE);
    expect(&h, a, "help", RULE_BOUNDARY_NONE);
    expect(&h, b, "go", RULE_BOUNDARY_NATIVE);
    expect(&h, c, "go", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

Test(boundary, copies_are_called_alike)
{
    struct hierarchy h = {0};
    size_t one = hierarchy_add(&h, "a/A run go");
    size_t two = hierarchy_add(&h, "a/A:java/lang/Thread go run");

    close_and_assign(&h);
    expect(&h, one, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, two, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, one, "go", RULE_BOUNDARY_NONE);
    expect(&h, two, "go", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

Test(boundary, circles_of_the_library_hide_what_is_below)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A go");

    hierarchy_add_library(&h, "l/L:l/M,a/A");
    hierarchy_add_library(&h, "l/M:l/L");
    close_and_assign(&h);
    expect(&h, a, "go", RULE_BOUNDARY_UNKNOWN);
    hierarchy_finish(&h);
}

Test(boundary, circles_may_be_called_by_anyone)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A:b/B go -hide");
    size_t b = hierarchy_add(&h, "b/B:a/A,java/lang/Runnable run");

    link_to(&h, a, call, "b/B", "lost"); /* looked for in supertypes, but not for ever */
    close_and_assign(&h);
    expect(&h, a, "go", RULE_BOUNDARY_UNKNOWN);
    expect(&h, a, "hide", RULE_BOUNDARY_NONE);
    expect(&h, b, "run", RULE_BOUNDARY_UNKNOWN);
    hierarchy_finish(&h);
}

Test(boundary, calls_come_to_what_overrides)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A go .help -hide");
    size_t b = hierarchy_add(&h, "b/B:a/A go");
    size_t c = hierarchy_add(&h, "c/C:b/B go");
    size_t d = hierarchy_add(&h, "d/D:a/A go help");

    link_to(&h, d, call, "b/B", "go");
    link_to(&h, d, call, "c/C", "help"); /* a/A's: static methods are inherited */
    link_to(&h, d, call, "x/Lost", "go");
    close_and_assign(&h);
    expect(&h, a, "go", RULE_BOUNDARY_CALLED);
    expect(&h, b, "go", RULE_BOUNDARY_CALLED);
    expect(&h, c, "go", RULE_BOUNDARY_CALLED);
    expect(&h, d, "go", RULE_BOUNDARY_NONE);
    expect(&h, a, "help", RULE_BOUNDARY_CALLED);
    expect(&h, a, "hide", RULE_BOUNDARY_NONE);
    expect(&h, d, "help", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

/* Nothing overrides a/A.go, and a/A is never asked for it. */
Test(boundary, a_private_method_above_hides_no_call)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A -go");
    size_t b = hierarchy_add(&h, "b/B:a/A go");

    link_to(&h, a, call, "b/B", "go");
    close_and_assign(&h);
    expect(&h, b, "go", RULE_BOUNDARY_CALLED);
    expect(&h, a, "go", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

/* One version of a/A has a private method where the other's may be overridden. */
Test(boundary, calls_come_to_every_copy)
{
    struct hierarchy h = {0};
    size_t one = hierarchy_add(&h, "a/A .go");
    size_t two = hierarchy_add(&h, "a/A go");

    link_to(&h, one, call, "a/A", "go");
    close_and_assign(&h);
    expect(&h, one, "go", RULE_BOUNDARY_CALLED);
    expect(&h, two, "go", RULE_BOUNDARY_CALLED);
    hierarchy_finish(&h);
}

Test(boundary, lambdas_of_others_are_called_by_others)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A .body .own");

    (void)hierarchy_add(&h, "i/I go");
    link_lambda(&h, a, "java/lang/Runnable", "a/A", "body");
    link_lambda(&h, a, "i/I", "a/A", "own");
    close_and_assign(&h);
    expect(&h, a, "body", RULE_BOUNDARY_LAMBDA);
    expect(&h, a, "own", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

/* Behind a lambda may be an interface method, and behind that the next lambda; the last link is
 * first. */
Test(boundary, lambdas_follow_each_other_over_interfaces)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A .body");

    (void)hierarchy_add(&h, "i/I go");
    (void)hierarchy_add(&h, "i/J go");
    (void)hierarchy_add(&h, "i/K go");
    link_lambda(&h, a, "i/K", "a/A", "body");
    link_lambda(&h, a, "i/J", "i/K", "go");
    link_lambda(&h, a, "i/I", "i/J", "go");
    close_and_assign(&h);
    expect(&h, a, "body", RULE_BOUNDARY_NONE);
    link_to(&h, a, call, "i/I", "go");
    link_lambda(&h, a, "i/K", "a/A", "body");
    link_lambda(&h, a, "i/J", "i/K", "go");
    link_lambda(&h, a, "i/I", "i/J", "go");
    close_and_assign(&h);
    expect(&h, a, "body", RULE_BOUNDARY_LAMBDA);
    hierarchy_finish(&h);
}

/* Of a chain with more links than anyone waits for, the rest may be called. */
Test(boundary, lambdas_follow_each_other_to_the_end)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A .body");

    for (char i = 'A'; i <= 'T'; i++) {
        const char text[] = {'i', '/', i, ' ', 'g', 'o', '\0'};
        (void)hierarchy_add(&h, text);
    }
    link_lambda(&h, a, "i/T", "a/A", "body");
    for (char i = 'T'; i > 'A'; i--) {
        const char type[] = {'i', '/', (char)(i - 1), '\0'};
        const char target[] = {'i', '/', i, '\0'};
        link_lambda(&h, a, type, target, "go");
    }
    link_to(&h, a, call, "i/A", "go");
    close_and_assign(&h);
    expect(&h, a, "body", RULE_BOUNDARY_LAMBDA);
    hierarchy_finish(&h);
}

Test(boundary, annotations_of_others_have_methods_called)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A go -hide own skipped");

    (void)hierarchy_add(&h, "n/Own");
    h.classes[a].methods[3].verdict = RULE_IGNORE;
    link_annotation(&h, a, 0, "n/Own");
    link_annotation(&h, a, 0, "x/Subscribe");
    link_annotation(&h, a, 1, "x/Inject");
    link_annotation(&h, a, 2, "n/Own");
    link_annotation(&h, a, 3, "x/Subscribe");
    link_annotation(&h, a, 4, "x/Subscribe"); /* of no method */
    close_and_assign(&h);
    expect(&h, a, "go", RULE_BOUNDARY_ANNOTATED);
    expect(&h, a, "hide", RULE_BOUNDARY_ANNOTATED);
    expect(&h, a, "own", RULE_BOUNDARY_NONE);
    expect(&h, a, "skipped", RULE_BOUNDARY_NONE);
    hierarchy_finish(&h);
}

static int allocations_left;

static int fail_later(void)
{
    return allocations_left-- == 0;
}

Test(boundary, every_failing_allocation_is_reported)
{
    struct hierarchy h = {0};
    size_t a = hierarchy_add(&h, "a/A:java/lang/Thread run .body go");
    enum mb_status status = MB_NO_MEMORY;
    int first = 0;

    (void)hierarchy_add(&h, "i/I:x/L go");
    link_lambda(&h, a, "i/I", "a/A", "go");
    link_lambda(&h, a, "java/lang/Runnable", "a/A", "body");
    hierarchy_close_links(&h);
    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 100 && status == MB_NO_MEMORY; first++) {
        allocations_left = first;
        status = assign(&h);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 4));
    expect(&h, a, "run", RULE_BOUNDARY_OVERRIDES);
    expect(&h, a, "body", RULE_BOUNDARY_LAMBDA);
    expect(&h, a, "go", RULE_BOUNDARY_CALLED);
    hierarchy_finish(&h);
}
