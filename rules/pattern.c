#include "rules/parts.h"

#include <string.h>

#define NOWHERE SIZE_MAX

/* A match in progress. After a mismatch the last `*` takes one more character, or if it must not,
 * the last `**`; earlier wildcards need no retry, since a later one reaches every place that they
 * could. */
struct glob {
    struct mb_text pattern;
    struct mb_text text;
    size_t p;
    size_t t;
    size_t star; /* after the last `*`, or NOWHERE */
    size_t star_text;
    size_t deep; /* after the last `**`, or NOWHERE */
    size_t deep_text;
};

static bool take_wildcard(struct glob *glob)
{
    if (glob->p >= glob->pattern.size || glob->pattern.data[glob->p] != '*') {
        return false;
    }
    glob->p++;
    if (glob->p < glob->pattern.size && glob->pattern.data[glob->p] == '*') {
        glob->deep = ++glob->p;
        glob->deep_text = glob->t;
        glob->star = NOWHERE;
    } else {
        glob->star = glob->p;
        glob->star_text = glob->t;
    }
    return true;
}

static bool take_character(struct glob *glob)
{
    if (glob->p >= glob->pattern.size || glob->t >= glob->text.size ||
        glob->pattern.data[glob->p] != glob->text.data[glob->t]) {
        return false;
    }
    glob->p++;
    glob->t++;
    return true;
}

static bool go_back(struct glob *glob, char stop)
{
    if (glob->star != NOWHERE && glob->star_text < glob->text.size &&
        glob->text.data[glob->star_text] != stop) {
        glob->p = glob->star;
        glob->t = ++glob->star_text;
        return true;
    }
    if (glob->deep != NOWHERE && glob->deep_text < glob->text.size) {
        glob->p = glob->deep;
        glob->t = ++glob->deep_text;
        glob->star = NOWHERE;
        return true;
    }
    return false;
}

static bool may_end(struct mb_text text, size_t at, const char *ends)
{
    return at == text.size || ends == NULL ||
           (text.data[at] != '\0' && strchr(ends, text.data[at]) != NULL);
}

bool rule_glob(struct mb_text pattern, struct mb_text text, char stop, const char *ends)
{
    struct glob glob = {.pattern = pattern, .text = text, .star = NOWHERE, .deep = NOWHERE};

    while (glob.p < pattern.size || !may_end(text, glob.t, ends)) {
        if (!take_wildcard(&glob) && !take_character(&glob) && !go_back(&glob, stop)) {
            return false;
        }
    }
    return true;
}

struct rule_wild_name rule_wild_name_of(struct mb_text name)
{
    size_t head = 0;
    size_t tail = name.size;

    while (head < name.size && name.data[head] != '*') {
        head++;
    }
    while (tail > head && name.data[tail - 1] != '*') {
        tail--;
    }
    return (struct rule_wild_name){
        .literal = {name.data, head},
        .wild = {name.data + head, name.size - head},
        .tail = {name.data + tail, head < name.size ? name.size - tail : 0},
    };
}

/* True if text has the tail of a match: most rules with wildcards fail here. */
static bool has_tail(struct mb_text tail, struct mb_text text, const char *ends)
{
    while (text.size >= tail.size) {
        if (memcmp(text.data + text.size - tail.size, tail.data, tail.size) == 0) {
            return true;
        }
        do {
            if (ends[0] == '\0' || text.size == 0) {
                return false;
            }
            text.size--;
        } while (text.data[text.size] != ends[0]);
    }
    return false;
}

/* ends is NULL or holds one character at most. */
static bool matches_name(const struct rule_wild_name *name, struct mb_text text, const char *ends)
{
    size_t size = name->literal.size;

    if (!mb_text_starts(text, name->literal)) {
        return false;
    }
    if (mb_text_is(name->wild, "**")) {
        return true;
    }
    if (ends != NULL && name->tail.size > 0 && !has_tail(name->tail, text, ends)) {
        return false;
    }
    return rule_glob(name->wild, (struct mb_text){text.data + size, text.size - size}, '/', ends);
}

/* The package of a class; data is NULL for the unnamed one. */
static struct mb_text package_of(struct mb_text class_name)
{
    size_t size = class_name.size;

    while (size > 0 && class_name.data[size - 1] != '/') {
        size--;
    }
    return size > 0 ? (struct mb_text){class_name.data, size - 1} : (struct mb_text){0};
}

bool rule_pattern_matches_class(const struct rule_pattern *pattern, struct mb_text class_name)
{
    bool is_plain_prefix = pattern->ends == NULL;
    struct mb_text name = class_name;

    if (pattern->target == RULE_TARGET_PACKAGE && !is_plain_prefix) {
        name = package_of(class_name);
    }
    return name.data != NULL && matches_name(&pattern->scope, name, pattern->ends);
}

bool rule_pattern_matches_method(const struct rule_pattern *pattern, struct mb_text name,
                                 struct mb_text descriptor)
{
    /* No name holds a '/' (JVMS §4.2.2), so `*` and `**` mean the same in one. */
    if (!matches_name(&pattern->name, name, "")) {
        return false;
    }
    bool has_return = !mb_text_ends(pattern->descriptor, MB_TEXT(")"));
    return pattern->descriptor.size == 0 ||
           rule_glob(pattern->descriptor, descriptor, ')', has_return ? "" : NULL);
}
