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

#define ENOUGH_FREE ((uint64_t)1 << 20) /* bytes: a full disk is tried again */

bool spool_shelf_reserve(struct spool_shelf *shelf)
{
    shelf->folder = SPOOL_FOLDER_CLOSED;
    shelf->counts.quota.day = SPOOL_NO_DAY;
    shelf->is_saved = true;
    shelf->full_day = SPOOL_NO_DAY;
    return mb_buf_reserve(&shelf->text, MON_ISSUE_SIZE) &&
           mb_buf_reserve(&shelf->counts_text, SPOOL_COUNTS_SIZE);
}

void spool_shelf_finish(struct spool_shelf *shelf)
{
    spool_folder_close(&shelf->folder);
    mb_buf_finish(&shelf->text);
    mb_buf_finish(&shelf->counts_text);
}

/* Free so many bytes, or some, of files that weigh no more; false if there is none. */
static bool free_some(struct spool_shelf *shelf, enum mon_detail detail, uint64_t wanted)
{
    uint64_t freed = spool_stock_free(shelf->folder.fd, spool_weight(detail), wanted);

    shelf->bytes -= freed < shelf->bytes ? freed : shelf->bytes;
    return freed > 0;
}

static bool make_room(struct spool_shelf *shelf, const struct spool_entry *entry, size_t size,
                      const struct mon_options *options)
{
    uint64_t limit = (uint64_t)options->spool_kb * 1024;

    while (shelf->bytes + size > limit) {
        if (size > limit || !free_some(shelf, entry->detail, shelf->bytes + size - limit)) {
            return false;
        }
    }
    return true;
}

/* ---- Counts of a day ---- */

/* Go on with what was counted on that day before, if it can be read. */
static void load_counts(struct spool_shelf *shelf)
{
    int folder = spool_files_open_day(shelf->folder.fd, shelf->counts.quota.day);
    const struct spool_file file = {.folder = folder, .name = SPOOL_COUNTS_NAME};
    struct mb_buf *text = &shelf->counts_text;

    mb_buf_reset(text);
    if (folder >= 0 && spool_file_read(&file, SPOOL_COUNTS_SIZE, text) &&
        spool_counts_read(&shelf->found, (struct mb_text){(char *)text->bytes, text->size}) &&
        shelf->found.quota.day == shelf->counts.quota.day) {
        spool_counts_add(&shelf->counts, &shelf->found);
    }
    if (folder >= 0) {
        (void)close(folder);
    }
    shelf->is_loaded = true;
}

static int open_today(const struct spool_shelf *shelf)
{
    return shelf->folder.fd >= 0 ? spool_files_make_day(shelf->folder.fd, shelf->counts.quota.day)
                                 : -1;
}

static void write_counts(struct spool_shelf *shelf, int folder, const struct mon_options *options)
{
    mb_buf_reset(&shelf->counts_text);
    spool_counts_put(&shelf->counts_text, &shelf->counts);
    shelf->is_saved = !shelf->counts_text.failed && folder >= 0 &&
                      spool_file_prepare(folder, SPOOL_COUNTS_NAME,
                                         (struct mb_text){(const char *)shelf->counts_text.bytes,
                                                          shelf->counts_text.size},
                                         options->sync) &&
                      spool_file_publish(folder, SPOOL_COUNTS_NAME, options->sync);
}

void spool_shelf_save(struct spool_shelf *shelf, const struct mon_options *options)
{
    int folder = shelf->is_saved ? -1 : open_today(shelf);

    if (folder >= 0) {
        write_counts(shelf, folder, options);
        (void)close(folder);
    }
}

static void look_around(struct spool_shelf *shelf, const struct mon_options *options)
{
    if (shelf->folder.fd >= 0) {
        (void)spool_stock_clean(shelf->folder.fd, options, shelf->counts.quota.day, &shelf->bytes);
        if (!shelf->is_loaded) {
            load_counts(shelf);
        }
    }
}

/* Another day, whether it comes after the last one or before. */
static void start_day(struct spool_shelf *shelf, const struct mon_options *options, int64_t day)
{
    if (day != shelf->counts.quota.day) {
        spool_shelf_save(shelf, options);
        spool_counts_start(&shelf->counts, day);
        shelf->is_saved = true;
        shelf->is_loaded = false;
        look_around(shelf, options);
    }
}

void spool_shelf_take_stock(struct spool_shelf *shelf, const struct mon_options *options,
                            int64_t wall_ns)
{
    if (spool_day_of(wall_ns) == shelf->counts.quota.day) {
        look_around(shelf, options);
    } else {
        start_day(shelf, options, spool_day_of(wall_ns));
    }
}

/* ---- One issue ---- */

/* The whole file: the issue with its verdict, and the copy. False without memory. */
static bool compose(struct spool_shelf *shelf, const struct spool_entry *entry,
                    struct spool_result *result)
{
    const struct mon_verdict verdict = {result->decision.is_reported,
                                        result->decision.same_key_today};
    struct mb_buf *text = &shelf->text;

