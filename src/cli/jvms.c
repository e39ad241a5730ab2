#include "cli/jvms.h"

#include "base/interrupt.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/values.h"
#include "jvms/process/jvm_look.h"
#include "jvms/process/jvm_program.h"
#include "jvms/process/status.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- As a table ---- */

enum column { PID, USER, JAVA, PROGRAM, FOLDER, AGE, STATE, COLUMN_COUNT };

#define CELL_SIZE 584

/* Where it runs; "" if that is not known. */
static const char *folder_of(const struct proc_jvm_entry *entry, char folder[CELL_SIZE])
{
    char link[32];

    (void)snprintf(link, sizeof(link), "/proc/%d/cwd", (int)entry->pid);
    ssize_t size = readlink(link, folder, CELL_SIZE - 1);
    folder[size > 0 ? size : 0] = '\0';
    return folder;
}

/* "8s", "5m", "3h", "12d". */
static void put_age(pid_t pid, char text[CELL_SIZE])
{
    static const struct {
        double seconds;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    double age = proc_age(pid);
    size_t i = 0;

    while (i + 1 < MB_COUNT(units) && age < 2 * units[i].seconds) {
        i++;
    }
    if (age < 0) {
        (void)snprintf(text, CELL_SIZE, "?");
    } else {
        (void)snprintf(text, CELL_SIZE, "%.0f%c", age / units[i].seconds, units[i].unit);
    }
}

/* As it is printed. */
static void fill_cell(struct mb_buf *cell, const struct proc_jvm_entry *entry, enum column column)
{
    char folder[CELL_SIZE];
    const char *const texts[COLUMN_COUNT] = {
        [JAVA] = entry->version,
        [PROGRAM] = mb_last_part(entry->program),
        [FOLDER] = folder_of(entry, folder),
        [STATE] = entry->refusal[0] != '\0' ? entry->refusal
                  : entry->is_recording     ? "recording"
                                            : "ready",
    };

    char text[CELL_SIZE];

    mb_buf_reset(cell);
    if (column == PID) {
        (void)snprintf(text, sizeof(text), "%d", (int)entry->pid);
    } else if (column == USER) {
        proc_user_name(entry->uid, text, sizeof(text));
    } else if (column == AGE) {
        put_age(entry->pid, text);
    } else {
        (void)snprintf(text, sizeof(text), "%s%s%s", texts[column][0] != '\0' ? texts[column] : "?",
                       column == PROGRAM && entry->arguments[0] != '\0' ? " " : "",
                       column == PROGRAM ? entry->arguments : "");
    }
    mb_buf_put_printable(cell, mb_text_of(text));
}

/* The last one is not filled up. */
static void put_cell(struct mb_buf *out, struct mb_text cell, enum column column, size_t width)
{
    mb_buf_put(out, cell.data, cell.size);
    if (column == STATE) {
        mb_buf_put_u1(out, '\n');
    } else {
        mb_buf_printf(out, "%*s", (int)(width + 2 - cell.size), "");
    }
}

static struct mb_text text_of(const struct mb_buf *cell)
{
    return (struct mb_text){(const char *)cell->bytes, cell->size};
}

/* A line of headings and a line for each. */
static void put_table(struct mb_buf *out, const struct proc_jvm_entry *entries, size_t count)
{
    static const char *const heads[COLUMN_COUNT] = {"PID",    "USER", "JAVA", "PROGRAM",
                                                    "FOLDER", "AGE",  "STATE"};
    size_t widths[COLUMN_COUNT];
    struct mb_buf cell = {0};

    for (int c = 0; c < COLUMN_COUNT; c++) {
        widths[c] = strlen(heads[c]);
        for (size_t i = 0; i < count; i++) {
            fill_cell(&cell, &entries[i], (enum column)c);
            widths[c] = cell.size > widths[c] ? cell.size : widths[c];
        }
        put_cell(out, mb_text_of(heads[c]), (enum column)c, widths[c]);
    }
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            fill_cell(&cell, &entries[i], (enum column)c);
            put_cell(out, text_of(&cell), (enum column)c, widths[c]);
        }
    }
    mb_buf_finish(&cell);
}

/* ---- As JSON ---- */

