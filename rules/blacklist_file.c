#include "rules/parts.h"

#include <string.h>

struct directive {
    const char *word;
    enum rule_target target;
    bool allows;
};

static const struct directive directives[] = {
    {"-keepclass", RULE_TARGET_CLASS, false},     {"-keeppackage", RULE_TARGET_PACKAGE, false},
    {"-keepmethod", RULE_TARGET_METHOD, false},   {"-traceclass", RULE_TARGET_CLASS, true},
    {"-tracepackage", RULE_TARGET_PACKAGE, true}, {"-tracemethod", RULE_TARGET_METHOD, true},
};

/* One line being parsed. */
struct line {
    struct rule_blacklist *blacklist;
    struct mb_arena *arena;
    const char *path;
    size_t number;
    struct mb_error *err;
};

static enum mb_status fail_at_line(const struct line *line, const char *reason, struct mb_text text)
{
    int shown = text.size < 80 ? (int)text.size : 80;

    (void)mb_fail(line->err, MB_BAD_TEXT, MB_NO_OFFSET, "%s: '%.*s'", reason, shown, text.data);
    mb_error_at_line(line->err, line->path, line->number);
    return MB_BAD_TEXT;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* `#` starts a comment at the start of a word; inside a word it is part of a name. */
static struct mb_text without_comment(struct mb_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '#' && (i == 0 || is_space(text.data[i - 1]))) {
            text.size = i;
        }
    }
    return mb_text_trim(text);
}

static struct mb_text take_word(struct mb_text *rest)
{
    struct mb_text word = {rest->data, 0};

    while (word.size < rest->size && !is_space(word.data[word.size])) {
        word.size++;
    }
    *rest = mb_text_trim((struct mb_text){rest->data + word.size, rest->size - word.size});
    return word;
}

/* A copy with slashes for dots and what "\\s" and "\\\\" stand for, as in the method map; of a
 * descriptor without white space. data is NULL without memory. */
static struct mb_text internal_form(struct mb_arena *arena, struct mb_text text, bool has_types)
{
    char *copy = mb_arena_copy(arena, text.data, text.size);
    size_t size = 0;

    for (size_t i = 0; copy != NULL && i < text.size; i++) {
        char next = text.data[i] == '\\' && i + 1 < text.size ? text.data[i + 1] : '\0';
        if (next == 's' || next == '\\') {
            copy[size++] = next == 's' ? ' ' : '\\';
            i++;
        } else if (!has_types || !is_space(text.data[i])) {
            copy[size++] = text.data[i];
        }
    }
    mb_make_internal_form(copy, size);
    return (struct mb_text){copy, size};
}

/* JVMS §4.2.1 and §4.2.2, with wildcards. */
static bool is_name(struct mb_text name)
{
    static const char forbidden[] = ";[()<>\"',:";

    for (size_t i = 0; i < name.size; i++) {
        if ((unsigned char)name.data[i] < ' ' || strchr(forbidden, name.data[i]) != NULL) {
            return false;
        }
    }
    return name.size > 0 && name.data[0] != '/' && name.data[name.size - 1] != '/' &&
           !mb_text_contains(name, MB_TEXT("//")) && !mb_text_contains(name, MB_TEXT("***"));
}

/* The size of one type, `*` or class name with its `L` and `;` at the start of text, 0 if absent.
 */
static size_t type_size(struct mb_text text)
{
    size_t size = 0;

    while (size < text.size && text.data[size] == '[') {
        size++;
    }
    if (size == text.size || strchr("*BCDFIJSZVL", text.data[size]) == NULL) {
        return 0;
    }
    if (text.data[size] != 'L') {
        return size + 1;
    }
    const char *end = memchr(text.data + size, ';', text.size - size);
    struct mb_text name = {text.data + size + 1, 0};
    if (end == NULL) {
        return 0;
    }
    name.size = (size_t)(end - name.data);
    return is_name(name) ? (size_t)(end - text.data) + 1 : 0;
}

