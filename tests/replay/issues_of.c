/* The issues that an event log makes, a line each, as `methodbeat replay --format json` prints
 * them: for machines for which there is no more of us than this.
 *
 * usage: issues_of LOG... */

#include "base/file.h"
#include "monitor/issue.h"
#include "replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

static void put(void *context, const struct mon_issue *issue, const struct mon_names *names,
                const struct mon_options *options)
{
    struct mb_buf *out = context;

    mon_issue_put(out, issue, names, options, NULL);
    mb_buf_put_u1(out, '\n');
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

int main(int argument_count, char **values)
{
    struct mb_buf out = {0};
    struct mb_error err = {0};
    enum mb_status status = MB_OK;
    const struct replay_visitor visitor = {.issue = put, .context = &out};
    struct replay *replay = replay_create(&visitor, NULL, 0);

    for (int i = 1; replay != NULL && i < argument_count && status == MB_OK; i++) {
        status = replay_file(replay, values[i], &err);
    }
    (void)fwrite(out.bytes, 1, out.size, stdout);
    replay_destroy(replay);
    mb_buf_finish(&out);
    return replay != NULL && status == MB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
