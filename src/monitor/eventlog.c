#include "monitor/eventlog.h"

#include "base/json.h"

#include <assert.h>

#define FIELD(type, event, field) \
    {#field, MON_FIELD_##type,    \
     offsetof(struct mon_event, event) + offsetof(struct mon_##event, field)},

#define MON_EVENT(KIND, name) static const struct mon_field fields_##KIND[] = {
#define MON_TIME(event, field) FIELD(TIME, event, field)
#define MON_WALL(event, field) FIELD(WALL, event, field)
#define MON_WORD(event, field) FIELD(WORD, event, field)
#define MON_COUNT(event, field) FIELD(COUNT, event, field)
#define MON_FLAG(event, field) FIELD(FLAG, event, field)
#define MON_NAME(event, field) FIELD(NAME, event, field)
#define MON_FRAMES(event, field) FIELD(FRAMES, event, field)
#define MON_ITEMS(event, field) FIELD(ITEMS, event, field)
#define MON_THREADS(event, field) FIELD(THREADS, event, field)
#define MON_END                 \
    {                           \
        NULL, MON_FIELD_TIME, 0 \
    }                           \
    }                           \
    ;
#include "monitor/fields.h"

const struct mon_field *mon_fields(enum mon_kind kind)
{
    static const struct mon_field *const fields[] = {
#define MON_EVENT(KIND, name) fields_##KIND,
#include "monitor/fields.h"
    };

    assert((size_t)kind < MB_COUNT(fields));
    return fields[kind];
}

const char *mon_kind_name(enum mon_kind kind)
{
    static const char *const names[] = {
#define MON_EVENT(KIND, name) #KIND,
#include "monitor/fields.h"
    };

    assert((size_t)kind < MB_COUNT(names));
    return names[kind];
}

/* ---- Lines ---- */

struct line {
    struct mb_json json;
    struct mon_log *log;
    const struct mon_event *event;
    const struct mon_names *names;
};

static const void *value_of(const struct mon_event *event, const struct mon_field *field)
{
    return (const char *)event + field->offset;
}

static void put_option(struct line *line, const struct mon_option *option,
                       const struct mon_options *options)
{
    struct mb_buf value = {0};

    mon_option_put_value(&value, option, options);
    mb_json_text(&line->json, mon_option_name(option),
                 (struct mb_text){(const char *)value.bytes, value.size});
    mb_buf_finish_part(line->json.out, &value);
}

static void put_head(struct line *line, const struct mon_options *options)
{
    const struct mon_option *option;

    mb_json_open(&line->json, NULL, "{");
    mb_json_number(&line->json, "methodbeat_events", MON_LOG_VERSION);
    mb_json_open(&line->json, "options", "{");
    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        put_option(line, option, options);
    }
    mb_json_close(&line->json, "}");
    mb_json_end(&line->json);
}

/* Write the line of a name before its first use. */
static void put_name_once(struct line *line, uint32_t name)
{
    uint64_t bit = UINT64_C(1) << name % 64;

    if (name == 0) {
        return;
    }
    if (name < MON_LOG_NAME_COUNT) {
        if ((line->log->is_written[name / 64] & bit) != 0) {
            return;
        }
        line->log->is_written[name / 64] |= bit;
    }
    mb_json_open(&line->json, NULL, "{");
    mb_json_number(&line->json, "name", name);
    mb_json_text(&line->json, "text", mon_name(line->names, name));
    mb_json_end(&line->json);
}

static void introduce_frames(struct line *line, const struct mon_frames *frames)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        put_name_once(line, frames->names[i]);
        put_name_once(line, frames->files[i]);
    }
}

static void introduce_threads(struct line *line, const struct mon_threads *threads)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        put_name_once(line, threads->threads[i].name);
    }
}

static void introduce_field(struct line *line, const struct mon_field *field)
{
    const void *value = value_of(line->event, field);

    switch (field->type) {
    case MON_FIELD_NAME:
        put_name_once(line, *(const uint32_t *)value);
        break;
    case MON_FIELD_FRAMES:
        introduce_frames(line, value);
        break;
    case MON_FIELD_THREADS:
        introduce_threads(line, value);
        break;
    case MON_FIELD_TIME:
    case MON_FIELD_WALL:
    case MON_FIELD_WORD:
    case MON_FIELD_COUNT:
    case MON_FIELD_FLAG:
    case MON_FIELD_ITEMS:
        break;
    }
}

