/* Any text is an event log or is refused with its line; its issues are JSON, one a line; and the
 * log written anew from its events gives the same issues. */

#include "fuzz.h"

#include "monitor/eventlog.h"
#include "monitor/issue.h"
#include "replay/replay.h"

#include <jansson.h>
#include <string.h>

struct heard {
    struct mb_buf issues;
    struct mb_buf log;
    struct mon_log state;
};

static void hear_issue(void *context, const struct mon_issue *issue, const struct mon_names *names,
                       const struct mon_options *options)
{
    struct heard *heard = context;
    size_t start = heard->issues.size;
    json_t *json;

    mon_issue_put(&heard->issues, issue, names, options, NULL);
    json = json_loadb((const char *)heard->issues.bytes + start, heard->issues.size - start,
                      JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    PROMISE(json_is_object(json));
    json_decref(json);
    mb_buf_put_u1(&heard->issues, '\n');
}

static void hear_event(void *context, const struct mon_event *event, const struct mon_names *names,
                       const struct mon_options *options)
{
    struct heard *heard = context;

    mon_log_put(&heard->log, &heard->state, event, names, options);
}

static enum mb_status play(struct heard *heard, struct mb_text text, struct mb_error *err)
{
    const struct replay_visitor visitor = {hear_issue, hear_event, heard};
    struct replay *replay = replay_create(&visitor, NULL, 0);

    PROMISE(replay != NULL);
    enum mb_status status = replay_text(replay, text, "log", err);
    replay_destroy(replay);
    return status;
}

static void play_again(const struct heard *first)
{
    static struct heard again;
    struct mb_text log = {(const char *)first->log.bytes, first->log.size};
    struct mb_error err;

    memset(&again, 0, sizeof(again));
    PROMISE(log.size == 0 || play(&again, log, &err) == MB_OK);
    PROMISE(again.issues.size == first->issues.size);
    PROMISE(first->issues.size == 0 ||
            memcmp(again.issues.bytes, first->issues.bytes, first->issues.size) == 0);
    mb_buf_finish(&again.issues);
    mb_buf_finish(&again.log);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct heard heard;
    struct mb_error err = {0};

    memset(&heard, 0, sizeof(heard));
    if (play(&heard, (struct mb_text){(const char *)bytes, size}, &err) == MB_OK) {
        play_again(&heard);
    } else {
        PROMISE(err.status == MB_BAD_TEXT);
        PROMISE(strncmp(err.input, "log:", 4) == 0);
    }
    mb_buf_finish(&heard.issues);
    mb_buf_finish(&heard.log);
    return 0;
}
