#include "cli/trace_input.h"

#include "abi/hash.h"
#include "base/file.h"
#include "rules/names.h"

#include <inttypes.h>
#include <string.h>

enum mb_status cli_trace_load(struct cli_trace *trace, const char *path, struct mb_error *err)
{
    MB_TRY(mb_file_read(&trace->bytes, path, err));
    enum mb_status status =
        abi_tracefile_open(&trace->file, trace->bytes.bytes, trace->bytes.size, err);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

struct mb_text cli_clean_text(struct mb_arena *arena, struct mb_text text)
{
    char *copy = mb_arena_copy(arena, text.data, text.size);

    for (size_t i = 0; copy != NULL && i < text.size; i++) {
        bool is_control = (unsigned char)copy[i] < 0x20 || copy[i] == 0x7f;
        copy[i] = is_control ? '?' : copy[i];
    }
    return (struct mb_text){copy, copy != NULL ? text.size : 0};
}

static void swap(char *text, size_t size, char from, char to)
{
    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == from ? to : text[i];
    }
}

/* A copy with slashes for dots. */
static struct mb_text internal_form(struct mb_arena *arena, struct mb_text text)
{
    char *copy = mb_arena_copy(arena, text.data, text.size);

    if (copy != NULL) {
        swap(copy, text.size, '.', '/');
    }
    return (struct mb_text){copy, copy != NULL ? text.size : 0};
}

static enum mb_status original_of(struct cli_trace *trace, const struct rule_names *names,
                                  const struct abi_method *method, struct rule_original *original,
                                  struct mb_error *err)
{
    const struct rule_class_names *methods = NULL;
    const struct rule_original obfuscated = {
        .class_name = internal_form(&trace->arena, method->class_name),
        .name = method->name,
        .descriptor = internal_form(&trace->arena, method->descriptor),
    };

    *original = obfuscated;
    if (names == NULL) {
        return MB_OK;
    }
    MB_TRY(rule_names_open(names, obfuscated.class_name, &trace->arena, &methods, err));
    return rule_names_method(methods, &obfuscated, original, err);
}

static enum mb_status make_name(struct cli_trace *trace, const struct rule_names *names,
                                size_t index, struct mb_error *err)
{
    struct rule_original original;

    MB_TRY(original_of(trace, names, &trace->map.methods[index], &original, err));
    size_t size = original.class_name.size + 1 + original.name.size;
    char *text = mb_arena_alloc(&trace->arena, size + 1);
    if (text == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(text, original.class_name.data, original.class_name.size);
    swap(text, original.class_name.size, '/', '.');
    text[original.class_name.size] = '.';
    memcpy(text + original.class_name.size + 1, original.name.data, original.name.size);
    trace->names[index] = cli_clean_text(&trace->arena, (struct mb_text){text, size});
    return MB_OK;
}

static enum mb_status make_names(struct cli_trace *trace, const char *mapping, struct mb_error *err)
{
    struct rule_names *names = NULL;
    enum mb_status status = MB_OK;

    if (mapping != NULL) {
        MB_TRY(rule_names_load(&names, mapping, err));
    }
    trace->names = MB_NEW_ARRAY(&trace->arena, struct mb_text, trace->map.count + 1);
    if (trace->names == NULL) {
        status = mb_fail_memory(err);
    }
    for (size_t i = 0; status == MB_OK && i < trace->map.count; i++) {
        status = make_name(trace, names, i, err);
    }
    rule_names_destroy(names);
    return status;
}

enum mb_status cli_trace_load_names(struct cli_trace *trace, const char *map_path,
                                    const char *mapping, bool force, struct mb_error *err)
{
    uint64_t expected = trace->file.header.mapping_hash;

    MB_TRY(abi_methodmap_load(&trace->map, map_path, err));
    uint64_t hash = abi_hash(ABI_HASH_START, trace->map.text.bytes, trace->map.text.size);
    if (expected != 0 && expected != hash && !force) {
        enum mb_status status =
            mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET,
                    "the trace was recorded with another method map (%016" PRIx64
                    ", not %016" PRIx64 "); --force uses this one",
                    expected, hash);
        mb_error_in_input(err, map_path);
        return status;
    }
    return make_names(trace, mapping, err);
}

static struct mb_text find_name(const void *context, uint32_t id)
{
    const struct cli_trace *trace = context;
    const struct abi_method *method = abi_methodmap_find(&trace->map, id);

    return method != NULL ? trace->names[method - trace->map.methods] : (struct mb_text){0};
}

struct export_names cli_trace_names(const struct cli_trace *trace)
{
    return (struct export_names){find_name, trace};
}

void cli_trace_finish(struct cli_trace *trace)
{
    mb_buf_finish(&trace->bytes);
    abi_methodmap_finish(&trace->map);
    mb_arena_finish(&trace->arena);
}
