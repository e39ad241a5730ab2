#include "rules/mapping_lines.h"

#include "base/check.h"

#include <string.h>

static struct rule_line bad_line(const char *reason)
{
    return (struct rule_line){.kind = RULE_LINE_BAD, .reason = reason};
}

/* Split at the last " -> ". Searched from the end, where obfuscated names are short. */
static bool split_arrow(struct mb_text text, struct mb_text *left, struct mb_text *right)
{
    for (size_t end = text.size; end >= 4; end--) {
        if (memcmp(text.data + end - 4, " -> ", 4) == 0) {
            *left = mb_text_trim((struct mb_text){text.data, end - 4});
            *right = mb_text_trim(mb_text_from(text, end));
            return left->size > 0 && right->size > 0;
        }
    }
    return false;
}

/* Cut a number and a colon, or at the end of the text a number, off the front. */
static bool take_number(struct mb_text *text)
{
    size_t size = 0;

    while (size < text->size && text->data[size] >= '0' && text->data[size] <= '9') {
        size++;
    }
    if (size == 0 || (size < text->size && text->data[size] != ':')) {
        return false;
    }
    *text = mb_text_from(*text, size < text->size ? size + 1 : size);
    return true;
}

/* [ range ":" ] in front of the type. */
static struct mb_text take_range(struct mb_text *text)
{
    struct mb_text range = *text;

    if (!take_number(text)) {
        return (struct mb_text){0};
    }
    (void)take_number(text);
    range.size = (size_t)(text->data - range.data);
    return range;
}

/* [ ":" range ] after the parenthesis. */
static bool is_origin(struct mb_text text)
{
    if (text.size == 0) {
        return true;
    }
    struct mb_text rest = mb_text_from(text, 1);
    return text.data[0] == ':' && take_number(&rest) && (rest.size == 0 || take_number(&rest)) &&
           rest.size == 0;
}

static struct rule_line parse_method(struct rule_line line, struct mb_text text, size_t open)
{
    struct mb_text behind = mb_text_from(text, open + 1);
    size_t close = mb_text_after_last(behind, ')');

    if (close == 0 || !is_origin(mb_text_from(behind, close))) {
        return bad_line("no ')' and line numbers after the arguments");
    }
    line.kind = RULE_LINE_METHOD;
    line.arguments = (struct mb_text){behind.data, close - 1};
    line.origin = mb_text_from(behind, close);
    line.name = (struct mb_text){text.data, open};
    size_t dot = mb_text_after_last(line.name, '.');
    if (dot > 0) {
        line.holder = (struct mb_text){text.data, dot - 1};
        line.name = mb_text_from(line.name, dot);
    }
    return line.name.size > 0 ? line : bad_line("the method has no name");
}

static struct rule_line parse_member(struct mb_text left, struct mb_text obfuscated)
{
    struct rule_line line = {.obfuscated = obfuscated};

    line.range = take_range(&left);
    line.type = mb_text_split(&left, ' ');
    left = mb_text_trim(left);
    if (line.type.size == 0 || left.size == 0) {
        return bad_line("no type and name in front of ' -> '");
    }
    const char *open = memchr(left.data, '(', left.size);
    if (open != NULL) {
        return parse_method(line, left, (size_t)(open - left.data));
    }
    line.kind = RULE_LINE_FIELD;
    line.name = left;
    return line;
}

static struct rule_line parse_class(struct mb_text text)
{
    struct rule_line line = {.kind = RULE_LINE_CLASS};

    text.size--; /* the colon */
    if (!split_arrow(text, &line.name, &line.obfuscated)) {
        return bad_line("no ' -> ' between two class names");
    }
    return line;
}

/* What a member of a JSON object holds between its first character, open, and close; empty if
 * absent. R8 does not escape the values read here. */
static struct mb_text member_of(struct mb_text object, struct mb_text key, char open, char close)
{
    for (size_t i = 0; i + key.size < object.size; i++) {
        struct mb_text rest = mb_text_from(object, i);
        if (!mb_text_starts(rest, key)) {
            continue;
        }
        rest = mb_text_trim(mb_text_from(rest, key.size));
        if (!mb_text_starts(rest, MB_TEXT(":"))) {
            continue;
        }
        rest = mb_text_trim(mb_text_from(rest, 1));
        if (rest.size > 0 && rest.data[0] == open) {
            rest = mb_text_from(rest, 1);
            return mb_text_split(&rest, close);
        }
    }
    return (struct mb_text){0};
}

/* By the last part of their id, with the member that holds what they tell. */
static const struct {
    const char *id;
    enum rule_line_kind kind;
    struct mb_text member;
    char open;
    char close;
} comments[] = {
    {"residualsignature", RULE_LINE_RESIDUAL, MB_TEXT_ROW("\"signature\""), '"', '"'},
    {"outlineCallsite", RULE_LINE_CALLSITE, MB_TEXT_ROW("\"positions\""), '{', '}'},
    {.id = "synthesized", .kind = RULE_LINE_SYNTHESIZED},
    {.id = "outline", .kind = RULE_LINE_OUTLINE},
};

static struct rule_line parse_comment(struct mb_text text)
{
    static const struct mb_text r8 = MB_TEXT_ROW("com.android.tools.r8.");
    struct mb_text id = member_of(text, MB_TEXT("\"id\""), '"', '"');

    for (size_t i = 0; mb_text_starts(id, r8) && i < MB_COUNT(comments); i++) {
        if (mb_text_is(mb_text_from(id, r8.size), comments[i].id)) {
            return (struct rule_line){.kind = comments[i].kind,
                                      .told = comments[i].open != '\0'
                                                  ? member_of(text, comments[i].member,
                                                              comments[i].open, comments[i].close)
                                                  : (struct mb_text){0}};
        }
    }
    return (struct rule_line){.kind = RULE_LINE_NOTHING};
}

bool rule_line_is_inlined(const struct rule_line *inner, const struct rule_line *outer)
{
    struct mb_text origin = outer->origin;

    (void)mb_text_split(&origin, ':'); /* in front of the first number */
    (void)mb_text_split(&origin, ':');
    return inner->range.size > 0 && outer->origin.size > 0 && origin.size == 0 &&
           mb_text_equal(inner->range, outer->range) &&
           mb_text_equal(inner->obfuscated, outer->obfuscated);
}

struct rule_line rule_line_parse(struct mb_text text)
{
    struct mb_text left;
    struct mb_text right;

    text = mb_text_trim(text);
    if (text.size == 0) {
        return (struct rule_line){.kind = RULE_LINE_NOTHING};
    }
    if (text.data[0] == '#') {
        return parse_comment(text);
    }
    if (text.data[text.size - 1] == ':') {
        return parse_class(text);
    }
    if (!split_arrow(text, &left, &right)) {
        return bad_line("no ' -> ' between two names");
    }
    return parse_member(left, right);
}
