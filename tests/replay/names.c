#include "replay/names.h"

#include <string.h>

uint32_t replay_names_add(struct replay_names *names, struct mb_text text)
{
    void **slot = mb_strmap_slot(&names->map, text.data, text.size);

    if (slot == NULL) {
        return 0;
    }
    if (*slot == NULL) {
        struct mb_text kept = {mb_arena_copy(&names->arena, text.data, text.size), text.size};
        if (kept.data == NULL) {
            return 0;
        }
        mb_buf_put(&names->texts, &kept, sizeof(kept));
        if (names->texts.failed) {
            return 0;
        }
        *slot = (void *)(uintptr_t)(names->texts.size / sizeof(kept));
    }
    return (uint32_t)(uintptr_t)*slot;
}

bool replay_names_say(struct replay_names *names, uint32_t number, struct mb_text text)
{
    uint32_t ours = replay_names_add(names, text);
    size_t end = ((size_t)number + 1) * sizeof(ours);

    if (ours == 0) {
        return false;
    }
    if (names->of_file.size < end) {
        size_t missing = end - names->of_file.size;
        uint8_t *place = mb_buf_extend(&names->of_file, missing);
        if (place == NULL) {
            return false;
        }
        memset(place, 0, missing);
    }
    memcpy(names->of_file.bytes + end - sizeof(ours), &ours, sizeof(ours));
    return true;
}

uint32_t replay_names_ours(const struct replay_names *names, uint32_t number)
{
    size_t end = ((size_t)number + 1) * sizeof(number);
    uint32_t ours = 0;

    if (end <= names->of_file.size) {
        memcpy(&ours, names->of_file.bytes + end - sizeof(ours), sizeof(ours));
    }
    return ours;
}

struct mb_text replay_names_find(const void *context, uint32_t name)
{
    const struct replay_names *names = context;
    struct mb_text text;

    memcpy(&text, names->texts.bytes + (size_t)(name - 1) * sizeof(text), sizeof(text));
    return text;
}

void replay_names_next_file(struct replay_names *names)
{
    mb_buf_reset(&names->of_file);
}

void replay_names_finish(struct replay_names *names)
{
    mb_arena_finish(&names->arena);
    mb_strmap_finish(&names->map);
    mb_buf_finish(&names->texts);
    mb_buf_finish(&names->of_file);
}
