#include "instrument/source.h"

#include <stdlib.h>

/* What one path leads to: the input, and the jars inside if it is an AAR. */
struct opened {
    struct ar_input *archive;
    struct ar_input **nested;
    uint32_t *nested_entries;
    uint32_t nested_count;
};

struct opener {
    const char *const *paths;
    struct opened *opened;
};

static enum mb_status open_nested(struct opened *opened, struct mb_error *err)
{
    size_t entry_count = ar_input_count(opened->archive);
    size_t jar_count = 0;

    for (size_t i = 0; i < entry_count; i++) {
        jar_count += ar_input_entry(opened->archive, i)->kind == AR_ENTRY_JAR;
    }
    if (jar_count == 0) {
        return MB_OK;
    }
    opened->nested = calloc(jar_count, sizeof(*opened->nested));
    opened->nested_entries = calloc(jar_count, sizeof(*opened->nested_entries));
    if (opened->nested == NULL || opened->nested_entries == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < entry_count; i++) {
        if (ar_input_entry(opened->archive, i)->kind == AR_ENTRY_JAR) {
            uint32_t *count = &opened->nested_count;
            MB_TRY(ar_input_open_nested(&opened->nested[*count], opened->archive, i, err));
            opened->nested_entries[(*count)++] = (uint32_t)i;
        }
    }
    return MB_OK;
}

static enum mb_status open_path(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct opener *opener = context;
    struct opened *opened = &opener->opened[task];

    (void)worker;
    MB_TRY(ar_input_open(&opened->archive, opener->paths[task], err));
    return open_nested(opened, err);
}

static enum mb_status add_source(struct ins_sources *sources, struct ar_input *archive,
                                 struct mb_error *err)
{
    uint32_t number = sources->count++;
    struct ins_source *source = &sources->items[number];
    size_t entry_count = ar_input_count(archive);
    uint32_t class_count = 0;

    *source = (struct ins_source){.archive = archive, .outer = INS_NO_SOURCE};
    for (size_t i = 0; i < entry_count; i++) {
        class_count += ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS;
    }
    source->classes = MB_NEW_ARRAY(&sources->arena, struct ins_class, class_count);
    if (source->classes == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < entry_count; i++) {
        if (ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS) {
            struct ins_class *cls = &source->classes[source->class_count++];
            cls->source = number;
            cls->entry = (uint32_t)i;
        }
    }
    return MB_OK;
}

/* Moves the inputs out of opened, so that each has one owner also after a failure. */
static enum mb_status add_sources(struct ins_sources *sources, struct opened *opened,
                                  struct mb_error *err)
{
    uint32_t outer = sources->count;
    struct ar_input *archive = opened->archive;

    opened->archive = NULL;
    MB_TRY(add_source(sources, archive, err));
    for (uint32_t i = 0; i < opened->nested_count; i++) {
        archive = opened->nested[i];
        opened->nested[i] = NULL;
        MB_TRY(add_source(sources, archive, err));
        sources->items[sources->count - 1].outer = outer;
        sources->items[sources->count - 1].outer_entry = opened->nested_entries[i];
        sources->items[outer].nested_count++;
    }
    return MB_OK;
}

static void finish_opened(struct opened *opened)
{
    for (uint32_t i = 0; i < opened->nested_count; i++) {
        ar_input_close(opened->nested[i]);
    }
    ar_input_close(opened->archive);
    free(opened->nested);
    free(opened->nested_entries);
}

enum mb_status ins_sources_open(struct ins_sources *sources, const char *const *paths,
                                size_t path_count, struct ins_workers *workers,
                                struct mb_error *err)
{
    struct opener opener = {paths, calloc(path_count + 1, sizeof(struct opened))};
    size_t count = path_count;

    if (opener.opened == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = ins_workers_run(workers, path_count, open_path, &opener, err);
    for (size_t i = 0; i < path_count; i++) {
        count += opener.opened[i].nested_count;
    }
    sources->items = MB_NEW_ARRAY(&sources->arena, struct ins_source, count);
    if (status == MB_OK && sources->items == NULL) {
        status = mb_fail_memory(err);
    }
    for (size_t i = 0; i < path_count; i++) {
        status = status == MB_OK ? add_sources(sources, &opener.opened[i], err) : status;
        finish_opened(&opener.opened[i]);
    }
    free(opener.opened);
    return status;
}

void ins_sources_finish(struct ins_sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        ar_input_close(sources->items[i].archive);
    }
    mb_arena_finish(&sources->arena);
    *sources = (struct ins_sources){0};
}

enum mb_status ins_sources_check_unchanged(const struct ins_sources *sources, struct mb_error *err)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        MB_TRY(ar_input_check_unchanged(sources->items[i].archive, err));
    }
    return MB_OK;
}

void ins_source_touch(struct ins_source *source, size_t size)
{
    static const size_t limit = (size_t)4 << 20;
    /* A late or lost reset only shifts when pages go: they come back when they are read. */
    size_t before = atomic_fetch_add_explicit(&source->touched_size, size, memory_order_relaxed);

    if (before < limit && before + size >= limit) {
        atomic_store_explicit(&source->touched_size, 0, memory_order_relaxed);
        ins_source_drop(source);
    }
}

void ins_source_drop(const struct ins_source *source)
{
    if (!source->keeps_pages) {
        ar_input_drop_pages(source->archive);
    }
}
