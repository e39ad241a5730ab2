#include "instrument/plan/names.h"

#include "instrument/plan/ids.h"
#include "planned.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define START sizeof(struct plan_seal)

static const struct input_class classes[] = {
    {"in", "a/A run stop"},
    {"in", "a/B:a/A run -hide"},
    {"in", "a/C -run"},
};

struct world {
    struct planned planned;
    struct mb_buf file;
};

static void make(struct world *world)
{
    struct planned *planned = &world->planned;

    *world = (struct world){0};
    planned_open(planned, classes, MB_COUNT(classes), 1);
    cr_assert(eq(int,
                 plan_names_put(&world->file, planned->names, planned->order.classes,
                                planned->order.count, 7, NULL),
                 MB_OK));
}

static void drop(struct world *world)
{
    mb_buf_finish(&world->file);
    planned_close(&world->planned);
}

/* The sources of the first size bytes. */
static enum mb_status parse(const uint8_t *bytes, size_t size, struct plan_sources *sources,
                            struct mb_intern *names)
{
    struct mb_error err = {0};
    uint64_t options = 7;

    sources->items = MB_NEW_ARRAY(&sources->arena, struct plan_source, 1);
    enum mb_status status = plan_names_parse(
        sources, names, (struct mb_text){(const char *)bytes, size}, "x.names", &options, &err);
    cr_assert(status == MB_OK || strcmp(err.input, "x.names") == 0);
    return status;
}

static enum mb_status try(const uint8_t *bytes, size_t size)
{
    struct mb_intern *names = mb_intern_create();
    struct plan_sources sources = {0};
    enum mb_status status = parse(bytes, size, &sources, names);

    mb_arena_finish(&sources.arena);
    mb_intern_destroy(names);
    return status;
}

Test(names, classes_come_back_with_hashes_in_place_of_names)
{
    struct mb_intern *names = mb_intern_create();
    struct plan_sources sources = {0};
    struct world world;

    make(&world);
    cr_assert(eq(int, parse(world.file.bytes, world.file.size, &sources, names), MB_OK));
    cr_assert(eq(u32, sources.items[0].class_count, MB_COUNT(classes)));
    for (uint32_t i = 0; i < MB_COUNT(classes); i++) {
        const struct plan_class *cls = &sources.items[0].classes[i];
        const struct plan_class *from = world.planned.order.classes[i];
        cr_assert(mb_text_starts(mb_text_of(classes[i].text), mb_intern_get(names, cls->name)));
        cr_assert(eq(u16, cls->method_count, from->traced_count));
        cr_assert(cls->has_keys && cls->is_readable);
        for (uint16_t k = 0; k < cls->method_count; k++) {
            uint64_t hash = (uint64_t)cls->methods[k].name << 16 | cls->methods[k].descriptor;
            bool is_there = false;
            for (uint16_t m = 0; m < from->method_count; m++) {
                is_there |= hash == plan_hash_name_of(world.planned.names, from, &from->methods[m]);
            }
            cr_assert(is_there);
        }
    }
    mb_arena_finish(&sources.arena);
    mb_intern_destroy(names);
    drop(&world);
}

Test(names, any_other_byte_is_damage)
{
    struct world world;

    make(&world);
    for (size_t i = 0; i < world.file.size; i++) {
        cr_assert(eq(int, try(world.file.bytes, i), MB_BAD_TEXT), "cut at %zu", i);
        world.file.bytes[i] ^= 0x10;
        cr_assert(ne(int, try(world.file.bytes, world.file.size), MB_OK), "byte %zu", i);
        world.file.bytes[i] ^= 0x10;
    }
    drop(&world);
}

/* Whoever makes the right checksum may lie in all else: nothing is read beyond the end. */
Test(names, what_is_sealed_is_not_believed)
{
    struct world world;

    make(&world);
    for (size_t i = START + 1; i < world.file.size; i++) {
        uint8_t *bytes = malloc(i);
        cr_assert(ne(ptr, bytes, NULL));
        memcpy(bytes, world.file.bytes, i);
        bytes[i - 1] ^= 0xff;
        struct mb_buf file = {.bytes = bytes, .size = i, .capacity = i};
        plan_seal(&file, "collect", 7);
        cr_assert(eq(int, try(bytes, i), MB_BAD_TEXT), "%zu bytes", i);
        free(bytes);
    }
    drop(&world);
}

/* Both names have one hash, as have classes of these names. */
Test(names, of_methods_of_one_hash_both_are_named)
{
    static const struct input_class twins[] = {
        {"in", "a/A collidesWithThat run aKGcnyZpLeJjePLR"},
    };
    struct planned planned = {0};
    struct mb_error err = {0};
    struct mb_buf file = {0};

    planned_open(&planned, twins, MB_COUNT(twins), 1);
    cr_assert(eq(
        int,
        plan_names_put(&file, planned.names, planned.order.classes, planned.order.count, 7, &err),
        MB_BAD_TEXT));
    cr_assert(strstr(err.method, "collidesWithThat") != NULL &&
                  strstr(err.reason, "'aKGcnyZpLeJjePLR'") != NULL &&
                  strcmp(err.class_name, "a/A") == 0,
              "%s %s %s", err.class_name, err.method, err.reason);
    mb_buf_finish(&file);
    planned_close(&planned);
}

static enum mb_status collect_ids(const struct input_class *inputs, size_t count,
                                  struct mb_error *err)
{
    struct planned planned = {0};
    struct mb_buf file = {0};
    struct mb_intern *names = mb_intern_create();
    struct plan_sources sources = {0};
    union plan_ids ids = {0};

    planned_open(&planned, inputs, count, 1);
    cr_assert(eq(
        int,
        plan_names_put(&file, planned.names, planned.order.classes, planned.order.count, 7, NULL),
        MB_OK));
    cr_assert(eq(int, parse(file.bytes, file.size, &sources, names), MB_OK));
    enum mb_status status = plan_ids_collect(&ids, names, sources.items, 1, err);
    for (size_t i = 0; status == MB_OK && i < MB_VEC_COUNT(&ids); i++) {
        cr_assert(eq(u32, ids.items[i].id, 0), "none has one yet");
    }
    mb_buf_finish(&ids.buf);
    mb_arena_finish(&sources.arena);
    mb_intern_destroy(names);
    mb_buf_finish(&file);
    planned_close(&planned);
    return status;
}

Test(names, of_classes_of_one_hash_both_are_named)
{
    static const struct input_class twins[] = {
        {"in", "collidesWithThat run"},
        {"in", "aKGcnyZpLeJjePLR run"},
    };
    static const struct input_class others[] = {
        {"in", "collidesWithThat run"},
        {"in", "aKGcnyZpLeJjePLR stop"},
    };
    struct mb_error err = {0};

    cr_assert(eq(int, collect_ids(twins, MB_COUNT(twins), &err), MB_BAD_TEXT));
    cr_assert(strstr(err.reason, "'collidesWithThat'") != NULL &&
                  strstr(err.reason, "'aKGcnyZpLeJjePLR'") != NULL,
              "%s", err.reason);
    cr_assert(eq(int, collect_ids(others, MB_COUNT(others), &err), MB_OK));
}
