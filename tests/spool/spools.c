#include "spools.h"

#include "abi/issue.h"
#include "monitor/spool/files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PROCESS = 1, MACHINE, SCENE, MESSAGE, LOAD, RUN };

char spools_folder[64];
int64_t spools_wall_ns;
struct mon_options spools_options;
struct mon_names spools_names;
uint32_t spools_heard;
void (*spools_on_heard)(const struct spool_notice *issue);

static const struct name_list list = {
    {"com.x", "HIGH", "a.b.MainActivity", "Handler {..}: 7", "a.b.C.load", "a.b.C.run", NULL}};
static _Atomic(uint32_t) written; /* that the listener heard of: the wait is for this */

/* ---- Folders ---- */

void spools_make_folder(void)
{
    (void)snprintf(spools_folder, sizeof(spools_folder), "%s", "/tmp/methodbeat-spool-XXXXXX");
    cr_assert_not_null(mkdtemp(spools_folder));
    mon_options_init(&spools_options);
    spools_names = names_of(&list);
    spools_wall_ns = (SPOOLS_DAY * 86400 + 51000) * INT64_C(1000000000);
    spools_heard = 0;
    written = 0;
    spools_on_heard = NULL;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)walk;
    (void)(type == FTW_DP ? chmod(path, 0700) : 0);
    return remove(path);
}

void spools_remove_folder(void)
{
    (void)nftw(spools_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- Opening ---- */

static void hear(void *context, const struct spool_notice *issue)
{
    (void)context;
    cr_assert(eq(sz, strlen(issue->json), issue->json_size));
    cr_assert(zero(int, strncmp(issue->json, "{", 1)));
    spools_heard++;
    if (spools_on_heard != NULL) {
        spools_on_heard(issue);
    }
    atomic_fetch_add(&written, 1);
}

int64_t spools_tell_time(void)
{
    return spools_wall_ns;
}

struct spool *spools_open(struct mb_error *err)
{
    const struct spool_setup setup = {.folder = spools_folder,
                                      .process = "com.x",
                                      .device = 99,
                                      .options = &spools_options,
                                      .names = &spools_names,
                                      .notify = hear,
                                      .wall_ns = spools_tell_time};
    struct mb_error other;
    struct spool *spool = spool_open(&setup, err != NULL ? err : &other);

    cr_assert_not_null(spool);
    return spool;
}

void spools_close(struct spool *spool)
{
    spool_close(spool, 60000);
}

/* ---- Issues ---- */

static const struct mon_process process = {.name = PROCESS, .machine = MACHINE};
static const struct mon_frames frames = {
    .count = 2, .names = {LOAD, RUN}, .files = {0, PROCESS}, .lines = {0, 12}};
static const struct mon_hottest hottest = {.frames = &frames, .samples = 1, .repeats = {1, 1}};
static struct mon_trace traces[1000];

struct mon_issue spools_issue(uint64_t start, uint32_t number, enum mon_detail detail)
{
    struct mon_issue issue = {.detail = detail,
                              .start = start,
                              .span.number = number,
                              .span.begin_ns = 1000000000,
                              .span.end_ns = 4000000000,
                              .cost_ns = 3000000000,
                              .span.watched_ns = 2900000000,
                              .cpu_ns = -1,
                              .is_foreground = true,
                              .span.message = MESSAGE,
                              .scene = SCENE,
                              .process = &process,
                              .hottest = &hottest};

    spools_issue_with_key(&issue, number);
    return issue;
}

void spools_issue_with_key(struct mon_issue *issue, uint32_t key)
{
    struct mon_trace *trace = &traces[issue->span.number % MB_COUNT(traces)];

    *trace = (struct mon_trace){.key = key, .items = {1, {{0, key, 1, 871}}}};
    issue->trace = trace;
}

void spools_take(struct spool *spool, enum mon_action_kind kind, const struct mon_issue *issue)
{
    const struct mon_action action = {.kind = kind, .loop = issue->span.loop, .issue = issue};

    spool_take(spool, &action, &spools_options);
}

void spools_publish(struct spool *spool, const struct mon_issue *issue)
{
    uint32_t before = atomic_load(&written);

    spools_take(spool, MON_ISSUE, issue);
    while (atomic_load(&written) == before) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = 200000}, NULL);
    }
}

/* ---- What is there ---- */

/* What Matrix's issues have, of which type; those of LAG and ANR more than NORMAL. */
struct key {
    char name[32];
    int type;
    const char *details;
};

