#include "cli/jvm_find.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/jvm_print.h"
#include "process/jvm_look.h"
#include "process/jvm_program.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef bool match_fn(const char *program, const char *name);

/* "app" is app.jar, and com.acme.app. */
static bool is_named(const char *program, const char *name)
{
    const char *shown = proc_jvm_short_program(program);
    struct mb_text text = mb_text_of(shown);

    if (strcmp(program, name) == 0 || strcmp(shown, name) == 0) {
        return true;
    }
    if (mb_text_ends(text, MB_TEXT(".jar"))) {
        text.size -= strlen(".jar");
        return mb_text_is(text, name);
    }
    return mb_text_is(mb_text_from(text, mb_text_after_last(text, '.')), name);
}

static bool has_part(const char *program, const char *name)
{
    return strstr(program, name) != NULL;
}

/* Keep those that match; their number. */
static size_t collect_matches(struct mb_buf *matches, const struct mb_buf *all, match_fn *matcher,
                              const char *name)
{
    const struct proc_jvm_entry *entries = (const void *)all->bytes;

    for (size_t i = 0; i < all->size / sizeof(*entries); i++) {
        if (matcher(entries[i].program, name)) {
            mb_buf_put(matches, &entries[i], sizeof(entries[i]));
        }
    }
    return matches->size / sizeof(*entries);
}

static int fail_to_choose(const char *name, const struct mb_buf *matches)
{
    const struct proc_jvm_entry *entries = (const void *)matches->bytes;
    size_t count = matches->size / sizeof(*entries);
    struct mb_buf table = {0};
    struct mb_error err;

    (void)mb_fail(&err, MB_IO, MB_NO_OFFSET, "%s",
                  count == 0 ? "no JVM runs such a program: 'methodbeat jvms' lists those that run"
                             : "several JVMs match: give the number of one");
    mb_error_in_input(&err, name);
    int code = cli_fail(&err);
    if (count > 0) {
        cli_jvm_put_table(&table, entries, count);
        (void)fwrite(table.bytes, 1, table.size, stderr);
    }
    mb_buf_finish(&table);
    return code;
}

static int find_by_name(const char *name, pid_t *pid)
{
    struct mb_buf all = {0};
    struct mb_buf matches = {0};
    struct mb_error err;
    int code = CLI_DONE;

    if (proc_jvm_list(&all, &err) != MB_OK) {
        code = cli_fail(&err);
    } else if ((collect_matches(&matches, &all, is_named, name) > 0
                    ? matches.size / sizeof(struct proc_jvm_entry)
                    : collect_matches(&matches, &all, has_part, name)) != 1) {
        code = matches.failed ? cli_fail_memory() : fail_to_choose(name, &matches);
    } else {
        *pid = ((const struct proc_jvm_entry *)(const void *)matches.bytes)->pid;
    }
    mb_buf_finish(&matches);
    mb_buf_finish(&all);
    return code;
}

int cli_jvm_find(const char *process, pid_t *pid)
{
    uint64_t number;

    if (mb_text_to_number(mb_text_of(process), INT_MAX, &number) && number > 0) {
        *pid = (pid_t)number;
        return CLI_DONE;
    }
    return find_by_name(process, pid);
}
