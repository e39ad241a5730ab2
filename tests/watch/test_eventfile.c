/* What the monitors were told in a program that ran, told again: the same issues, byte for byte. */

#include "watch/eventfile.h"

#include "base/file.h"
#include "monitor/issue.h"
#include "replay/replay.h"
#include "tests/watch/programs/lives.h"
#include "watch/methodbeat_watch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char folder[64];
static char path[96];
static char older[100];

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "%s", "/tmp/methodbeat-events-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/events", folder);
    (void)snprintf(older, sizeof(older), "%s.1", path);
}

static void remove_folder(void)
{
    (void)unlink(path);
    (void)unlink(older);
    (void)rmdir(folder);
}

TestSuite(eventfile, .init = make_folder, .fini = remove_folder, .timeout = 60);

/* Without what became of it, which no log knows. */
static void put_live(struct mb_buf *out, const char *json)
{
    const char *verdict = strstr(json, ",\"report\":");

    mb_buf_put(out, json, verdict != NULL ? (size_t)(verdict - json) : strlen(json));
    mb_buf_put_string(out, verdict != NULL ? "}}\n" : "\n");
}

static void hear(void *context, const struct watch_issue *issue)
{
    put_live(context, issue->json);
}

static void put_again(void *context, const struct mon_issue *issue, const struct mon_names *names,
                      const struct mon_options *options)
{
    mon_issue_put(context, issue, names, options, NULL);
    mb_buf_put_u1(context, '\n');
}

static void replay_file(struct replay *replay, const char *file)
{
    struct mb_buf bytes = {0};
    struct mb_error err = {0};
    char line[512];

    cr_assert(eq(int, mb_file_read(&bytes, file, &err), MB_OK), "%s",
              mb_error_format(&err, line, sizeof(line)));
    struct mb_text text = {(const char *)bytes.bytes, bytes.size};
    cr_assert(eq(int, replay_text(replay, text, file, &err), MB_OK), "%s",
              mb_error_format(&err, line, sizeof(line)));
    mb_buf_finish(&bytes);
}

static void take_stack(void *context, struct watch_stack *stack)
{
    (void)context;
    watch_stack_add(stack, "a.b.C.load");
    watch_stack_add(stack, "a.b.C.main \"quoted\"");
}

static void set_up(void)
{
    static const char *const settings[][2] = {
        {"evil_ms", "30"}, {"sample_after_ms", "20"}, {"sample_ms", "10"},
        {"lag_ms", "100"}, {"anr_ms", "200"},         {"hang_ms", "300"},
        {"often", "30x3"}, {"cpu_enable", "on"},      {"cpu_percent", "1"},
    };

    for (size_t i = 0; i < MB_COUNT(settings); i++) {
        cr_assert(watch_set(settings[i][0], settings[i][1]));
    }
    cr_assert(watch_set("device", "ren\xc3\xa9 \"quoted\" \\"));
    cr_assert(watch_set("event_log", path));
}

static void live(void)
{
    const struct watch_loop who = {.name = "main", .stack = take_stack};

    cr_assert(watch_describe_loop(&who));
    lives_message(50);
    lives_message(150);
    watch_begin();
    lives_sleep_ms(120);
    lives_message(250); /* nested */
    watch_end();
    cr_assert(
        watch_report("checkout", "\xc3\xa9 \"quoted\"", "{\"a\":\n[\"\\u0001\xe2\x80\xa8\"]}"));
    watch_scene("a.b.MainActivity", true);
    lives_sleep_ms(30);
    cr_assert(watch_set("evil_ms", "60"));
    lives_sleep_ms(60);
    lives_message(350);
    watch_begin();
    lives_sleep_ms(150);
    watch_stop();
    watch_end();
}

Test(eventfile, gives_the_same_issues_again)
{
    struct mb_buf heard = {0};
    struct mb_buf again = {0};
    const struct replay_visitor visitor = {.issue = put_again, .context = &again};

    set_up();
    cr_assert(watch_listen(hear, &heard));
    cr_assert(watch_start());
    live();
    watch_unlisten(hear, &heard);
    struct replay *replay = replay_create(&visitor, NULL, 0);
    replay_file(replay, path);
    replay_destroy(replay);
    mb_buf_put_u1(&heard, '\0');
    mb_buf_put_u1(&again, '\0');
    cr_assert(gt(sz, heard.size, 1000));
    cr_assert_str_eq((const char *)again.bytes, (const char *)heard.bytes);
    mb_buf_finish(&heard);
    mb_buf_finish(&again);
}

static struct mb_text no_name(const void *context, uint32_t name)
{
    (void)context;
    (void)name;
    return MB_TEXT("name");
}

static void put_ticks(struct watch_eventfile *file, int count)
{
    const struct mon_names names = {no_name, NULL};
    struct mon_options options;

    mon_options_init(&options);
    for (int i = 0; i < count; i++) {
        struct mon_event event = {.at_ns = i + 1, .kind = MON_SCENE};
        event.scene.name = 7;
        watch_eventfile_put(file, &event, &names, &options);
        watch_eventfile_flush(file);
    }
}

/* Each file can be read alone: it has a head and the names it needs. */
Test(eventfile, goes_on_in_another_file)
{
    struct watch_eventfile file;

    watch_eventfile_open(&file, path, 4000);
    put_ticks(&file, 200);
    watch_eventfile_close(&file);
    const struct replay_visitor visitor = {0};
    for (int i = 0; i < 2; i++) {
        struct replay *replay = replay_create(&visitor, NULL, 0);
        replay_file(replay, i == 0 ? path : older);
        replay_destroy(replay);
    }
}

Test(eventfile, is_no_link_and_no_pipe)
{
    struct watch_eventfile file;

    cr_assert(eq(int, symlink("/tmp", path), 0));
    watch_eventfile_open(&file, path, 0);
    cr_assert(eq(int, file.fd, -1));
    put_ticks(&file, 1);
    watch_eventfile_close(&file);
}

/* The program closed it, and has the number for a file of its own. */
Test(eventfile, writes_to_no_other_file)
{
    struct watch_eventfile file;

    watch_eventfile_open(&file, path, 0);
    put_ticks(&file, 1);
    FILE *other = fopen(older, "w");
    cr_assert_not_null(other);
    cr_assert(eq(int, dup2(fileno(other), file.fd), file.fd));
    int theirs = file.fd;
    put_ticks(&file, 5);
    cr_assert(eq(int, file.fd, -1));
    watch_eventfile_close(&file);
    cr_assert(zero(i64, (int64_t)lseek(theirs, 0, SEEK_END)), "and not closed");
    (void)close(theirs);
    (void)fclose(other);
}
