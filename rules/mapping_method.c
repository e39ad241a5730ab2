#include "rules/mapping_lines.h"

#include <stdlib.h>
#include <string.h>

/* A METHOD line of one class. Texts view the file. */
struct mapped_method {
    struct rule_line line;
    struct mb_text descriptor; /* original, from type and arguments; owned by the arena */
    struct mb_text residual;   /* obfuscated descriptor, where R8 gives it */
    size_t order;
};

struct rule_class_names {
    const struct rule_mapping *names;
    struct mb_arena *arena;
    struct mb_text original;
    struct mapped_method *methods; /* by obfuscated name, then in the order of the file */
    size_t count;
};

/* The next part of a descriptor: a class name without its `L`, if is_class, or the text between two
 * names, `L` and `;` included. */
static struct mb_text take_part(struct mb_text *rest, bool *is_class)
{
    bool wants_class = *is_class;
    struct mb_text part = *rest;
    const char *end = part.size > 0 ? memchr(part.data, wants_class ? ';' : 'L', part.size) : NULL;

    if (end != NULL) {
        part.size = (size_t)(end - part.data) + (wants_class ? 0 : 1);
    }
    rest->data += part.size;
    rest->size -= part.size;
    return part;
}

/* Size of the descriptor with original names; written to out unless that is NULL. */
static size_t translate_names(const struct rule_mapping *names, struct mb_text descriptor,
                              char *out)
{
    bool is_class = false;
    size_t size = 0;

    while (descriptor.size > 0) {
        struct mb_text part = take_part(&descriptor, &is_class);
        part = is_class ? rule_mapping_class(names, part) : part;
        if (out != NULL && part.size > 0) {
            memcpy(out + size, part.data, part.size);
        }
        size += part.size;
        is_class = !is_class;
    }
    return size;
}

static enum mb_status translate_descriptor(const struct rule_class_names *methods,
                                           struct mb_text obfuscated, struct mb_text *original,
                                           struct mb_error *err)
{
    size_t size = translate_names(methods->names, obfuscated, NULL);
    char *text = mb_arena_alloc(methods->arena, size + 1);

    if (text == NULL) {
        return mb_fail_memory(err);
    }
    (void)translate_names(methods->names, obfuscated, text);
    *original = (struct mb_text){text, size};
    return MB_OK;
}

/* --- the methods of one class --- */

