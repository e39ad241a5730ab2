/* The choice of methods that get probes: an ordered table of rules per profile; the first rule that
 * applies decides, and its name is the reason. */

#ifndef RULES_RULE_H
#define RULES_RULE_H

#include "classfile/code.h"

enum rule_profile {
    RULE_PROFILE_DEFAULT,
    RULE_PROFILE_MATRIX, /* exactly the choice of the Matrix plug-in */
};

enum rule_verdict {
    RULE_TRACE,  /* gets probes and an id */
    RULE_IGNORE, /* left alone, listed in ignoreMethodMapping.txt */
    RULE_SKIP,   /* left alone and not listed: abstract, or invisible to upstream */
};

struct rule_decision {
    enum rule_verdict verdict;
    const char *rule;   /* static: the rule's name */
    const char *source; /* "path:line" of the blacklist rule, owned by the set; NULL for others */
};

/* Zeroed memory plus beat_class is a valid default. All borrowed until rule_set_create returns. */
struct rule_options {
    enum rule_profile profile;
    bool drop_default_blacklist;   /* without android/ and com/tencent/matrix/ */
    struct mb_text beat_class;     /* internal form; its package is never traced */
    const char *const *blacklists; /* paths, see README.md for the grammar */
    size_t blacklist_count;
    struct mb_text text;   /* more rules, in the same grammar */
    const char *text_name; /* what messages call it */
};

/* Everything that is fixed for a run. Decisions may be asked for by many threads at once. */
struct rule_set;

/* MB_BAD_TEXT with "path:line" for a malformed rule. *set is NULL on failure. Free with
 * rule_set_destroy. */
MB_MUST_CHECK enum mb_status
rule_set_create(struct rule_set **set, const struct rule_options *options, struct mb_error *err);
void rule_set_destroy(struct rule_set *set);

/* True if a line of the options leaves classes without probes: these
 * may call the others. */
bool rule_set_leaves_classes(const struct rule_set *set);

/* The facts of a class that rules use. Borrowed. Blacklists use original names, so original_name is
 * the result of rule_mapping_class, or cls->name without a mapping. */
struct rule_class_input {
    const struct cf_class *cls;
    struct mb_text entry_name; /* whole entry path in a jar, file name in a folder */
    struct mb_text original_name;
};

/* A class whose methods are being decided: a value, valid as long as set and input are. */
struct rule_class {
    const struct rule_set *set;
    struct rule_class_input input;
    const struct rule_row *row;        /* the first rule that covers the whole class; may be NULL */
    const char *source;                /* of that rule */
    const struct rule_pattern *blocks; /* names the class, not lifted by another */
    struct rule_pattern **own_methods; /* rules of methods of this very class */
    size_t own_method_count;
    struct rule_pattern *any_methods; /* chain of rules that may name any method of it */
    bool has_method_rules;            /* any at all that may match a method of it */
    bool is_blocked; /* no method is traced unless by -tracemethod, and no override is added */
};

/* Does not allocate, cannot fail. */
struct rule_class rule_decide_class(const struct rule_set *set,
                                    const struct rule_class_input *input);

/* name and descriptor are the original ones (rule_mapping_method), or those of the class file. */
struct rule_method_input {
    const struct cf_member *member;
    const struct cf_code *code; /* NULL without a body */
    struct mb_text name;
    struct mb_text descriptor;
};

/* Does not allocate, cannot fail; reads the code only as far as needed, mostly to the first call.
 * Code that is malformed there counts as worth tracing: the rewriter will report it. */
struct rule_decision rule_decide_method(const struct rule_class *cls,
                                        const struct rule_method_input *method);

/* Append the blacklist line that blocks exactly this method, without a line end; the texts are
 * those of a method map. False, with nothing appended, if no line can name it, as for a
 * method with a colon in its name. */
bool rule_put_keepmethod(struct mb_buf *out, struct mb_text class_name, struct mb_text name,
                         struct mb_text descriptor);

/* Visit the "path:line" and the text of each blacklist rule that has not matched yet, in the order
 * of the files. Not while other threads decide. */
void rule_set_each_unused(const struct rule_set *set,
                          void (*visit)(void *context, const char *source, struct mb_text text),
                          void *context);

#endif
