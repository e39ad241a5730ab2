#include "monitor/watch/watcher.h"

#include "monitor/watch/methodbeat_watch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER "ren\xc3\xa9 \xe4\xbd\xa0\xe5\xa5\xbd \"\xf0\x9f\x98\x80\""

static char folder[64];
static char spool[128];
static int files;

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "%s", "/tmp/methodbeat-settings-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(spool, sizeof(spool), "%s/" FOLDER, folder);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    files += strstr(path, "-CUSTOM-") != NULL;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

TestSuite(settings, .init = make_folder, .fini = remove_folder, .timeout = 60);

static void expect_a_file(void)
{
    cr_assert(watch_start());
    cr_assert(watch_report("own", NULL, NULL));
    watch_stop();
    remove_folder();
    cr_assert(eq(int, files, 1));
}

Test(settings, take_a_spool_of_any_name)
{
    cr_assert(watch_set("spool", spool));
    expect_a_file();
}

/* As bytes: whatever the locale. */
Test(settings, take_it_from_the_environment)
{
    cr_assert(zero(int, setenv("METHODBEAT_SPOOL", spool, 1)));
    cr_assert_str_eq(watch_settings_get()->spool, spool);
    expect_a_file();
}

static char line[512];

static void keep_line(const char *text)
{
    (void)snprintf(line, sizeof(line), "%s", text);
}

Test(settings, say_what_they_do_not_take)
{
    watch_log_to(keep_line);
    cr_assert(not(watch_set("spool", "/tmp/\x1b[31m\xe9")));
    cr_assert_not_null(strstr(line, "spool is a text in UTF-8 of at most 511 bytes, not "
                                    "/tmp/\\x1b[31m\\xe9"),
                       "%s", line);
}
