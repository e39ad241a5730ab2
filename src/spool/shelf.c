#include "spool/shelf.h"

#include "monitor/issue.h"
#include "spool/date.h"
#include "spool/files.h"
#include "spool/stock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define COUNTS_SIZE ((size_t)4096)      /* with all details */
#define ENOUGH_FREE ((uint64_t)1 << 20) /* bytes: a full disk is tried again */

bool spool_shelf_reserve(struct spool_shelf *shelf)
{
    shelf->folder = SPOOL_FOLDER_CLOSED;
    shelf->quota.day = SPOOL_NO_DAY;
    shelf->is_saved = true;
    shelf->full_day = SPOOL_NO_DAY;
    return mb_buf_reserve(&shelf->text, MON_ISSUE_SIZE) &&
           mb_buf_reserve(&shelf->counts, COUNTS_SIZE);
}

void spool_shelf_finish(struct spool_shelf *shelf)
{
    spool_folder_close(&shelf->folder);
    mb_buf_finish(&shelf->text);
    mb_buf_finish(&shelf->counts);
}

/* Free so many bytes, or some, of files that weigh no more; false if there is none. */
static bool free_some(struct spool_shelf *shelf, enum mon_detail detail, uint64_t wanted)
{
    uint64_t freed = spool_stock_free(shelf->folder.fd, spool_weight(detail), wanted);

    shelf->bytes -= freed < shelf->bytes ? freed : shelf->bytes;
    return freed > 0;
}

static bool make_room(struct spool_shelf *shelf, enum mon_detail detail, size_t size,
                      const struct mon_options *options)
{
    uint64_t limit = (uint64_t)options->spool_kb * 1024;

    while (shelf->bytes + size > limit) {
        if (size > limit || !free_some(shelf, detail, shelf->bytes + size - limit)) {
            return false;
        }
    }
    return true;
}

/* ---- Counts of a day ---- */

static void put_counts(struct mb_buf *out, const struct spool_quota *quota)
{
    const char *before = "";

    mb_buf_reset(out);
    mb_buf_printf(out, "{\"methodbeat_counts\":1,\"day\":%" PRIu32 ",\"details\":{",
                  spool_date(quota->day));
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        const char *start = "{";
        for (enum spool_refusal i = SPOOL_WRITTEN + 1; i < SPOOL_REFUSAL_COUNT; i++) {
            if (quota->results[detail][i] == 0) {
                continue;
            }
            if (*start == '{') {
                mb_buf_printf(out, "%s\"%s\":", before, mon_detail_name(detail));
            }
            mb_buf_printf(out, "%s\"%s\":%" PRIu32, start, spool_refusal_name(i),
                          quota->results[detail][i]);
            start = before = ",";
        }
        mb_buf_put_string(out, *start == ',' ? "}" : "");
    }
    mb_buf_put_string(out, "}}\n");
}

static int open_today(const struct spool_shelf *shelf)
{
    return shelf->folder.fd >= 0 ? spool_files_make_day(shelf->folder.fd, shelf->quota.day) : -1;
}

void spool_shelf_save(struct spool_shelf *shelf, const struct mon_options *options)
{
    int folder = shelf->is_saved ? -1 : open_today(shelf);
    char time[SPOOL_TIME_SIZE];
    char name[SPOOL_NAME_SIZE];

    if (folder >= 0) {
        put_counts(&shelf->counts, &shelf->quota);
        spool_put_time(time, shelf->began_wall_ns);
        (void)snprintf(name, sizeof(name), SPOOL_COUNTS_NAME "-%s.json", time);
        const struct mb_text parts[2] = {{(char *)shelf->counts.bytes, shelf->counts.size}};
        shelf->is_saved =
            !shelf->counts.failed && spool_file_put(shelf->folder.fd, SPOOL_TEMPORARY_FILE, folder,
                                                    name, parts, options->sync);
        (void)close(folder);
    }
}

static void add_file(void *context, const struct spool_file *file)
{
    struct spool_shelf *shelf = context;

    if (file->day == shelf->quota.day && !file->is_counts) {
        spool_quota_add_file(&shelf->quota, file->parts.detail, file->parts.key);
    }
}

static void look_around(struct spool_shelf *shelf, const struct mon_options *options)
{
    if (shelf->folder.fd >= 0) {
        (void)spool_stock_clean(shelf->folder.fd, options, shelf->quota.day, &shelf->bytes);
        if (!shelf->is_loaded) {
            (void)spool_files_visit(shelf->folder.fd, add_file, shelf);
            shelf->is_loaded = true;
        }
    }
}

/* Another day, whether it comes after the last one or before. */
static void start_day(struct spool_shelf *shelf, const struct mon_options *options, int64_t wall_ns)
{
    if (spool_day_of(wall_ns) != shelf->quota.day) {
        spool_shelf_save(shelf, options);
        shelf->quota = (struct spool_quota){.day = spool_day_of(wall_ns)};
        shelf->began_wall_ns = wall_ns;
        shelf->is_saved = true;
        shelf->is_loaded = false;
        look_around(shelf, options);
    }
}

void spool_shelf_take_stock(struct spool_shelf *shelf, const struct mon_options *options,
                            int64_t wall_ns)
{
    if (spool_day_of(wall_ns) == shelf->quota.day) {
        look_around(shelf, options);
    } else {
        start_day(shelf, options, wall_ns);
    }
}

