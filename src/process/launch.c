#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ST_NOEXEC */
#endif

#include "process/launch.h"

#include "abi/run.h"
#include "abi/settings.h"
#include "base/file.h"
#include "base/text.h"
#include "process/jvm_program.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SHARED "/var/cache/methodbeat"

bool proc_launch_is_java(const struct proc_launch *launch)
{
    return strcmp(mb_last_part(launch->command[0]), "java") == 0;
}

/* ---- What keeps the agent from it ---- */

/* By the modes of the file and of the folders that it is in, as far as they can be looked at. */
static bool can_others_read(const char *path)
{
    char whole[PATH_MAX];
    struct stat info;

    if (realpath(path, whole) == NULL || stat(whole, &info) != 0) {
        return true; /* others say what is wrong */
    }
    bool can = (info.st_mode & S_IROTH) != 0;
    for (char *slash = strrchr(whole, '/'); can && slash != NULL && slash > whole;
         slash = strrchr(whole, '/')) {
        *slash = '\0';
        can = stat(whole, &info) != 0 || (info.st_mode & S_IXOTH) != 0;
    }
    return can;
}

/* Its path in a new buffer: named by what it has, so that JVMs which start later find what they
 * were told. */
static bool put_shared_path(struct mb_buf *path, const struct mb_buf *library)
{
    const struct mb_text text = {(const char *)library->bytes, library->size};

    mb_buf_printf(path, SHARED "/agent-%016" PRIx64 ".so%c", mb_text_hash(text), '\0');
    return !path->failed;
}

/* Only root may write to the folder. A copy appears as a whole. */
static bool write_shared(const char *path, const struct mb_buf *library)
{
    struct stat info;
    char early[] = SHARED "/.agent-XXXXXX";

    if (mkdir(SHARED, 0755) == 0) {
        (void)chmod(SHARED, 0755); /* whatever the umask is */
    }
    if (lstat(SHARED, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != 0 ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return false;
    }
    if (stat(path, &info) == 0 && (size_t)info.st_size == library->size) {
        return true;
    }
    int fd = mkstemp(early);
    bool is_written = fd >= 0 && fchmod(fd, 0755) == 0 &&
                      mb_file_write_all(fd, library->bytes, library->size, NULL) == MB_OK &&
                      rename(early, path) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (fd >= 0 && !is_written) {
        (void)unlink(early);
    }
    return is_written;
}

/* Java itself stays our user's, and so do most JVMs that it starts. */
static bool is_for_others(const struct proc_launch *launch, const char *agent)
{
    return geteuid() == 0 && !proc_launch_is_java(launch) && !can_others_read(agent);
}

char *proc_launch_share(const struct proc_launch *launch, char *agent)
{
    struct mb_buf library = {0};
    struct mb_buf path = {0};
    char *shared = NULL;

    if (!is_for_others(launch, agent)) {
        return agent;
    }
    if (mb_file_read(&library, agent, NULL) == MB_OK && put_shared_path(&path, &library) &&
        write_shared((const char *)path.bytes, &library) &&
        can_others_read((const char *)path.bytes)) {
        shared = strdup((const char *)path.bytes);
    }
    mb_buf_finish(&library);
    mb_buf_finish(&path);
    if (shared == NULL) {
        return agent;
    }
    free(agent);
    return shared;
}

const char *proc_launch_obstacle(const struct proc_launch *launch)
{
    struct statvfs place;

    if (statvfs(launch->agent, &place) == 0 && (place.f_flag & ST_NOEXEC) != 0) {
        return "nothing can be executed in the file system of the agent";
    }
    return is_for_others(launch, launch->agent) ? "others may not read the agent, and " SHARED
                                                  " can have no copy of it"
                                                : NULL;
}

/* ---- What it gets ---- */

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

/* The agent's options follow its path. */
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
    char variable[ABI_SETTING_VARIABLE_SIZE];

    abi_setting_variable(name, size, variable);
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

/* As it is here, whatever folder the program goes to. In the pattern of a file a '%' of the
 * folder's name would be a sign. */
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

/* With the options after the first word, where they reach no other JVM that the program starts. */
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
    if (launch->agent == NULL) {
        put_command(command, launch, &options->words);
        return !command->failed;
    }
    put_agent(options, launch);
    put_settings(options, launch);
    put_command(command, launch, &options->words);
    return !command->failed && set_file(launch->file) && set_for_children(launch, &options->words);
}
