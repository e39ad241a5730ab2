/* Which classes are Activities, and where onWindowFocusChanged(Z)V gets its call of at. */

#ifndef RULES_ACTIVITIES_H
#define RULES_ACTIVITIES_H

#include "classfile/class.h"
#include "rules/mapping.h"

/* A class's own declaration of onWindowFocusChanged(Z)V. */
enum rule_focus_method {
    RULE_FOCUS_METHOD_ABSENT,
    RULE_FOCUS_METHOD_OPEN,
    RULE_FOCUS_METHOD_FINAL,
    RULE_FOCUS_METHOD_USELESS, /* abstract, native, static or private: cannot take a probe, and
                                * hides the inherited one */
};

/* The action for a class. */
enum rule_focus {
    RULE_FOCUS_NONE,
    RULE_FOCUS_ADD,   /* add an override that calls super, then at */
    RULE_FOCUS_ENTRY, /* the class's own method calls at as it is entered */
};

/* One class of the inputs or of the class path. Texts are borrowed until the activities are
 * finished. */
struct rule_class_fact {
    struct mb_text name;       /* as in the class file */
    struct mb_text super_name; /* may be empty */
    enum rule_focus_method focus_method;
    bool is_input;   /* of the inputs: it can be rewritten. Otherwise of the class path */
    bool is_blocked; /* rule_class.is_blocked: gets no method for its own sake */
};

/* The fact that a parsed class states. */
struct rule_class_fact rule_class_fact_of(const struct cf_class *cls);

/* Opaque: all facts, later their verdicts. NULL when out of memory. Free with
 * rule_activities_destroy. */
struct rule_activities;
struct rule_activities *rule_activities_create(void);
void rule_activities_destroy(struct rule_activities *activities);

/* Add a class outside the inputs that is an Activity; internal form, borrowed. The framework's and
 * the support libraries' are known. */
MB_MUST_CHECK enum mb_status rule_activities_add_known(struct rule_activities *activities,
                                                       struct mb_text name, struct mb_error *err);

/* True if the name, or the original of an obfuscated one, is one of these. names may be NULL. */
bool rule_activities_knows(const struct rule_activities *activities,
                           const struct rule_mapping *names, struct mb_text name);

/* Of two facts with one name the first counts, but those of inputs precede those of the class
 * path. */
MB_MUST_CHECK enum mb_status rule_activities_add(struct rule_activities *activities,
                                                 const struct rule_class_fact *fact,
                                                 struct mb_error *err);

/* Decide all, once, after the last fact. Known names are also looked up through names, which may
 * be NULL. Time is linear in the number of classes; cycles of superclasses are not Activities. */
MB_MUST_CHECK enum mb_status rule_activities_resolve(struct rule_activities *activities,
                                                     const struct rule_mapping *names,
                                                     struct mb_error *err);

/* RULE_FOCUS_NONE for classes never added. Many threads may ask after the resolve. */
enum rule_focus rule_activities_focus(const struct rule_activities *activities,
                                      struct mb_text name);

#endif
