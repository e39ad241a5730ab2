/* Shared parts of this folder; private to it. */

#ifndef RULES_PARTS_H
#define RULES_PARTS_H

#include "base/arena.h"
#include "classfile/opcode.h"
#include "rules/rule.h"

#include <stdatomic.h>

/* --- pattern.c: names with wildcards --- */

/* `*` stands for any characters but stop, `**` for any at all; all else for itself. The pattern has
 * to cover text up to its end or up to a character of ends; NULL: up to anywhere. */
bool rule_glob(struct mb_text pattern, struct mb_text text, char stop, const char *ends);

/* The subject of a blacklist line. */
enum rule_target {
    RULE_TARGET_CLASS,   /* and its nested classes */
    RULE_TARGET_PACKAGE, /* and those below */
    RULE_TARGET_METHOD,  /* names exactly one class */
};

/* A name with wildcards, cut for quick refusal. */
struct rule_wild_name {
    struct mb_text literal; /* up to the first wildcard */
    struct mb_text wild;    /* the rest */
    struct mb_text tail;    /* after the last wildcard; may be empty */
};

struct rule_wild_name rule_wild_name_of(struct mb_text name);

/* A line of a blacklist. Texts are owned by the set's arena. */
struct rule_pattern {
    struct rule_wild_name scope; /* class or package */
    struct rule_wild_name name;  /* METHOD only */
    struct mb_text descriptor;   /* METHOD only; empty: any. Without a return type: any */
    const char *ends;            /* of the class or package name, as for rule_glob */
    enum rule_target target;
    bool allows;               /* -trace...: exempts from other rules */
    const char *source;        /* "path:line"; NULL: built in */
    size_t order;              /* in the files */
    struct mb_text text;       /* the line */
    struct rule_pattern *next; /* in the order of the files */
    atomic_bool is_used;       /* relaxed: read after all threads are done */

    struct mb_text group;        /* of its index */
    struct mb_text key;          /* of its index */
    struct rule_pattern *parent; /* the next shorter rule on the chain */
};

bool rule_pattern_matches_class(const struct rule_pattern *pattern, struct mb_text class_name);
bool rule_pattern_matches_method(const struct rule_pattern *pattern, struct mb_text name,
                                 struct mb_text descriptor);

/* --- index.c: rules found by how a name begins --- */

/* By group, then key. */
struct rule_index {
    struct rule_pattern **sorted;
    size_t count;
};

/* Put group and key of all patterns in order and link them. */
void rule_index_sort(struct rule_index *index);

/* The part of an index whose rules have this group. Views it. */
struct rule_index rule_index_group(const struct rule_index *index, struct mb_text group);

/* The chain of all rules of one group whose key may start the name, longest first and in the order
 * of the files; NULL if absent. Follow parent. */
struct rule_pattern *rule_index_chain(const struct rule_index *index, struct mb_text name);

/* --- blacklist.c, blacklist_file.c --- */

enum rule_index_kind {
    RULE_INDEX_CLASSES,        /* rules of classes and packages, by the name's literal */
    RULE_INDEX_METHODS,        /* each about one class, its group, sorted by the method's literal */
    RULE_INDEX_METHOD_NAMES,   /* of classes with wildcards, by the method's literal */
    RULE_INDEX_METHOD_CLASSES, /* whose methods begin with a wildcard, by the class's literal */
    RULE_INDEX_KINDS,
};

/* Zeroed memory is a valid empty blacklist. */
struct rule_blacklist {
    struct rule_pattern *first; /* in the order of the files */
    struct rule_pattern **last;
    size_t count;
    struct rule_index indexes[RULE_INDEX_KINDS];
    bool is_matrix; /* -keepclass and -keeppackage are plain prefixes */
};

/* Append the rules of a text, whose bytes are copied. path is NULL for built-in rules. */
MB_MUST_CHECK enum mb_status rule_blacklist_parse(struct rule_blacklist *blacklist,
                                                  struct mb_arena *arena, struct mb_text text,
                                                  const char *path, struct mb_error *err);

