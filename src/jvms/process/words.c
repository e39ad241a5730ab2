#include "jvms/process/words.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

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

/* ---- What people may say of probes and samples ---- */

void proc_agent_put_option(struct mb_buf *out, const char *name, const char *value)
{
    mb_buf_printf(out, "%s%s=%s", out->size > 0 ? "," : "", name, value);
}

void proc_put_absolute(struct mb_buf *out, const char *path)
{
    char here[PATH_MAX] = "";

    if (path[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        mb_buf_printf(out, "%s/", here);
    }
    mb_buf_put_string(out, path);
}

void proc_agent_put_options(struct mb_buf *out, const struct proc_agent_options *options)
{
    if (options->focus != NULL) {
        proc_agent_put_option(out, "focus", options->focus);
    }
    if (options->blacklist != NULL) {
        proc_agent_put_option(out, "blacklist", "");
        proc_put_absolute(out, options->blacklist);
    }
    if (options->sample != PROC_SAMPLE_OFF) {
        proc_agent_put_option(out, "sample", options->sample == PROC_SAMPLE_ONLY ? "only" : "both");
    }
    if (options->only != NULL) {
        proc_agent_put_option(out, "only", options->only);
    }
}
