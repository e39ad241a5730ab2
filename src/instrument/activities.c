/* Which classes of the inputs are Activities: their superclasses may be in other inputs or in jars
 * of the class path, of which only the headers count. */

#include "instrument/run.h"

struct finder {
    struct ins_run *run;
    struct rule_activities *activities;
};

static enum mb_status add_input(struct finder *finder, const struct ins_class *cls,
                                struct mb_error *err)
{
    const struct ins_names *names = finder->run->names;
    struct rule_class_fact fact = {
        .name = ins_names_get(names, cls->name),
        .super_name = ins_names_get(names, cls->super_name),
        .focus_method = (enum rule_focus_method)cls->focus_method,
        .is_input = true,
        .is_blocked = cls->is_blocked,
    };

    return rule_activities_add(finder->activities, &fact, err);
}

static enum mb_status add_inputs(struct finder *finder, struct mb_error *err)
{
    for (size_t i = 0; i < finder->run->class_count; i++) {
        MB_TRY(add_input(finder, finder->run->classes[i], err));
    }
    return MB_OK;
}

/* Texts of the fact view the class, which goes: keep them. */
static enum mb_status add_library_class(struct finder *finder, const struct cf_class *cls,
                                        struct mb_error *err)
{
    struct ins_names *names = finder->run->names;
    struct rule_class_fact fact = rule_class_fact_of(cls);

    fact.name = ins_names_get(names, ins_names_add(names, fact.name));
    fact.super_name = ins_names_get(names, ins_names_add(names, fact.super_name));
    fact.is_input = false;
    return fact.name.size > 0 ? rule_activities_add(finder->activities, &fact, err)
                              : mb_fail_memory(err);
}

/* A class that cannot be parsed tells nothing; it is none of ours to complain about. */
static enum mb_status add_library(struct finder *finder, const struct ar_input *archive,
                                  struct mb_error *err)
{
    struct ins_scratch *scratch = &finder->run->scratch[0];
    struct cf_class cls;
    struct mb_text content;

    MB_TRY(ins_scratch_prepare(finder->run, 0, err));
    for (size_t i = 0; i < ar_input_count(archive); i++) {
        if (ar_input_entry(archive, i)->kind != AR_ENTRY_CLASS) {
            continue;
        }
        MB_TRY(ar_entry_read(archive, i, scratch->codec, &scratch->content, &content, err));
        mb_arena_reset(&scratch->arena);
        if (cf_class_parse(&cls, &scratch->arena, (const uint8_t *)content.data, content.size,
                           err) == MB_OK) {
            MB_TRY(add_library_class(finder, &cls, err));
        }
    }
    return MB_OK;
}

static enum mb_status add_libraries(struct finder *finder, struct mb_error *err)
{
    const struct ins_list *paths = &finder->run->options->classpath;
    struct ins_sources libraries = {0};
    enum mb_status status =
        ins_sources_open(&libraries, paths->items, paths->count, finder->run->workers, err);

    for (uint32_t i = 0; status == MB_OK && i < libraries.count; i++) {
        status = add_library(finder, libraries.items[i].archive, err);
    }
    ins_sources_finish(&libraries);
    return status;
}

/* The verdict is for the name; copies of a class may differ in whether they have the method, and
 * the last run may have found one broken. */
static enum ins_focus focus_of(const struct ins_class *cls, enum rule_focus verdict)
{
    if (verdict == RULE_FOCUS_NONE || cls->is_instrumented || !cls->is_readable) {
        return INS_FOCUS_NONE;
    }
    switch ((enum rule_focus_method)cls->focus_method) {
    case RULE_FOCUS_METHOD_ABSENT:
        return cls->is_blocked ? INS_FOCUS_NONE : INS_FOCUS_ADD;
    case RULE_FOCUS_METHOD_OPEN:
    case RULE_FOCUS_METHOD_FINAL:
        return INS_FOCUS_ENTRY;
    case RULE_FOCUS_METHOD_USELESS:
        return INS_FOCUS_NONE;
    }
    return INS_FOCUS_NONE;
}

static enum rule_focus look_up(const struct finder *finder, const struct ins_class *cls)
{
    struct mb_text name = ins_names_get(finder->run->names, cls->name);

    return rule_activities_focus(finder->activities, name);
}

/* A class has at most 65,535 methods (JVMS §4.11). */
static enum mb_status warn_full(struct ins_run *run, const struct ins_class *cls,
                                struct mb_error *err)
{
    struct mb_error reason;

    (void)mb_fail(&reason, MB_TOO_LARGE, MB_NO_OFFSET,
                  "no room for onWindowFocusChanged beside 65535 methods");
    return ins_warn_class(run, cls, &reason, err);
}

static enum mb_status assign_focus(const struct finder *finder, bool has_activities,
                                   struct mb_error *err)
{
    for (size_t i = 0; i < finder->run->class_count; i++) {
        struct ins_class *cls = finder->run->classes[i];
        enum ins_focus focus =
            has_activities ? focus_of(cls, look_up(finder, cls)) : INS_FOCUS_NONE;
        if (focus == INS_FOCUS_ADD && cls->method_count == UINT16_MAX) {
            MB_TRY(warn_full(finder->run, cls, err));
            focus = INS_FOCUS_NONE;
        }
        if (cls->focus != focus) {
            cls->focus = (uint8_t)focus;
            finder->run->sources.items[cls->source].is_done = false;
        }
    }
    return MB_OK;
}

/* Every chain of superclasses up to Activity has a class right below a known one. Where there is
 * none, as in a program that is not for Android, nothing needs to be looked up. */
static bool may_have_activities(const struct finder *finder)
{
    const struct ins_run *run = finder->run;
    uint32_t last = INS_NO_NAME; /* neighbours often have the same superclass */

    for (size_t i = 0; i < run->class_count; i++) {
        uint32_t super_name = run->classes[i]->super_name;
        if (super_name != last && rule_activities_knows(finder->activities, run->mapping,
                                                        ins_names_get(run->names, super_name))) {
            return true;
        }
        last = super_name;
    }
    return run->options->classpath.count > 0;
}

static enum mb_status find(struct finder *finder, struct mb_error *err)
{
    const struct ins_list *known = &finder->run->options->activities;

    for (size_t i = 0; i < known->count; i++) {
        MB_TRY(rule_activities_add_known(finder->activities, mb_text_of(known->items[i]), err));
    }
    bool has_activities = may_have_activities(finder);
    if (has_activities) {
        MB_TRY(add_inputs(finder, err));
        MB_TRY(add_libraries(finder, err));
        MB_TRY(rule_activities_resolve(finder->activities, finder->run->mapping, err));
    }
    return assign_focus(finder, has_activities, err);
}

enum mb_status ins_find_activities(struct ins_run *run, struct mb_error *err)
{
    struct finder finder = {run, rule_activities_create()};
    enum mb_status status = finder.activities != NULL ? find(&finder, err) : mb_fail_memory(err);

    rule_activities_destroy(finder.activities);
    return status;
}