/* After the last rule, before the first look-up. */
MB_MUST_CHECK enum mb_status rule_blacklist_index(struct rule_blacklist *blacklist,
                                                  struct mb_arena *arena, struct mb_error *err);

/* Fill in the blacklist part of rule_class, and mark the rules that name the class. */
void rule_blacklist_match_class(const struct rule_blacklist *blacklist, struct rule_class *cls);

/* The rule that names the method and allows or blocks it; among several, all marked, the one with
 * the longest literal class name, then the first in the files. May be NULL. */
const struct rule_pattern *rule_blacklist_match_method(const struct rule_blacklist *blacklist,
                                                       const struct rule_class *cls,
                                                       const struct rule_method_input *method,
                                                       bool allows);

/* --- shape.c: one walk over a body --- */

#define RULE_ROLE(role) (UINT32_C(1) << (role))
#define RULE_LOOP (UINT32_C(1) << 31) /* a branch that does not go forward */

/* The kinds of the instructions read so far. */
struct rule_shape {
    uint32_t roles; /* set of RULE_ROLE, and RULE_LOOP */
    uint32_t call_count;
    uint8_t last_call; /* opcode */
    bool is_whole;     /* read to the end; else stopped, or malformed code */
    bool is_measured;  /* the walk was made */
};

/* Of what follows start. Stops after allowed_calls + 1 calls, and after one of the final roles. */
struct rule_shape rule_shape_of(const struct cf_code *code, uint32_t start, uint32_t allowed_calls,
                                uint32_t final);

/* --- the table --- */

/* A class, and maybe a method of it, before the rules. */
struct rule_subject {
    const struct rule_class *cls;
    const struct rule_method_input *method; /* NULL in rules of RULE_SCOPE_CLASS */
    struct rule_shape shape;                /* see rule_subject_shape */
    const char *source;                     /* of the blacklist rule that applied */
};

enum rule_scope {
    RULE_SCOPE_METHOD,
    RULE_SCOPE_CLASS, /* asked once for all methods */
};

struct rule_row {
    const char *name;
    enum rule_scope scope;
    enum rule_verdict verdict;
    bool (*applies)(struct rule_subject *subject);
};

/* The method's shape, measured on first use; never complete without a body. */
const struct rule_shape *rule_subject_shape(struct rule_subject *subject);
bool rule_subject_is_constructor(const struct rule_subject *subject);

struct rule_profile_rules {
    const struct rule_row *rows; /* the last row always applies */
    uint32_t final_roles;        /* a method with one of these flags cannot have the shapes that
                                  * rows ask for */
    bool leaves_added;           /* calls of what coverage adds do not count */
};

struct rule_set {
    const struct rule_profile_rules *profile;
    struct mb_text beat_class;
    struct rule_blacklist blacklist;
    bool leaves_classes;
    struct mb_arena arena;
};

/* generated.c */
bool rule_is_generated(struct rule_subject *subject);
bool rule_is_added(struct rule_subject *subject);

/* The size of the call that a tool of coverage put at the start of a body; 0 if none. */
uint32_t rule_added_size(const struct cf_pool *pool, const struct cf_code *code);
bool rule_is_descriptor(struct rule_subject *subject);

/* trivial.c. The first: work in proportion to a size, and subroutines, which may return backward.
 */
#define RULE_COSTLY                                                          \
    (RULE_LOOP | RULE_ROLE(CF_ROLE_ARRAY_NEW) | RULE_ROLE(CF_ROLE_MONITOR) | \
     RULE_ROLE(CF_ROLE_JSR) | RULE_ROLE(CF_ROLE_RET))
bool rule_is_empty(struct rule_subject *subject);
bool rule_is_getter(struct rule_subject *subject);
bool rule_is_setter(struct rule_subject *subject);
bool rule_is_plain_constructor(struct rule_subject *subject);
bool rule_is_leaf(struct rule_subject *subject);

/* matrix.c */
bool rule_matrix_skips_file(struct rule_subject *subject);
bool rule_matrix_skips_abstract_class(struct rule_subject *subject);
bool rule_matrix_calls_nothing(struct rule_subject *subject);
bool rule_matrix_is_plain_constructor(struct rule_subject *subject);

#endif
