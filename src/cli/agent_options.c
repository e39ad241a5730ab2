#include "cli/agent_options.h"

#include "cli/cli.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

int cli_agent_check_options(const char *command, const struct cli_agent_options *options)
{
    struct mb_error err;

    if (options->focus != NULL && access(options->focus, F_OK) == 0 &&
        strchr(options->focus, '.') != NULL) {
        return cli_fail_usage(command, "--focus takes names of classes, and '%s' is a file",
                              options->focus);
    }
    if ((options->focus != NULL && strchr(options->focus, ',') != NULL) ||
        (options->blacklist != NULL && strchr(options->blacklist, ',') != NULL) ||
        (options->only != NULL && strchr(options->only, ',') != NULL)) {
        return cli_fail_usage(command, "names that probes are for take no comma: ':' stands "
                                       "between them");
    }
    if (options->blacklist == NULL || access(options->blacklist, R_OK) == 0) {
        return CLI_DONE;
    }
    (void)mb_fail_errno(&err, "cannot open");
    mb_error_in_input(&err, options->blacklist);
    return cli_fail(&err);
}

void cli_agent_put_option(struct mb_buf *out, const char *name, const char *value)
{
    mb_buf_printf(out, "%s%s=%s", out->size > 0 ? "," : "", name, value);
}

void cli_put_absolute(struct mb_buf *out, const char *path)
{
    char here[PATH_MAX] = "";

    if (path[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        mb_buf_printf(out, "%s/", here);
    }
    mb_buf_put_string(out, path);
}

void cli_agent_put_options(struct mb_buf *out, const struct cli_agent_options *options)
{
    if (options->focus != NULL) {
        cli_agent_put_option(out, "focus", options->focus);
    }
    if (options->blacklist != NULL) {
        cli_agent_put_option(out, "blacklist", "");
        cli_put_absolute(out, options->blacklist);
    }
    if (options->only != NULL) {
        cli_agent_put_option(out, "only", options->only);
    }
}
