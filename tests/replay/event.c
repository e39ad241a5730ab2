#include "replay/event.h"

#include "monitor/eventlog.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* One event at work. */
struct reading {
    struct mon_event *event;
    const struct replay_names *names;
    const char *member; /* at which it is */
    struct mb_error *err;
};

static enum mb_status refuse_member(const struct reading *r, const char *wanted)
{
    return mb_fail(r->err, MB_BAD_TEXT, MB_NO_OFFSET, "'%s' is not %s", r->member, wanted);
}

static enum mb_status parse_number(const struct reading *r, const json_t *value, int64_t least,
                                   int64_t most, int64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > most) {
        return refuse_member(r, "a number in range");
    }
    *number = json_integer_value(value);
    return MB_OK;
}

static enum mb_status parse_count(const struct reading *r, const json_t *value, uint32_t *count)
{
    int64_t number = 0;

    MB_TRY(parse_number(r, value, 0, UINT32_MAX, &number));
    *count = (uint32_t)number;
    return MB_OK;
}

static enum mb_status parse_name(const struct reading *r, const json_t *value, uint32_t *name)
{
    int64_t number = 0;

    MB_TRY(parse_number(r, value, 0, REPLAY_NAME_LIMIT - 1, &number));
    *name = replay_names_ours(r->names, (uint32_t)number);
    return *name != 0 || number == 0 ? MB_OK : refuse_member(r, "a name that was said before");
}

static enum mb_status parse_word(const struct reading *r, const json_t *value, uint64_t *word)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);

    *word = 0;
    if (text == NULL || size == 0 || size > 16) {
        return refuse_member(r, "a hexadecimal string");
    }
    for (size_t i = 0; i < size; i++) {
        const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL) {
            return refuse_member(r, "a hexadecimal string");
        }
        *word = *word << 4 | (uint64_t)(digit - digits);
    }
    return MB_OK;
}

static enum mb_status parse_flag(const struct reading *r, const json_t *value, bool *flag)
{
    if (!json_is_boolean(value)) {
        return refuse_member(r, "true or false");
    }
    *flag = json_is_true(value);
    return MB_OK;
}

/* An array of at most `most`; its size. */
static enum mb_status parse_size(const struct reading *r, const json_t *value, size_t most,
                                 uint32_t *size)
{
    if (!json_is_array(value) || json_array_size(value) > most) {
        return refuse_member(r, "a list of the right size");
    }
    *size = (uint32_t)json_array_size(value);
    return MB_OK;
}

/* A name, or [name, file, line]. */
static enum mb_status parse_frame(const struct reading *r, const json_t *value,
                                  struct mon_frames *frames, uint32_t index)
{
    uint32_t size;
    uint32_t file;
    uint32_t line;

    frames->files[index] = 0;
    if (!json_is_array(value)) {
        return parse_name(r, value, &frames->names[index]);
    }
    MB_TRY(parse_size(r, value, 3, &size));
    MB_TRY(parse_name(r, json_array_get(value, 0), &frames->names[index]));
    MB_TRY(parse_name(r, json_array_get(value, 1), &file));
    MB_TRY(parse_count(r, json_array_get(value, 2), &line));
    if (file <= UINT16_MAX && line <= UINT16_MAX) { /* as in the program, but for logs of many */
        frames->files[index] = (uint16_t)file;
        frames->lines[index] = (uint16_t)line;
    }
    return MB_OK;
}

static enum mb_status parse_frames(const struct reading *r, const json_t *value,
                                   struct mon_frames *frames)
{
    MB_TRY(parse_size(r, value, MON_FRAME_COUNT, &frames->count));
    for (uint32_t i = 0; i < frames->count; i++) {
        MB_TRY(parse_frame(r, json_array_get(value, i), frames, i));
    }
    return MB_OK;
}

static enum mb_status parse_item(const struct reading *r, const json_t *value,
                                 struct mon_item *item)
{
    uint32_t size;

    MB_TRY(parse_size(r, value, 4, &size));
    MB_TRY(parse_count(r, json_array_get(value, 0), &item->depth));
    MB_TRY(parse_count(r, json_array_get(value, 1), &item->id));
    MB_TRY(parse_count(r, json_array_get(value, 2), &item->count));
    return parse_number(r, json_array_get(value, 3), INT64_MIN, INT64_MAX, &item->ms);
}

