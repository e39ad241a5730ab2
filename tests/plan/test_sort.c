/* The canonical order: by names, of copies by content, and only then by the order of the inputs. */

#include "instrument/plan/sort.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Against a plain sort, over more classes than a slice holds. */
Test(sort, many_classes_in_slices)
{
    static const size_t count = 5000;
    struct mb_intern *names = mb_intern_create();
    struct mb_workers *workers = mb_workers_create(3);
    struct plan_class *classes = calloc(count, sizeof(*classes));
    struct plan_class **order = calloc(count, sizeof(*order));
    uint32_t seed = 1;

    for (size_t i = 0; i < count; i++) {
        char text[16];
        seed = seed * 1103515245U + 12345U;
        (void)snprintf(text, sizeof(text), "c%u", (seed >> 16) % 3000);
        classes[i].name = classes[i].original_name = mb_intern_add(names, mb_text_of(text));
        classes[i].source = (uint32_t)i;
        order[i] = &classes[i];
    }
    cr_assert(eq(int, plan_sort_classes(order, count, names, workers, NULL), MB_OK));
    for (size_t i = 1; i < count; i++) {
        int way = mb_text_compare(mb_intern_get(names, order[i - 1]->name),
                                  mb_intern_get(names, order[i]->name));
        cr_assert(way < 0 || (way == 0 && order[i - 1]->source < order[i]->source));
    }
    struct plan_class *moved = order[1000];
    memmove(&order[1000], &order[1001], (count - 1001) * sizeof(*order));
    order[count - 1] = moved;
    cr_assert(eq(int, plan_merge_classes(order, count - 1, count, names, NULL), MB_OK));
    cr_assert(eq(ptr, order[1000], moved));
    free(order);
    free(classes);
    mb_workers_destroy(workers);
    mb_intern_destroy(names);
}

struct sort_case {
    const char *original_name;
    const char *name;
    uint32_t size;
    uint32_t content_hash;
    uint32_t source;
    uint32_t entry;
};

/* In canonical order, each decided by another field than the one before. */
static const struct sort_case ordered[] = {
    {"a/A", "x", 9, 9, 9, 9}, {"a/A$1", "c", 9, 9, 9, 9}, {"a/AB", "b", 9, 9, 9, 9},
    {"b/B", "a", 9, 9, 9, 9}, {"b/B", "b", 8, 9, 9, 9},   {"b/B", "b", 9, 1, 9, 9},
    {"b/B", "b", 9, 9, 1, 9}, {"b/B", "b", 9, 9, 9, 1},   {"b/B", "b", 9, 9, 9, 2},
};

#define CASES MB_COUNT(ordered)

struct fixture {
    struct mb_intern *names;
    struct mb_workers *workers;
    struct plan_class classes[CASES];
    struct plan_class *order[CASES];
};

static void init(struct fixture *f)
{
    f->names = mb_intern_create();
    f->workers = mb_workers_create(1);
    for (size_t i = 0; i < CASES; i++) {
        f->classes[i] = (struct plan_class){
            .original_name = mb_intern_add(f->names, mb_text_of(ordered[i].original_name)),
            .name = mb_intern_add(f->names, mb_text_of(ordered[i].name)),
            .size = ordered[i].size,
            .content_hash = ordered[i].content_hash,
            .source = ordered[i].source,
            .entry = ordered[i].entry,
        };
    }
}

static void finish(struct fixture *f)
{
    mb_workers_destroy(f->workers);
    mb_intern_destroy(f->names);
}

static void expect_order(const struct fixture *f)
{
    for (size_t i = 0; i < CASES; i++) {
        cr_expect(eq(sz, (size_t)(f->order[i] - f->classes), i));
    }
}

Test(sort, names_go_before_contents_before_places)
{
    struct fixture f;

    init(&f);
    for (size_t step = 1; step < CASES; step++) { /* 9 is no prime, so some pass over classes */
        for (size_t i = 0; i < CASES; i++) {
            f.order[i] = &f.classes[CASES - 1 - i];
        }
        struct plan_class *moved = f.order[0];
        f.order[0] = f.order[step];
        f.order[step] = moved;
        cr_assert(eq(int, plan_sort_classes(f.order, CASES, f.names, f.workers, NULL), MB_OK));
        expect_order(&f);
    }
    finish(&f);
}

Test(sort, two_halves_are_merged_wherever_they_part)
{
    struct fixture f;

    init(&f);
    for (uint32_t chosen = 0; chosen < 1u << CASES; chosen++) {
        size_t middle = 0;
        for (size_t i = 0; i < CASES; i++) {
            if (chosen >> i & 1) {
                f.order[middle++] = &f.classes[i];
            }
        }
        for (size_t i = 0, at = middle; i < CASES; i++) {
            if (!(chosen >> i & 1)) {
                f.order[at++] = &f.classes[i];
            }
        }
        cr_assert(eq(int, plan_merge_classes(f.order, middle, CASES, f.names, NULL), MB_OK));
        expect_order(&f);
    }
    finish(&f);
}

/* Not what only one of the two names has in common. */
Test(sort, copies_have_both_names)
{
    static const size_t ends[CASES] = {1, 2, 3, 4, 9, 9, 9, 9, 9};
    struct fixture f;

    init(&f);
    for (size_t i = 0; i < CASES; i++) {
        f.order[i] = &f.classes[i];
    }
    for (size_t i = 0; i < CASES; i++) {
        cr_expect(eq(sz, plan_end_of_copies(f.order, CASES, i), ends[i]), "from %zu", i);
    }
    finish(&f);
}

Test(sort, methods_are_the_same_if_lists_say_the_same)
{
    struct mb_intern *names = mb_intern_create();
    struct plan_method some[2] = {
        {.name = mb_intern_add(names, MB_TEXT("go")), .verdict = RULE_TRACE, .id = 1},
        {.name = mb_intern_add(names, MB_TEXT("stop")), .verdict = RULE_IGNORE},
    };
    struct plan_method other[2];
    struct plan_class a = {.method_count = 2, .methods = some};
    struct plan_class b = {.method_count = 2, .methods = other};

    memcpy(other, some, sizeof(other));
    other[0].id = 7;
    other[0].rule = 3;
    cr_expect(plan_has_same_methods(names, &a, &b));
    b.method_count = 1;
    cr_expect(not(plan_has_same_methods(names, &a, &b)));
    b.method_count = 2;
    other[1].verdict = RULE_TRACE;
    cr_expect(not(plan_has_same_methods(names, &a, &b)));
    other[1] = some[1];
    other[1].access_flags = 1;
    cr_expect(not(plan_has_same_methods(names, &a, &b)));
    other[1] = some[1];
    other[1].is_deprecated = true;
    cr_expect(not(plan_has_same_methods(names, &a, &b)));
    other[1] = some[0];
    cr_expect(not(plan_has_same_methods(names, &a, &b)));
    other[1] = some[1];
    other[0].descriptor = some[0].name;
    cr_expect(not(plan_has_same_methods(names, &a, &b)));
    mb_intern_destroy(names);
}
