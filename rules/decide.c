#include "base/file.h"
#include "rules/parts.h"

#include <stdlib.h>
#include <string.h>

static const char default_blacklist[] = "[package]\n"
                                        "-keeppackage android/\n"
                                        "-keeppackage com/tencent/matrix/\n";

static bool is_abstract(struct rule_subject *subject)
{
    return (subject->method->member->access_flags & CF_ACC_ABSTRACT) != 0;
}

static bool has_no_body(struct rule_subject *subject)
{
    return subject->method->code == NULL;
}

/* Blocks the package of the beat class and those below; if it has no package, only the class and
 * its nested ones, since half the program may have none too. */
static bool is_beat(struct rule_subject *subject)
{
    struct mb_text beat = subject->cls->set->beat_class;
    struct mb_text name = subject->cls->input.cls->name;
    struct mb_text package = beat;

    while (package.size > 0 && package.data[package.size - 1] != '/') {
        package.size--;
    }
    if (package.size > 0) {
        return mb_text_starts(name, package);
    }
    return beat.size > 0 && mb_text_starts(name, beat) &&
           (name.size == beat.size || name.data[beat.size] == '$');
}

static bool is_blocked_by(struct rule_subject *subject, enum rule_target target)
{
    const struct rule_pattern *pattern = subject->cls->blocks;

    if (pattern == NULL || pattern->target != target) {
        return false;
    }
    subject->source = pattern->source;
    return true;
}

static bool is_blocked_class(struct rule_subject *subject)
{
    return is_blocked_by(subject, RULE_TARGET_CLASS);
}

static bool is_blocked_package(struct rule_subject *subject)
{
    return is_blocked_by(subject, RULE_TARGET_PACKAGE);
}

static bool is_named_method(struct rule_subject *subject, bool allows)
{
    const struct rule_pattern *pattern = rule_blacklist_match_method(
        &subject->cls->set->blacklist, subject->cls, subject->method, allows);

    if (pattern != NULL) {
        subject->source = pattern->source;
    }
    return pattern != NULL;
}

static bool is_allowed_method(struct rule_subject *subject)
{
    return subject->method->code != NULL && is_named_method(subject, true);
}

static bool is_blocked_method(struct rule_subject *subject)
{
    return is_named_method(subject, false);
}

static bool trace_otherwise(struct rule_subject *subject)
{
    (void)subject;
    return true;
}

#define BLACKLIST_ROWS                                                      \
    {"beat", RULE_SCOPE_CLASS, RULE_IGNORE, is_beat},                       \
        {"tracemethod", RULE_SCOPE_METHOD, RULE_TRACE, is_allowed_method},  \
        {"keepclass", RULE_SCOPE_CLASS, RULE_IGNORE, is_blocked_class},     \
        {"keeppackage", RULE_SCOPE_CLASS, RULE_IGNORE, is_blocked_package}, \
    {                                                                       \
        "keepmethod", RULE_SCOPE_METHOD, RULE_IGNORE, is_blocked_method     \
    }

/* Order matters: the first rule that applies wins. */
static const struct rule_row default_rows[] = {
    {"abstract", RULE_SCOPE_METHOD, RULE_SKIP, is_abstract},
    {"native", RULE_SCOPE_METHOD, RULE_IGNORE, has_no_body},
    BLACKLIST_ROWS,
    {"generated", RULE_SCOPE_CLASS, RULE_IGNORE, rule_is_generated},
    {"generated", RULE_SCOPE_METHOD, RULE_IGNORE, rule_is_added},
    {"descriptor", RULE_SCOPE_CLASS, RULE_IGNORE, rule_is_descriptor},
    {"empty", RULE_SCOPE_METHOD, RULE_IGNORE, rule_is_empty},
    {"getter", RULE_SCOPE_METHOD, RULE_IGNORE, rule_is_getter},
    {"setter", RULE_SCOPE_METHOD, RULE_IGNORE, rule_is_setter},
    {"constructor", RULE_SCOPE_METHOD, RULE_IGNORE, rule_is_plain_constructor},
    {"leaf", RULE_SCOPE_METHOD, RULE_IGNORE, rule_is_leaf},
    {"otherwise", RULE_SCOPE_METHOD, RULE_TRACE, trace_otherwise},
};

static const struct rule_row matrix_rows[] = {
    {"file", RULE_SCOPE_CLASS, RULE_SKIP, rule_matrix_skips_file},
    {"abstract-class", RULE_SCOPE_METHOD, RULE_SKIP, rule_matrix_skips_abstract_class},
    BLACKLIST_ROWS,
    {"no-call", RULE_SCOPE_METHOD, RULE_IGNORE, rule_matrix_calls_nothing},
    {"constructor", RULE_SCOPE_METHOD, RULE_IGNORE, rule_matrix_is_plain_constructor},
    {"otherwise", RULE_SCOPE_METHOD, RULE_TRACE, trace_otherwise},
};

