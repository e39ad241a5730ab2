#include "monitor/spool/writer.h"

#include "spools.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_NS INT64_C(86400000000000)
#define FIRST "com.x/20261121/session-5f1c.json"
#define SECOND "com.x/20261122/session-5f1c.json"

static struct spool *spool;
static struct mon_sums sums;
static const struct mon_process run = {.start = 0x5f1c, .mapping = 0x7cc};

static void set_up(void)
{
    spools_make_folder();
    cr_assert(
        mon_options_set(&spools_options, "app",
                        "id=a,device=d,os=o,os_level=1,abi=z,cores=2,memory=4096,class=MIDDLE"));
    spool = spools_open(NULL);
}

static void tear_down(void)
{
    spools_close(spool);
    spools_remove_folder();
}

TestSuite(identity_session, .init = set_up, .fini = tear_down);

static void keep(void)
{
    spool_keep_session(spool, &run, &sums, &spools_options);
}

/* "" if it is not there. */
static const char *read_file(const char *name)
{
    static char text[4096];
    char path[160];

    (void)snprintf(path, sizeof(path), "%s/%s", spools_folder, name);
    int fd = open(path, O_RDONLY);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    text[size > 0 ? size : 0] = '\0';
    if (fd >= 0) {
        (void)close(fd);
    }
    return text;
}

static void publish(uint32_t number, enum mon_detail detail)
{
    struct mon_issue issue = spools_issue(0x5f1c, number, detail);

    spools_issue_with_key(&issue, 1);
    spools_publish(spool, &issue);
}

static void draw(int64_t ns)
{
    const struct mon_paced paced = {.time_ns = ns};

    mon_sums_add_frame(&sums, 3, &paced);
}

Test(identity_session, tells_who_what_and_how_often)
{
    cr_assert(mon_options_set(&spools_options, "keep", "7:32768:2"));
    draw(16666667);
    for (uint32_t i = 1; i <= 3; i++) {
        publish(i, MON_LAG);
    }
    keep();
    cr_assert_str_eq(
        read_file(FIRST),
        "{\"schema\":1,\"app\":{\"id\":\"a\",\"device\":\"d\",\"os\":\"o\",\"os_level\":\"1\","
        "\"abi\":\"z\",\"cores\":2,\"memory\":4096,\"class\":\"MIDDLE\",\"build\":"
        "\"00000000000007cc\",\"share\":10000,"
        "\"session\":\"5f1c\"},\"process\":\"com.x\",\"day\":20261121,"
        "\"from_ms\":1795270200000,\"until_ms\":1795270200000,"
        "\"frames\":[{\"scene\":\"a.b.MainActivity\",\"late_ms\":0,\"n\":1,"
        "\"buckets\":[[142,1]]}],\"starts\":[],"
        "\"issues\":[{\"detail\":\"LAG\",\"seen\":3,\"written\":2,\"reported\":2}]}\n");
}

Test(identity_session, is_replaced_as_it_goes_on)
{
    keep();
    draw(16666667);
    keep();
    draw(16666667);
    keep();
    cr_assert_not_null(strstr(read_file(FIRST), "[[142,2]]"));
}

Test(identity_session, begins_anew_after_midnight)
{
    draw(16666667);
    publish(1, MON_LAG);
    keep();
    spools_wall_ns += DAY_NS;
    draw(33333333);
    keep();
    cr_assert_not_null(strstr(read_file(FIRST), "[[142,1],[177,1]]"));
    draw(1000000000);
    keep();
    cr_assert_not_null(strstr(read_file(SECOND), "\"day\":20261122"));
    cr_assert_not_null(strstr(read_file(SECOND), "[[348,1]]"));
    cr_assert_not_null(strstr(read_file(SECOND), "\"issues\":[]"));
    cr_assert_not_null(strstr(read_file(FIRST), "[[142,1],[177,1]]"));
}

/* Its sums would replace those of that day. */
Test(identity_session, goes_on_where_the_clock_goes_back)
{
    draw(16666667);
    keep();
    spools_wall_ns -= DAY_NS;
    draw(16666667);
    keep();
    cr_assert_not_null(strstr(read_file(FIRST), "[[142,2]]"));
}

Test(identity_session, is_no_issue_of_the_day)
{
    keep();
    spools_close(spool);
    spool = spools_open(NULL);
    cr_assert(zero(u32, spool->store.quota.written[MON_NOTHING]));
    cr_assert(zero(u32, spool->store.quota.reported));
}

Test(identity_session, is_removed_with_its_day)
{
    struct timespec old[2] = {{.tv_sec = 0}, {.tv_sec = 0}};
    char path[160];

    keep();
    (void)snprintf(path, sizeof(path), "%s/" FIRST, spools_folder);
    cr_assert(zero(int, utimensat(AT_FDCWD, path, old, 0)));
    spools_wall_ns += 8 * DAY_NS;
    publish(1, MON_LAG);
    cr_assert_str_eq(read_file(FIRST), "");
}

Test(identity_session, stays_as_it_is_where_the_disk_is_full)
{
    struct rlimit limit = {.rlim_cur = 10, .rlim_max = RLIM_INFINITY};

    keep();
    draw(16666667);
    cr_assert(zero(int, setrlimit(RLIMIT_FSIZE, &limit)));
    (void)signal(SIGXFSZ, SIG_IGN);
    keep();
    limit.rlim_cur = RLIM_INFINITY;
    cr_assert(zero(int, setrlimit(RLIMIT_FSIZE, &limit)));
    cr_assert_not_null(strstr(read_file(FIRST), "\"frames\":[]"));
    keep();
    cr_assert_not_null(strstr(read_file(FIRST), "[[142,1]]"));
}

Test(identity_session, fits_its_room_at_most)
{
    memset(&sums, 0xff, sizeof(sums)); /* the greatest of all numbers */
    sums.scene_count = MON_SUM_SCENES;
    for (uint32_t i = 0; i < MON_SUM_SCENES; i++) {
        sums.scenes[i].scene = 3;
    }
    size_t room = spool->noted.text.capacity;
    keep();
    cr_assert(eq(sz, spool->noted.text.capacity, room));
    cr_assert(ne(int, read_file(FIRST)[0], 0));
}

Test(identity_session, is_not_written_without_app)
{
    spools_close(spool);
    cr_assert(mon_options_set(&spools_options, "app", ""));
    spool = spools_open(NULL);
    keep();
    cr_assert_str_eq(read_file(FIRST), "");
}