static enum mb_status parse_items(const struct reading *r, const json_t *value,
                                  struct mon_items *items)
{
    MB_TRY(parse_size(r, value, MON_ITEM_COUNT, &items->count));
    for (uint32_t i = 0; i < items->count; i++) {
        MB_TRY(parse_item(r, json_array_get(value, i), &items->items[i]));
    }
    return MB_OK;
}

static enum mb_status parse_thread(const struct reading *r, const json_t *value,
                                   struct mon_thread *thread)
{
    uint32_t size;

    MB_TRY(parse_size(r, value, 3, &size));
    MB_TRY(parse_count(r, json_array_get(value, 0), &thread->id));
    MB_TRY(parse_name(r, json_array_get(value, 1), &thread->name));
    return parse_number(r, json_array_get(value, 2), -REPLAY_TIME_LIMIT, REPLAY_TIME_LIMIT,
                        &thread->cpu_ns);
}

static enum mb_status parse_threads(const struct reading *r, const json_t *value,
                                    struct mon_threads *threads)
{
    MB_TRY(parse_size(r, value, MON_THREAD_COUNT, &threads->count));
    for (uint32_t i = 0; i < threads->count; i++) {
        MB_TRY(parse_thread(r, json_array_get(value, i), &threads->threads[i]));
    }
    return MB_OK;
}

static enum mb_status parse_field(const struct reading *r, const struct mon_field *field,
                                  const json_t *value)
{
    void *place = (char *)r->event + field->offset;

    switch (field->type) {
    case MON_FIELD_TIME:
        return parse_number(r, value, -REPLAY_TIME_LIMIT, REPLAY_TIME_LIMIT, place);
    case MON_FIELD_WALL:
        return parse_number(r, value, -REPLAY_WALL_LIMIT, REPLAY_WALL_LIMIT, place);
    case MON_FIELD_WORD:
        return parse_word(r, value, place);
    case MON_FIELD_COUNT:
        return parse_count(r, value, place);
    case MON_FIELD_FLAG:
        return parse_flag(r, value, place);
    case MON_FIELD_NAME:
        return parse_name(r, value, place);
    case MON_FIELD_FRAMES:
        return parse_frames(r, value, place);
    case MON_FIELD_ITEMS:
        return parse_items(r, value, place);
    case MON_FIELD_THREADS:
        return parse_threads(r, value, place);
    }
    return MB_OK;
}

static enum mb_status parse_kind(const struct reading *r, const json_t *value)
{
    const char *name = json_string_value(value);

    for (uint32_t kind = 0; name != NULL && kind < MON_KIND_COUNT; kind++) {
        if (strcmp(mon_kind_name((enum mon_kind)kind), name) == 0) {
            r->event->kind = kind;
            return MB_OK;
        }
    }
    return refuse_member(r, "the kind of an event");
}

static const struct mon_field *find_field(const struct mon_event *event, const char *name)
{
    const struct mon_field *field = mon_fields((enum mon_kind)event->kind);

    while (field->name != NULL && strcmp(field->name, name) != 0) {
        field++;
    }
    return field->name != NULL ? field : NULL;
}

static enum mb_status parse_member(struct reading *r, const char *name, const json_t *value)
{
    int64_t number = 0;

    r->member = name;
    if (strcmp(name, "at") == 0) {
        return parse_number(r, value, -REPLAY_TIME_LIMIT, REPLAY_TIME_LIMIT, &r->event->at_ns);
    }
    if (strcmp(name, "kind") == 0) {
        return MB_OK; /* is known */
    }
    if (strcmp(name, "loop") == 0) {
        MB_TRY(parse_number(r, value, 0, MON_LOOP_COUNT - 1, &number));
        r->event->loop = (uint32_t)number;
        return MB_OK;
    }
    if (strcmp(name, "request") == 0) {
        return parse_count(r, value, &r->event->request);
    }
    const struct mon_field *field = find_field(r->event, name);
    return field != NULL ? parse_field(r, field, value)
                         : refuse_member(r, "a member of this event");
}

enum mb_status replay_event_parse(struct mon_event *event, const struct json_t *object,
                                  const struct replay_names *names, struct mb_error *err)
{
    struct reading reading = {.event = event, .names = names, .member = "kind", .err = err};
    json_t *members = json_incref((json_t *)(uintptr_t)object); /* iterating wants it so */
    enum mb_status status;
    const char *name;
    json_t *value;

    memset(event, 0, sizeof(*event));
    status = parse_kind(&reading, json_object_get(object, "kind"));
    json_object_foreach(members, name, value)
    {
        if (status == MB_OK) {
            status = parse_member(&reading, name, value);
        }
    }
    json_decref(members);
    return status;
}
