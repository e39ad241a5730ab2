#include "monitor/spool/writer.h"

#include "spools.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_NS INT64_C(86400000000000)

static struct spool_identity identity;
static char path[96];

static void set_up(void)
{
    spools_make_folder();
    (void)snprintf(path, sizeof(path), "%s/.device", spools_folder);
}

TestSuite(identity, .init = set_up, .fini = spools_remove_folder);

/* The device of a start on that day, "" without one. */
static const char *device_on(int64_t day)
{
    static char device[4][64];
    static unsigned turn;
    char *place = device[turn++ % 4];

    memset(&identity, 0, sizeof(identity));
    spool_identity_init(&identity, "id=a", spools_folder, day * DAY_NS);
    struct mb_text found = abi_identity_find(mb_text_of(identity.pairs), "device");
    (void)snprintf(place, 64, "%.*s", (int)found.size, found.data);
    return place;
}

Test(identity, of_a_device_stays_for_90_days)
{
    const char *first = device_on(1000);
    const char *last = device_on(1089);
    const char *next = device_on(1090);

    cr_assert(eq(sz, strlen(first), 16));
    cr_assert_str_eq(first, last);
    cr_assert(ne(int, strcmp(first, next), 0));
    cr_assert(eq(sz, strlen(next), 16));
}

Test(identity, of_a_device_ends_with_its_file)
{
    const char *first = device_on(1000);

    cr_assert(zero(int, unlink(path)));
    cr_assert(ne(int, strcmp(first, device_on(1000)), 0));
}

static void write_device(const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

Test(identity, of_a_device_is_made_anew_where_it_is_damaged)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "5f0c9a31e77b2d0 1000\n",
                                        "5f0c9a31e77b2d04",
                                        "5f0c9a31e77b2d04 1001\n",
                                        "5F0C9A31E77B2D04 1000\n"};

    for (size_t i = 0; i < MB_COUNT(texts); i++) {
        write_device(texts[i]);
        cr_expect(eq(sz, strlen(device_on(1000)), 16), "%s", texts[i]);
        cr_expect(ne(int, strncmp(device_on(1000), "5f0c9a31e77b2d0", 15), 0), "%s", texts[i]);
    }
    write_device("5f0c9a31e77b2d04 999\n");
    cr_assert_str_eq(device_on(1000), "5f0c9a31e77b2d04");
}

Test(identity, of_a_device_follows_no_link)
{
    struct stat status;

    cr_assert(zero(int, symlink("elsewhere", path)));
    cr_assert(eq(sz, strlen(device_on(1000)), 16));
    cr_assert(zero(int, lstat(path, &status)));
    cr_assert(eq(int, S_ISREG(status.st_mode), 1));
    cr_assert(eq(u32, status.st_mode & 0777u, 0600));
}

Test(identity, has_no_device_where_it_cannot_be_kept)
{
    spools_remove_folder();
    cr_assert_str_eq(device_on(1000), "");
    cr_assert_not_null(strstr(identity.pairs, "os_level="));
}

Test(identity, is_silent_unless_it_is_asked_for)
{
    struct spool_identity none = {.pairs = ""};
    struct mb_buf out = {0};
    const struct mon_issue issue = spools_issue(1, 1, MON_LAG);

    spool_identity_init(&none, "", spools_folder, 0);
    mb_buf_put_string(&out, "{\"a\":{}}");
    spool_identity_add(&none, &out, issue.start, 0, &spools_options);
    cr_assert(eq(sz, out.size, strlen("{\"a\":{}}")));
    cr_assert(ne(int, access(path, F_OK), 0));
    mb_buf_finish(&out);
}

static char json[8192];

static void keep_json(const struct spool_notice *issue)
{
    (void)snprintf(json, sizeof(json), "%s", issue->json);
}

static const char *publish(const char *app)
{
    struct mon_issue issue = spools_issue(0x5f1c, 1, MON_LAG);
    struct mon_process process = *issue.process;

    process.mapping = 0x7cc;
    issue.process = &process;
    cr_assert(mon_options_set(&spools_options, "app", app));
    struct spool *spool = spools_open(NULL);
    spools_on_heard = keep_json;
    spools_publish(spool, &issue);
    spools_close(spool);
    return json;
}

Test(identity, is_in_issues_before_their_verdict)
{
    cr_assert(mon_options_set(&spools_options, "report_share", "9999"));
    const char *text = publish(
        "id=com.acme,version=5 \"x\",device=me,os=A,os_level=1,abi=z,cores=2,memory=2,class=LOW");

    cr_assert_not_null(strstr(text,
                              ",\"app\":{\"id\":\"com.acme\",\"version\":\"5 \\\"x\\\"\","
                              "\"device\":\"me\",\"os\":\"A\",\"os_level\":\"1\",\"abi\":\"z\","
                              "\"cores\":2,\"memory\":2,\"class\":\"LOW\",\"build\":"
                              "\"00000000000007cc\",\"share\":9999,"
                              "\"session\":\"5f1c\"},\"report\":"),
                       "%s", text);
    cr_assert(eq(u32, spools_count_files(), 1));
}

Test(identity, of_a_build_may_be_given)
{
    cr_assert_not_null(strstr(publish("build=mine"), "\"build\":\"mine\""));
    cr_assert_null(strstr(json, "7cc\",\"share"));
}

Test(identity, is_in_no_issue_without_it)
{
    cr_assert_null(strstr(publish(""), "\"app\""));
}

/* A version that died is not the one that publishes. */
Test(identity, of_an_orphan_is_that_of_its_process)
{
    const struct mon_issue issue = spools_issue(7, 1, MON_LAG);

    cr_assert(mon_options_set(&spools_options, "app", "version=5.1"));
    struct spool *spool = spools_open(NULL);
    spools_take(spool, MON_NOTE, &issue);
    spools_close(spool);
    cr_assert(mon_options_set(&spools_options, "app", "version=5.2"));
    spool = spools_open(NULL);
    spools_on_heard = keep_json;
    cr_assert(eq(u32, spools_recover(spool), 1));
    spools_close(spool);
    cr_assert_not_null(strstr(json, "\"app\":{\"version\":\"5.1\""), "%s", json);
    cr_assert_null(strstr(json, "5.2"));
}