/* "(" types ")" [ type ], JVMS §4.3.3 with wildcards; or nothing. */
static bool is_descriptor(struct mb_text text)
{
    size_t at = 1;

    if (text.size == 0) {
        return true;
    }
    while (at < text.size && text.data[at] != ')') {
        size_t size = type_size((struct mb_text){text.data + at, text.size - at});
        if (size == 0) {
            return false;
        }
        at += size;
    }
    if (at >= text.size) {
        return false;
    }
    at++;
    return at == text.size ||
           type_size((struct mb_text){text.data + at, text.size - at}) == text.size - at;
}

/* The class or package part of a rule. In upstream's profile its two directives are plain
 * prefixes. */
static enum mb_status parse_scope(const struct line *line, struct rule_pattern *pattern,
                                  struct mb_text word)
{
    bool is_plain =
        line->blacklist->is_matrix && !pattern->allows && pattern->target != RULE_TARGET_METHOD;
    bool is_package = pattern->target == RULE_TARGET_PACKAGE;
    struct mb_text name = internal_form(line->arena, word, false);
    struct mb_text checked = name;

    if (name.data == NULL) {
        return mb_fail_memory(line->err);
    }
    if (mb_text_ends(checked, MB_TEXT("/**")) && is_package) {
        checked.size -= 2; /* those below are meant anyway, and the package itself with them */
    }
    if (mb_text_ends(checked, MB_TEXT("/")) && (is_package || is_plain)) {
        checked.size--;
    }
    if (!is_name(checked)) {
        return fail_at_line(line, is_package ? "this is no package name" : "this is no class name",
                            word);
    }
    pattern->scope = rule_wild_name_of(is_plain ? name : checked);
    pattern->ends = is_plain                                ? NULL
                    : is_package                            ? "/"
                    : pattern->target == RULE_TARGET_METHOD ? ""
                                                            : "$";
    return MB_OK;
}

/* NAME [ DESCRIPTOR ], as in the mapping files, or without the space between. A name with spaces
 * has its descriptor. */
static enum mb_status parse_method(const struct line *line, struct rule_pattern *pattern,
                                   struct mb_text word)
{
    const char *parenthesis = word.size > 0 ? memchr(word.data, '(', word.size) : NULL;
    size_t size = parenthesis != NULL ? (size_t)(parenthesis - word.data) : word.size;
    struct mb_text name = mb_text_trim((struct mb_text){word.data, size});
    struct mb_text descriptor = {word.data + size, word.size - size};

    if (!mb_text_is(name, "<init>") && !mb_text_is(name, "<clinit>") &&
        (!is_name(name) || (parenthesis == NULL && mb_text_contains(name, MB_TEXT(" "))) ||
         mb_text_contains(name, MB_TEXT(".")) || mb_text_contains(name, MB_TEXT("/")))) {
        return fail_at_line(line, "this is no method name", word);
    }
    name = internal_form(line->arena, name, false);
    pattern->name = rule_wild_name_of(name);
    pattern->descriptor = internal_form(line->arena, descriptor, true);
    if (name.data == NULL || pattern->descriptor.data == NULL) {
        return mb_fail_memory(line->err);
    }
    if (!is_descriptor(pattern->descriptor)) {
        return fail_at_line(line, "a descriptor looks like (ILjava/lang/String;)V, not",
                            descriptor);
    }
    return MB_OK;
}

static const char *source_of(const struct line *line)
{
    struct mb_buf text = {0};
    const char *copy = NULL;

    mb_buf_printf(&text, "%s:%zu", line->path, line->number);
    if (!text.failed) {
        copy = mb_arena_copy(line->arena, text.bytes, text.size);
    }
    mb_buf_finish(&text);
    return copy;
}

static const struct directive *find_directive(struct mb_text word)
{
    for (size_t i = 0; i < MB_COUNT(directives); i++) {
        if (mb_text_is(word, directives[i].word)) {
            return &directives[i];
        }
    }
    return NULL;
}

static void append_pattern(struct rule_blacklist *blacklist, struct rule_pattern *pattern)
{
    if (blacklist->last == NULL) {
        blacklist->last = &blacklist->first;
    }
    *blacklist->last = pattern;
    blacklist->last = &pattern->next;
    pattern->order = blacklist->count++;
}

static enum mb_status parse_rule(const struct line *line, struct mb_text text)
{
    struct mb_text rest = text;
    struct mb_text word = take_word(&rest);
    const struct directive *directive = find_directive(word);

