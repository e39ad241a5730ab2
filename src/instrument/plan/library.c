#include "instrument/plan/library.h"

#include "classfile/names.h"

struct reader {
    struct plan_library *library;
    struct mb_intern *names;
    struct plan_scratch *scratch;
    struct mb_error *err;
};

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
    if (cls->name == MB_INTERN_NONE || cls->super_name == MB_INTERN_NONE) {
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
