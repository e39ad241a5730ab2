#include "cli/run_launch.h"

#include "base/file.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACES " \t\r\n\f"

const char *cli_run_item(const struct mb_buf *list, size_t index)
{
    const char *item = NULL;

    if (index < list->size / sizeof(item)) {
        memcpy(&item, list->bytes + index * sizeof(item), sizeof(item));
    }
    return item;
}

static void put_item(struct mb_buf *list, const char *item)
{
    if (item != NULL) {
        mb_buf_put(list, &item, sizeof(item));
    }
}

/* ---- Words ---- */

/* The word up to the next space, including quoted parts with their spaces. */
static const char *take_word(struct cli_run_launch *launch, const char *at)
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
        put_item(&launch->words,
                 mb_arena_copy(&launch->arena, word.size > 0 ? (const char *)word.bytes : "",
                               word.size));
    }
    mb_buf_finish(&word);
    return at;
}

void cli_run_launch_split(struct cli_run_launch *launch, const char *text)
{
    const char *at = text + strspn(text, SPACES);

    while (*at != '\0') {
        at = *at == '#' ? at + strcspn(at, "\r\n") : take_word(launch, at);
        at += strspn(at, SPACES);
    }
}

static bool is_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* A pipe can be read only once, by java. */
static void put_words_of_file(struct cli_run_launch *launch, const char *path)
{
    struct mb_buf text = {0};
    struct mb_error err;

    if (is_file(path) && mb_file_read(&text, path, &err) == MB_OK) {
        mb_buf_put_u1(&text, '\0');
        cli_run_launch_split(launch, text.failed ? "" : (const char *)text.bytes);
    }
    mb_buf_finish(&text);
}

static void put_variable(struct cli_run_launch *launch, const char *value)
{
    cli_run_launch_split(launch, value != NULL ? value : "");
}

static void collect_words(struct cli_run_launch *launch, char **command)
{
    put_variable(launch, getenv("JAVA_TOOL_OPTIONS"));
    put_variable(launch, getenv("JDK_JAVA_OPTIONS"));
    for (; command[0] != NULL; command++) {
        if (command[0][0] == '@' && command[0][1] != '@') {
            put_words_of_file(launch, command[0] + 1);
        } else {
            put_item(&launch->words, command[0]);
        }
    }
}

/* ---- Meaning of the options ---- */

enum meaning { CLASS_PATH, MODULE_PATH, JAR, MAIN_MODULE, MORE_MODULES };

/* Those with two dashes also before '='. */
static const struct option {
    const char *name;
    enum meaning meaning;
} options[] = {
    {"-cp", CLASS_PATH},
    {"-classpath", CLASS_PATH},
    {"--class-path", CLASS_PATH},
    {"-p", MODULE_PATH},
    {"-jar", JAR},
    {"-m", MAIN_MODULE},
    {"--module-path", MODULE_PATH},
    {"--module", MAIN_MODULE},
    {"--add-modules", MORE_MODULES},
};

/* The parts of a list; the '*' that stands for the jars of a folder is cut off. */
static void put_parts(struct cli_run_launch *launch, struct mb_buf *list, const char *path,
                      char separator)
{
    struct mb_text rest = mb_text_of(path);

    while (rest.size > 0) {
        struct mb_text part = mb_text_split(&rest, separator);
        part.size -= mb_text_ends(part, MB_TEXT("/*")) ? 2 : 0;
        if (part.size > 0) {
            put_item(list, mb_arena_copy(&launch->arena, part.data, part.size));
        }
    }
}

/* Of "MODULE/CLASS". */
static void put_main_module(struct cli_run_launch *launch, const char *value)
{
    put_item(&launch->roots, mb_arena_copy(&launch->arena, value, strcspn(value, "/")));
}

/* True at the end of java's options: the rest is the program's. */
static bool take_option(struct cli_run_launch *launch, enum meaning meaning, const char *value)
{
    switch (meaning) {
    case CLASS_PATH:
        put_parts(launch, &launch->classes, value, ':');
        return false;
    case MODULE_PATH:
        put_parts(launch, &launch->modules, value, ':');
        return false;
    case MORE_MODULES:
        put_parts(launch, &launch->roots, value, ',');
        return false;
    case JAR:
        launch->jar = value;
        put_item(&launch->classes, value);
        return true;
    case MAIN_MODULE:
        put_main_module(launch, value);
        return true;
    }
    return false;
}

