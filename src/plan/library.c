#include "plan/library.h"

#include "classfile/names.h"
#include "rules/platform.h"

struct reader {
    struct plan_library *library;
    struct mb_intern *names;
    struct plan_scratch *scratch;
    struct mb_error *err;
};

static bool can_be_overridden(const struct cf_class *file, const struct cf_member *method)
{
    static const unsigned closed = CF_ACC_STATIC | CF_ACC_PRIVATE | CF_ACC_FINAL;

    return (method->access_flags & closed) == 0 &&
           !mb_text_starts(cf_member_name(file, method), MB_TEXT("<"));
}

static bool keep_methods(struct plan_library_class *cls, const struct cf_class *file,
                         struct mb_arena *arena)
{
    cls->keys = MB_NEW_ARRAY(arena, uint32_t, file->method_count);
    for (uint16_t i = 0; cls->keys != NULL && i < file->method_count; i++) {
        const struct cf_member *method = &file->methods[i];
        if (can_be_overridden(file, method)) {
            cls->keys[cls->key_count++] =
                rule_method_key(cf_member_name(file, method), cf_member_descriptor(file, method));
        }
    }
    return cls->keys != NULL;
}

static bool keep_interfaces(struct reader *reader, struct plan_library_class *cls,
                            const struct cf_class *file)
{
    cls->interfaces = MB_NEW_ARRAY(&reader->library->arena, uint32_t, file->interface_count);
    bool is_kept = cls->interfaces != NULL;

    for (uint16_t i = 0; is_kept && i < file->interface_count; i++) {
        uint16_t index = mb_get_u2(file->interfaces + (size_t)2 * i);
        uint32_t name = mb_intern_add(reader->names, cf_pool_class_name(&file->pool, index));
        cls->interfaces[cls->interface_count++] = name;
        is_kept = name != MB_INTERN_NONE;
    }
    return is_kept;
}

static enum mb_status parse_class(struct reader *reader, struct mb_text content,
                                  struct cf_class *file)
{
    struct mb_arena *arena = &reader->scratch->arena;

    mb_arena_reset(arena);
    MB_TRY(cf_class_parse(file, arena, (const uint8_t *)content.data, content.size, reader->err));
    return cf_class_check_names(file, reader->err);
}

static enum mb_status read_class(struct reader *reader, struct mb_text content)
{
    struct plan_library_class *cls = &reader->library->classes[reader->library->count];
    struct cf_class file;

    enum mb_status status = parse_class(reader, content, &file);
    if (status != MB_OK) {
        return status == MB_NO_MEMORY ? status : MB_OK;
    }
    *cls = (struct plan_library_class){
        .name = mb_intern_add(reader->names, file.name),
        .super_name = mb_intern_add(reader->names, file.super_name),
        .focus_method = rule_class_fact_of(&file).focus_method,
    };
    if (cls->name == MB_INTERN_NONE || cls->super_name == MB_INTERN_NONE ||
        !keep_interfaces(reader, cls, &file) ||
        !keep_methods(cls, &file, &reader->library->arena)) {
        return mb_fail_memory(reader->err);
    }
    reader->library->count++;
    return MB_OK;
}

static enum mb_status read_archive(struct reader *reader, const struct ar_input *archive)
{
    struct mb_text content;

    for (size_t i = 0; i < ar_input_count(archive); i++) {
        if (ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS) {
            MB_TRY(ar_entry_read(archive, i, reader->scratch->codec, &reader->scratch->content,
                                 &content, reader->err));
            MB_TRY(read_class(reader, content));
        }
    }
    return MB_OK;
}

static enum mb_status read_sources(struct reader *reader, const struct plan_sources *sources)
{
    size_t count = 0;

    for (uint32_t i = 0; i < sources->count; i++) {
        count += sources->items[i].class_count;
    }
    reader->library->classes =
        MB_NEW_ARRAY(&reader->library->arena, struct plan_library_class, count);
    if (reader->library->classes == NULL) {
        return mb_fail_memory(reader->err);
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        MB_TRY(read_archive(reader, sources->items[i].archive));
    }
    return MB_OK;
}

enum mb_status plan_library_read(struct plan_library *library, struct plan_crew *crew,
                                 struct mb_intern *names, const char *const *paths, size_t count,
                                 struct mb_error *err)
{
    struct reader reader = {.library = library, .names = names, .err = err};
    struct plan_sources sources = {0};

    MB_TRY(plan_crew_scratch(crew, 0, &reader.scratch, err));
    enum mb_status status = plan_sources_open(&sources, paths, count, crew->workers, err);
    status = status == MB_OK ? read_sources(&reader, &sources) : status;
    plan_sources_finish(&sources);
    return status;
}

void plan_library_finish(struct plan_library *library)
{
    mb_arena_finish(&library->arena);
    *library = (struct plan_library){0};
}
