#include "instrument/plan/number.h"
#include "instrument/plan/sort.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 8
#define METHODS 4

/* Classes made of words: "a/A run stop". */
struct world {
    struct mb_intern *names;
    struct mb_workers *workers;
    struct plan_class classes[CLASSES];
    struct plan_method methods[CLASSES][METHODS];
    struct plan_class *order[CLASSES];
    size_t count;
    struct plan_describer describer;
    struct plan_numbering numbering;
};

static void add_class(struct world *world, const char *text)
{
    struct mb_text rest = mb_text_of(text);
    struct plan_class *cls = &world->classes[world->count];

    cls->name = mb_intern_add(world->names, mb_text_split(&rest, ' '));
    cls->original_name = cls->name;
    cls->source = (uint32_t)world->count;
    cls->size = (uint32_t)strlen(text);
    cls->content_hash = (uint32_t)mb_text_hash(mb_text_of(text));
    cls->methods = world->methods[world->count];
    while (rest.size > 0) {
        struct plan_method *method = &cls->methods[cls->method_count++];
        struct mb_text name = mb_text_split(&rest, ' ');
        method->verdict = name.data[0] == '-' ? RULE_IGNORE : RULE_TRACE;
        method->name = mb_intern_add(world->names, name);
        method->descriptor = mb_intern_add(world->names, MB_TEXT("()V"));
    }
    world->order[world->count++] = cls;
}

static void init(struct world *world, const char *const *texts, size_t count)
{
    *world = (struct world){.names = mb_intern_create(), .workers = mb_workers_create(3)};
    world->describer.names = world->names;
    for (size_t i = 0; i < count; i++) {
        add_class(world, texts[i]);
    }
    cr_assert(
        eq(int, plan_sort_classes(world->order, count, world->names, world->workers, NULL), MB_OK));
}

static void finish(struct world *world)
{
    plan_numbering_finish(&world->numbering);
    mb_workers_destroy(world->workers);
    mb_intern_destroy(world->names);
}

static enum mb_status number(struct world *world, const struct abi_methodmap *base,
                             struct mb_error *err)
{
    struct plan_number_options options = {&world->describer, base, 0};

    return plan_number(&world->numbering, world->order, world->count, &options, err);
}

Test(number, ids_follow_class_name_and_method_order)
{
    static const char *const texts[] = {"b/B go", "a/A x -y z", "a/A$1 w", "a/B v"};
    struct world world;

    init(&world, texts, MB_COUNT(texts));
    cr_assert(eq(int, number(&world, NULL, NULL), MB_OK));
    cr_assert(eq(u32, world.methods[1][0].id, 1));
    cr_assert(eq(u32, world.methods[1][1].id, 0));
    cr_assert(eq(u32, world.methods[1][2].id, 2));
    cr_assert(eq(u32, world.methods[2][0].id, 3));
    cr_assert(eq(u32, world.methods[3][0].id, 4));
    cr_assert(eq(u32, world.methods[0][0].id, 5));
    cr_assert(eq(u32, world.numbering.end_id, 6));
    finish(&world);
}

/* The ids of copies must not depend on which input came first. */
Test(number, copies_share_ids_in_any_order_of_inputs)
{
    static const char *const texts[] = {"a/A x y", "a/A y z w", "a/A z", "b/B go"};
    static const char *const turned[] = {"b/B go", "a/A z", "a/A y z w", "a/A x y"};
    struct world one;
    struct world two;

    init(&one, texts, MB_COUNT(texts));
    init(&two, turned, MB_COUNT(turned));
    cr_assert(eq(int, number(&one, NULL, NULL), MB_OK));
    cr_assert(eq(int, number(&two, NULL, NULL), MB_OK));
    cr_assert(eq(u32, one.methods[0][1].id, one.methods[1][0].id)); /* y */
    cr_assert(eq(u32, one.methods[1][1].id, one.methods[2][0].id)); /* z */
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < METHODS; k++) {
            cr_assert(eq(u32, one.methods[i][k].id, two.methods[3 - i][k].id));
        }
    }
    cr_assert(eq(u32, one.numbering.end_id, 6));
    finish(&one);
    finish(&two);
}

/* One copy is held with its texts, of the other they are among the run's names. */
Test(number, copies_are_compared_wherever_their_texts_are)
{
    static const char *const texts[] = {"a/A xy z", "a/A xy z"};
    static const char content[] = "-\0\2xy\0\3()V\0\1z"; /* a place is never 0 */
    struct world world;

    init(&world, texts, MB_COUNT(texts));
    struct plan_class *held = &world.classes[0];
    const struct plan_class *other = &world.classes[1];
    uint32_t xy = held->methods[0].name;
    held->content = content;
    held->size = sizeof(content) - 1;
    held->names_in_content = true;
    held->methods[0].name = 1;
    held->methods[0].descriptor = held->methods[1].descriptor = 5;
    held->methods[1].name = 10;
    cr_assert(mb_text_is(plan_class_text(world.names, held, 10), "z"));
    cr_assert(mb_text_is(plan_class_text(world.names, other, xy), "xy"));
    held->size--; /* as if the file had been written to */
    cr_assert(eq(sz, plan_class_text(world.names, held, 10).size, 0));
    held->size++;
    cr_assert(plan_has_same_methods(world.names, held, other));
    cr_assert(plan_has_same_methods(world.names, other, held));
    held->methods[1].name = 1;
    cr_assert(not(plan_has_same_methods(world.names, held, other)));
    cr_assert(eq(int, number(&world, NULL, NULL), MB_OK));
    cr_assert(eq(u32, held->methods[0].id, other->methods[0].id)); /* xy */
    cr_assert(eq(u32, world.numbering.end_id, 3));                 /* and z */
    finish(&world);
}

