#include "rules/activities.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#define ABSENT RULE_FOCUS_METHOD_ABSENT
#define OPEN RULE_FOCUS_METHOD_OPEN
#define FINAL RULE_FOCUS_METHOD_FINAL
#define USELESS RULE_FOCUS_METHOD_USELESS

enum kind { INPUT, BLOCKED, CLASS_PATH };

struct row {
    const char *name;
    const char *super;
    enum kind kind;
    enum rule_focus_method method;
    enum rule_focus focus; /* expected */
};

#define NONE RULE_FOCUS_NONE
#define ADD RULE_FOCUS_ADD
#define ENTRY RULE_FOCUS_ENTRY
#define ACTIVITY "android/app/Activity"

struct activities_case {
    const char *what;
    struct row rows[6]; /* until a name is NULL */
};

static const struct activities_case cases[] = {
    {"a direct subclass", {{"A", ACTIVITY, INPUT, ABSENT, ADD}}},
    {"one with the method", {{"A", ACTIVITY, INPUT, OPEN, ENTRY}}},
    {"one with a final method", {{"A", ACTIVITY, INPUT, FINAL, ENTRY}}},
    {"abstract, native, static or private", {{"A", ACTIVITY, INPUT, USELESS, NONE}}},
    {"no Activity",
     {{"A", "java/lang/Object", INPUT, OPEN, NONE}, {"B", "A", INPUT, ABSENT, NONE}}},
    {"an unknown superclass", {{"A", "x/BaseActivity", INPUT, ABSENT, NONE}}},
    {"known names",
     {{"A", "android/app/ListActivity", INPUT, ABSENT, ADD},
      {"B", "android/support/v7/app/AppCompatActivity", INPUT, ABSENT, ADD},
      {"C", "androidx/activity/ComponentActivity", INPUT, ABSENT, ADD},
      {"D", "androidx/core/app/ComponentActivity", INPUT, ABSENT, ADD},
      {"E", "android/app/NativeActivity", INPUT, ABSENT, ADD},
      {"F", "named/ByUser", INPUT, ABSENT, ADD}}},
    {"a chain, subclass first",
     {{"C", "B", INPUT, ABSENT, ADD},
      {"B", "A", INPUT, OPEN, ENTRY},
      {"A", ACTIVITY, INPUT, ABSENT, ADD}}},
    {"a chain over the class path",
     {{"B", "A", INPUT, ABSENT, ADD}, {"A", ACTIVITY, CLASS_PATH, ABSENT, NONE}}},
    {"a known name is not believed if its class is there",
     {{"android/app/TabActivity", "java/lang/Object", CLASS_PATH, ABSENT, NONE},
      {"B", "android/app/TabActivity", INPUT, ABSENT, NONE}}},
    {"Activity itself is among the inputs",
     {{ACTIVITY, "java/lang/Object", INPUT, OPEN, NONE}, {"B", ACTIVITY, INPUT, ABSENT, ADD}}},
    {"final in an input: the call goes there",
     {{"A", ACTIVITY, INPUT, FINAL, ENTRY},
      {"B", "A", INPUT, ABSENT, NONE},
      {"C", "B", INPUT, ABSENT, NONE}}},
    {"final on the class path: no call",
     {{"A", ACTIVITY, CLASS_PATH, FINAL, NONE}, {"B", "A", INPUT, ABSENT, NONE}}},
    {"blocked: nothing",
     {{"A", ACTIVITY, BLOCKED, ABSENT, NONE}, {"B", ACTIVITY, BLOCKED, OPEN, NONE}}},
    {"blocked, but a traced subclass needs it",
     {{"A", ACTIVITY, BLOCKED, FINAL, ENTRY}, {"B", "A", INPUT, ABSENT, NONE}}},
    {"blocked, as its subclass",
     {{"A", ACTIVITY, BLOCKED, FINAL, NONE}, {"B", "A", BLOCKED, ABSENT, NONE}}},
    {"blocked and open", {{"A", ACTIVITY, BLOCKED, OPEN, NONE}, {"B", "A", INPUT, ABSENT, ADD}}},
    {"below an abstract one there is no super to call",
     {{"A", ACTIVITY, INPUT, USELESS, NONE},
      {"B", "A", INPUT, ABSENT, NONE},
      {"C", "B", INPUT, OPEN, ENTRY},
      {"D", "C", INPUT, ABSENT, ADD}}},
    {"a cycle",
     {{"A", "B", INPUT, ABSENT, NONE},
      {"B", "C", INPUT, OPEN, NONE},
      {"C", "A", INPUT, ABSENT, NONE},
      {"D", "C", INPUT, ABSENT, NONE}}},
    {"its own superclass", {{"A", "A", INPUT, ABSENT, NONE}, {"B", "A", INPUT, ABSENT, NONE}}},
    {"the input's class counts, not the class path's",
     {{"A", "java/lang/Object", CLASS_PATH, ABSENT, ADD}, {"A", ACTIVITY, INPUT, ABSENT, ADD}}},
    {"of two inputs the first",
     {{"A", ACTIVITY, INPUT, OPEN, ENTRY}, {"A", "java/lang/Object", INPUT, ABSENT, ENTRY}}},
    {"known by its original name", {{"A", "q/a", INPUT, ABSENT, ADD}}},
};