static const struct key keys[] = {
    {"tag", JSON_STRING, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"process", JSON_STRING, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"time", JSON_INTEGER, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"machine", JSON_STRING, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"cpu_app", JSON_REAL, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"mem", JSON_INTEGER, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"mem_free", JSON_INTEGER, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
    {"cost", JSON_INTEGER, "NORMAL LAG ANR STARTUP"},
    {"usage", JSON_STRING, "NORMAL LAG ANR STARTUP"},
    {"scene", JSON_STRING, "NORMAL LAG ANR STARTUP Trace_FPS"},
    {"stack", JSON_STRING, "NORMAL LAG ANR STARTUP"},
    {"stackKey", JSON_STRING, "NORMAL LAG ANR STARTUP"},
    {"subType", JSON_INTEGER, "STARTUP"},
    {"dropLevel", JSON_OBJECT, "Trace_FPS"},
    {"dropSum", JSON_OBJECT, "Trace_FPS"},
    {"fps", JSON_REAL, "Trace_FPS"},
    {"DROP_COUNT", JSON_INTEGER, "Trace_FPS"},
    {"REFRESH_RATE", JSON_INTEGER, "Trace_FPS"},
    {"application_create", JSON_INTEGER, "Trace_StartUp"},
    {"application_create_scene", JSON_INTEGER, "Trace_StartUp"},
    {"first_activity_create", JSON_INTEGER, "Trace_StartUp"},
    {"startup_duration", JSON_INTEGER, "Trace_StartUp"},
    {"is_warm_start_up", JSON_FALSE, "Trace_StartUp"},
    {"threadStack", JSON_STRING, "LAG ANR"},
    {"isProcessForeground", JSON_TRUE, "LAG ANR"},
    {"processPriority", JSON_INTEGER, "ANR"},
    {"processNice", JSON_INTEGER, "ANR"},
    {"memory", JSON_OBJECT, "ANR"},
    {"methodbeat", JSON_OBJECT, "NORMAL LAG ANR STARTUP Trace_FPS Trace_StartUp"},
};

static bool has_its_keys(const json_t *issue)
{
    const char *detail = json_string_value(json_object_get(issue, "detail"));
    size_t count = detail != NULL;

    if (json_is_object(json_object_get(json_object_get(issue, "methodbeat"), "told"))) {
        return true; /* the program's own: what is in it is its business */
    }
    detail = detail != NULL ? detail : json_string_value(json_object_get(issue, "tag"));

    for (size_t i = 0; detail != NULL && i < MB_COUNT(keys); i++) {
        const json_t *value = json_object_get(issue, keys[i].name);
        bool is_expected = strstr(keys[i].details, detail) != NULL;
        if (is_expected != (value != NULL) ||
            (is_expected && json_typeof(value) != (json_type)keys[i].type)) {
            return false;
        }
        count += is_expected;
    }
    return detail != NULL && json_object_size(issue) == count;
}

/* One object a line. */
static bool is_whole(const char *path)
{
    struct mb_buf text = {0};
    bool is_json = mb_file_read(&text, path, NULL) == MB_OK && text.size > 0 &&
                   text.bytes[text.size - 1] == '\n';
    struct mb_text rest = {(const char *)text.bytes, text.size};

    while (is_json && rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        json_t *json = json_loadb(line.data, line.size, JSON_REJECT_DUPLICATES, NULL);
        is_json = json != NULL && has_its_keys(json);
        json_decref(json);
    }
    mb_buf_finish(&text);
    return is_json;
}

static uint32_t counted;
static char wanted_end[64];

static int count_issue(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    const char *name = path + walk->base;
    size_t size = strlen(name);
    size_t end = strlen(wanted_end);

    if (type == FTW_F && name[0] != '.' && size > end &&
        strcmp(name + size - end, wanted_end) == 0) {
        cr_assert(eq(int, status->st_mode & 07777, 0600));
        cr_assert(is_whole(path), "%s", path);
        counted++;
    }
    return 0;
}

static int count_note(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    counted += type == FTW_F && path[walk->base] == '.';
    return 0;
}

uint32_t spools_count_files(void)
{
    counted = 0;
    (void)snprintf(wanted_end, sizeof(wanted_end), ".json");
    (void)nftw(spools_folder, count_issue, 16, FTW_PHYS);
    return counted;
}

uint32_t spools_count_incident(uint64_t start, uint32_t number)
{
    counted = 0;
    (void)snprintf(wanted_end, sizeof(wanted_end), "-%lx-%u.json", (unsigned long)start, number);
    (void)nftw(spools_folder, count_issue, 16, FTW_PHYS);
    return counted;
}

uint32_t spools_count_notes(void)
{
    counted = 0;
    (void)nftw(spools_folder, count_note, 16, FTW_PHYS);
    return counted;
}

uint32_t spools_recover(struct spool *spool)
{
    uint32_t before = spools_count_files();

    spool_write(spool);
    while (!spool_is_written(spool)) {
        (void)nanosleep(&(const struct timespec){.tv_nsec = 200000}, NULL);
    }
    return spools_count_files() - before;
}
