/* What extends what, and which types that are not of the inputs are nearest to a class. */

#include "hierarchy.h"
#include "plan/types.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static void build(struct plan_types *types, struct hierarchy *h)
{
    cr_assert(
        eq(int, plan_types_build(types, h->names, h->order, h->count, &h->library, NULL), MB_OK));
}

static const struct plan_type *find(const struct plan_types *types, struct hierarchy *h,
                                    const char *name)
{
    uint32_t number = plan_types_find(types, hierarchy_name(h, name));

    cr_assert(ne(u32, number, PLAN_NO_TYPE), "%s", name);
    return plan_type_at(types, number);
}

/* Whether the set has these types and no others. */
static bool has(const struct plan_types *types, struct hierarchy *h,
                const struct plan_type_set *set, const char *names)
{
    struct mb_text rest = mb_text_of(names);
    uint32_t count = 0;

    for (; rest.size > 0; count++) {
        struct mb_text name = mb_text_split(&rest, ' ');
        uint32_t number = plan_types_find(types, mb_intern_add(h->names, name));
        uint32_t at = 0;
        while (at < set->count && set->items[at] != number) {
            at++;
        }
        if (number == PLAN_NO_TYPE || at == set->count) {
            return false;
        }
    }
    return set->count == count;
}

static void open(struct hierarchy *h, const char *const *texts, size_t count)
{
    *h = (struct hierarchy){0};
    for (size_t i = 0; i < count; i++) {
        (void)hierarchy_add(h, texts[i]);
    }
    hierarchy_close_links(h);
}

Test(types, are_told_by_where_they_are)
{
    static const char *const texts[] = {"a/A:b/B,java/lang/Runnable,x/Lost", "b/B:l/L"};
    struct plan_types types = {0};
    struct hierarchy h;

    open(&h, texts, MB_COUNT(texts));
    hierarchy_add_library(&h, "l/L:l/Lost");
    hierarchy_add_library(&h, "b/B");
    build(&types, &h);
    cr_expect(eq(int, find(&types, &h, "a/A")->kind, PLAN_TYPE_INPUT));
    cr_expect(eq(int, find(&types, &h, "b/B")->kind, PLAN_TYPE_INPUT), "inputs come first");
    cr_expect(eq(int, find(&types, &h, "l/L")->kind, PLAN_TYPE_LIBRARY));
    cr_expect(eq(int, find(&types, &h, "l/Lost")->kind, PLAN_TYPE_UNKNOWN));
    cr_expect(eq(int, find(&types, &h, "x/Lost")->kind, PLAN_TYPE_UNKNOWN));
    cr_expect(eq(int, find(&types, &h, "java/lang/Runnable")->kind, PLAN_TYPE_PLATFORM));
    cr_expect(
        eq(u32, plan_types_find(&types, hierarchy_name(&h, "java/lang/Object")), PLAN_NO_TYPE),
        "nobody asks for it");
    plan_types_finish(&types);
    hierarchy_finish(&h);
}

Test(types, around_has_what_subclasses_alone_name)
{
    static const char *const texts[] = {"a/A", "b/B:a/A,x/I", "c/C:b/B,x/J", "d/D:a/A"};
    struct plan_types types = {0};
    struct hierarchy h;

    open(&h, texts, MB_COUNT(texts));
    build(&types, &h);
    cr_assert(eq(int, plan_types_resolve(&types, NULL), MB_OK));
    cr_expect(has(&types, &h, &find(&types, &h, "a/A")->above, ""));
    cr_expect(has(&types, &h, &find(&types, &h, "a/A")->around, "x/I x/J"));
    cr_expect(has(&types, &h, &find(&types, &h, "b/B")->above, "x/I"));
    cr_expect(has(&types, &h, &find(&types, &h, "b/B")->around, "x/I x/J"));
    cr_expect(has(&types, &h, &find(&types, &h, "c/C")->above, "x/I x/J"));
    cr_expect(has(&types, &h, &find(&types, &h, "d/D")->around, ""), "a sibling");
    plan_types_finish(&types);
    hierarchy_finish(&h);
}

/* Each version of a class that comes twice may be the one that is loaded. */
Test(types, copies_extend_what_any_of_them_names)
{
    static const char *const texts[] = {"a/A", "b/B:x/I", "b/B:a/A,x/J", "c/C:b/B"};
    struct plan_types types = {0};
    struct hierarchy h;

    open(&h, texts, MB_COUNT(texts));
    build(&types, &h);
    cr_assert(eq(int, plan_types_resolve(&types, NULL), MB_OK));
    cr_expect(eq(u32, find(&types, &h, "b/B")->copies, 2));
    cr_expect(has(&types, &h, &find(&types, &h, "c/C")->above, "x/I x/J"));
    cr_expect(has(&types, &h, &find(&types, &h, "a/A")->around, "x/I x/J"));
    plan_types_finish(&types);
    hierarchy_finish(&h);
}

