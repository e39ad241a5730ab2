/* methodbeat help, and what it tells beside the commands: settings, marks. */

#include "abi/settings.h"
#include "answer/finding.h"
#include "cli/cli.h"
#include "monitor/options.h"

#include <string.h>

/* In the order of abi_settings. */
static const char *const recorder_help[ABI_SETTING_COUNT] = {
#define SETTING(name, kind, least, limit, choices, help) help,
#define JAVA_SETTING SETTING
#include "abi/settings.def"
};

/* In the order of mon_option_at; NULL for what another setting says. */
static const char *const monitor_help[] = {
#define MON_NUMBER(name, standard, least, most, key, help) help,
#define MON_SET(name, help) help,
#define MON_LIST(name, help) help,
#define MON_ITEM(name, standard, least, most, key) NULL,
#define MON_PART(name, word, key) NULL,
#define MON_PRESET(name, standard, help) help,
#define MON_TEXT(name, size, standard, help) help,
#define MON_LIMITS(name, standard, help) help,
#include "monitor/options.def"
};

/* values: "" if it takes any text. */
static void put_setting(struct mb_buf *out, const char *name, const char *values, const char *help)
{
    struct mb_buf text = {0};
    bool takes_all = values[0] == '\0';

    mb_buf_printf(&text, takes_all ? "%s%s" : "%s (%s)", help, values);
    mb_buf_put_u1(&text, '\0');
    cli_put_item(out, name, text.failed ? help : (const char *)text.bytes);
    mb_buf_fail_with(out, &text);
    mb_buf_finish(&text);
}

static void put_settings(struct mb_buf *out)
{
    struct mb_buf values = {0};
    const struct mon_option *option;
    char text[128];

    mb_buf_put_string(out, "Recorder:\n");
    for (size_t i = 0; i < ABI_SETTING_COUNT; i++) {
        const struct abi_setting *setting = &abi_settings[i];
        abi_setting_values(setting, text, sizeof(text));
        put_setting(out, setting->name, setting->kind == ABI_SETTING_TEXT ? "" : text,
                    recorder_help[i]);
    }
    mb_buf_put_string(out, "\nMonitors:\n");
    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        if (monitor_help[i] == NULL) {
            continue;
        }
        mb_buf_reset(&values);
        mon_option_put_values(&values, option);
        mb_buf_put_u1(&values, '\0');
        put_setting(out, mon_option_name(option), values.failed ? "" : (const char *)values.bytes,
                    monitor_help[i]);
    }
    mb_buf_finish_part(out, &values);
}

static void put_marks(struct mb_buf *out)
{
    static const enum answer_kind marks[] = {ANSWER_MARK_KINDS};

    for (size_t i = 0; i < MB_COUNT(marks); i++) {
        cli_put_item(out, answer_topic(marks[i]), answer_words(marks[i]));
    }
}

const struct cli_command cli_help_settings = {
    .name = "help settings",
    .summary = "the settings of a recording and of monitors",
    .usage = "A setting is a word NAME=VALUE before the command of run, or after the process of\n"
             "attach; METHODBEAT_NAME=VALUE in the environment of a program with probes, or\n"
             "-Dmethodbeat.name=VALUE. RECORDING and MONITORS in methodbeat(1) say more.\n",
    .put_list = put_settings,
    .notes = "example: methodbeat run tick_ms=1 throttle=off java -jar app.jar\n",
};

const struct cli_command cli_help_marks = {
    .name = "help marks",
    .summary = "the marks after names in reports",
    .usage = "What the marks after names in reports say. A number after one is a share of the\n"
             "row's total: ?61%. methodbeat-report(1) says more.\n",
    .put_list = put_marks,
};

/* ---- The command ---- */

#define LEAST_LETTERS 4 /* of a topic's beginning that stands for it: mark, setting */

static const struct cli_command *const topics[] = {
#define CLI_COMMAND(name)
#define CLI_TOPIC(name) &cli_help_##name,
#include "cli/commands.def"
    NULL,
};

static const struct cli_command *find_topic(const char *name)
{
    size_t size = strlen(name);
    size_t i = 0;

    while (topics[i] != NULL && strncmp(strrchr(topics[i]->name, ' ') + 1, name, size) != 0) {
        i++;
    }
    return size >= LEAST_LETTERS ? topics[i] : NULL;
}

static int run_help(int argc, char **argv)
{
    int next = 2;

    if (argc < 2) {
        cli_print_commands();
        return CLI_DONE;
    }
    const struct cli_command *command = find_topic(argv[1]);
    if (command == NULL) {
        command = cli_find_command(argv[1]);
    }
    if (command == NULL) {
        return CLI_USAGE;
    }
    const struct cli_command *part = argc > 2 ? cli_find_part(command, argv[2]) : NULL;
    if (part != NULL) {
        command = part;
        next++;
    }
    const char *option = next < argc && argv[next][0] == '-' ? argv[next++] : NULL;
    if (next < argc) {
        return cli_fail_usage(NULL, "help is for one command: '%s' is too much", argv[next]);
    }
    return option != NULL ? cli_print_option(command, option) : cli_print_help(command);
}

const struct cli_command cli_help = {
    .name = "help",
    .summary = "explain a subcommand",
    .usage = "usage: methodbeat help [COMMAND [--OPTION] | settings | marks]\n\n"
             "List the subcommands, or explain one, one of its options, all settings, or what\n"
             "the marks in reports mean.\n",
    .run = run_help,
};
