#include "process/launch.h"

#include "abi/run.h"
#include "base/text.h"
#include "process/jvm_program.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool proc_launch_is_java(const struct proc_launch *launch)
{
    return strcmp(mb_last_part(launch->command[0]), "java") == 0;
}

/* A word of the variable, whose parts in quotes the JVM joins. */
static void put_quoted(struct mb_buf *out, const char *word)
{
    mb_buf_put_string(out, out->size > 0 ? " " : "");
    while (*word != '\0') {
        const char *quote = *word == '\'' ? "\"" : "'";
        size_t size = strcspn(word, quote);
        mb_buf_put_string(out, quote);
        mb_buf_put(out, word, size);
        mb_buf_put_string(out, quote);
        word += size;
    }
}

/* The words of the JVM's options, in the arena: without memory, some are missing. */
static void put_option(struct proc_words *options, struct mb_buf *word)
{
    mb_buf_put_u1(word, '\0');
    const char *copy =
        word->failed ? NULL : mb_arena_copy(&options->arena, word->bytes, word->size);
    MB_VEC_PUSH(&options->words, copy);
    options->words.buf.failed = options->words.buf.failed || copy == NULL;
    mb_buf_finish(word);
}

/* Options of the agent stand behind its path. */
static void put_agent(struct proc_words *options, const struct proc_launch *launch)
{
    struct mb_buf said = {0};
    struct mb_buf word = {0};

    proc_agent_put_options(&said, &launch->probes);
    mb_buf_put_string(&word, "-agentpath:");
    mb_buf_put_string(&word, launch->agent);
    mb_buf_put_string(&word, said.size > 0 ? "=" : "");
    mb_buf_put(&word, said.bytes, said.size);
    mb_buf_finish_part(&word, &said);
    put_option(options, &word);
}

/* The JVM makes characters of a property's bytes as LANG says: what is more than ASCII, and paths,
 * go by variables, which the recorder reads itself. */
static bool set_variable(const char *name, size_t size, const char *value)
{
    char variable[64] = "METHODBEAT_";
    size_t prefix = strlen(variable);

    for (size_t i = 0; i < size && prefix + i < sizeof(variable) - 1; i++) {
        variable[prefix + i] = (char)toupper((unsigned char)name[i]);
    }
    return setenv(variable, value, 1) == 0;
}

static bool put_setting(struct proc_words *options, const char *text)
{
    struct mb_buf word = {0};
    size_t size = strcspn(text, "=");
    const char *value = text + size + 1;

    for (const char *at = value; *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80) {
            return set_variable(text, size, value);
        }
    }
    mb_buf_put_string(&word, "-Dmethodbeat.");
    mb_buf_put_string(&word, text);
    put_option(options, &word);
    return true;
}

/* As it is here, whatever folder the program goes to. In the pattern of a file a '%' of ours would
 * be a sign. */
static bool set_file(const char *file)
{
    char here[PATH_MAX] = "";
    struct mb_buf path = {0};
    bool is_pattern = file[0] != '\0' && file[strlen(file) - 1] != '/';

    if (file[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        for (const char *at = here; *at != '\0'; at++) {
            mb_buf_put_string(&path, *at == '%' && is_pattern ? "%" : "");
            mb_buf_put_u1(&path, (uint8_t)*at);
        }
        mb_buf_put_u1(&path, '/');
    }
    mb_buf_put(&path, file, strlen(file) + 1);
    bool is_set = !path.failed && set_variable("file", strlen("file"), (const char *)path.bytes);
    mb_buf_finish(&path);
    return is_set;
}

static void put_settings(struct proc_words *options, const struct proc_launch *launch)
{
    const char *text;

    for (size_t i = 0; (text = proc_words_item(&launch->settings, i)) != NULL; i++) {
        if (strncmp(text, "file=", strlen("file=")) != 0 && !put_setting(options, text)) {
            options->words.buf.failed = true;
        }
    }
}

/* The variable that each JVM reads, or what it becomes in the one that the command starts. */
static bool set_for_children(const struct proc_launch *launch, const union mb_words *options)
{
    struct mb_buf value = {0};
    const char *before = getenv(ABI_RUN_TOOL_OPTIONS);
    const char *name = proc_launch_is_java(launch) ? ABI_RUN_CHILDREN : ABI_RUN_TOOL_OPTIONS;
    const char *word;

    if (launch->is_alone) {
        return true;
    }
    mb_buf_put_string(&value, before != NULL ? before : "");
    for (size_t i = 0; (word = proc_words_item(options, i)) != NULL; i++) {
        put_quoted(&value, word);
    }
    mb_buf_put_u1(&value, '\0');
    bool is_set = !value.failed && setenv(name, (const char *)value.bytes, 1) == 0;
    mb_buf_finish(&value);
    return is_set;
}

/* With the options behind the first word, where they reach no other JVM that the program starts. */
static void put_command(struct mb_buf *out, const struct proc_launch *launch,
                        const union mb_words *options)
{
    char *const *word = launch->command;

    mb_buf_put(out, word, sizeof(*word));
    if (proc_launch_is_java(launch)) {
        mb_buf_put(out, options->buf.bytes, options->buf.size);
    }
    do {
        word++;
        mb_buf_put(out, word, sizeof(*word));
    } while (*word != NULL);
    mb_buf_fail_with(out, &options->buf);
}

bool proc_launch_prepare(const struct proc_launch *launch, struct proc_words *options,
                         struct mb_buf *command)
{
    (void)unsetenv(ABI_RUN_CHILDREN); /* of a run around this one */
    put_agent(options, launch);
    put_settings(options, launch);
    put_command(command, launch, &options->words);
    return !command->failed && set_file(launch->file) && set_for_children(launch, &options->words);
}
