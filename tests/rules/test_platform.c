/* What the table of platforms says of well-known types. */

#include "rules/platform.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

struct declared_case {
    const char *type;
    const char *name;
    const char *descriptor;
    bool is_declared;
};

static const struct declared_case declared_cases[] = {
    {"java/lang/Object", "toString", "()Ljava/lang/String;", true},
    {"java/lang/Object", "equals", "(Ljava/lang/Object;)Z", true},
    {"java/lang/Object", "getClass", "()Ljava/lang/Class;", false}, /* final */
    {"java/lang/Object", "toString", "()V", false},
    {"java/lang/Runnable", "run", "()V", true},
    {"java/lang/Thread", "run", "()V", false}, /* Runnable's */
    {"java/lang/Thread", "start", "()V", true},
    {"java/util/concurrent/Callable", "call", "()Ljava/lang/Object;", true},
    {"java/util/AbstractList", "removeRange", "(II)V", true},
    {"java/util/List", "of", "()Ljava/util/List;", false}, /* static */
    {"com/sun/net/httpserver/HttpHandler", "handle", "(Lcom/sun/net/httpserver/HttpExchange;)V",
     true},
    {"android/app/Activity", "onCreate", "(Landroid/os/Bundle;)V", true},
    {"android/view/View", "onDraw", "(Landroid/graphics/Canvas;)V", true},
    {"android/view/View$OnClickListener", "onClick", "(Landroid/view/View;)V", true},
    {"android/os/Handler", "handleMessage", "(Landroid/os/Message;)V", true},
};

ParameterizedTestParameters(platform, declares)
{
    static size_t rows[MB_COUNT(declared_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

ParameterizedTest(size_t *row, platform, declares)
{
    const struct declared_case *c = &declared_cases[*row];
    uint32_t type = rule_platform_find(mb_text_of(c->type));
    uint32_t key = rule_method_key(mb_text_of(c->name), mb_text_of(c->descriptor));

    cr_assert(ne(u32, type, RULE_NO_PLATFORM_TYPE), "%s", c->type);
    cr_expect(eq(int, rule_platform_declares(type, key), c->is_declared), "%s.%s%s", c->type,
              c->name, c->descriptor);
}

/* Whatever any type has. */
Test(platform, knows_the_methods_of_all_types)
{
    for (size_t i = 0; i < MB_COUNT(declared_cases); i++) {
        const struct declared_case *c = &declared_cases[i];
        uint32_t key = rule_method_key(mb_text_of(c->name), mb_text_of(c->descriptor));
        bool is_known = c->is_declared || strcmp(c->type, "java/lang/Thread") == 0;
        cr_expect(eq(int, rule_platform_knows(key), is_known), "%s%s", c->name, c->descriptor);
    }
    for (size_t i = 0; i < rule_platform_types[rule_platform_type_count].methods; i++) {
        cr_assert(rule_platform_knows(rule_platform_methods[i]), "%zu", i);
    }
}

/* About as many of others as the table fills of all keys. */
Test(platform, knows_hardly_any_other_method)
{
    char name[32];
    size_t known = 0;

    for (size_t i = 0; i < 10000; i++) {
        (void)snprintf(name, sizeof(name), "method%zu", i);
        known += rule_platform_knows(rule_method_key(mb_text_of(name), MB_TEXT("(IJ)V")));
    }
    cr_expect(lt(sz, known, 100));
}

/* What nobody can extend, or does not exist. */
Test(platform, lists_what_programs_may_extend)
{
    static const char *const absent[] = {"java/lang/String", "java/lang/Runnables",
                                         "sun/nio/ch/SelectorImpl", "kotlin/Function", ""};

    for (size_t i = 0; i < MB_COUNT(absent); i++) {
        cr_expect(eq(u32, rule_platform_find(mb_text_of(absent[i])), RULE_NO_PLATFORM_TYPE), "%s",
                  absent[i]);
    }
}

static bool extends(uint32_t type, uint32_t super)
{
    for (uint32_t i = rule_platform_types[type].supers; i < rule_platform_types[type + 1].supers;
         i++) {
        if (rule_platform_supers[i] == super || extends(rule_platform_supers[i], super)) {
            return true;
        }
    }
    return false;
}

Test(platform, knows_supertypes)
{
    uint32_t list = rule_platform_find(MB_TEXT("java/util/ArrayList"));

    cr_expect(extends(list, rule_platform_find(MB_TEXT("java/util/Collection"))));
    cr_expect(not(extends(list, rule_platform_find(MB_TEXT("java/util/Map")))));
}
