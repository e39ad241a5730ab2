#include "rules/activities.h"

#include "base/strmap.h"

#include <stdlib.h>

/* Known Activities of the framework and the support libraries, as android.jar would show them. */
static const struct mb_text known_activities[] = {
    MB_TEXT_ROW("android/app/Activity"),
    MB_TEXT_ROW("android/accounts/AccountAuthenticatorActivity"),
    MB_TEXT_ROW("android/app/ActivityGroup"),
    MB_TEXT_ROW("android/app/AliasActivity"),
    MB_TEXT_ROW("android/app/ExpandableListActivity"),
    MB_TEXT_ROW("android/app/LauncherActivity"),
    MB_TEXT_ROW("android/app/ListActivity"),
    MB_TEXT_ROW("android/app/NativeActivity"),
    MB_TEXT_ROW("android/app/TabActivity"),
    MB_TEXT_ROW("android/preference/PreferenceActivity"),
    MB_TEXT_ROW("android/support/v4/app/FragmentActivity"),
    MB_TEXT_ROW("android/support/v4/app/SupportActivity"),
    MB_TEXT_ROW("android/support/v7/app/ActionBarActivity"),
    MB_TEXT_ROW("android/support/v7/app/AppCompatActivity"),
    MB_TEXT_ROW("android/support/wearable/activity/WearableActivity"),
    MB_TEXT_ROW("androidx/activity/ComponentActivity"),
    MB_TEXT_ROW("androidx/appcompat/app/AppCompatActivity"),
    MB_TEXT_ROW("androidx/core/app/ComponentActivity"),
    MB_TEXT_ROW("androidx/fragment/app/FragmentActivity"),
    MB_TEXT_ROW("com/google/android/maps/MapActivity"),
};

enum state {
    STATE_NEW,
    STATE_ON_PATH, /* its superclasses are being looked at */
    STATE_DONE,
};

struct node {
    struct rule_class_fact fact;
    struct node *next;    /* in the order of adding */
    struct node *super;   /* NULL: not among the facts */
    struct node *decides; /* the nearest class, itself included, that has the method; or NULL */
    enum state state;
    bool is_activity;
    bool is_needed; /* a subclass that wants the call cannot override the method */
};

struct rule_activities {
    struct mb_arena arena;
    struct mb_strmap classes; /* name -> struct node */
    struct mb_strmap known;   /* name -> not NULL */
    struct node *first;
    struct node **last;
};

static bool add_known(struct rule_activities *activities, struct mb_text name)
{
    void **slot = mb_strmap_slot(&activities->known, name.data, name.size);

    if (slot != NULL) {
        *slot = activities;
    }
    return slot != NULL;
}

struct rule_activities *rule_activities_create(void)
{
    struct rule_activities *activities = calloc(1, sizeof(*activities));
    bool is_filled = activities != NULL;

    for (size_t i = 0; is_filled && i < MB_COUNT(known_activities); i++) {
        is_filled = add_known(activities, known_activities[i]);
    }
    if (!is_filled) {
        rule_activities_destroy(activities);
        return NULL;
    }
    activities->last = &activities->first;
    return activities;
}

void rule_activities_destroy(struct rule_activities *activities)
{
    if (activities != NULL) {
        mb_strmap_finish(&activities->classes);
        mb_strmap_finish(&activities->known);
        mb_arena_finish(&activities->arena);
        free(activities);
    }
}

enum mb_status rule_activities_add_known(struct rule_activities *activities, struct mb_text name,
                                         struct mb_error *err)
{
    return add_known(activities, name) ? MB_OK : mb_fail_memory(err);
}

static enum rule_focus_method focus_method_of(uint16_t access_flags)
{
    const unsigned useless = CF_ACC_STATIC | CF_ACC_ABSTRACT | CF_ACC_NATIVE | CF_ACC_PRIVATE;

    if ((access_flags & useless) != 0) {
        return RULE_FOCUS_METHOD_USELESS;
    }
    return (access_flags & CF_ACC_FINAL) != 0 ? RULE_FOCUS_METHOD_FINAL : RULE_FOCUS_METHOD_OPEN;
}

struct rule_class_fact rule_class_fact_of(const struct cf_class *cls)
{
    struct rule_class_fact fact = {.name = cls->name, .super_name = cls->super_name};

    for (uint16_t i = 0; i < cls->method_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        if (mb_text_is(cf_member_name(cls, method), "onWindowFocusChanged") &&
            mb_text_is(cf_member_descriptor(cls, method), "(Z)V")) {
            fact.focus_method = focus_method_of(method->access_flags);
        }
    }
    return fact;
}

