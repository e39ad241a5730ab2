#include "jvms/process/words.h"

#include <string.h>

#define SPACES " \t\r\n\f"

const char *proc_words_item(const union mb_words *list, size_t index)
{
    return index < MB_VEC_COUNT(list) ? list->items[index] : NULL;
}

void proc_words_add(struct proc_words *launch, const char *word, size_t size)
{
    const char *copy = mb_arena_copy(&launch->arena, word, size);

    if (copy != NULL) {
        MB_VEC_PUSH(&launch->words, copy);
    }
}

/* The word up to the next space, including quoted parts with their spaces. */
static const char *take_word(struct proc_words *launch, const char *at)
{
    struct mb_buf word = {0};

    while (*at != '\0' && strchr(SPACES, *at) == NULL) {
        bool is_quoted = *at == '"' || *at == '\'';
        char quote[] = {*at, '\0'};
        at += is_quoted;
        size_t size = strcspn(at, is_quoted ? quote : SPACES "\"'");
        mb_buf_put(&word, at, size);
        at += size;
        at += is_quoted && *at != '\0';
    }
    if (!word.failed) {
        proc_words_add(launch, word.size > 0 ? (const char *)word.bytes : "", word.size);
    }
    mb_buf_finish(&word);
    return at;
}

void proc_words_split(struct proc_words *launch, const char *text)
{
    const char *at = text + strspn(text, SPACES);

    while (*at != '\0') {
        at = *at == '#' ? at + strcspn(at, "\r\n") : take_word(launch, at);
        at += strspn(at, SPACES);
    }
}

void proc_words_finish(struct proc_words *launch)
{
    mb_buf_finish(&launch->words.buf);
    mb_arena_finish(&launch->arena);
}