/* ---- One issue ---- */

/* The whole file: the issue with its verdict, and the copy. False without memory. */
static bool compose(struct spool_shelf *shelf, const struct spool_item *item,
                    struct spool_result *result)
{
    const struct mon_verdict verdict = {result->decision.is_reported,
                                        result->decision.same_key_today};
    const struct mb_text issue = spool_item_issue(item);
    const struct mb_text copy = spool_item_copy(item);
    struct mb_buf *text = &shelf->text;

    mb_buf_reset(text);
    mb_buf_put(text, issue.data, issue.size);
    mon_issue_add_verdict(text, &verdict);
    size_t size = text->size;
    mb_buf_put_u1(text, '\n');
    if (copy.size > 0) {
        mb_buf_put(text, copy.data, copy.size);
        mb_buf_put_u1(text, '\n');
    }
    if (!text->failed) {
        const char *bytes = (const char *)text->bytes;
        result->issue = (struct mb_text){bytes, size};
        result->copy = (struct mb_text){bytes + size + 1, copy.size};
    }
    return !text->failed;
}

/* A disk that was full is left alone for the day, or until there is room. */
static bool is_worth_a_try(const struct spool_shelf *shelf)
{
    struct statvfs status;

    return shelf->full_day != shelf->quota.day ||
           (fstatvfs(shelf->folder.fd, &status) == 0 &&
            (uint64_t)status.f_bavail * status.f_frsize >= ENOUGH_FREE);
}

static bool put_file(const struct spool_shelf *shelf, int day_folder, const char *name,
                     const struct mon_options *options)
{
    const struct mb_text parts[2] = {{(const char *)shelf->text.bytes, shelf->text.size}};

    return spool_file_put(shelf->folder.fd, SPOOL_TEMPORARY_FILE, day_folder, name, parts,
                          options->sync);
}

/* The file is there, or why not. */
static enum spool_refusal try_to_put(struct spool_shelf *shelf, const struct spool_item *item,
                                     int day_folder, const char *name)
{
    const enum mon_detail detail = (enum mon_detail)item->head.detail;

    if (day_folder < 0 || !is_worth_a_try(shelf)) {
        return SPOOL_NO_DISK;
    }
    if (!make_room(shelf, detail, shelf->text.size, &item->options)) {
        return SPOOL_NO_ROOM;
    }
    bool is_there = put_file(shelf, day_folder, name, &item->options);
    bool is_full = !is_there && (errno == ENOSPC || errno == EDQUOT);
    if (is_full && free_some(shelf, detail, 1)) {
        is_there = put_file(shelf, day_folder, name, &item->options);
    }
    shelf->full_day = is_full && !is_there ? shelf->quota.day : SPOOL_NO_DAY;
    return is_there ? SPOOL_WRITTEN : SPOOL_NO_DISK;
}

static void write_issue(struct spool_shelf *shelf, const struct spool_item *item, int64_t wall_ns,
                        const struct spool_filing *filing, struct spool_result *result)
{
    const struct spool_file_name parts = {wall_ns, filing->detail, filing->key,
                                          item->head.incident};
    int folder = open_today(shelf);
    char name[SPOOL_NAME_SIZE];
    char date[SPOOL_DATE_SIZE];

    spool_file_name_put(name, &parts);
    enum spool_refusal refusal =
        compose(shelf, item, result) ? try_to_put(shelf, item, folder, name) : SPOOL_NO_DISK;
    if (refusal == SPOOL_WRITTEN) {
        spool_put_date(date, filing->day);
        shelf->bytes += shelf->text.size;
        (void)snprintf(result->file, sizeof(result->file), "%s/%s/%s", shelf->folder.path, date,
                       name);
    } else {
        spool_quota_take_back(&shelf->quota, filing, &result->decision, refusal);
    }
    if (folder >= 0) {
        (void)close(folder);
    }
}

void spool_shelf_put(struct spool_shelf *shelf, const struct spool_item *item, int64_t wall_ns,
                     struct spool_result *result)
{
    const struct spool_filing filing = {.day = spool_day_of(wall_ns),
                                        .device = shelf->device,
                                        .detail = (enum mon_detail)item->head.detail,
                                        .key = (uint32_t)item->head.key,
                                        .size = item->text.size};

    memset(result, 0, sizeof(*result));
    start_day(shelf, &item->options, wall_ns);
    result->decision = spool_quota_decide(&shelf->quota, &item->options, &filing);
    if (result->decision.refusal == SPOOL_WRITTEN) {
        write_issue(shelf, item, wall_ns, &filing, result);
    }
    if (result->decision.refusal != SPOOL_WRITTEN) {
        (void)compose(shelf, item, result);
        shelf->is_saved = false;
    }
    spool_shelf_save(shelf, &item->options);
    if (result->issue.size > 0) { /* its lines become strings */
        shelf->text.bytes[result->issue.size] = '\0';
        shelf->text.bytes[shelf->text.size - 1] = '\0';
    }
}

void spool_shelf_miss(struct spool_shelf *shelf, enum mon_detail detail, uint32_t count,
                      const struct mon_options *options, int64_t wall_ns)
{
    start_day(shelf, options, wall_ns);
    shelf->quota.results[detail][SPOOL_NO_QUEUE] += count;
    shelf->is_saved = false;
}