EACH_ROW(activities, decides, cases);

static void add(struct rule_activities *activities, const struct row *row)
{
    struct rule_class_fact fact = {.name = mb_text_of(row->name),
                                   .super_name = mb_text_of(row->super),
                                   .focus_method = row->method,
                                   .is_input = row->kind != CLASS_PATH,
                                   .is_blocked = row->kind == BLOCKED};

    cr_assert(eq(int, rule_activities_add(activities, &fact, NULL), MB_OK));
}

ParameterizedTest(size_t *row, activities, decides)
{
    const struct activities_case *c = &cases[*row];
    struct rule_activities *activities = rule_activities_create();
    struct rule_mapping *names = NULL;
    size_t count = 0;

    cr_assert(eq(int,
                 rule_mapping_parse(
                     &names, MB_TEXT("androidx.fragment.app.FragmentActivity -> q.a:"), "m", NULL),
                 MB_OK));
    cr_assert(eq(int, rule_activities_add_known(activities, MB_TEXT("named/ByUser"), NULL), MB_OK));
    for (; count < MB_COUNT(c->rows) && c->rows[count].name != NULL; count++) {
        add(activities, &c->rows[count]);
    }
    cr_assert(eq(int, rule_activities_resolve(activities, names, NULL), MB_OK));
    for (size_t i = 0; i < count; i++) {
        cr_expect(eq(int, rule_activities_focus(activities, mb_text_of(c->rows[i].name)),
                     c->rows[i].focus),
                  "%s: %s", c->what, c->rows[i].name);
    }
    cr_expect(eq(int, rule_activities_focus(activities, MB_TEXT("never/Added")), RULE_FOCUS_NONE));
    rule_activities_destroy(activities);
    rule_mapping_destroy(names);
}

Test(activities, a_deep_chain_neither_recurses_nor_takes_quadratic_time)
{
    enum { DEPTH = 200000 };
    static char texts[DEPTH + 1][12];
    struct rule_activities *activities = rule_activities_create();

    for (size_t i = 0; i <= DEPTH; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "c%zu", i);
    }
    for (size_t i = DEPTH; i > 0; i--) {
        add(activities,
            &(struct row){texts[i], i == 1 ? ACTIVITY : texts[i - 1], INPUT, ABSENT, ADD});
    }
    cr_assert(eq(int, rule_activities_resolve(activities, NULL, NULL), MB_OK));
    cr_expect(eq(int, rule_activities_focus(activities, mb_text_of(texts[DEPTH])), RULE_FOCUS_ADD));
    rule_activities_destroy(activities);
}
