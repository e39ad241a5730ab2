#include "inputs.h"
#include "instrument/plan/collect.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Inputs that are collected with the default rules. */
struct world {
    struct inputs inputs;
    struct plan_contents contents;
    struct plan_warnings warnings;
    struct rule_set *rules;
    struct mb_intern *names;
    bool keeps_names;
    bool keeps_rules;
};

static enum mb_status collect(struct world *world, const struct input_class *classes, size_t count,
                              struct mb_error *err)
{
    struct rule_options rules = {.beat_class = MB_TEXT("my/Beat")};

    inputs_open(&world->inputs, classes, count, 3);
    plan_warnings_init(&world->warnings);
    world->names = mb_intern_create();
    cr_assert(eq(int, rule_set_create(&world->rules, &rules, NULL), MB_OK));
    /* The directory of a folder does not give sizes. */
    plan_contents_open(&world->contents, (struct plan_contents_size){.classes = 4096});
    return plan_collect(
        &(struct plan_collect_request){
            .crew = &world->inputs.crew,
            .sources = &world->inputs.sources,
            .contents = &world->contents,
            .names = world->names,
            .rules = world->rules,
            .warnings = &world->warnings,
            .beat_class = rules.beat_class,
            .interns_all_names = world->keeps_names,
            .keeps_rules = world->keeps_rules,
        },
        err);
}

static void finish(struct world *world)
{
    plan_contents_finish(&world->contents);
    plan_warnings_finish(&world->warnings);
    rule_set_destroy(world->rules);
    inputs_close(&world->inputs);
    mb_intern_destroy(world->names);
}

static bool is_named(const struct world *world, const struct plan_class *cls, uint16_t method,
                     const char *name)
{
    return mb_text_is(plan_class_text(world->names, cls, cls->methods[method].name), name);
}

static const struct input_class some[] = {
    {"in", "a/A go -run"}, {"in", "b/B:a/A"}, {"other", "c/C stop"}};

static void expect_some(struct world *world)
{
    const struct plan_source *source = world->inputs.sources.items;
    const struct plan_class *a = &source[0].classes[0];

    cr_assert(eq(u32, source[0].class_count, 2));
    cr_assert(eq(u32, source[1].class_count, 1));
    cr_assert(mb_text_is(mb_intern_get(world->names, a->name), "a/A"));
    cr_assert(eq(u16, a->method_count, 2));
    cr_assert(eq(u16, a->traced_count, 1));
    cr_assert(is_named(world, a, 0, "go"));
    cr_assert(is_named(world, a, 1, "run"));
    cr_assert(eq(int, a->methods[0].verdict, RULE_TRACE));
    cr_assert(eq(int, a->methods[1].verdict, RULE_IGNORE));
    cr_assert(eq(u32, source[0].classes[1].super_name, a->name));
    cr_assert(is_named(world, &source[1].classes[0], 0, "stop"));
    cr_assert(eq(sz, world->warnings.count, 0));
}

Test(collect, reads_names_from_contents_that_stay)
{
    struct world world = {0};

    cr_assert(eq(int, collect(&world, some, MB_COUNT(some), NULL), MB_OK));
    cr_assert(world.inputs.sources.items[0].classes[0].names_in_content);
    expect_some(&world);
    finish(&world);
}

Test(collect, keeps_names_for_the_next_run)
{
    struct world world = {.keeps_names = true, .keeps_rules = true};

    cr_assert(eq(int, collect(&world, some, MB_COUNT(some), NULL), MB_OK));
    const struct plan_class *a = &world.inputs.sources.items[0].classes[0];
    cr_assert(not(a->names_in_content));
    cr_assert_neq(a->methods[1].rule, a->methods[0].rule);
    expect_some(&world);
    finish(&world);
}

Test(collect, warns_of_what_no_jvm_reads)
{
    static const struct input_class odd[] = {{"in", "a/A go"}, {"in", "b/[B go"}};
    struct world world = {0};

    cr_assert(eq(int, collect(&world, odd, MB_COUNT(odd), NULL), MB_OK));
    const struct plan_class *classes = world.inputs.sources.items[0].classes;
    cr_assert(classes[0].is_readable);
    cr_assert(not(classes[1].is_readable));
    cr_assert(eq(u16, classes[1].traced_count, 0));
    cr_assert(eq(sz, world.warnings.count, 1));
    finish(&world);
}

Test(collect, refuses_a_beat_class_without_probes)
{
    static const struct input_class beat[] = {{"in", "a/A go"}, {"in", "my/Beat i o"}};
    struct world world = {0};
    struct mb_error err;

    cr_assert(eq(int, collect(&world, beat, MB_COUNT(beat), &err), MB_BAD_USAGE));
    cr_assert_str_eq(err.class_name, "my/Beat");
    finish(&world);
}
