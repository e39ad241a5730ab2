#include "monitor/watch/names.h"

#include "base/arena.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_COUNT (WATCH_NAME_COUNT - 1) /* numbers from 1 on */
#define SLOT_COUNT (2 * WATCH_NAME_COUNT) /* a power of two */
#define MOST_BYTES ((size_t)4 * 1024 * 1024)
#define PASSING_COUNT 256u
#define PASSING_NUMBERS UINT64_C(16384)
#define LONGEST ((size_t)64 * 1024)

struct passing {
    uint32_t number; /* 0 if none */
    struct mb_text text;
};

struct watch_names {
    struct mb_arena arena;
    size_t size;
    uint32_t count;
    uint64_t left_out;
    struct mb_text texts[WATCH_NAME_COUNT]; /* by number */
    uint32_t slots[SLOT_COUNT];             /* numbers by hash; 0: free */
    uint64_t passed;
    struct passing passing[PASSING_COUNT];
};

_Static_assert(KEPT_COUNT <= UINT16_MAX, "frames have room for them");

struct watch_names *watch_names_create(void)
{
    return calloc(1, sizeof(struct watch_names));
}

static void free_copy(struct passing *place)
{
    free((void *)(uintptr_t)place->text.data);
}

void watch_names_destroy(struct watch_names *names)
{
    if (names == NULL) {
        return;
    }
    for (uint32_t i = 0; i < PASSING_COUNT; i++) {
        free_copy(&names->passing[i]);
    }
    mb_arena_finish(&names->arena);
    free(names);
}

static struct mb_text shorten_text(struct mb_text text)
{
    text.size = text.size < LONGEST ? text.size : LONGEST;
    return text;
}

/* The slot of the text, or the free slot for it. */
static uint32_t *find_slot(struct watch_names *names, struct mb_text text)
{
    uint32_t i = (uint32_t)mb_text_hash(text) % SLOT_COUNT;

    while (names->slots[i] != 0 && !mb_text_equal(names->texts[names->slots[i]], text)) {
        i = (i + 1) % SLOT_COUNT;
    }
    return &names->slots[i];
}

static uint32_t store_text(struct watch_names *names, uint32_t *slot, struct mb_text text)
{
    const char *copy = NULL;

    if (names->count < KEPT_COUNT && names->size + text.size <= MOST_BYTES) {
        copy = mb_arena_copy(&names->arena, text.data, text.size);
    }
    if (copy == NULL) {
        names->left_out++;
        return 0;
    }
    names->size += text.size;
    *slot = ++names->count;
    names->texts[*slot] = (struct mb_text){copy, text.size};
    return *slot;
}

uint32_t watch_names_add(struct watch_names *names, struct mb_text text)
{
    text = shorten_text(text);
    if (text.size == 0) {
        return 0;
    }
    uint32_t *slot = find_slot(names, text);
    return *slot != 0 ? *slot : store_text(names, slot, text);
}

void watch_names_add_frame(struct watch_names *names, struct mon_frames *frames,
                           struct mb_text text)
{
    const struct mb_place place = mb_place_cut(&text);

    if (frames->count < MON_FRAME_COUNT) {
        uint32_t i = frames->count++;
        frames->names[i] = watch_names_add(names, text);
        frames->files[i] = 0;
        if (place.line <= UINT16_MAX) {
            frames->files[i] = (uint16_t)watch_names_add(names, place.file);
            frames->lines[i] = (uint16_t)place.line;
        }
    }
}

uint32_t watch_names_pass(struct watch_names *names, struct mb_text text)
{
    text = shorten_text(text);
    char *copy = text.size > 0 ? malloc(text.size) : NULL;

    if (copy == NULL) {
        names->left_out += text.size > 0;
        return 0;
    }
    memcpy(copy, text.data, text.size);
    struct passing *place = &names->passing[names->passed % PASSING_COUNT];
    free_copy(place);
    place->number = WATCH_NAME_COUNT + (uint32_t)(names->passed++ % PASSING_NUMBERS);
    place->text = (struct mb_text){copy, text.size};
    return place->number;
}

static struct mb_text find_text(const void *context, uint32_t name)
{
    const struct watch_names *names = context;

    if (name <= names->count) {
        return names->texts[name];
    }
    const struct passing *place = &names->passing[(name - WATCH_NAME_COUNT) % PASSING_COUNT];
    return name >= WATCH_NAME_COUNT && place->number == name ? place->text
                                                             : (struct mb_text){"", 0};
}

struct mon_names watch_names_view(const struct watch_names *names)
{
    return (struct mon_names){find_text, names};
}

uint64_t watch_names_left_out(const struct watch_names *names)
{
    return names->left_out;
}
