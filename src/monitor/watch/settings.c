#include "monitor/watch/watcher.h"

#include "abi/identity.h"
#include "abi/settings.h"
#include "base/check.h"
#include "base/text.h"
#include "monitor/watch/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static struct mon_options options;
static bool is_read;

static void explain_refusal(const char *name, const char *value)
{
    const struct mon_option *option = mon_option_find(name);
    struct mb_buf values = {0};
    struct mb_error err;

    if (option == NULL) {
        watch_log("there is no monitor setting %s", name);
        return;
    }
    mon_option_put_values(&values, option);
    mb_buf_put_string(&values, ", not ");
    mb_buf_put_printable(&values, mb_text_of(value));
    if (strcmp(name, ABI_IDENTITY_NAME) == 0 &&
        abi_identity_check(mb_text_of(value), &err) != MB_OK) {
        mb_buf_printf(&values, ": %s", err.reason);
    }
    watch_log("monitor setting %s is %.*s", name, (int)values.size,
              values.bytes != NULL ? (const char *)values.bytes : "");
    mb_buf_finish(&values);
}

static bool set_option(const char *name, const char *value)
{
    bool is_set = mon_options_set(&options, name, value);

    if (!is_set) {
        explain_refusal(name, value);
    }
    return is_set;
}

static void set_from_environment(const char *name)
{
    char variable[ABI_SETTING_VARIABLE_SIZE];

    abi_setting_variable(name, strlen(name), variable);
    const char *value = getenv(variable);
    if (value != NULL) {
        (void)set_option(name, value);
    }
}

/* A setuid program ignores its environment. */
static void read_environment(void)
{
    const struct mon_option *option;

    if (getauxval(AT_SECURE) != 0) {
        return;
    }
    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        set_from_environment(mon_option_name(option));
    }
}

static void read_once(void)
{
    if (!is_read) {
        is_read = true;
        mon_options_init(&options);
        read_environment();
    }
}

const struct mon_options *watch_settings_get(void)
{
    read_once();
    return &options;
}

bool watch_settings_set(const char *name, const char *value)
{
    read_once();
    return set_option(name, value);
}

bool watch_settings_is_live(const char *name)
{
    static const char *const fixed[] = {"spool", "device", "app"};

    for (size_t i = 0; i < MB_COUNT(fixed); i++) {
        if (strcmp(fixed[i], name) == 0) {
            return false;
        }
    }
    return true;
}
