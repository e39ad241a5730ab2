#include "monitor/watch/watcher.h"

#include "monitor/watch/methodbeat_watch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64];
static int sessions;
static char text[4096];

static void set_up(void)
{
    (void)snprintf(folder, sizeof(folder), "%s", "/tmp/methodbeat-session-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert(watch_set("spool", folder));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    FILE *file = strstr(path, "/session-") != NULL ? fopen(path, "r") : NULL;

    (void)status;
    (void)type;
    (void)walk;
    if (file != NULL) {
        sessions++;
        text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
        (void)fclose(file);
    }
    return remove(path);
}

static void tear_down(void)
{
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

TestSuite(identity, .init = set_up, .fini = tear_down, .timeout = 60);

static char line[512];

static void keep_line(const char *told)
{
    (void)snprintf(line, sizeof(line), "%s", told);
}

Test(identity, names_the_key_that_is_wrong)
{
    watch_log_to(keep_line);
    cr_assert(not(watch_set("app", "id=com.acme,code=5.2")));
    cr_assert_not_null(strstr(line, ": code is no number"), "%s", line);
}

static void live(void)
{
    cr_assert(watch_start());
    cr_assert(watch_report("own", NULL, NULL));
    watch_stop();
    tear_down();
}

Test(identity, is_in_the_session_of_a_run)
{
    cr_assert(watch_set("app", "id=com.acme,version=5.2"));
    live();
    cr_assert(eq(int, sessions, 1));
    cr_assert_not_null(strstr(text, "\"app\":{\"id\":\"com.acme\",\"version\":\"5.2\","), "%s",
                       text);
    cr_assert_not_null(strstr(text, "{\"detail\":\"CUSTOM\",\"seen\":1,\"written\":1,"), "%s",
                       text);
}

Test(identity, leaves_no_session_without_app)
{
    live();
    cr_assert(zero(int, sessions));
}
