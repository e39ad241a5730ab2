#include "monitor/eventlog.h"

#include "names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <string.h>

static const struct name_list list = {{"a.b.C.load", "a \"b\"", "c", NULL}};
static struct mon_options options;
static struct mon_log written;
static struct mb_buf text;

static void set_up(void)
{
    mon_options_init(&options);
    memset(&written, 0, sizeof(written));
}

static void tear_down(void)
{
    mb_buf_finish(&text);
}

TestSuite(eventlog, .init = set_up, .fini = tear_down);

static void put(const struct mon_event *event)
{
    const struct mon_names names = names_of(&list);

    mon_log_put(&text, &written, event, &names, &options);
}

static const char *without_head(void)
{
    mb_buf_put_u1(&text, '\0');
    const char *line = strchr((const char *)text.bytes, '\n');
    cr_assert_not_null(line);
    return line + 1;
}

Test(eventlog, has_one_object_a_line)
{
    struct mon_event event = {.at_ns = 5, .kind = MON_LOOP, .loop = 2};

    event.poll = (struct mon_poll){.sequence = 255, .is_open = true, .since_ns = 4, .cpu_ns = -1};
    put(&event);
    cr_assert_str_eq(without_head(), "{\"at\":5,\"kind\":\"LOOP\",\"loop\":2,\"sequence\":\"ff\","
                                     "\"is_open\":true,\"since_ns\":4,\"cpu_ns\":-1}\n");
}

Test(eventlog, says_once_what_a_name_is)
{
    struct mon_event event = {.at_ns = 5, .kind = MON_STACK};

    event.stack.frames = (struct mon_frames){.count = 3, .names = {1, 2, 1}};
    put(&event);
    put(&event);
    cr_assert_str_eq(without_head(), "{\"name\":1,\"text\":\"a.b.C.load\"}\n"
                                     "{\"name\":2,\"text\":\"a \\\"b\\\"\"}\n"
                                     "{\"at\":5,\"kind\":\"STACK\",\"frames\":[1,2,1]}\n"
                                     "{\"at\":5,\"kind\":\"STACK\",\"frames\":[1,2,1]}\n");
}

Test(eventlog, says_where_frames_are)
{
    struct mon_event event = {.at_ns = 5, .kind = MON_STACK};

    event.stack.frames =
        (struct mon_frames){.count = 2, .names = {1, 1}, .files = {0, 2}, .lines = {0, 57}};
    put(&event);
    cr_assert_str_eq(without_head(), "{\"name\":1,\"text\":\"a.b.C.load\"}\n"
                                     "{\"name\":2,\"text\":\"a \\\"b\\\"\"}\n"
                                     "{\"at\":5,\"kind\":\"STACK\",\"frames\":[1,[1,2,57]]}\n");
}

Test(eventlog, a_new_file_says_it_again)
{
    struct mon_event event = {.at_ns = 5, .kind = MON_SCENE};

    event.scene.name = 1;
    put(&event);
    memset(&written, 0, sizeof(written));
    mb_buf_reset(&text);
    put(&event);
    cr_assert_str_eq(without_head(), "{\"name\":1,\"text\":\"a.b.C.load\"}\n"
                                     "{\"at\":5,\"kind\":\"SCENE\",\"name\":1}\n");
}

Test(eventlog, begins_with_all_options)
{
    struct mon_event event = {.kind = MON_TICK};
    const struct mon_option *option;
    json_t *head;

    cr_assert(mon_options_set(&options, "evil_ms", "42"));
    put(&event);
    head = json_loadb((const char *)text.bytes, text.size, JSON_DISABLE_EOF_CHECK, NULL);
    cr_assert_not_null(head);
    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        const json_t *value =
            json_object_get(json_object_get(head, "options"), mon_option_name(option));
        cr_assert_not_null(json_string_value(value), "%s", mon_option_name(option));
    }
    cr_assert_str_eq(
        json_string_value(json_object_get(json_object_get(head, "options"), "evil_ms")), "42");
    json_decref(head);
}

/* Every byte of every member that is not 0 shows. */
Test(eventlog, leaves_no_member_out)
{
    for (int kind = 0; kind < MON_KIND_COUNT; kind++) {
        for (const struct mon_field *field = mon_fields((enum mon_kind)kind); field->name != NULL;
             field++) {
            struct mon_event event = {.at_ns = 1, .kind = (uint32_t)kind};
            memset((char *)&event + field->offset, 1, 1);
            mb_buf_reset(&text);
            put(&event);
            mb_buf_put_u1(&text, '\0');
            const char *line = strstr((const char *)text.bytes, "\"kind\"");
            cr_assert_not_null(line);
            cr_assert_not_null(strstr(line, field->name), "%s of %s", field->name,
                               mon_kind_name((enum mon_kind)kind));
        }
    }
}
