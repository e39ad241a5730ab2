#include "jvms/process/jvm_program.h"

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "jvms/process/foreign.h"
#include "jvms/process/status.h"
#include "jvms/process/words.h"

#include <stdio.h>
#include <string.h>

/* Options whose value is the next word, which may be taken for a class. */
static const char *const with_value[] = {
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "--illegal-native-access",
    "--source",
    "-d",
    "--describe-module",
};

/* The program follows these. */
static const char *const before_program[] = {"-jar", "-m", "--module"};

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

void proc_jvm_start_read(struct proc_jvm_start *start, pid_t pid)
{
    *start = (struct proc_jvm_start){0};
    (void)proc_read(&start->line, pid, "cmdline");
    (void)proc_read(&start->variables, pid, "environ");
}

static bool put_words_of_file(struct proc_words *launch, const char *path)
{
    struct mb_buf text = {0};
    bool is_read = mb_file_read_named(&text, path, PROC_FOREIGN_BYTES, NULL, NULL) == MB_OK;

    mb_buf_put_u1(&text, '\0');
    if (is_read && !text.failed) {
        proc_words_split(launch, (const char *)text.bytes);
    }
    mb_buf_finish(&text);
    return is_read;
}

/* The words of the command line, argument files among them; NUL-terminated in the arena. */
static void collect_words(struct proc_words *launch, const struct proc_jvm_start *start)
{
    const char *word = (const char *)start->line.bytes;
    const char *end = word + start->line.size - 1; /* the NUL that was appended */

    for (; word < end; word += strlen(word) + 1) {
        if (!start->has_files || word[0] != '@' || word[1] == '@' ||
            !put_words_of_file(launch, word + 1)) {
            proc_words_add(launch, word, strlen(word));
        }
    }
}

/* The first word that is neither an option nor the value of one; NULL if absent. *end is where the
 * options of the JVM end. */
static const char *find_program(const struct proc_words *launch, size_t *end)
{
    static const char module[] = "--module=";
    const char *word;

    for (*end = 1; (word = proc_words_item(&launch->words, *end)) != NULL; ++*end) {
        if (word[0] != '-') {
            return word[0] != '@' ? word : NULL;
        }
        if (strncmp(word, module, sizeof(module) - 1) == 0) {
            return word + sizeof(module) - 1;
        }
        if (is_one_of(word, before_program, MB_COUNT(before_program))) {
            return proc_words_item(&launch->words, *end + 1);
        }
        *end += is_one_of(word, with_value, MB_COUNT(with_value));
    }
    return NULL;
}

bool proc_jvm_is_java(const struct proc_jvm_start *start)
{
    return start->line.size > 1 &&
           strcmp(mb_last_part((const char *)start->line.bytes), "java") == 0;
}

void proc_jvm_program(const struct proc_jvm_start *start, char *program, size_t size)
{
    struct proc_words launch = {0};
    size_t end;

    program[0] = '\0';
    if (start->line.size > 1) {
        collect_words(&launch, start);
        const char *found =
            proc_jvm_is_java(start) ? find_program(&launch, &end) : (const char *)start->line.bytes;
        (void)snprintf(program, size, "%s", found != NULL ? found : "");
    }
    proc_words_finish(&launch);
}

void proc_jvm_arguments(const struct proc_jvm_start *start, char *arguments, size_t size)
{
    struct proc_words launch = {0};
    const char *word;
    size_t at;

    arguments[0] = '\0';
    if (start->line.size > 1 && proc_jvm_is_java(start)) {
        collect_words(&launch, start);
        const char *program = find_program(&launch, &at);
        at += program != NULL && program == proc_words_item(&launch.words, at + 1);
        while (program != NULL && (word = proc_words_item(&launch.words, ++at)) != NULL) {
            size_t used = strlen(arguments);
            (void)snprintf(arguments + used, size - used, "%s%s", used > 0 ? " " : "", word);
        }
    }
    proc_words_finish(&launch);
}

/* ---- Whether it lets others attach ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* "-XX:+DisableAttachMechanism", in a file of flags without the "-XX:". */
static void take_switch(bool *is_closed, const char *word)
{
    word += starts_with(word, "-XX:") ? strlen("-XX:") : 0;
    if ((word[0] == '+' || word[0] == '-') && strcmp(word + 1, "DisableAttachMechanism") == 0) {
        *is_closed = word[0] == '+';
    }
}

static void take_file(bool *is_closed, const struct proc_jvm_start *start, const char *path)
{
    struct proc_words launch = {0};
    const char *word;

    (void)(start->has_files && put_words_of_file(&launch, path));
    for (size_t i = 0; (word = proc_words_item(&launch.words, i)) != NULL; i++) {
        take_switch(is_closed, word);
    }
    proc_words_finish(&launch);
}

/* A file of flags comes before all other words, whatever its place. */
static void take_options(bool *is_closed, const struct proc_jvm_start *start,
                         const struct proc_words *launch, size_t end)
{
    static const char *const files[] = {"-XX:Flags=", "-XX:VMOptionsFile="};
    const char *word;

    for (size_t round = 0; round < MB_COUNT(files); round++) {
        for (size_t i = 0; i < end && (word = proc_words_item(&launch->words, i)) != NULL; i++) {
            if (starts_with(word, files[round])) {
                take_file(is_closed, start, word + strlen(files[round]));
            }
            take_switch(is_closed, word);
        }
    }
}

static void take_variable(bool *is_closed, const struct proc_jvm_start *start, const char *name)
{
    const char *word = (const char *)start->variables.bytes;
    const char *end = word + start->variables.size;

    for (; word < end; word += strlen(word) + 1) {
        struct proc_words launch = {0};
        if (starts_with(word, name) && word[strlen(name)] == '=') {
            proc_words_split(&launch, word + strlen(name) + 1);
            take_options(is_closed, start, &launch, SIZE_MAX);
        }
        proc_words_finish(&launch);
    }
}

/* The order in which a JVM reads them. */
bool proc_jvm_is_closed(const struct proc_jvm_start *start)
{
    struct proc_words launch = {0};
    bool is_closed = false;
    size_t end;

    take_variable(&is_closed, start, "JAVA_TOOL_OPTIONS");
    if (proc_jvm_is_java(start)) {
        take_variable(&is_closed, start, "JDK_JAVA_OPTIONS");
        collect_words(&launch, start);
        (void)find_program(&launch, &end);
        take_options(&is_closed, start, &launch, end);
    }
    take_variable(&is_closed, start, "_JAVA_OPTIONS");
    proc_words_finish(&launch);
    return is_closed;
}