static int compare_methods(const void *left, const void *right)
{
    const struct mapped_method *a = left;
    const struct mapped_method *b = right;
    int order = mb_text_compare(a->line.obfuscated, b->line.obfuscated);

    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

static bool is_same_origin(const struct mapped_method *a, const struct mapped_method *b)
{
    return mb_text_equal(a->line.name, b->line.name) &&
           mb_text_equal(a->line.holder, b->line.holder);
}

/* A method has a line for each range of its lines, in sequence; the obfuscated descriptor may be
 * missing in some. */
static void drop_repeated(struct rule_class_names *methods)
{
    if (methods->count < 2) {
        return;
    }
    const struct mapped_method *last = &methods->methods[methods->count - 1];
    struct mapped_method *before = &methods->methods[methods->count - 2];
    if (mb_text_equal(last->line.obfuscated, before->line.obfuscated) &&
        is_same_origin(last, before) &&
        mb_text_equal(last->line.arguments, before->line.arguments) &&
        mb_text_equal(last->line.type, before->line.type) &&
        (last->residual.size == 0 || before->residual.size == 0 ||
         mb_text_equal(last->residual, before->residual))) {
        before->residual = last->residual.size > 0 ? last->residual : before->residual;
        methods->count--;
    }
}

static void add_method(struct rule_class_names *methods, const struct rule_line *line)
{
    struct mapped_method *last = methods->count > 0 ? &methods->methods[methods->count - 1] : NULL;
    struct mb_text residual = {0};

    if (last != NULL && rule_line_is_inlined(&last->line, line)) {
        residual = last->residual; /* of the whole inlining, after any frame */
    } else {
        drop_repeated(methods);
        last = &methods->methods[methods->count++];
    }
    *last = (struct mapped_method){.line = *line, .residual = residual, .order = methods->count};
}

/* A type as Java writes it, appended as a descriptor (JVMS §4.3.2). Returns the new end. */
static char *put_type(char *out, struct mb_text type)
{
    static const struct {
        const char *name;
        char letter;
    } primitives[] = {{"int", 'I'},  {"boolean", 'Z'}, {"void", 'V'}, {"long", 'J'}, {"float", 'F'},
                      {"byte", 'B'}, {"double", 'D'},  {"char", 'C'}, {"short", 'S'}};

    for (type = mb_text_trim(type); mb_text_ends(type, MB_TEXT("[]")); type.size -= 2) {
        *out++ = '[';
    }
    for (size_t i = 0; i < MB_COUNT(primitives); i++) {
        if (mb_text_is(type, primitives[i].name)) {
            *out++ = primitives[i].letter;
            return out;
        }
    }
    *out++ = 'L';
    memcpy(out, type.data, type.size);
    mb_make_internal_form(out, type.size);
    out += type.size;
    *out++ = ';';
    return out;
}

/* data is NULL without memory. */
static struct mb_text descriptor_of(struct mb_arena *arena, const struct mapped_method *method)
{
    struct mb_text arguments = method->line.arguments;
    /* A type grows by 2; each but the result's has a character and a comma, or the parentheses. */
    size_t limit = 2 * arguments.size + method->line.type.size + 8;
    char *text = mb_arena_alloc(arena, limit);
    char *end = text;

    if (text == NULL) {
        return (struct mb_text){0};
    }
    *end++ = '(';
    while (arguments.size > 0) {
        end = put_type(end, mb_text_split(&arguments, ','));
    }
    *end++ = ')';
    end = put_type(end, method->line.type);
    return (struct mb_text){text, (size_t)(end - text)};
}

static void collect_lines(struct rule_class_names *methods, struct mb_text body)
{
    enum rule_line_kind before = RULE_LINE_NOTHING;
    struct mb_text content;
    size_t number = 1; /* not the start of the file */

    while (mb_text_next_line(&body, &content, &number)) {
        struct rule_line line = rule_line_parse(content);
        if (line.kind == RULE_LINE_METHOD) {
            add_method(methods, &line);
        } else if (line.kind == RULE_LINE_RESIDUAL && before == RULE_LINE_METHOD) {
            methods->methods[methods->count - 1].residual = line.told;
        }
        if (line.kind == RULE_LINE_METHOD || line.kind == RULE_LINE_FIELD) {
            before = line.kind;
        }
    }
    drop_repeated(methods);
}

static enum mb_status collect_methods(struct rule_class_names *methods,
                                      const struct rule_mapped_class *cls, struct mb_error *err)
{
    methods->original = cls->original;
    methods->methods = MB_NEW_ARRAY(methods->arena, struct mapped_method, cls->method_count + 1);
    if (methods->methods == NULL) {
        return mb_fail_memory(err);
    }
    collect_lines(methods, cls->body);
    for (size_t i = 0; i < methods->count; i++) {
        struct mapped_method *method = &methods->methods[i];
        method->descriptor = descriptor_of(methods->arena, method);
        if (method->descriptor.data == NULL) {
            return mb_fail_memory(err);
        }
    }
    qsort(methods->methods, methods->count, sizeof(*methods->methods), compare_methods);
    return MB_OK;
}

enum mb_status rule_mapping_open(const struct rule_mapping *names, struct mb_text obfuscated_class,
                                 struct mb_arena *arena, const struct rule_class_names **methods,
                                 struct mb_error *err)
{
    *methods = NULL;
    if (names == NULL) {
        return MB_OK;
    }
    const struct rule_mapped_class *cls = rule_mapping_find(names, obfuscated_class);
    struct rule_class_names *made = MB_NEW(arena, struct rule_class_names);
    if (made == NULL) {
        return mb_fail_memory(err);
    }
    *made = (struct rule_class_names){.names = names, .arena = arena, .original = obfuscated_class};
    if (cls != NULL) {
        MB_TRY(collect_methods(made, cls, err));
    }
    *methods = made;
    return MB_OK;
}

/* --- finding a method --- */

static size_t first_named(const struct rule_class_names *methods, struct mb_text obfuscated)
{
    size_t low = 0;
    size_t high = methods->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mb_text_compare(methods->methods[middle].line.obfuscated, obfuscated) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The line for a method: the one with matching types; else, since R8 changes the types of methods,
 * the only one of that name; NULL if absent or ambiguous. */
static const struct mapped_method *find_method(const struct rule_class_names *methods,
                                               const struct rule_original *obfuscated,
                                               struct mb_text descriptor)
{
    const struct mapped_method *only = NULL;
    bool is_open = false;

    for (size_t i = first_named(methods, obfuscated->name); i < methods->count; i++) {
        const struct mapped_method *method = &methods->methods[i];
        if (!mb_text_equal(method->line.obfuscated, obfuscated->name)) {
            break;
        }
        if (method->residual.size > 0 ? mb_text_equal(method->residual, obfuscated->descriptor)
                                      : mb_text_equal(method->descriptor, descriptor)) {
            return method;
        }
        if (method->residual.size == 0) {
            is_open = is_open || (only != NULL && !is_same_origin(only, method));
            only = method;
        }
    }
    return is_open ? NULL : only;
}

enum mb_status rule_mapping_method(const struct rule_class_names *methods,
                                   const struct rule_original *obfuscated,
                                   struct rule_original *original, struct mb_error *err)
{
    *original = *obfuscated;
    if (methods == NULL) {
        return MB_OK;
    }
    original->class_name = methods->original;
    MB_TRY(translate_descriptor(methods, obfuscated->descriptor, &original->descriptor, err));
    const struct mapped_method *method = find_method(methods, obfuscated, original->descriptor);
    if (method == NULL) {
        return MB_OK;
    }
    original->name = method->line.name;
    if (method->residual.size > 0) {
        original->descriptor = method->descriptor;
    }
    if (method->line.holder.size > 0) {
        original->class_name = rule_internal_form(methods->arena, method->line.holder);
    }
    return original->class_name.data != NULL ? MB_OK : mb_fail_memory(err);
}