static void put_number(struct line *line, const char *name, int64_t number)
{
    if (number != 0) {
        mb_json_number(&line->json, name, number);
    }
}

static void put_frames(struct line *line, const char *name, const struct mon_frames *frames)
{
    if (frames->count == 0) {
        return;
    }
    mb_json_open(&line->json, name, "[");
    for (uint32_t i = 0; i < frames->count; i++) {
        mb_json_key(&line->json, NULL);
        if (frames->files[i] != 0) {
            mb_buf_printf(line->json.out, "[%u,%u,%u]", frames->names[i], frames->files[i],
                          frames->lines[i]);
        } else {
            mb_buf_printf(line->json.out, "%u", frames->names[i]);
        }
    }
    mb_json_close(&line->json, "]");
}

static void put_items(struct line *line, const char *name, const struct mon_items *items)
{
    if (items->count == 0) {
        return;
    }
    mb_json_open(&line->json, name, "[");
    for (uint32_t i = 0; i < items->count; i++) {
        const struct mon_item *item = &items->items[i];
        mb_json_key(&line->json, NULL);
        mb_buf_printf(line->json.out, "[%u,%u,%u,%" PRId64 "]", item->depth, item->id, item->count,
                      item->ms);
    }
    mb_json_close(&line->json, "]");
}

static void put_threads(struct line *line, const char *name, const struct mon_threads *threads)
{
    if (threads->count == 0) {
        return;
    }
    mb_json_open(&line->json, name, "[");
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct mon_thread *thread = &threads->threads[i];
        mb_json_key(&line->json, NULL);
        mb_buf_printf(line->json.out, "[%u,%u,%" PRId64 "]", thread->id, thread->name,
                      thread->cpu_ns);
    }
    mb_json_close(&line->json, "]");
}

static void put_field(struct line *line, const struct mon_field *field)
{
    const void *value = value_of(line->event, field);

    switch (field->type) {
    case MON_FIELD_TIME:
    case MON_FIELD_WALL:
        put_number(line, field->name, *(const int64_t *)value);
        break;
    case MON_FIELD_WORD:
        if (*(const uint64_t *)value != 0) {
            mb_json_word(&line->json, field->name, *(const uint64_t *)value);
        }
        break;
    case MON_FIELD_COUNT:
    case MON_FIELD_NAME:
        put_number(line, field->name, *(const uint32_t *)value);
        break;
    case MON_FIELD_FLAG:
        if (*(const bool *)value) {
            mb_json_flag(&line->json, field->name, true);
        }
        break;
    case MON_FIELD_FRAMES:
        put_frames(line, field->name, value);
        break;
    case MON_FIELD_ITEMS:
        put_items(line, field->name, value);
        break;
    case MON_FIELD_THREADS:
        put_threads(line, field->name, value);
        break;
    }
}

static void put_event(struct line *line)
{
    const struct mon_event *event = line->event;

    mb_json_open(&line->json, NULL, "{");
    mb_json_number(&line->json, "at", event->at_ns);
    mb_json_string(&line->json, "kind", mon_kind_name((enum mon_kind)event->kind));
    put_number(line, "loop", event->loop);
    put_number(line, "request", event->request);
    for (const struct mon_field *field = mon_fields((enum mon_kind)event->kind);
         field->name != NULL; field++) {
        put_field(line, field);
    }
    mb_json_end(&line->json);
}

void mon_log_put(struct mb_buf *out, struct mon_log *log, const struct mon_event *event,
                 const struct mon_names *names, const struct mon_options *options)
{
    struct line line = {.json = {.out = out}, .log = log, .event = event, .names = names};

    if (!log->has_head) {
        put_head(&line, options);
        log->has_head = true;
    }
    for (const struct mon_field *field = mon_fields((enum mon_kind)event->kind);
         field->name != NULL; field++) {
        introduce_field(&line, field);
    }
    put_event(&line);
}
