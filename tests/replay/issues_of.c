/* The issues that an event log makes, one JSON object a line: the same log gives the same bytes.
 *
 * usage: issues_of [NAME=VALUE]... -- LOG...     settings that go before those of the log */

#include "base/file.h"
#include "monitor/issue.h"
#include "replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SETTINGS 16

static void put(void *context, const struct mon_issue *issue, const struct mon_names *names,
                const struct mon_options *options)
{
    struct mb_buf *out = context;

    mon_issue_put(out, issue, names, options, NULL);
    mb_buf_put_u1(out, '\n');
}

/* Up to the "--"; each '=' becomes the end of a name. -1: a setting that the monitors refuse. */
static int take_settings(struct replay_setting *settings, char **words)
{
    int count = 0;

    for (; words[count] != NULL && strcmp(words[count], "--") != 0; count++) {
        struct mon_options scratch;
        char *value = strchr(words[count], '=');
        if (value == NULL || count == MOST_SETTINGS) {
            return -1;
        }
        *value = '\0';
        mon_options_init(&scratch);
        if (!mon_options_set(&scratch, words[count], value + 1)) {
            return -1;
        }
        settings[count] = (struct replay_setting){words[count], value + 1};
    }
    return words[count] != NULL ? count : -1;
}

static enum mb_status replay_file(struct replay *replay, const char *path, struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status = mb_file_read(&bytes, path, err);

    if (status == MB_OK) {
        const struct mb_text text = {(const char *)bytes.bytes, bytes.size};
        status = replay_text(replay, text, path, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

static enum mb_status replay_files(struct replay *replay, char **paths, struct mb_error *err)
{
    enum mb_status status = replay != NULL ? MB_OK : mb_fail_memory(err);

    for (; status == MB_OK && *paths != NULL; paths++) {
        status = replay_file(replay, *paths, err);
    }
    return status;
}

int main(int argument_count, char **words)
{
    struct replay_setting settings[MOST_SETTINGS + 1];
    struct mb_buf out = {0};
    struct mb_error err = {0};
    char line[1024];
    int count = argument_count > 1 ? take_settings(settings, words + 1) : -1;

    if (count < 0) {
        (void)fprintf(stderr, "usage: issues_of [NAME=VALUE]... -- LOG...\n");
        return 2;
    }
    const struct replay_visitor visitor = {.issue = put, .context = &out};
    struct replay *replay = replay_create(&visitor, settings, (size_t)count);
    enum mb_status status = replay_files(replay, words + count + 2, &err);
    if (status != MB_OK) {
        (void)fprintf(stderr, "%s\n", mb_error_format(&err, line, sizeof(line)));
    }
    (void)fwrite(out.bytes, 1, out.size, stdout);
    replay_destroy(replay);
    mb_buf_finish(&out);
    return status == MB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
