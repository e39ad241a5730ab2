#include "jvms/process/agent_options.h"

#include <limits.h>
#include <unistd.h>

void proc_agent_put_option(struct mb_buf *out, const char *name, const char *value)
{
    mb_buf_printf(out, "%s%s=%s", out->size > 0 ? "," : "", name, value);
}

void proc_put_absolute(struct mb_buf *out, const char *path)
{
    char here[PATH_MAX] = "";

    if (path[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        mb_buf_printf(out, "%s/", here);
    }
    mb_buf_put_string(out, path);
}

void proc_agent_put_options(struct mb_buf *out, const struct proc_agent_options *options)
{
    if (options->focus != NULL) {
        proc_agent_put_option(out, "focus", options->focus);
    }
    if (options->blacklist != NULL) {
        proc_agent_put_option(out, "blacklist", "");
        proc_put_absolute(out, options->blacklist);
    }
    if (options->sample != PROC_SAMPLE_OFF) {
        proc_agent_put_option(out, "sample", options->sample == PROC_SAMPLE_ONLY ? "only" : "both");
    }
    if (options->only != NULL) {
        proc_agent_put_option(out, "only", options->only);
    }
}