    mb_buf_reset(text);
    mb_buf_put(text, entry->issue.data, entry->issue.size);
    mon_issue_add_verdict(text, &verdict);
    size_t size = text->size;
    mb_buf_put_u1(text, '\n');
    if (entry->copy.size > 0) {
        mb_buf_put(text, entry->copy.data, entry->copy.size);
        mb_buf_put_u1(text, '\n');
    }
    if (!text->failed) {
        const char *bytes = (const char *)text->bytes;
        result->issue = (struct mb_text){bytes, size};
        result->copy = (struct mb_text){bytes + size + 1, entry->copy.size};
    }
    return !text->failed;
}

/* A disk that was full is left alone for the day, or until there is room. */
static bool is_worth_a_try(const struct spool_shelf *shelf, int64_t day)
{
    struct statvfs status;

    return shelf->full_day != day || (fstatvfs(shelf->folder.fd, &status) == 0 &&
                                      (uint64_t)status.f_bavail * status.f_frsize >= ENOUGH_FREE);
}

/* One issue at work. */
struct putting {
    struct spool_shelf *shelf;
    const struct spool_entry *entry;
    const struct mon_options *options;
    int folder; /* of the day; -1: none */
    char name[SPOOL_NAME_SIZE];
};

static bool prepare(const struct putting *p)
{
    struct mb_text text = {(const char *)p->shelf->text.bytes, p->shelf->text.size};

    return spool_file_prepare(p->folder, p->name, text, p->options->sync);
}

/* The hidden file is there, or why not. */
static enum spool_refusal try_to_prepare(const struct putting *p)
{
    struct spool_shelf *shelf = p->shelf;

    if (p->folder < 0 || !is_worth_a_try(shelf, shelf->counts.quota.day)) {
        return SPOOL_NO_DISK;
    }
    if (!make_room(shelf, p->entry, shelf->text.size, p->options)) {
        return SPOOL_NO_ROOM;
    }
    bool is_there = prepare(p);
    bool is_full = !is_there && (errno == ENOSPC || errno == EDQUOT);
    if (is_full && free_some(shelf, p->entry->detail, 1)) {
        is_there = prepare(p);
    }
    shelf->full_day = is_full && !is_there ? shelf->counts.quota.day : SPOOL_NO_DAY;
    return is_there ? SPOOL_WRITTEN : SPOOL_NO_DISK;
}

static void publish(const struct putting *p, const struct spool_filing *filing,
                    struct spool_result *result)
{
    struct spool_shelf *shelf = p->shelf;

    if (result->decision.refusal != SPOOL_WRITTEN) {
        return;
    }
    if (!spool_file_publish(p->folder, p->name, p->options->sync)) {
        spool_quota_take_back(&shelf->counts.quota, filing, &result->decision, SPOOL_NO_DISK);
        write_counts(shelf, p->folder, p->options);
        return;
    }
    char date[SPOOL_DATE_SIZE];
    spool_put_date(date, filing->day);
    shelf->bytes += shelf->text.size;
    (void)snprintf(result->file, sizeof(result->file), "%s/%s/%s", shelf->folder.path, date,
                   p->name);
}

/* As the header has it: hidden file, counts, name. */
static void file_issue(struct putting *p, struct spool_result *result)
{
    const struct spool_filing filing = {.day = spool_day_of(p->entry->wall_ns),
                                        .device = p->shelf->device,
                                        .detail = p->entry->detail,
                                        .key = p->entry->key,
                                        .size = p->entry->issue.size + p->entry->copy.size};
    struct spool_quota *quota = &p->shelf->counts.quota;
    enum spool_refusal refusal = SPOOL_NO_DISK;

    result->decision = spool_quota_decide(quota, p->options, &filing);
    if (result->decision.refusal == SPOOL_WRITTEN) {
        if (compose(p->shelf, p->entry, result)) {
            refusal = try_to_prepare(p);
        }
        if (refusal != SPOOL_WRITTEN) {
            spool_quota_take_back(quota, &filing, &result->decision, refusal);
        }
    }
    if (result->decision.refusal != SPOOL_WRITTEN) {
        (void)compose(p->shelf, p->entry, result);
    }
    p->shelf->counts.last = p->entry->incident;
    write_counts(p->shelf, p->folder, p->options);
    publish(p, &filing, result);
}

void spool_shelf_put(struct spool_shelf *shelf, const struct spool_entry *entry,
                     const struct mon_options *options, struct spool_result *result)
{
    const struct spool_file_name name = {entry->wall_ns, entry->detail, entry->key,
                                         entry->incident};
    struct putting p = {.shelf = shelf, .entry = entry, .options = options};

    memset(result, 0, sizeof(*result));
    start_day(shelf, options, spool_day_of(entry->wall_ns));
    p.folder = open_today(shelf);
    spool_file_name_put(p.name, &name);
    file_issue(&p, result);
    if (p.folder >= 0) {
        (void)close(p.folder);
    }
    if (result->issue.size > 0) { /* its lines become strings */
        shelf->text.bytes[result->issue.size] = '\0';
        shelf->text.bytes[shelf->text.size - 1] = '\0';
    }
}

void spool_shelf_miss(struct spool_shelf *shelf, enum mon_detail detail, uint32_t count,
                      const struct mon_options *options, int64_t wall_ns)
{
    start_day(shelf, options, spool_day_of(wall_ns));
    shelf->counts.quota.seen[detail] += count;
    shelf->counts.quota.results[detail][SPOOL_NO_QUEUE] += count;
    shelf->is_saved = false;
}