static const struct rule_profile_rules profiles[] = {
    [RULE_PROFILE_DEFAULT] = {default_rows, RULE_COSTLY, true},
    [RULE_PROFILE_MATRIX] = {matrix_rows, 0, false},
};

struct rule_class rule_decide_class(const struct rule_set *set,
                                    const struct rule_class_input *input)
{
    struct rule_class cls = {.set = set, .input = *input};
    struct rule_subject subject = {.cls = &cls};

    rule_blacklist_match_class(&set->blacklist, &cls);
    for (const struct rule_row *row = set->profile->rows; row->applies != trace_otherwise; row++) {
        if (row->scope == RULE_SCOPE_CLASS && row->applies(&subject)) {
            cls.row = row;
            break;
        }
    }
    cls.source = subject.source;
    cls.is_blocked = cls.row != NULL;
    return cls;
}

static bool row_applies(const struct rule_row *row, struct rule_subject *subject)
{
    if (row->scope == RULE_SCOPE_METHOD) {
        return row->applies(subject);
    }
    subject->source = subject->cls->source;
    return row == subject->cls->row;
}

struct rule_decision rule_decide_method(const struct rule_class *cls,
                                        const struct rule_method_input *method)
{
    struct rule_subject subject = {.cls = cls, .method = method};
    const struct rule_row *row = cls->set->profile->rows;

    while (!row_applies(row, &subject)) {
        row++;
    }
    return (struct rule_decision){row->verdict, row->name, subject.source};
}

static enum mb_status read_blacklist(struct rule_set *set, const char *path, struct mb_error *err)
{
    struct mb_buf file = {0};
    enum mb_status status = mb_file_read(&file, path, err);

    if (status == MB_OK) {
        struct mb_text text = {(const char *)file.bytes, file.size};
        status = rule_blacklist_parse(&set->blacklist, &set->arena, text, path, err);
    }
    mb_buf_finish(&file);
    return status;
}

/* True if a line that is not built in does. */
static bool names_classes(const struct rule_blacklist *blacklist)
{
    for (const struct rule_pattern *pattern = blacklist->first; pattern != NULL;
         pattern = pattern->next) {
        if (pattern->source != NULL && !pattern->allows && pattern->target != RULE_TARGET_METHOD) {
            return true;
        }
    }
    return false;
}

static enum mb_status fill_set(struct rule_set *set, const struct rule_options *options,
                               struct mb_error *err)
{
    struct mb_text beat = options->beat_class;

    set->profile = &profiles[options->profile];
    set->beat_class = (struct mb_text){mb_arena_copy(&set->arena, beat.data, beat.size), beat.size};
    if (set->beat_class.data == NULL) {
        return mb_fail_memory(err);
    }
    set->blacklist.is_matrix = options->profile == RULE_PROFILE_MATRIX;
    if (!options->drop_default_blacklist) {
        MB_TRY(rule_blacklist_parse(&set->blacklist, &set->arena, MB_TEXT(default_blacklist), NULL,
                                    err));
    }
    for (size_t i = 0; i < options->blacklist_count; i++) {
        MB_TRY(read_blacklist(set, options->blacklists[i], err));
    }
    MB_TRY(
        rule_blacklist_parse(&set->blacklist, &set->arena, options->text, options->text_name, err));
    set->leaves_classes = names_classes(&set->blacklist);
    return rule_blacklist_index(&set->blacklist, &set->arena, err);
}

enum mb_status rule_set_create(struct rule_set **set, const struct rule_options *options,
                               struct mb_error *err)
{
    *set = calloc(1, sizeof(**set));
    if (*set == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = fill_set(*set, options, err);
    if (status != MB_OK) {
        rule_set_destroy(*set);
        *set = NULL;
    }
    return status;
}

void rule_set_destroy(struct rule_set *set)
{
    if (set != NULL) {
        mb_arena_finish(&set->arena);
        free(set);
    }
}

bool rule_set_leaves_classes(const struct rule_set *set)
{
    return set->leaves_classes;
}

void rule_set_each_unused(const struct rule_set *set,
                          void (*visit)(void *context, const char *source, struct mb_text text),
                          void *context)
{
    for (const struct rule_pattern *pattern = set->blacklist.first; pattern != NULL;
         pattern = pattern->next) {
        if (pattern->source != NULL &&
            !atomic_load_explicit(&pattern->is_used, memory_order_relaxed)) {
            visit(context, pattern->source, pattern->text);
        }
    }
}
