#include "answer/map.h"

#include "abi/names.h"
#include "base/strmap.h"

#include <string.h>

static void swap_chars(char *text, size_t size, char from, char to)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == from) {
            text[i] = to;
        }
    }
}

/* A copy with slashes for dots; data is NULL without memory. */
static struct mb_text internal_form(struct mb_arena *arena, struct mb_text text)
{
    char *copy = mb_arena_copy(arena, text.data, text.size);

    if (copy != NULL) {
        swap_chars(copy, text.size, '.', '/');
    }
    return (struct mb_text){copy, copy != NULL ? text.size : 0};
}

static enum mb_status original_of(struct answer_map *names, const struct rule_mapping *originals,
                                  const struct abi_method *method, struct rule_original *original,
                                  struct mb_error *err)
{
    const struct rule_class_names *methods = NULL;
    const struct rule_original obfuscated = {
        .class_name = internal_form(&names->arena, method->class_name),
        .name = method->name,
        .descriptor = internal_form(&names->arena, method->descriptor),
    };

    if (obfuscated.class_name.data == NULL || obfuscated.descriptor.data == NULL) {
        return mb_fail_memory(err);
    }
    *original = obfuscated;
    if (originals == NULL) {
        return MB_OK;
    }
    MB_TRY(rule_mapping_open(originals, obfuscated.class_name, &names->arena, &methods, err));
    return rule_mapping_method(methods, &obfuscated, original, err);
}

/* --- overloads --- */

static const struct {
    char descriptor;
    const char *name;
} primitives[] = {
    {'B', "byte"}, {'C', "char"},  {'D', "double"},  {'F', "float"}, {'I', "int"},
    {'J', "long"}, {'S', "short"}, {'Z', "boolean"}, {'V', "void"},
};

/* The class without its package, from after the L up to the semicolon. */
static void put_class(struct mb_buf *out, struct mb_text *rest)
{
    struct mb_text path = mb_text_split(rest, ';');
    struct mb_text last = path;

    while (path.size > 0) {
        last = mb_text_split(&path, '/');
    }
    mb_buf_put(out, last.data, last.size);
}

static char take_byte(struct mb_text *rest)
{
    char byte = rest->size > 0 ? *rest->data++ : '\0';

    rest->size -= rest->size > 0;
    return byte;
}

/* One type of a descriptor, as in the Java language. What is no type is left out. */
static void put_type(struct mb_buf *out, struct mb_text *rest)
{
    size_t dimensions = 0;
    char first = take_byte(rest);

    for (; first == '['; first = take_byte(rest)) {
        dimensions++;
    }
    if (first == 'L') {
        put_class(out, rest);
    }
    for (size_t i = 0; i < MB_COUNT(primitives); i++) {
        if (first == primitives[i].descriptor) {
            mb_buf_put_string(out, primitives[i].name);
        }
    }
    while (dimensions-- > 0) {
        mb_buf_put_string(out, "[]");
    }
}

/* "(int,String)", and with its return type "(int,String): Object". */
static void put_descriptor(struct mb_buf *out, struct mb_text descriptor, bool with_return)
{
    (void)mb_text_split(&descriptor, '(');
    struct mb_text rest = mb_text_split(&descriptor, ')');

    mb_buf_put_u1(out, '(');
    while (rest.size > 0) {
        put_type(out, &rest);
        if (rest.size > 0) {
            mb_buf_put_u1(out, ',');
        }
    }
    mb_buf_put_u1(out, ')');
    if (with_return) {
        mb_buf_put_string(out, ": ");
        put_type(out, &descriptor);
    }
}

/* --- names --- */

/* How much of a method its name tells; the least that no other method has. */
enum detail {
    DETAIL_NAME,
    DETAIL_PARAMETERS,
    DETAIL_RETURN, /* of bridge methods, which differ in nothing else */
};

/* The first method of a name. */
struct use {
    size_t index;
    struct mb_text name; /* "class.method" */
    struct mb_text descriptor;
    bool is_shared; /* another one has that name */
};

struct namer {
    struct answer_map *names;
    const struct rule_mapping *originals;
    struct mb_strmap seen; /* name -> struct use */
    struct mb_buf text;    /* scratch */
};

static enum mb_status set_text(struct namer *namer, const struct use *use, enum detail detail,
                               struct mb_error *err)
{
    mb_buf_reset(&namer->text);
    mb_buf_put(&namer->text, use->name.data, use->name.size);
    if (detail > DETAIL_NAME) {
        put_descriptor(&namer->text, use->descriptor, detail == DETAIL_RETURN);
    }
    MB_TRY(mb_buf_check(&namer->text, err));
    struct mb_text *text = &namer->names->texts[use->index];
    text->data =
        mb_arena_copy(&namer->names->arena, (const char *)namer->text.bytes, namer->text.size);
    text->size = namer->text.size;
    return text->data != NULL ? MB_OK : mb_fail_memory(err);
}

