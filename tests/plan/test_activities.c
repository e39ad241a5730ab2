/* Which classes of the inputs get a call of at, whatever files their superclasses are in. */

#include "instrument/plan/activities.h"
#include "planned.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define ACTIVITY "android/app/Activity"

static enum mb_status assign(struct planned *p)
{
    struct plan_library library = {0};
    const struct plan_focus_request request = {
        .sources = &p->inputs.sources,
        .names = p->names,
        .classes = p->order.classes,
        .class_count = p->order.count,
        .library = &library,
        .warnings = &p->warnings,
    };

    return plan_assign_focus(&request, NULL);
}

static void expect_focus(const struct planned *p, const char *name, enum weave_focus focus)
{
    cr_expect(eq(int, planned_find(p, name)->focus, focus), "%s", name);
}

/* The output of an input is only current while none of its classes changes. */
Test(activities, superclasses_may_be_in_other_inputs)
{
    static const struct input_class some[] = {
        {"x", "a/Main:b/Base go"}, {"y", "b/Base:" ACTIVITY " go"}, {"z", "c/Other go"}};
    struct planned p = {0};

    planned_open(&p, some, MB_COUNT(some), 2);
    for (size_t i = 0; i < 3; i++) {
        p.inputs.sources.items[i].is_output_current = true;
    }
    cr_assert(eq(int, assign(&p), MB_OK));
    expect_focus(&p, "b/Base", WEAVE_FOCUS_ADD);
    expect_focus(&p, "a/Main", WEAVE_FOCUS_ADD);
    expect_focus(&p, "c/Other", WEAVE_FOCUS_NONE);
    cr_expect(not(p.inputs.sources.items[0].is_output_current));
    cr_expect(not(p.inputs.sources.items[1].is_output_current));
    cr_expect(p.inputs.sources.items[2].is_output_current);
    planned_close(&p);
}

/* By the verdict for the name, but with what each copy can take. */
Test(activities, what_cannot_be_rewritten_gets_nothing)
{
    static const struct input_class some[] = {{"x", "a/A:" ACTIVITY}, {"x", "a/B:" ACTIVITY},
                                              {"x", "a/C:" ACTIVITY}, {"x", "a/D:" ACTIVITY},
                                              {"x", "a/E:" ACTIVITY}, {"x", "a/F:" ACTIVITY}};
    struct planned p = {0};

    planned_open(&p, some, MB_COUNT(some), 1);
    planned_find(&p, "a/A")->is_instrumented = true;
    planned_find(&p, "a/B")->is_blocked = true;
    planned_find(&p, "a/C")->focus_method = RULE_FOCUS_METHOD_OPEN;
    planned_find(&p, "a/D")->focus_method = RULE_FOCUS_METHOD_USELESS;
    planned_find(&p, "a/E")->method_count = UINT16_MAX;
    cr_assert(eq(int, assign(&p), MB_OK));
    expect_focus(&p, "a/A", WEAVE_FOCUS_NONE);
    expect_focus(&p, "a/B", WEAVE_FOCUS_NONE);
    expect_focus(&p, "a/C", WEAVE_FOCUS_ENTRY);
    expect_focus(&p, "a/D", WEAVE_FOCUS_NONE);
    expect_focus(&p, "a/E", WEAVE_FOCUS_NONE);
    expect_focus(&p, "a/F", WEAVE_FOCUS_ADD);
    cr_assert(eq(sz, p.warnings.count, 1));
    cr_expect(ne(ptr, strstr(p.warnings.items[0].error.input, "a/E"), NULL));
    planned_close(&p);
}

Test(activities, copies_may_differ)
{
    static const struct input_class some[] = {{"x", "a/A:" ACTIVITY}, {"y", "a/A:" ACTIVITY " go"}};
    struct planned p = {0};

    planned_open(&p, some, MB_COUNT(some), 1);
    cr_assert(eq(sz, p.order.count, 2));
    p.order.classes[1]->is_blocked = true;
    cr_assert(eq(int, assign(&p), MB_OK));
    cr_expect(eq(int, p.order.classes[0]->focus, WEAVE_FOCUS_ADD));
    cr_expect(eq(int, p.order.classes[1]->focus, WEAVE_FOCUS_NONE));
    planned_close(&p);
}