static void put_entry(struct mb_json *json, const struct proc_jvm_entry *entry)
{
    char folder[CELL_SIZE];
    char user[64];

    proc_user_name(entry->uid, user, sizeof(user));
    mb_json_open(json, NULL, "{");
    mb_json_number(json, "pid", entry->pid);
    mb_json_string(json, "user", user);
    mb_json_string(json, "version", entry->version);
    mb_json_string(json, "program", entry->program);
    mb_json_string(json, "arguments", entry->arguments);
    mb_json_string(json, "folder", folder_of(entry, folder));
    mb_json_flag(json, "recording", entry->is_recording);
    mb_json_flag(json, "attachable", entry->refusal[0] == '\0');
    mb_json_string(json, "refusal", entry->refusal);
    mb_json_close(json, "}");
}

static void put_json(struct mb_buf *out, const struct proc_jvm_entry *entries, size_t count)
{
    struct mb_json json = {.out = out};

    mb_json_open(&json, NULL, "{");
    mb_json_open(&json, "jvms", "[");
    for (size_t i = 0; i < count; i++) {
        put_entry(&json, &entries[i]);
    }
    mb_json_close(&json, "]");
    mb_json_end(&json);
}

/* ---- The command ---- */

static int print_list(const struct cli_values *given, const struct proc_jvm_entry *entries,
                      size_t count)
{
    struct mb_buf out = {0};

    if (given->is_json) {
        put_json(&out, entries, count);
    } else if (count > 0) {
        put_table(&out, entries, count);
    } else {
        (void)fputs("methodbeat jvms: no JVM runs here\n", stderr);
    }
    cli_put_output(out.bytes, out.size);
    int code = out.failed ? cli_fail_memory() : CLI_DONE;
    mb_buf_finish(&out);
    return code;
}

static int run_jvms(int argc, char **argv)
{
    struct cli_values given = {0};
    const struct cli_parser parser = {"jvms", cli_options, &given, .operand = NULL};
    union proc_jvms entries = {0};
    struct mb_error err;
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (optind < argc) {
        return cli_fail_usage("jvms", "'%s' is too much: jvms lists all", argv[optind]);
    }
    mb_interrupt_catch();
    code = proc_jvm_list(&entries, &err) == MB_OK
               ? print_list(&given, entries.items, MB_VEC_COUNT(&entries))
               : cli_fail(&err);
    mb_buf_finish(&entries.buf);
    return code;
}

/* ---- One of them ---- */

static int fail_to_choose(const char *name, const union proc_jvms *matches)
{
    size_t count = MB_VEC_COUNT(matches);
    struct mb_buf table = {0};
    struct mb_error err;

    (void)mb_fail_in(&err, MB_IO, name, "%s",
                     count == 0
                         ? "no JVM runs such a program: 'methodbeat jvms' lists those that run"
                         : "several JVMs match: give the number of one");
    int code = cli_fail(&err);
    if (count > 0) {
        put_table(&table, matches->items, count);
        (void)fwrite(table.bytes, 1, table.size, stderr);
    }
    mb_buf_finish(&table);
    return code;
}

static int find_by_name(const char *name, pid_t *pid)
{
    union proc_jvms matches = {0};
    struct mb_error err;
    int code = CLI_DONE;

    if (proc_jvm_find(&matches, name, &err) != MB_OK) {
        code = cli_fail(&err);
    } else if (MB_VEC_COUNT(&matches) != 1) {
        code = fail_to_choose(name, &matches);
    } else {
        *pid = matches.items[0].pid;
    }
    mb_buf_finish(&matches.buf);
    return code;
}

int cli_jvm_find(const char *process, pid_t *pid)
{
    uint64_t number;

    if (mb_text_to_number(mb_text_of(process), INT_MAX, &number) && number > 0) {
        *pid = (pid_t)number;
        return CLI_DONE;
    }
    if (process[0] == '\0') {
        struct mb_error err;
        (void)mb_fail(&err, MB_BAD_USAGE, MB_NO_OFFSET,
                      "the name of a program is needed, or the number of its process");
        return cli_fail(&err);
    }
    return find_by_name(process, pid);
}

const struct cli_command cli_jvms = {
    .name = "jvms",
    .summary = "list the JVMs that run, which attach can record",
    .usage = "usage: methodbeat jvms [OPTION...]\n"
             "\n"
             "List the JVMs on this machine and in its containers: number, user, version of Java,\n"
             "program with its arguments, folder, age, and whether it is recorded, can be, or why\n"
             "not.\n",
    .notes = "example: methodbeat jvms\n",
    .run = run_jvms,
};
