#include "instrument/plan/activities.h"

struct finder {
    const struct plan_focus_request *request;
    struct rule_activities *activities;
};

static enum mb_status add_input(struct finder *finder, const struct plan_class *cls,
                                struct mb_error *err)
{
    const struct mb_intern *names = finder->request->names;
    struct rule_class_fact fact = {
        .name = mb_intern_get(names, cls->name),
        .super_name = mb_intern_get(names, cls->super_name),
        .focus_method = (enum rule_focus_method)cls->focus_method,
        .is_input = true,
        .is_blocked = cls->is_blocked,
    };

    return rule_activities_add(finder->activities, &fact, err);
}

static enum mb_status add_inputs(struct finder *finder, struct mb_error *err)
{
    for (size_t i = 0; i < finder->request->class_count; i++) {
        MB_TRY(add_input(finder, finder->request->classes[i], err));
    }
    return MB_OK;
}

static enum mb_status add_libraries(struct finder *finder, struct mb_error *err)
{
    const struct plan_library *library = finder->request->library;
    const struct mb_intern *names = finder->request->names;

    for (size_t i = 0; i < library->count; i++) {
        const struct plan_library_class *cls = &library->classes[i];
        struct rule_class_fact fact = {
            .name = mb_intern_get(names, cls->name),
            .super_name = mb_intern_get(names, cls->super_name),
            .focus_method = cls->focus_method,
        };
        MB_TRY(rule_activities_add(finder->activities, &fact, err));
    }
    return MB_OK;
}

/* The verdict belongs to the name; copies of a class may lack the method, and the last run may have
 * found one damaged. */
static enum weave_focus focus_of(const struct plan_class *cls)
{
    if (cls->is_instrumented || !cls->is_readable) {
        return WEAVE_FOCUS_NONE;
    }
    switch ((enum rule_focus_method)cls->focus_method) {
    case RULE_FOCUS_METHOD_ABSENT:
        return cls->is_blocked ? WEAVE_FOCUS_NONE : WEAVE_FOCUS_ADD;
    case RULE_FOCUS_METHOD_OPEN:
    case RULE_FOCUS_METHOD_FINAL:
        return WEAVE_FOCUS_ENTRY;
    case RULE_FOCUS_METHOD_USELESS:
        return WEAVE_FOCUS_NONE;
    }
    return WEAVE_FOCUS_NONE;
}

static enum rule_focus look_up(const struct finder *finder, const struct plan_class *cls)
{
    struct mb_text name = mb_intern_get(finder->request->names, cls->name);

    return rule_activities_focus(finder->activities, name);
}

/* A class has at most 65,535 methods (JVMS §4.11). */
static enum mb_status warn_full(const struct plan_focus_request *request,
                                const struct plan_class *cls, struct mb_error *err)
{
    struct mb_error reason;

    (void)mb_fail(&reason, MB_TOO_LARGE, MB_NO_OFFSET,
                  "no room for onWindowFocusChanged beside 65535 methods");
    return plan_warn_class(request->warnings, &request->sources->items[cls->source], cls, &reason,
                           err);
}

enum mb_status plan_set_focus(const struct plan_focus_request *request, struct plan_class *cls,
                              bool is_activity, struct mb_error *err)
{
    enum weave_focus focus = is_activity ? focus_of(cls) : WEAVE_FOCUS_NONE;

    if (focus == WEAVE_FOCUS_ADD && cls->method_count == UINT16_MAX && !cls->has_keys) {
        MB_TRY(warn_full(request, cls, err));
        focus = WEAVE_FOCUS_NONE;
    }
    if (cls->focus != focus) {
        cls->focus = (uint8_t)focus;
        request->sources->items[cls->source].is_output_current = false;
    }
    return MB_OK;
}

static enum mb_status assign_focus(const struct finder *finder, bool has_activities,
                                   struct mb_error *err)
{
    for (size_t i = 0; i < finder->request->class_count; i++) {
        struct plan_class *cls = finder->request->classes[i];
        bool is_activity = has_activities && look_up(finder, cls) != RULE_FOCUS_NONE;
        MB_TRY(plan_set_focus(finder->request, cls, is_activity, err));
    }
    return MB_OK;
}

/* Every chain of superclasses up to Activity has a class right below a known one. Without such a
 * class, as in a program that is not for Android, no lookup is needed. */
static bool may_have_activities(const struct finder *finder)
{
    const struct plan_focus_request *request = finder->request;
    uint32_t last = MB_INTERN_NONE; /* neighbours often have the same superclass */

    for (size_t i = 0; i < request->class_count; i++) {
        uint32_t super_name = request->classes[i]->super_name;
        if (super_name != last &&
            rule_activities_knows(finder->activities, request->mapping,
                                  mb_intern_get(request->names, super_name))) {
            return true;
        }
        last = super_name;
    }
    return request->library->count > 0;
}

static enum mb_status find_activities(struct finder *finder, struct mb_error *err)
{
    const struct plan_focus_request *request = finder->request;

    for (size_t i = 0; i < request->known_count; i++) {
        MB_TRY(rule_activities_add_known(finder->activities, mb_text_of(request->known[i]), err));
    }
    bool has_activities = may_have_activities(finder);
    if (has_activities) {
        MB_TRY(add_inputs(finder, err));
        MB_TRY(add_libraries(finder, err));
        MB_TRY(rule_activities_resolve(finder->activities, request->mapping, err));
    }
    return assign_focus(finder, has_activities, err);
}

enum mb_status plan_assign_focus(const struct plan_focus_request *request, struct mb_error *err)
{
    struct finder finder = {request, rule_activities_create()};
    enum mb_status status =
        finder.activities != NULL ? find_activities(&finder, err) : mb_fail_memory(err);

    rule_activities_destroy(finder.activities);
    return status;
}