/* The value of the option, in this word or the next (which may be NULL); NULL: another option. */
static const char *value_behind(const struct option *option, const char *word, const char *next)
{
    size_t size = strlen(option->name);

    if (strcmp(word, option->name) == 0) {
        return next;
    }
    bool is_long = option->name[1] == '-';
    return is_long && strncmp(word, option->name, size) == 0 && word[size] == '=' ? word + size + 1
                                                                                  : NULL;
}

static bool take_word_at(struct cli_run_launch *launch, size_t index)
{
    const char *word = cli_run_item(&launch->words, index);

    for (size_t i = 0; i < MB_COUNT(options); i++) {
        const char *value =
            value_behind(&options[i], word, cli_run_item(&launch->words, index + 1));
        if (value != NULL) {
            return take_option(launch, options[i].meaning, value);
        }
    }
    return false;
}

/* The first word that is a file: a script, perhaps behind the shell that is to run it. */
static const char *find_script(char **command)
{
    for (; command[0] != NULL; command++) {
        if (strchr(command[0], '/') != NULL && is_file(command[0])) {
            return command[0];
        }
    }
    return NULL;
}

/* Java's default if no option names it. */
static void take_defaults(struct cli_run_launch *launch, char **command)
{
    const char *path = getenv("CLASSPATH");

    if (launch->classes.size + launch->modules.size + launch->roots.size > 0) {
        return;
    }
    if (path != NULL) {
        put_parts(launch, &launch->classes, path, ':');
    } else if (launch->is_java) {
        put_item(&launch->classes, ".");
    } else {
        const char *script = find_script(command);
        launch->script = script != NULL ? script : ".";
    }
}

/* ---- Which java ---- */

/* As execvp finds it, without links. False if it is not there. */
static bool find_program(char found[PATH_MAX], const char *name)
{
    const char *path = getenv("PATH");
    struct mb_text rest = mb_text_of(path != NULL ? path : "");
    char place[PATH_MAX];

    if (strchr(name, '/') != NULL) {
        return realpath(name, found) != NULL;
    }
    while (rest.size > 0) {
        struct mb_text folder = mb_text_split(&rest, ':');
        int size = snprintf(place, sizeof(place), "%.*s/%s", (int)folder.size, folder.data, name);
        if (size < PATH_MAX && access(place, X_OK) == 0) {
            return realpath(place, found) != NULL;
        }
    }
    return false;
}

/* By the file "release" beside its folder bin: JAVA_VERSION="17.0.15", or "1.8.0_402". */
static int find_version(const char *name)
{
    static const char key[] = "JAVA_VERSION=\"";
    static const char file[] = "/release";
    char path[PATH_MAX + sizeof(file)];
    struct mb_buf text = {0};
    int version = 0;

    if (!find_program(path, name)) {
        return 0;
    }
    for (int level = 0; level < 2 && strrchr(path, '/') != NULL; level++) {
        *strrchr(path, '/') = '\0';
    }
    memcpy(path + strlen(path), file, sizeof(file));
    if (is_file(path) && mb_file_read(&text, path, NULL) == MB_OK) {
        mb_buf_put_u1(&text, '\0');
        const char *at = text.failed ? NULL : strstr((const char *)text.bytes, key);
        version = at != NULL ? (int)strtol(at + sizeof(key) - 1, NULL, 10) : 0;
    }
    mb_buf_finish(&text);
    return version;
}

void cli_run_launch_read(struct cli_run_launch *launch, char **command)
{
    const char *slash = strrchr(command[0], '/');

    *launch = (struct cli_run_launch){0};
    launch->is_java = strcmp(slash != NULL ? slash + 1 : command[0], "java") == 0;
    launch->java_version = launch->is_java ? find_version(command[0]) : 0;
    collect_words(launch, command);
    for (size_t i = 0; cli_run_item(&launch->words, i) != NULL; i++) {
        if (take_word_at(launch, i)) {
            break;
        }
    }
    take_defaults(launch, command);
}

void cli_run_launch_finish(struct cli_run_launch *launch)
{
    mb_buf_finish(&launch->words);
    mb_buf_finish(&launch->classes);
    mb_buf_finish(&launch->modules);
    mb_buf_finish(&launch->roots);
    mb_arena_finish(&launch->arena);
}