/* One JVM loads one version of each, so what two versions say together may be a circle. */
Test(types, in_circles_may_extend_anything)
{
    static const char *const texts[] = {"a/A",     "b/B:a/A", "b/B:c/C,x/I", "c/C:b/B",
                                        "d/D:c/C", "e/E:e/E", "f/F"};
    struct plan_types types = {0};
    struct hierarchy h;

    open(&h, texts, MB_COUNT(texts));
    build(&types, &h);
    cr_assert(eq(int, plan_types_resolve(&types, NULL), MB_OK));
    for (char name[] = "a/A"; name[0] <= 'e'; name[0]++, name[2]++) {
        cr_expect(eq(u32, find(&types, &h, name)->around.count, PLAN_MANY_TYPES), "%s", name);
    }
    cr_expect(eq(u32, find(&types, &h, "a/A")->above.count, 0));
    cr_expect(eq(u32, find(&types, &h, "f/F")->around.count, 0));
    plan_types_finish(&types);
    hierarchy_finish(&h);
}

static void add_interfaces(struct hierarchy *h, size_t number, int first, int end)
{
    for (int i = first; i < end; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "x/I%d", i);
        struct plan_link link = {.kind = PLAN_LINK_INTERFACE, .type = hierarchy_name(h, name)};
        hierarchy_link(h, number, &link);
    }
}

#define MOST 4096 /* types in a set */

Test(types, too_many_are_not_told)
{
    for (int more = 0; more <= 1; more++) {
        struct hierarchy h = {0};
        struct plan_types types = {0};
        add_interfaces(&h, hierarchy_add(&h, "a/A"), 0, MOST / 2);
        /* some of them again, and x/J */
        add_interfaces(&h, hierarchy_add(&h, "b/B:a/A"), MOST / 4, MOST - 1 + more);
        (void)hierarchy_add(&h, "c/C:b/B,x/J");
        hierarchy_close_links(&h);
        build(&types, &h);
        cr_assert(eq(int, plan_types_resolve(&types, NULL), MB_OK));
        uint32_t count = more ? PLAN_MANY_TYPES : MOST;
        cr_expect(eq(u32, find(&types, &h, "a/A")->above.count, MOST / 2));
        cr_expect(eq(u32, find(&types, &h, "a/A")->around.count, count));
        cr_expect(eq(u32, find(&types, &h, "b/B")->above.count, (uint32_t)(MOST - 1 + more)));
        cr_expect(eq(u32, find(&types, &h, "c/C")->above.count, count));
        plan_types_finish(&types);
        hierarchy_finish(&h);
    }
}

Test(types, calls_are_around_what_the_type_extends)
{
    static const char *const texts[] = {"a/A", "b/B:a/A", "c/C:a/A"};
    struct plan_types types = {0};
    struct hierarchy h;

    open(&h, texts, MB_COUNT(texts));
    build(&types, &h);
    uint32_t b = plan_types_find(&types, hierarchy_name(&h, "b/B"));
    cr_assert(eq(int, plan_types_add_call(&types, b, 7, NULL), MB_OK));
    cr_assert(eq(int, plan_types_resolve(&types, NULL), MB_OK));
    const struct plan_type_set *around = &find(&types, &h, "a/A")->around;
    cr_assert(eq(u32, around->count, 1));
    cr_expect(eq(int, plan_type_at(&types, around->items[0])->kind, PLAN_TYPE_CALL));
    cr_expect(eq(u32, plan_type_at(&types, around->items[0])->subject, 7));
    cr_expect(eq(u32, find(&types, &h, "b/B")->above.count, 1));
    cr_expect(eq(u32, find(&types, &h, "c/C")->around.count, 0));
    plan_types_finish(&types);
    hierarchy_finish(&h);
}

Test(types, no_input_has_none)
{
    struct hierarchy h = {0};
    struct plan_types types = {0};

    (void)hierarchy_name(&h, "a/A");
    build(&types, &h);
    cr_assert(eq(int, plan_types_resolve(&types, NULL), MB_OK));
    cr_expect(eq(u32, plan_types_find(&types, hierarchy_name(&h, "a/A")), PLAN_NO_TYPE));
    plan_types_finish(&types);
    hierarchy_finish(&h);
}

static int allocations_left;

static int fail_later(void)
{
    return allocations_left-- == 0;
}

Test(types, every_failing_allocation_is_reported)
{
    static const char *const texts[] = {"a/A:x/L", "b/B:a/A,x/I", "c/C:b/B,x/J"};
    enum mb_status status = MB_NO_MEMORY;
    int first = 0;
    struct hierarchy h;

    open(&h, texts, MB_COUNT(texts));
    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 100 && status == MB_NO_MEMORY; first++) {
        struct plan_types types = {0};
        allocations_left = first;
        status = plan_types_build(&types, h.names, h.order, h.count, &h.library, NULL);
        status = status == MB_OK ? plan_types_resolve(&types, NULL) : status;
        cr_expect(status != MB_OK || find(&types, &h, "a/A")->around.count == 3);
        plan_types_finish(&types);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 4));
    hierarchy_finish(&h);
}