Test(number, a_base_map_keeps_its_ids_and_reuses_none)
{
    static const char *const texts[] = {"a/A x new", "b/B go"};
    struct abi_methodmap base = {0};
    struct world world;

    init(&world, texts, MB_COUNT(texts));
    cr_assert(
        eq(int,
           abi_methodmap_parse(&base, MB_TEXT("3,1,a.A x ()V\n7,1,gone.G x ()V\n9,1,a.A x ()V\n"),
                               "base", NULL),
           MB_OK));
    cr_assert(eq(int, number(&world, &base, NULL), MB_OK));
    cr_assert(eq(u32, world.methods[0][0].id, 3));
    cr_assert(eq(u32, world.methods[0][1].id, 10));
    cr_assert(eq(u32, world.methods[1][0].id, 11));
    abi_methodmap_finish(&base);
    finish(&world);
}

Test(number, the_last_id_can_be_used_and_no_more)
{
    static const char *const texts[] = {"a/A x", "a/B y"};

    for (size_t count = 1; count <= 2; count++) {
        struct abi_methodmap base = {0};
        struct world world;
        struct mb_error err;
        init(&world, texts, count);
        cr_assert(eq(int,
                     abi_methodmap_parse(&base, MB_TEXT("1048572,1,gone.G x ()V"), "base", NULL),
                     MB_OK));
        cr_assert(eq(int, number(&world, &base, &err), count == 1 ? MB_OK : MB_TOO_LARGE));
        cr_assert(eq(u32, world.methods[0][0].id, ABI_MAX_ID));
        abi_methodmap_finish(&base);
        finish(&world);
    }
}

Test(number, an_id_that_pass_2_gave_up_has_no_owner)
{
    static const char *const texts[] = {"a/A x y"};
    struct world world;

    init(&world, texts, 1);
    cr_assert(eq(int, number(&world, NULL, NULL), MB_OK));
    cr_assert(eq(int, plan_index_ids(&world.numbering, world.order, 1, NULL), MB_OK));
    world.methods[0][0].verdict = RULE_IGNORE;
    plan_mark_used_ids(&world.numbering, world.order, 1);
    cr_assert(not(plan_numbering_has(&world.numbering, 1)));
    cr_assert(plan_numbering_has(&world.numbering, 2));
    cr_assert(not(plan_numbering_has(&world.numbering, 3)));
    finish(&world);
}

/* ---- What a method is called in the mapping files ---- */

#define NATIVE 0x100

static struct mb_intern *names;
static struct plan_method method;
static struct plan_class cls;

static void init_describe(void)
{
    names = mb_intern_create();
    method = (struct plan_method){
        .name = mb_intern_add(names, MB_TEXT("a")),
        .descriptor = mb_intern_add(names, MB_TEXT("(Lc;)V")),
        .id = 7,
        .access_flags = 9,
    };
    cls = (struct plan_class){
        .name = mb_intern_add(names, MB_TEXT("a/b")),
        .original_name = mb_intern_add(names, MB_TEXT("com/app/Main")),
        .method_count = 1,
        .methods = &method,
    };
}

static void finish_describe(void)
{
    mb_intern_destroy(names);
}

TestSuite(describe, .init = init_describe, .fini = finish_describe);

/* As a line of the method map. */
static void expect_line(const struct plan_describer *describer, const char *expected)
{
    struct mb_arena arena = {0};
    struct mb_buf out = {0};
    struct plan_described_class described;
    struct abi_method result;

    cr_assert(eq(int, plan_describe_class(describer, &cls, &arena, &described, NULL), MB_OK));
    cr_assert(eq(int, plan_describe_method(&described, &method, &result, NULL), MB_OK));
    abi_methodmap_put_line(&out, &result);
    mb_buf_put_u1(&out, '\0');
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
    mb_arena_finish(&arena);
}

Test(describe, matrix_says_deprecated_and_leaves_out_descriptors_of_natives)
{
    struct plan_describer describer = {.names = names};

    cls.original_name = cls.name;
    method.access_flags = NATIVE;
    method.is_deprecated = true;
    expect_line(&describer, "7,256,a.b a (Lc;)V\n");
    describer.profile = RULE_PROFILE_MATRIX;
    expect_line(&describer, "7,131328,a.b a\n");
    method.access_flags = 1;
    expect_line(&describer, "7,131073,a.b a (Lc;)V\n");
    method.is_deprecated = false;
    expect_line(&describer, "7,1,a.b a (Lc;)V\n");
}
