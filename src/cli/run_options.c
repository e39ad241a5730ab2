#include "cli/run_options.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/run_messages.h"
#include "cli/run_modules.h"
#include "cli/run_parts.h"

#include <string.h>
#include <sys/stat.h>

#define NATIVE_ACCESS_VERSION 24 /* java warns of libraries loaded without, from here on */
#define DELEGATION "org.osgi.framework.bootdelegation"
#define PACKAGE "methodbeat"

/* Joined; NULL without memory. */
static char *join_texts(struct mb_arena *arena, const char *a, const char *b, const char *c)
{
    struct mb_buf text = {0};

    mb_buf_put_string(&text, a);
    mb_buf_put_string(&text, b);
    mb_buf_put_string(&text, c);
    char *joined = text.failed ? NULL : mb_arena_copy(arena, text.bytes, text.size);
    mb_buf_finish(&text);
    return joined;
}

static void put_option(struct mb_buf *options, const char *option)
{
    if (option != NULL) {
        mb_buf_put(options, &option, sizeof(option));
    }
}

static void put_reads(struct cli_run_launch *launch, struct mb_buf *options)
{
    struct mb_buf names = {0};
    const char *name;

    cli_run_modules(launch, &names);
    for (size_t i = 0; (name = cli_run_item(&names, i)) != NULL; i++) {
        put_option(options, join_texts(&launch->arena, "--add-reads=", name, "=ALL-UNNAMED"));
    }
    mb_buf_finish(&names);
}

/* ---- OSGi ---- */

/* The value of "-DNAME=" in a word; NULL: another word. */
static const char *value_of(const char *word, const char *name)
{
    size_t size = strlen(name);

    return strncmp(word, "-D", 2) == 0 && strncmp(word + 2, name, size) == 0 &&
                   word[2 + size] == '='
               ? word + 2 + size + 1
               : NULL;
}

/* The value in the last word that has it; NULL: absent. */
static const char *find_property(const struct cli_run_launch *launch, const char *name)
{
    const char *found = NULL;
    const char *word;

    for (size_t i = 0; (word = cli_run_item(&launch->words, i)) != NULL; i++) {
        const char *value = value_of(word, name);
        found = value != NULL ? value : found;
    }
    return found;
}

/* The value of a property in a file of properties, its lines joined; NULL: absent. */
static char *read_property(struct mb_arena *arena, struct mb_text file, const char *name)
{
    struct mb_text line;
    size_t number = 0;
    struct mb_buf value = {0};
    bool is_inside = false;
    char *copy = NULL;

    while (copy == NULL && mb_text_next_line(&file, &line, &number)) {
        struct mb_text text = mb_text_trim(line);
        bool goes_on = mb_text_ends(text, MB_TEXT("\\"));
        text.size -= goes_on;
        if (!is_inside) {
            is_inside = mb_text_is(mb_text_trim(mb_text_split(&text, '=')), name);
        }
        text = is_inside ? mb_text_trim(text) : MB_TEXT("");
        mb_buf_put(&value, text.data, text.size);
        copy = is_inside && !goes_on ? mb_arena_copy(arena, value.bytes, value.size) : NULL;
    }
    mb_buf_finish(&value);
    return copy;
}

static char *read_configuration(struct mb_arena *arena, const char *path)
{
    struct mb_buf text = {0};
    struct stat info;
    char *value = NULL;

    if (path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        mb_file_read(&text, path, NULL) == MB_OK) {
        value =
            read_property(arena, (struct mb_text){(const char *)text.bytes, text.size}, DELEGATION);
    }
    mb_buf_finish(&text);
    return value;
}

/* The value in a framework's own file, which our property would replace: a named file, or the one
 * where Felix and Equinox look for it. */
static char *configured_delegation(struct cli_run_launch *launch, const char *framework)
{
    static const char *const places[] = {"../conf/config.properties", "configuration/config.ini"};
    struct mb_arena *arena = &launch->arena;
    const char *named = find_property(launch, "felix.config.properties");
    size_t size = mb_text_after_last(mb_text_of(framework), '/');
    const char *folder = mb_arena_copy(arena, framework, size);

    if (named != NULL) {
        return read_configuration(arena, named + (strncmp(named, "file:", 5) == 0 ? 5 : 0));
    }
    char *value = read_configuration(arena, "conf/config.properties");
    for (size_t i = 0; value == NULL && folder != NULL && i < MB_COUNT(places); i++) {
        value = read_configuration(arena, join_texts(arena, folder, places[i], ""));
    }
    return value;
}

/* If the command itself sets the property, ours is appended there; the value of a variable or of
 * the framework's file is repeated, since ours replaces it. */
static void put_delegation(struct cli_run_launch *launch, char **command, struct mb_buf *options)
{
    const char *framework = cli_run_osgi(launch);
    const char *before = find_property(launch, DELEGATION);
    char *word = NULL;

    for (; word == NULL && command[0] != NULL; command++) {
        if (value_of(command[0], DELEGATION) != NULL) {
            word = join_texts(&launch->arena, command[0], "," PACKAGE, "");
            command[0] = word != NULL ? word : command[0];
        }
    }
    if (word != NULL || (framework == NULL && before == NULL)) {
        return;
    }
    before = before != NULL ? before : configured_delegation(launch, framework);
    if (before != NULL && strstr(before, "${") != NULL) {
        cli_run_warn_delegation(); /* a property that we set would not be resolved */
        return;
    }
    put_option(options, before != NULL
                            ? join_texts(&launch->arena, "-D" DELEGATION "=", before, "," PACKAGE)
                            : "-D" DELEGATION "=" PACKAGE);
}

void cli_run_options(struct cli_run_launch *launch, char **command, struct mb_buf *options)
{
    if (launch->java_version >= NATIVE_ACCESS_VERSION) {
        put_option(options, "--enable-native-access=ALL-UNNAMED");
    }
    put_reads(launch, options);
    put_delegation(launch, command, options);
}
