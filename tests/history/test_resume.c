#include "inputs.h"
#include "instrument/history/resume.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* A last run of two sources: a/A with two methods, one of which is gone, and a copy of it. */
struct world {
    struct inputs inputs;
    struct history history;
    struct history_source sources[2];
    struct plan_class classes[2];
    struct plan_method methods[2][2];
    uint32_t order[2];
    struct mb_intern *names;
};

static const struct input_class some[] = {{"x", "a/A go stop"}, {"y", "a/A go stop"}};

static struct plan_class make_class(struct world *world, uint32_t source,
                                    struct plan_method *methods)
{
    static const char *const names[] = {"go", "stop"};

    for (uint16_t i = 0; i < 2; i++) {
        methods[i] = (struct plan_method){
            .name = mb_intern_add(world->names, mb_text_of(names[i])),
            .descriptor = mb_intern_add(world->names, MB_TEXT("()V")),
            .id = 5U + i,
            .verdict = RULE_TRACE,
        };
    }
    uint32_t name = mb_intern_add(world->names, MB_TEXT("a/A"));
    return (struct plan_class){.name = name,
                               .original_name = name,
                               .source = source,
                               .method_count = 2,
                               .traced_count = 2,
                               .is_readable = true,
                               .methods = methods};
}

static void init(struct world *world)
{
    struct history_state *last = &world->history.last;

    inputs_open(&world->inputs, some, MB_COUNT(some), 1);
    world->names = mb_intern_create();
    for (uint32_t i = 0; i < 2; i++) {
        world->classes[i] = make_class(world, i, world->methods[i]);
        world->sources[i] = (struct history_source){.first_class = i, .class_count = 1};
        world->order[i] = i;
        world->inputs.sources.items[i].classes[0] = world->classes[i];
    }
    world->history.is_resumed = true;
    last->sources = world->sources;
    last->source_count = last->class_count = last->order_count = 2;
    last->classes = world->classes;
    last->order = world->order;
    last->gone = MB_TEXT("3,1,old.Gone run ()V\n");
}

static void finish(struct world *world)
{
    inputs_close(&world->inputs);
    mb_intern_destroy(world->names);
}

static size_t count_taken(struct world *world, bool is_first_unchanged, bool is_second_unchanged)
{
    struct plan_sources *sources = &world->inputs.sources;
    struct plan_class *classes[] = {&sources->items[0].classes[0], &sources->items[1].classes[0]};
    struct plan_order order = {.classes = classes, .count = 2};
    struct plan_describer describer = {.names = world->names};
    struct abi_methodmap base = {0};

    sources->items[0].is_unchanged = sources->items[0].is_output_current = is_first_unchanged;
    sources->items[1].is_unchanged = sources->items[1].is_output_current = is_second_unchanged;
    cr_assert(eq(int,
                 history_add_taken_ids(&world->history, sources, &order, &describer, &base, NULL),
                 MB_OK));
    size_t count = base.count - (base.count > 0); /* the message's line */
    if (count > 1) {
        cr_assert(mb_text_is(abi_methodmap_find(&base, 6)->name, "stop"));
    }
    if (world->history.is_resumed) {
        cr_assert(mb_text_is(abi_methodmap_find(&base, 3)->class_name, "old.Gone"));
    }
    abi_methodmap_finish(&base);
    return count;
}

Test(resume, ids_of_old_classes_and_of_copies_are_taken)
{
    struct world world = {0};

    init(&world);
    cr_assert(eq(sz, count_taken(&world, true, true), 1)); /* what is gone */
    cr_assert(
        eq(sz, count_taken(&world, false, true), 3)); /* the old class, the same as its copy */
    cr_assert(eq(sz, count_taken(&world, false, false), 3)); /* both old classes */
    finish(&world);
}

Test(resume, from_nothing_takes_nothing)
{
    struct world world = {0};
    struct history nothing = {0};

    init(&world);
    world.history = nothing;
    cr_assert(eq(sz, count_taken(&world, false, false), 0));
    cr_assert(not(history_keep_focus(&world.history, &world.inputs.sources)));
    cr_assert(not(
        history_are_maps_current(&world.history, &world.inputs.sources, world.names, "/", "/")));
    finish(&world);
}

Test(resume, focus_stays_while_no_class_says_otherwise)
{
    struct world world = {0};

    init(&world);
    world.classes[1].focus = WEAVE_FOCUS_ADD;
    world.inputs.sources.items[0].is_unchanged = true;
    struct plan_class *cls = &world.inputs.sources.items[1].classes[0];
    cr_assert(history_keep_focus(&world.history, &world.inputs.sources));
    cr_assert(eq(int, cls->focus, WEAVE_FOCUS_ADD));
    cls->super_name = cls->name;
    cr_assert(not(history_keep_focus(&world.history, &world.inputs.sources)));
    cls->super_name = world.classes[1].super_name;
    world.classes[1].is_cut_back = true; /* nobody knows what it would have been */
    cr_assert(not(history_keep_focus(&world.history, &world.inputs.sources)));
    finish(&world);
}
