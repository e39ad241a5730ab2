/* methodbeat jvms */

#include "base/interrupt.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/jvm_print.h"
#include "cli/options.h"
#include "process/jvm_look.h"

#include <getopt.h>
#include <stdio.h>

enum form { TEXT, JSON };

struct arguments {
    int form; /* enum form, as a choice gives it */
};

static const struct cli_choice forms[] = {{"text", TEXT}, {"json", JSON}, {NULL, 0}};

static const struct cli_option rows[] = {
    {.name = "format",
     .take = cli_take_choice,
     .choices = forms,
     .offset = offsetof(struct arguments, form)},
};

static void put_entry(struct mb_json *json, const struct proc_jvm_entry *entry)
{
    char user[64];

    proc_user_name(entry->uid, user, sizeof(user));
    mb_json_open(json, NULL, "{");
    mb_json_number(json, "pid", entry->pid);
    mb_json_string(json, "user", user);
    mb_json_string(json, "version", entry->version);
    mb_json_string(json, "program", entry->program);
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

static int print_list(const struct arguments *arguments, const struct proc_jvm_entry *entries,
                      size_t count)
{
    struct mb_buf out = {0};

    if (arguments->form == JSON) {
        put_json(&out, entries, count);
    } else if (count > 0) {
        cli_jvm_put_table(&out, entries, count);
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
    struct arguments arguments = {.form = TEXT};
    const struct cli_parser parser = {
        .command = "jvms", .options = rows, .count = MB_COUNT(rows), .values = &arguments};
    struct mb_buf entries = {0};
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
               ? print_list(&arguments, (const void *)entries.bytes,
                            entries.size / sizeof(struct proc_jvm_entry))
               : cli_fail(&err);
    mb_buf_finish(&entries);
    return code;
}

const struct cli_command cli_jvms = {
    .name = "jvms",
    .summary = "list the JVMs that run, which attach can record",
    .usage = "usage: methodbeat jvms [OPTION...]\n"
             "\n"
             "List the JVMs on this machine and in its containers: number, user, version of Java,\n"
             "program, and whether it is recorded, can be, or why not.\n"
             "\n"
             "      --format FORMAT    text (default), json\n"
             "\n"
             "example: methodbeat jvms\n",
    .run = run_jvms,
};
