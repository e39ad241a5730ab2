#include "instrument/plan/content.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

/* --- room --- */

static bool is_jar(const struct plan_source *source)
{
    return ar_input_kind(source->archive) == AR_INPUT_JAR;
}

static const struct ar_entry *entry_of(const struct plan_source *source,
                                       const struct plan_class *cls)
{
    return ar_input_entry(source->archive, cls->entry);
}

/* Memory for the classes of a source. */
static uint64_t size_to_keep(const struct plan_source *source)
{
    uint64_t size = 0;

    for (uint32_t i = 0; !source->is_unchanged && i < source->class_count; i++) {
        const struct ar_entry *entry = entry_of(source, &source->classes[i]);
        size += is_jar(source) && entry->method == AR_METHOD_STORE ? 0 : entry->size;
    }
    return size;
}

struct plan_contents_size plan_contents_measure(const struct plan_sources *sources)
{
    struct plan_contents_size size = {0};

    for (uint32_t i = 0; i < sources->count; i++) {
        size.classes += size_to_keep(&sources->items[i]);
        size.inputs += ar_input_bytes(sources->items[i].archive).size;
    }
    return size;
}

void plan_contents_open(struct plan_contents *contents, struct plan_contents_size size)
{
    contents->keeps_pages = size.classes + size.inputs <= PLAN_CONTENTS_LIMIT;
    if (size.classes == 0 || size.classes > PLAN_CONTENTS_LIMIT) {
        return;
    }
    contents->capacity = (size_t)size.classes;
    contents->bytes = mb_alloc_large(&contents->capacity);
    if (contents->bytes == NULL) {
        contents->capacity = 0;
    }
}

void plan_contents_finish(struct plan_contents *contents)
{
    free(contents->bytes);
    contents->bytes = NULL;
    contents->capacity = 0;
}

/* Room for size bytes; NULL if absent. */
static char *take_room(struct plan_contents *contents, size_t size)
{
    size_t at = atomic_fetch_add_explicit(&contents->used, size, memory_order_acquire);

    return at <= contents->capacity && size <= contents->capacity - at ? contents->bytes + at
                                                                       : NULL;
}

static void give_room_back(struct plan_contents *contents, const char *room, size_t size)
{
    size_t at = (size_t)(room - contents->bytes);
    size_t end = at + size;

    /* The next user must not write to the room before it was read here. */
    (void)atomic_compare_exchange_strong_explicit(&contents->used, &end, at, memory_order_release,
                                                  memory_order_relaxed);
}

/* --- one class --- */

/* The jar gives the size of a class, and ar_entry_read enforces it; so the class is unpacked to its
 * final place. */
enum mb_status plan_content_read(struct plan_contents *contents, const struct plan_source *source,
                                 const struct plan_class *cls, struct plan_scratch *scratch,
                                 struct plan_content *content, struct mb_error *err)
{
    const struct ar_entry *entry = entry_of(source, cls);
    size_t size = (size_t)entry->size;
    bool is_packed = is_jar(source) && entry->method == AR_METHOD_DEFLATE;

    content->room = is_packed && size > 0 ? take_room(contents, size) : NULL;
    struct mb_buf room = {.bytes = (uint8_t *)content->room, .capacity = size};
    return ar_entry_read(source->archive, cls->entry, scratch->codec,
                         content->room != NULL ? &room : &scratch->content, &content->bytes, err);
}

static const char *copy_bytes(struct plan_contents *contents, struct mb_text bytes)
{
    char *room = take_room(contents, bytes.size);

    return room != NULL ? memcpy(room, bytes.data, bytes.size) : NULL;
}

bool plan_content_keep(struct plan_contents *contents, struct plan_class *cls,
                       const struct plan_scratch *scratch, const struct plan_content *content)
{
    bool is_scratch = content->bytes.data == (const char *)scratch->content.bytes;

    cls->content = is_scratch ? copy_bytes(contents, content->bytes) : content->bytes.data;
    bool is_view = content->room == NULL && !is_scratch;
    return cls->content != NULL && (contents->keeps_pages || !is_view);
}

void plan_content_forget(struct plan_contents *contents, const struct plan_content *content)
{
    if (content->room != NULL) {
        give_room_back(contents, content->room, content->bytes.size);
    }
}

enum mb_status plan_content_get(const struct plan_source *source, const struct plan_class *cls,
                                struct plan_scratch *scratch, struct mb_text *bytes,
                                struct mb_error *err)
{
    *bytes = (struct mb_text){cls->content, cls->size};
    return cls->content != NULL ? MB_OK
                                : ar_entry_read(source->archive, cls->entry, scratch->codec,
                                                &scratch->content, bytes, err);
}

/* --- pages of inputs --- */

void plan_contents_touch(const struct plan_contents *contents, struct plan_source *source,
                         const struct plan_class *cls)
{
    static const size_t limit = (size_t)4 << 20;
    size_t size = (size_t)entry_of(source, cls)->packed_size;
    /* A late or lost reset only shifts when pages go: they come back when they are read. */
    size_t before = atomic_fetch_add_explicit(&source->touched_size, size, memory_order_relaxed);

    if (before < limit && before + size >= limit) {
        atomic_store_explicit(&source->touched_size, 0, memory_order_relaxed);
        plan_contents_drop(contents, source);
    }
}

void plan_contents_drop(const struct plan_contents *contents, const struct plan_source *source)
{
    if (!contents->keeps_pages) {
        ar_input_drop_pages(source->archive);
    }
}
