#include "cli/method_names.h"

#include "rules/names.h"

#include <string.h>

struct mb_text cli_clean_text(struct mb_arena *arena, struct mb_text text)
{
    char *copy = mb_arena_copy(arena, text.data, text.size);

    for (size_t i = 0; copy != NULL && i < text.size; i++) {
        bool is_control = (unsigned char)copy[i] < 0x20 || copy[i] == 0x7f;
        if (is_control) {
            copy[i] = '?';
        }
    }
    return (struct mb_text){copy, copy != NULL ? text.size : 0};
}

static void swap(char *text, size_t size, char from, char to)
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
        swap(copy, text.size, '.', '/');
    }
    return (struct mb_text){copy, copy != NULL ? text.size : 0};
}

static enum mb_status original_of(struct cli_method_names *names,
                                  const struct rule_names *originals,
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
    MB_TRY(rule_names_open(originals, obfuscated.class_name, &names->arena, &methods, err));
    return rule_names_method(methods, &obfuscated, original, err);
}

static enum mb_status make_name(struct cli_method_names *names, const struct rule_names *originals,
                                size_t index, struct mb_error *err)
{
    struct rule_original original;

    MB_TRY(original_of(names, originals, &names->map.methods[index], &original, err));
    size_t size = original.class_name.size + 1 + original.name.size;
    char *text = mb_arena_alloc(&names->arena, size + 1);
    if (text == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(text, original.class_name.data, original.class_name.size);
    swap(text, original.class_name.size, '/', '.');
    text[original.class_name.size] = '.';
    memcpy(text + original.class_name.size + 1, original.name.data, original.name.size);
    names->texts[index] = cli_clean_text(&names->arena, (struct mb_text){text, size});
    return names->texts[index].data != NULL ? MB_OK : mb_fail_memory(err);
}

static enum mb_status make_names(struct cli_method_names *names, const char *mapping,
                                 struct mb_error *err)
{
    struct rule_names *originals = NULL;
    enum mb_status status = MB_OK;

    if (mapping != NULL) {
        MB_TRY(rule_names_load(&originals, mapping, err));
    }
    names->texts = MB_NEW_ARRAY(&names->arena, struct mb_text, names->map.count + 1);
    if (names->texts == NULL) {
        status = mb_fail_memory(err);
    }
    for (size_t i = 0; status == MB_OK && i < names->map.count; i++) {
        status = make_name(names, originals, i, err);
    }
    rule_names_destroy(originals);
    return status;
}

enum mb_status cli_method_names_load(struct cli_method_names *names, const char *map_path,
                                     const char *mapping, struct mb_error *err)
{
    MB_TRY(abi_methodmap_load(&names->map, map_path, err));
    return make_names(names, mapping, err);
}

static struct mb_text find_name(const void *context, uint32_t id)
{
    const struct cli_method_names *names = context;
    const struct abi_method *method = abi_methodmap_find(&names->map, id);

    return method != NULL ? names->texts[method - names->map.methods] : (struct mb_text){0};
}

struct export_names cli_method_names_view(const struct cli_method_names *names)
{
    return (struct export_names){find_name, names};
}

void cli_method_names_finish(struct cli_method_names *names)
{
    abi_methodmap_finish(&names->map);
    mb_arena_finish(&names->arena);
}
