#include "replay/replay.h"

#include "monitor/eventlog.h"
#include "replay/event.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct replay {
    struct replay_visitor visitor;
    const struct replay_setting *settings;
    size_t setting_count;
    struct replay_names texts;
    struct mon_names names; /* a view of them */
    struct mon *mon;        /* NULL: no first line was read yet */
    void *memory;
    bool has_head; /* this file has */
};

static void hear_action(void *context, const struct mon_action *action)
{
    struct replay *replay = context;

    if (action->kind == MON_ISSUE && replay->visitor.issue != NULL) {
        replay->visitor.issue(replay->visitor.context, action->issue, &replay->names,
                              mon_current_options(replay->mon));
    }
}

struct replay *replay_create(const struct replay_visitor *visitor,
                             const struct replay_setting *settings, size_t setting_count)
{
    struct replay *replay = calloc(1, sizeof(*replay));
    void *memory = malloc(mon_size());

    if (replay == NULL || memory == NULL) {
        free(replay);
        free(memory);
        return NULL;
    }
    replay->visitor = *visitor;
    replay->settings = settings;
    replay->setting_count = setting_count;
    replay->names = (struct mon_names){replay_names_find, &replay->texts};
    replay->memory = memory;
    return replay;
}

void replay_destroy(struct replay *replay)
{
    if (replay != NULL) {
        replay_names_finish(&replay->texts);
        free(replay->memory);
        free(replay);
    }
}

/* ---- The first line of a file ---- */

static bool is_set_by_user(const struct replay *replay, const struct mon_option *option)
{
    for (size_t i = 0; i < replay->setting_count; i++) {
        if (mon_option_find(replay->settings[i].name) == option) {
            return true;
        }
    }
    return false;
}

static enum mb_status set_option(const struct replay *replay, struct mon_options *options,
                                 const char *name, const json_t *value, struct mb_error *err)
{
    const struct mon_option *option = mon_option_find(name);
    const char *text = json_string_value(value);

    if (option == NULL) {
        return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "there is no option '%s'", name);
    }
    if (is_set_by_user(replay, option)) {
        return MB_OK;
    }
    if (text == NULL || !mon_options_set(options, name, text)) {
        return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "the value of '%s' is not understood", name);
    }
    return MB_OK;
}

static enum mb_status parse_options(const struct replay *replay, struct mon_options *options,
                                    json_t *members, struct mb_error *err)
{
    const char *name;
    json_t *value;

    for (size_t i = 0; i < replay->setting_count; i++) {
        (void)mon_options_set(options, replay->settings[i].name, replay->settings[i].value);
    }
    json_object_foreach(members, name, value)
    {
        MB_TRY(set_option(replay, options, name, value, err));
    }
    return MB_OK;
}

static enum mb_status read_head(struct replay *replay, const json_t *line, struct mb_error *err)
{
    const struct mon_sink sink = {hear_action, replay};
    struct mon_options options;

    if (json_integer_value(json_object_get(line, "methodbeat_events")) != MON_LOG_VERSION) {
        return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET,
                       replay->has_head ? "a first line in the middle" : "not an event log");
    }
    mon_options_init(&options);
    MB_TRY(parse_options(replay, &options, json_object_get(line, "options"), err));
    replay_names_next_file(&replay->texts);
    if (replay->mon == NULL) {
        replay->mon = mon_create(replay->memory, &options, &replay->names, &sink);
    }
    replay->has_head = true;
    return MB_OK;
}

/* ---- Other lines ---- */

static enum mb_status read_name(struct replay *replay, const json_t *line, struct mb_error *err)
{
    const json_t *number = json_object_get(line, "name");
    const json_t *text = json_object_get(line, "text");

    if (!json_is_integer(number) || json_integer_value(number) <= 0 ||
        json_integer_value(number) >= REPLAY_NAME_LIMIT || !json_is_string(text)) {
        return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "not a name and its text");
    }
    const struct mb_text view = {json_string_value(text), json_string_length(text)};
    return replay_names_say(&replay->texts, (uint32_t)json_integer_value(number), view)
               ? MB_OK
               : mb_fail_memory(err);
}

/* What the user set stays. */
static bool is_overridden(const struct replay *replay, const struct mon_event *event)
{
    char name[96];

    if (event->kind != MON_OPTION) {
        return false;
    }
    struct mb_text text = mon_name(&replay->names, event->change.name);
    if (text.size >= sizeof(name)) {
        return false;
    }
    memcpy(name, text.data, text.size);
    name[text.size] = '\0';
    const struct mon_option *option = mon_option_find(name);
    return option != NULL && is_set_by_user(replay, option);
}

static enum mb_status read_event(struct replay *replay, const json_t *line, struct mb_error *err)
{
    struct mon_event event;

    MB_TRY(replay_event_parse(&event, line, &replay->texts, err));
    if (is_overridden(replay, &event)) {
        return MB_OK;
    }
    if (replay->visitor.event != NULL) {
        replay->visitor.event(replay->visitor.context, &event, &replay->names,
                              mon_current_options(replay->mon));
    }
    mon_feed(replay->mon, &event);
    return MB_OK;
}

static enum mb_status read_object(struct replay *replay, const json_t *line, struct mb_error *err)
{
    if (!replay->has_head || json_object_get(line, "methodbeat_events") != NULL) {
        return read_head(replay, line, err);
    }
    return json_object_get(line, "at") != NULL ? read_event(replay, line, err)
                                               : read_name(replay, line, err);
}

static enum mb_status read_line(struct replay *replay, struct mb_text line, struct mb_error *err)
{
    json_error_t error;
    json_t *object =
        json_loadb(line.data, line.size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

    if (object == NULL) {
        return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "%s", error.text);
    }
    enum mb_status status = read_object(replay, object, err);
    json_decref(object);
    return status;
}

enum mb_status replay_text(struct replay *replay, struct mb_text text, const char *path,
                           struct mb_error *err)
{
    size_t number = 0;

    replay->has_head = false;
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        if (end == NULL) {
            break; /* cut off */
        }
        struct mb_text line = {text.data, (size_t)(end - text.data)};
        number++;
        enum mb_status status = read_line(replay, line, err);
        if (status != MB_OK) {
            mb_error_at_line(err, path, number);
            return status;
        }
        text.data = end + 1;
        text.size -= line.size + 1;
    }
    if (!replay->has_head) {
        (void)mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "not an event log");
        mb_error_at_line(err, path, 1);
        return MB_BAD_TEXT;
    }
    return MB_OK;
}
