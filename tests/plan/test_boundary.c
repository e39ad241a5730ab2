/* Which methods code without probes may call, by what their supertypes and other classes say. */

#include "instrument/plan/collect.h"
#include "rules/platform.h"
#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define CLASSES 300
#define METHODS 4
#define DESCRIPTOR "()V"

/* Classes as pass 1 leaves them, made of words. Zeroed memory before the first. */
struct world {
    struct mb_intern *names;
    struct plan_class classes[CLASSES];
    struct plan_class *order[CLASSES];
    struct plan_method methods[CLASSES][METHODS];
    size_t count;
    struct plan_source source; /* of all classes */
    struct plan_sources sources;
};

static uint32_t add_name(struct world *w, struct mb_text name)
{
    if (w->names == NULL) {
        w->names = mb_intern_create();
    }
    uint32_t number = mb_intern_add(w->names, name);
    cr_assert(ne(u32, number, MB_INTERN_NONE));
    return number;
}

static void add_method(struct world *w, struct plan_class *cls, struct mb_text name)
{
    struct plan_method *method = &cls->methods[cls->method_count++];

    cr_assert(le(u16, cls->method_count, METHODS));
    method->access_flags = CF_ACC_PUBLIC;
    if (name.data[0] == '-' || name.data[0] == '.') {
        method->access_flags = name.data[0] == '-' ? CF_ACC_PRIVATE : CF_ACC_STATIC;
        name = mb_text_from(name, 1);
    }
    method->name = add_name(w, name);
    method->descriptor = add_name(w, MB_TEXT(DESCRIPTOR));
    method->verdict = RULE_TRACE;
}

/* Its text of the names between commas; "?" is PLAN_LINK_ANY. */
static uint32_t add_list(struct world *w, struct mb_text list)
{
    uint32_t numbers[METHODS];
    size_t count = 0;

    while (list.size > 0) {
        struct mb_text name = mb_text_split(&list, ',');
        numbers[count++] = mb_text_is(name, "?") ? PLAN_LINK_ANY : add_name(w, name);
    }
    return count > 0 ? add_name(w, (struct mb_text){(char *)numbers, count * sizeof(*numbers)})
                     : MB_INTERN_NONE;
}

/* "a/A:b/B,i/I go -hide .help": class a/A extends b/B (nothing there: java/lang/Object), implements
 * i/I, and has the methods void go(), a private and a static one; all are traced. Added in
 * canonical order. */
static struct plan_class *add(struct world *w, const char *text)
{
    struct mb_text rest = mb_text_of(text);
    struct mb_text supers = mb_text_split(&rest, ' ');
    struct plan_class *cls = w->order[w->count] = &w->classes[w->count];

    cls->name = cls->original_name = add_name(w, mb_text_split(&supers, ':'));
    struct mb_text super = mb_text_split(&supers, ',');
    cls->super_name = add_name(w, super.size > 0 ? super : MB_TEXT("java/lang/Object"));
    cls->interfaces = add_list(w, supers);
    cls->is_readable = true;
    cls->methods = w->methods[w->count++];
    while (rest.size > 0) {
        add_method(w, cls, mb_text_split(&rest, ' '));
    }
    w->sources = (struct plan_sources){.items = &w->source, .count = 1};
    return cls;
}

/* The class calls void method() of some class. */
static void call(struct world *w, struct plan_class *cls, const char *method)
{
    uint32_t key = rule_method_key(mb_text_of(method), MB_TEXT(DESCRIPTOR));

    cls->called = add_name(w, (struct mb_text){(char *)&key, sizeof(key)});
}

static enum mb_status assign(struct world *w)
{
    const struct plan_boundary_request request = {
        .sources = &w->sources, .names = w->names, .classes = w->order, .class_count = w->count};

    w->source.is_output_current = true;
    return plan_assign_boundary(&request, NULL);
}

static void must_assign(struct world *w)
{
    cr_assert(eq(int, assign(w), MB_OK));
}

/* The reasons of the class's methods, one after the other. */
static void expect(const struct plan_class *cls, const char *reasons)
{
    struct mb_text rest = mb_text_of(reasons);

    for (uint16_t i = 0; i < cls->method_count; i++) {
        const char *name = rule_boundary_name((enum rule_boundary)cls->methods[i].boundary);
        struct mb_text wanted = mb_text_split(&rest, ' ');
        cr_expect(mb_text_is(wanted, name[0] != '\0' ? name : "-"), "method %d: %s, not %s", i,
                  name, reasons);
    }
}