enum mb_status rule_activities_add(struct rule_activities *activities,
                                   const struct rule_class_fact *fact, struct mb_error *err)
{
    void **slot = mb_strmap_slot(&activities->classes, fact->name.data, fact->name.size);

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    struct node *node = *slot;
    if (node != NULL) {
        if (fact->is_input && !node->fact.is_input) {
            node->fact = *fact;
        }
        return MB_OK;
    }
    node = MB_NEW(&activities->arena, struct node);
    if (node == NULL) {
        return mb_fail_memory(err);
    }
    node->fact = *fact;
    *slot = node;
    *activities->last = node;
    activities->last = &node->next;
    return MB_OK;
}

bool rule_activities_knows(const struct rule_activities *activities,
                           const struct rule_mapping *names, struct mb_text name)
{
    struct mb_text original = rule_mapping_class(names, name);

    return mb_strmap_find(&activities->known, name.data, name.size) != NULL ||
           (original.data != name.data &&
            mb_strmap_find(&activities->known, original.data, original.size) != NULL);
}

/* Walk the superclasses from a new class: path gets the new ones, lowest first. True if the chain
 * reaches Activity, a class already known to be one, or a known name outside of the facts. */
static bool climb_to_activity(const struct rule_activities *activities,
                              const struct rule_mapping *names, struct node *node,
                              struct node **path, size_t *path_size)
{
    *path_size = 0;
    while (node->state == STATE_NEW) {
        struct mb_text super = node->fact.super_name;
        node->state = STATE_ON_PATH;
        path[(*path_size)++] = node;
        node->super = mb_strmap_find(&activities->classes, super.data, super.size);
        if (node->super == NULL || mb_text_equal(super, known_activities[0])) {
            return rule_activities_knows(activities, names, super);
        }
        node = node->super;
    }
    return node->state == STATE_DONE && node->is_activity; /* else a cycle */
}

static void decide_node(struct node *node, bool is_activity)
{
    node->state = STATE_DONE;
    node->is_activity = is_activity;
    if (node->fact.focus_method != RULE_FOCUS_METHOD_ABSENT) {
        node->decides = node;
    } else if (node->super != NULL) {
        node->decides = node->super->decides;
    }
}

static bool wants_call(const struct node *node)
{
    return node->is_activity && node->fact.is_input && !node->fact.is_blocked;
}

enum mb_status rule_activities_resolve(struct rule_activities *activities,
                                       const struct rule_mapping *names, struct mb_error *err)
{
    size_t path_size = 0;
    struct node **path =
        MB_NEW_ARRAY(&activities->arena, struct node *, activities->classes.count + 1);

    if (path == NULL) {
        return mb_fail_memory(err);
    }
    for (struct node *node = activities->first; node != NULL; node = node->next) {
        bool is_activity = climb_to_activity(activities, names, node, path, &path_size);
        while (path_size > 0) {
            decide_node(path[--path_size], is_activity);
        }
    }
    for (struct node *node = activities->first; node != NULL; node = node->next) {
        if (wants_call(node) && node->decides != NULL) {
            node->decides->is_needed = true;
        }
    }
    return MB_OK;
}

/* The action for a class without the method, given the nearest superclass that has it. */
static enum rule_focus focus_below(const struct node *above)
{
    return above == NULL || above->fact.focus_method == RULE_FOCUS_METHOD_OPEN ? RULE_FOCUS_ADD
                                                                               : RULE_FOCUS_NONE;
}

enum rule_focus rule_activities_focus(const struct rule_activities *activities, struct mb_text name)
{
    const struct node *node = mb_strmap_find(&activities->classes, name.data, name.size);

    if (node == NULL || !node->is_activity || !node->fact.is_input) {
        return RULE_FOCUS_NONE;
    }
    switch (node->fact.focus_method) {
    case RULE_FOCUS_METHOD_ABSENT:
        return wants_call(node) ? focus_below(node->decides) : RULE_FOCUS_NONE;
    case RULE_FOCUS_METHOD_OPEN:
        return wants_call(node) ? RULE_FOCUS_ENTRY : RULE_FOCUS_NONE;
    case RULE_FOCUS_METHOD_FINAL:
        return wants_call(node) || node->is_needed ? RULE_FOCUS_ENTRY : RULE_FOCUS_NONE;
    case RULE_FOCUS_METHOD_USELESS:
        break;
    }
    return RULE_FOCUS_NONE;
}
