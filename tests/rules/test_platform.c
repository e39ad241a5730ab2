/* What the list of the platforms says of well-known names. */

#include "rules/platform.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

static bool knows(const char *name, const char *descriptor)
{
    return rule_platform_knows(rule_method_key(mb_text_of(name), mb_text_of(descriptor)));
}

Test(platform, knows_what_can_be_overridden)
{
    static const struct {
        const char *name;
        const char *descriptor;
        bool is_known;
    } cases[] = {
        {"toString", "()Ljava/lang/String;", true},
        {"equals", "(Ljava/lang/Object;)Z", true},
        {"getClass", "()Ljava/lang/Class;", false}, /* final */
        {"toString", "()V", false},
        {"run", "()V", true},
        {"call", "()Ljava/lang/Object;", true},
        {"removeRange", "(II)V", true},             /* protected, of an abstract class */
        {"emptyList", "()Ljava/util/List;", false}, /* static */
        {"handle", "(Lcom/sun/net/httpserver/HttpExchange;)V", true},
        {"onCreate", "(Landroid/os/Bundle;)V", true},
        {"onDraw", "(Landroid/graphics/Canvas;)V", true},
        {"onClick", "(Landroid/view/View;)V", true},
        {"handleMessage", "(Landroid/os/Message;)V", true},
    };

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        cr_expect(eq(int, knows(cases[i].name, cases[i].descriptor), cases[i].is_known), "%s%s",
                  cases[i].name, cases[i].descriptor);
    }
}

/* About as many of others as the list fills of all keys. */
Test(platform, knows_hardly_any_other_method)
{
    char name[32];
    size_t known = 0;

    for (size_t i = 0; i < 10000; i++) {
        (void)snprintf(name, sizeof(name), "method%zu", i);
        known += knows(name, "(IJ)V");
    }
    cr_expect(lt(sz, known, 100));
}

Test(platform, has_the_packages_whose_types_programs_may_extend)
{
    static const char *const present[] = {"java/lang/Runnable", "java/util/Map$Entry",
                                          "android/app/Activity", "org/xml/sax/ContentHandler"};
    static const char *const absent[] = {"java/Runnable",
                                         "sun/nio/ch/SelectorImpl",
                                         "android/support/v4/app/Fragment",
                                         "kotlin/Function",
                                         "Plain",
                                         "/Plain",
                                         ""};

    for (size_t i = 0; i < MB_COUNT(present); i++) {
        cr_expect(rule_platform_has(mb_text_of(present[i])), "%s", present[i]);
    }
    for (size_t i = 0; i < MB_COUNT(absent); i++) {
        cr_expect(not(rule_platform_has(mb_text_of(absent[i]))), "%s", absent[i]);
    }
}