Test(boundary, reasons_of_the_class_itself_stay)
{
    struct world w = {0};
    struct plan_class *a = add(&w, "a/A run go old skipped");

    a->methods[0].boundary = RULE_BOUNDARY_OVERRIDES;
    a->methods[2].boundary = RULE_BOUNDARY_CALLED; /* in the last run */
    a->methods[3].verdict = RULE_IGNORE;
    call(&w, a, "skipped");
    must_assign(&w);
    expect(a, "overrides - - -");
    cr_expect(not(w.source.is_output_current));
    must_assign(&w);
    cr_expect(w.source.is_output_current, "the same again changes nothing");
    mb_intern_destroy(w.names);
}

Test(boundary, an_unknown_supertype_may_call_what_can_be_overridden)
{
    struct world w = {0};
    struct plan_class *a = add(&w, "a/A:x/Lost go -hide .help <init>");
    struct plan_class *b = add(&w, "b/B:a/A go");
    struct plan_class *c = add(&w, "c/C:java/lang/Thread go");
    struct plan_class *d = add(&w, "d/D:c/C,x/Lost");

    must_assign(&w);
    expect(a, "unknown-supertype - - -");
    expect(b, "unknown-supertype");
    expect(c, "unknown-supertype"); /* which d/D inherits */
    d->interfaces = MB_INTERN_NONE;
    must_assign(&w);
    expect(c, "-");
    mb_intern_destroy(w.names);
}

/* A sibling of what is inherited is neither above nor below; copies are called alike; circles end.
 */
Test(boundary, an_unknown_supertype_is_found_in_each_shape)
{
    static const struct {
        const char *classes[3];
        const char *reasons[3];
    } shapes[] = {
        {{"a/A go", "b/B:a/A,x/Lost go", "c/C:a/A go"},
         {"unknown-supertype", "unknown-supertype", "-"}},
        {{"a/A go", "a/A:java/lang/Object,? go"}, {"unknown-supertype", "unknown-supertype"}},
        {{"a/A:b/B go", "b/B:a/A go", "c/C:b/B,x/Lost go"},
         {"unknown-supertype", "unknown-supertype", "unknown-supertype"}},
    };

    for (size_t i = 0; i < MB_COUNT(shapes); i++) {
        struct world w = {0};
        for (int c = 0; c < 3 && shapes[i].classes[c] != NULL; c++) {
            (void)add(&w, shapes[i].classes[c]);
        }
        must_assign(&w);
        for (size_t c = 0; c < w.count; c++) {
            expect(&w.classes[c], shapes[i].reasons[c]);
        }
        mb_intern_destroy(w.names);
    }
}

/* Each class extends the last that is left, or the first. */
Test(boundary, of_types_that_zigzag_any_may_be_called)
{
    static struct world w;
    static char text[CLASSES][32];
    struct plan_class *alone;

    for (int i = 0; i < CLASSES - 1; i++) {
        int next = i < CLASSES / 2 ? CLASSES - 2 - i : CLASSES - 1 - i;
        (void)snprintf(text[i], sizeof(text[i]),
                       i == CLASSES / 2 ? "a/%03d:x/Lost go" : "a/%03d:a/%03d go", i, next);
        (void)add(&w, text[i]);
    }
    alone = add(&w, "b/B go");
    must_assign(&w);
    expect(&w.classes[0], "unknown-supertype");
    expect(alone, "unknown-supertype");
    mb_intern_destroy(w.names);
}

Test(boundary, calls_come_to_all_of_the_name)
{
    struct world w = {0};
    struct plan_class *a = add(&w, "a/A go -go2 .help other");
    struct plan_class *b = add(&w, "b/B go other");

    call(&w, a, "go");
    call(&w, b, "help");
    must_assign(&w);
    expect(a, "called - called -");
    expect(b, "called -");
    b->called = add_list(&w, MB_TEXT("?"));
    must_assign(&w);
    expect(a, "called called called called");
    mb_intern_destroy(w.names);
}

Test(boundary, every_failing_allocation_is_reported)
{
    struct world w = {0};
    struct plan_class *a = add(&w, "a/A:java/lang/Thread .body go");
    struct plan_class *b = add(&w, "b/B:a/A,x/Lost");
    enum mb_status status = MB_NO_MEMORY;
    int first = 0;

    call(&w, b, "body");
    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 100 && status == MB_NO_MEMORY; first++) {
        allocations_left = first;
        status = assign(&w);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 2));
    expect(a, "called unknown-supertype");
    mb_intern_destroy(w.names);
}