/* The second method of a name has both, and all later ones, give more of themselves. */
static enum mb_status assign_name(struct namer *namer, const struct use *use, enum detail detail,
                                  struct mb_error *err)
{
    MB_TRY(set_text(namer, use, detail, err));
    if (use->descriptor.size == 0 || detail == DETAIL_RETURN) {
        return MB_OK;
    }
    void **slot = mb_strmap_slot(&namer->seen, (const char *)namer->text.bytes, namer->text.size);
    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    struct use *first = *slot;
    if (first == NULL) {
        *slot = first = MB_NEW(&namer->names->arena, struct use);
        if (first == NULL) {
            return mb_fail_memory(err);
        }
        *first = *use;
        return MB_OK;
    }
    if (!first->is_shared) {
        first->is_shared = true;
        const struct use other = {first->index, first->name, first->descriptor, false};
        MB_TRY(assign_name(namer, &other, detail + 1, err));
    }
    return assign_name(namer, use, detail + 1, err);
}

/* "class.method"; data is NULL without memory. */
static struct mb_text plain_name(struct mb_arena *arena, const struct rule_original *original)
{
    size_t size = original->class_name.size + 1 + original->name.size;
    char *text = mb_arena_alloc(arena, size + 1);

    if (text != NULL) {
        memcpy(text, original->class_name.data, original->class_name.size);
        swap_chars(text, original->class_name.size, '/', '.');
        text[original->class_name.size] = '.';
        memcpy(text + original->class_name.size + 1, original->name.data, original->name.size);
    }
    return (struct mb_text){text, text != NULL ? size : 0};
}

/* Of a frame without types: all methods that may be meant. */
static enum mb_status make_plain_name(struct namer *namer, size_t index, struct mb_error *err)
{
    struct answer_map *names = namer->names;
    struct use use = {.index = index};

    mb_buf_reset(&namer->text);
    answer_join_put_frame(&namer->text, &names->map.methods[index], namer->originals);
    MB_TRY(mb_buf_check(&namer->text, err));
    use.name.data = mb_arena_copy(&names->arena, (const char *)namer->text.bytes, namer->text.size);
    use.name.size = namer->text.size;
    return use.name.data != NULL ? assign_name(namer, &use, DETAIL_NAME, err) : mb_fail_memory(err);
}

static enum mb_status make_name(struct namer *namer, size_t index, struct mb_error *err)
{
    struct answer_map *names = namer->names;
    const struct abi_method *method = &names->map.methods[index];
    struct rule_original original;

    if (namer->originals != NULL && method->descriptor.size == 0 &&
        abi_methodmap_find(&names->own, method->id) != NULL) {
        return make_plain_name(namer, index, err);
    }
    MB_TRY(original_of(names, namer->originals, method, &original, err));
    const struct use use = {
        .index = index,
        .name = plain_name(&names->arena, &original),
        .descriptor = original.descriptor,
    };
    return use.name.data != NULL ? assign_name(namer, &use, DETAIL_NAME, err) : mb_fail_memory(err);
}

static enum mb_status make_names(struct answer_map *names, const struct rule_mapping *originals,
                                 struct mb_error *err)
{
    struct namer namer = {.names = names, .originals = originals};
    enum mb_status status = MB_OK;

    names->texts = MB_NEW_ARRAY(&names->arena, struct mb_text, names->map.count + 1);
    if (names->texts == NULL) {
        status = mb_fail_memory(err);
    }
    for (size_t i = 0; status == MB_OK && i < names->map.count; i++) {
        status = make_name(&namer, i, err);
    }
    mb_strmap_finish(&namer.seen);
    mb_buf_finish(&namer.text);
    return status;
}

static enum mb_status open_names(struct answer_map *names, const struct answer_map_source *source,
                                 const struct rule_mapping *originals, struct mb_error *err)
{
    const struct mb_buf *found = &names->map.text;

    if (source->map_path != NULL && source->is_found) {
        const struct mb_text text = {(const char *)found->bytes, found->size};
        MB_TRY(abi_methodmap_parse(&names->map, text, source->map_path, err));
    } else if (source->map_path != NULL) {
        MB_TRY(abi_methodmap_load(&names->map, source->map_path, err));
    }
    if (source->map_path == NULL || source->own.size > 0) {
        MB_TRY(abi_methodmap_parse(&names->own, source->own, source->own_path, err));
        MB_TRY(answer_join_own(names, originals, err));
    }
    return make_names(names, originals, err);
}

enum mb_status answer_map_open(struct answer_map *names, const struct answer_map_source *source,
                               struct mb_error *err)
{
    MB_TRY(rule_builds_open(source->mapping, err));
    return open_names(names, source, rule_builds_find(source->mapping, source->r8), err);
}

enum mb_status answer_map_load(struct answer_map *names, const char *map_path,
                               struct rule_builds *mapping, struct mb_error *err)
{
    const struct answer_map_source source = {.map_path = map_path, .mapping = mapping};

    return answer_map_open(names, &source, err);
}

static struct mb_text find_name(const void *context, uint32_t id)
{
    const struct answer_map *names = context;
    const struct abi_method *method = abi_methodmap_find(&names->map, id);

    if (id == ABI_MESSAGE_ID && names->has_plain_messages) {
        return MB_TEXT("(message)");
    }
    return method != NULL ? names->texts[method - names->map.methods] : (struct mb_text){0};
}

struct answer_names answer_map_names(const struct answer_map *names)
{
    return (struct answer_names){find_name, names};
}

void answer_map_finish(struct answer_map *names)
{
    abi_methodmap_finish(&names->map);
    abi_methodmap_finish(&names->own);
    mb_buf_finish(&names->joins);
    mb_arena_finish(&names->arena);
}
