#include "cli/settings.h"

#include "abi/settings.h"
#include "base/buf.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "monitor/options.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 64

extern char **environ; /* POSIX.1-2017, 8.1 */

/* Zeroed but for text, "NAME=VALUE", and its name. */
struct said {
    const char *text;
    char name[NAME_SIZE];
    bool is_known;
    bool is_taken;
    const char *nearest;  /* setting to an unknown name; NULL if none is near */
    struct mb_buf values; /* those that the setting takes; terminated */
};

static bool is_taken_by_monitors(struct said *said, const char *value)
{
    const struct mon_option *option = mon_option_find(said->name);
    struct mon_options scratch;

    said->is_known = option != NULL;
    if (option == NULL) {
        return false;
    }
    mon_options_init(&scratch);
    mon_option_put_values(&said->values, option);
    return mon_options_set(&scratch, said->name, value);
}

static const char *find_nearest(const char *name)
{
    struct cli_nearest nearest = {.word = name};
    const struct mon_option *option;
    const char *known = NULL;

    for (size_t i = 0; i < ABI_SETTING_COUNT; i++) {
        cli_nearest_offer(&nearest, abi_settings[i].name);
    }
    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        bool is_item = mon_option_find(mon_option_name(option)) != option; /* of the list before */
        known = is_item ? known : mon_option_name(option);
        if (strcmp(mon_option_name(option), name) == 0) {
            return known;
        }
        cli_nearest_offer(&nearest, known);
    }
    return nearest.best;
}

static void judge_setting(struct said *said)
{
    size_t size = strcspn(said->text, "=");
    const char *value = said->text + size + (said->text[size] != '\0');
    const struct abi_setting *setting = abi_setting_find(said->name);
    char values[128];
    uint64_t number;

    said->is_known = setting != NULL;
    if (setting != NULL) {
        abi_setting_values(setting, values, sizeof(values));
        mb_buf_put_string(&said->values, values);
    }
    said->is_taken = setting != NULL ? abi_setting_parse(setting, value, &number)
                                     : is_taken_by_monitors(said, value);
    said->nearest = said->is_known ? NULL : find_nearest(said->name);
    mb_buf_put_u1(&said->values, '\0');
}

static int refuse_setting(const char *command, const char *prefix, const struct said *said)
{
    if (said->is_known) {
        return cli_fail_usage(command, "%s%s is not understood: %s", prefix, said->text,
                              (const char *)said->values.bytes);
    }
    return said->nearest != NULL
               ? cli_fail_usage(command, "there is no setting '%s': did you mean %s?", said->name,
                                said->nearest)
               : cli_fail_usage(command, "there is no setting '%s'", said->name);
}

/* prefix: of a variable, whose name is in capitals; "" for a word of the command line. A variable
 * whose name is not nearly that of a setting may be another program's. */
static int check_text(const char *command, const char *prefix, const char *text)
{
    struct said said = {.text = text};
    bool is_variable = prefix[0] != '\0';

    for (size_t i = 0; i < NAME_SIZE - 1 && text[i] != '=' && text[i] != '\0'; i++) {
        said.name[i] = is_variable ? (char)tolower((unsigned char)text[i]) : text[i];
    }
    judge_setting(&said);
    bool passes = said.is_taken || (is_variable && !said.is_known && said.nearest == NULL);
    int code = said.values.failed ? cli_fail_memory()
               : passes           ? CLI_DONE
                                  : refuse_setting(command, prefix, &said);
    mb_buf_finish(&said.values);
    return code;
}

int cli_check_setting(const char *command, const char *text)
{
    return check_text(command, "", text);
}

int cli_check_environment(const char *command)
{
    static const char prefix[] = ABI_SETTING_PREFIX;
    int code = CLI_DONE;

    for (char **variable = environ; *variable != NULL && code == CLI_DONE; variable++) {
        if (strncmp(*variable, prefix, sizeof(prefix) - 1) == 0) {
            code = check_text(command, prefix, *variable + sizeof(prefix) - 1);
        }
    }
    return code;
}