    if (directive == NULL) {
        return fail_at_line(line, "this is no rule", text);
    }
    struct rule_pattern *pattern = MB_NEW(line->arena, struct rule_pattern);
    if (pattern == NULL) {
        return mb_fail_memory(line->err);
    }
    *pattern = (struct rule_pattern){.target = directive->target, .allows = directive->allows};
    MB_TRY(parse_scope(line, pattern, take_word(&rest)));
    if (directive->target == RULE_TARGET_METHOD) {
        MB_TRY(parse_method(line, pattern, rest));
    } else if (rest.size > 0) {
        return fail_at_line(line, "there is something after the name", rest);
    }
    pattern->text = (struct mb_text){mb_arena_copy(line->arena, text.data, text.size), text.size};
    pattern->source = line->path != NULL ? source_of(line) : NULL;
    if (pattern->text.data == NULL || (line->path != NULL && pattern->source == NULL)) {
        return mb_fail_memory(line->err);
    }
    append_pattern(line->blacklist, pattern);
    return MB_OK;
}

enum mb_status rule_blacklist_parse(struct rule_blacklist *blacklist, struct mb_arena *arena,
                                    struct mb_text text, const char *path, struct mb_error *err)
{
    struct line line = {.blacklist = blacklist, .arena = arena, .path = path, .err = err};
    struct mb_text content;

    while (mb_text_next_line(&text, &content, &line.number)) {
        content = without_comment(content);
        bool is_section =
            mb_text_starts(content, MB_TEXT("[")) && mb_text_ends(content, MB_TEXT("]"));
        if (content.size > 0 && !is_section) {
            MB_TRY(parse_rule(&line, content));
        }
    }
    return MB_OK;
}

/* ---- Writing ---- */

static bool is_word(struct mb_text text)
{
    return is_name(text) && !mb_text_contains(text, MB_TEXT("*")) &&
           !mb_text_starts(text, MB_TEXT("#"));
}

static bool is_method_word(struct mb_text name)
{
    return mb_text_is(name, "<init>") || mb_text_is(name, "<clinit>") ||
           (is_word(name) && !mb_text_contains(name, MB_TEXT("/")));
}

/* Dots become slashes. */
static struct mb_text put_internal_form(struct mb_buf *out, struct mb_text text)
{
    size_t start = out->size;

    mb_buf_put(out, text.data, text.size);
    if (out->failed || out->bytes == NULL) {
        return (struct mb_text){0};
    }
    mb_make_internal_form((char *)out->bytes + start, text.size);
    return (struct mb_text){(const char *)out->bytes + start, text.size};
}

/* What was put from start on, a word, with "\\s" for spaces and "\\\\" for itself. */
static void escape_word(struct mb_buf *out, size_t start)
{
    for (size_t i = out->failed ? 0 : out->size; out->bytes != NULL && i > start; i--) {
        uint8_t c = out->bytes[i - 1];
        if ((c == ' ' || c == '\\') && mb_buf_extend(out, 1) != NULL) {
            memmove(out->bytes + i + 1, out->bytes + i, out->size - i - 1);
            out->bytes[i - 1] = '\\';
            out->bytes[i] = c == ' ' ? 's' : '\\';
        }
    }
}

bool rule_put_keepmethod(struct mb_buf *out, struct mb_text class_name, struct mb_text name,
                         struct mb_text descriptor)
{
    size_t start = out->size;

    mb_buf_put_string(out, "-keepmethod ");
    size_t word = out->size;
    bool fits = is_word(put_internal_form(out, class_name)) && is_method_word(name);
    escape_word(out, word);
    mb_buf_put_u1(out, ' ');
    word = out->size;
    mb_buf_put(out, name.data, name.size);
    escape_word(out, word);
    if (descriptor.size > 0) {
        mb_buf_put_u1(out, ' ');
        word = out->size;
        struct mb_text types = put_internal_form(out, descriptor);
        fits = fits && is_descriptor(types) && !mb_text_contains(types, MB_TEXT("*"));
        escape_word(out, word);
    }
    if (!fits && !out->failed) {
        out->size = start;
    }
    return fits || out->failed;
}
