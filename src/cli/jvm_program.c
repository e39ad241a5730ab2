#include "cli/jvm_program.h"

#include "base/check.h"
#include "cli/proc.h"
#include "cli/run_launch.h"

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

/* Behind these the program follows. */
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

const char *cli_jvm_short_program(const char *program)
{
    const char *slash = strrchr(program, '/');

    return slash != NULL ? slash + 1 : program;
}

/* The words of the command line, argument files among them; NUL-terminated in the arena. */
static void collect_words(struct cli_run_launch *launch, pid_t pid, const struct mb_buf *line)
{
    const char *word = (const char *)line->bytes;
    const char *end = word + line->size - 1; /* a NUL of ours */

    for (; word < end; word += strlen(word) + 1) {
        struct mb_buf text = {0};
        if (word[0] == '@' && word[1] != '@' && cli_proc_read_file(&text, pid, word + 1)) {
            mb_buf_put_u1(&text, '\0');
            cli_run_launch_split(launch, text.failed ? "" : (const char *)text.bytes);
        } else {
            const char *copy = mb_arena_copy(&launch->arena, word, strlen(word));
            mb_buf_put(&launch->words, &copy, copy != NULL ? sizeof(copy) : 0);
        }
        mb_buf_finish(&text);
    }
}

/* The first word that is neither an option nor the value of one; NULL: absent. */
static const char *find_program(const struct cli_run_launch *launch)
{
    static const char module[] = "--module=";
    const char *word;

    for (size_t i = 1; (word = cli_run_item(&launch->words, i)) != NULL; i++) {
        if (word[0] != '-') {
            return word[0] != '@' ? word : NULL;
        }
        if (strncmp(word, module, sizeof(module) - 1) == 0) {
            return word + sizeof(module) - 1;
        }
        if (is_one_of(word, before_program, MB_COUNT(before_program))) {
            return cli_run_item(&launch->words, i + 1);
        }
        i += is_one_of(word, with_value, MB_COUNT(with_value));
    }
    return NULL;
}

static bool is_java(const char *command)
{
    return strcmp(cli_jvm_short_program(command), "java") == 0;
}

bool cli_jvm_is_java(pid_t pid)
{
    struct mb_buf line = {0};
    bool is_it = cli_proc_read(&line, pid, "cmdline") && is_java((const char *)line.bytes);

    mb_buf_finish(&line);
    return is_it;
}

void cli_jvm_program(pid_t pid, char *program, size_t size)
{
    struct cli_run_launch launch = {0};
    struct mb_buf line = {0};

    program[0] = '\0';
    if (cli_proc_read(&line, pid, "cmdline") && line.size > 1) {
        const char *command = (const char *)line.bytes;
        collect_words(&launch, pid, &line);
        const char *found = is_java(command) ? find_program(&launch) : command;
        (void)snprintf(program, size, "%s", found != NULL ? found : "");
    }
    mb_buf_finish(&line);
    cli_run_launch_finish(&launch);
}
