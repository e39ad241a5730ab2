#include "monitor/spool/writer.h"

#include "abi/issue.h"
#include "monitor/issue.h"
#include "monitor/spool/cleanup.h"
#include "monitor/spool/files.h"
#include "monitor/spool/incident.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define ENOUGH_FREE ((uint64_t)1 << 20) /* bytes: try a full disk again */

bool spool_store_init(struct spool_store *store)
{
    store->folder = SPOOL_FOLDER_CLOSED;
    store->quota.day = SPOOL_NO_DAY;
    store->full_day = SPOOL_NO_DAY;
    return mb_buf_reserve(&store->text, MON_ISSUE_SIZE);
}

void spool_store_finish(struct spool_store *store)
{
    spool_folder_close(&store->folder);
    mb_buf_finish(&store->text);
}

/* Remove files of at most this detail's weight until wanted bytes are free; false: none could be.
 */
static bool free_some(struct spool_store *store, enum mon_detail detail, uint64_t wanted)
{
    uint64_t freed = spool_cleanup_make_room(store->folder.fd, spool_weight(detail), wanted);

    store->bytes -= freed < store->bytes ? freed : store->bytes;
    return freed > 0;
}

static bool make_room(struct spool_store *store, enum mon_detail detail, size_t size,
                      const struct mon_options *options)
{
    uint64_t limit = (uint64_t)options->spool_kb * 1024;

    while (store->bytes + size > limit) {
        if (size > limit || !free_some(store, detail, store->bytes + size - limit)) {
            return false;
        }
    }
    return true;
}

/* ---- Days ---- */

static int open_today(const struct spool_store *store)
{
    return store->folder.fd >= 0 ? spool_files_make_day(store->folder.fd, store->quota.day) : -1;
}

static void add_file(void *context, const struct spool_file *file)
{
    struct spool_store *store = context;

    if (file->day == store->quota.day && file->parts.detail != MON_NOTHING) {
        spool_quota_add_file(&store->quota, file->parts.detail, file->parts.key);
    }
}

static void load_folder(struct spool_store *store, const struct mon_options *options)
{
    if (store->folder.fd >= 0) {
        (void)spool_cleanup_remove_expired(store->folder.fd, options, store->quota.day,
                                           &store->bytes);
        if (!store->is_loaded) {
            (void)spool_files_visit(store->folder.fd, add_file, store);
            store->is_loaded = true;
        }
    }
}

/* If the day has changed, forwards or backwards. */
static void start_day(struct spool_store *store, const struct mon_options *options, int64_t wall_ns)
{
    if (spool_day_of(wall_ns) != store->quota.day) {
        store->quota = (struct spool_quota){.day = spool_day_of(wall_ns)};
        store->is_loaded = false;
        load_folder(store, options);
    }
}

void spool_store_load(struct spool_store *store, const struct mon_options *options, int64_t wall_ns)
{
    if (spool_day_of(wall_ns) == store->quota.day) {
        load_folder(store, options);
    } else {
        start_day(store, options, wall_ns);
    }
}

/* ---- One issue ---- */

/* Compose the file: the issue with its verdict, and the copy. False without memory. */
static bool compose_file(struct spool_store *store, const struct spool_item *item,
                         struct spool_result *result)
{
    const struct mon_verdict verdict = {result->decision.is_reported,
                                        result->decision.same_key_today};
    const struct mb_text issue = spool_item_issue(item);
    const struct mb_text copy = spool_item_copy(item);
    struct mb_buf *text = &store->text;

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

/* A disk that was full is not tried again that day unless it has room, or a note that makes room.
 */
static bool is_worth_a_try(const struct spool_store *store, struct spool_incident incident)
{
    struct statvfs status;

    return store->full_day != store->quota.day || spool_note_exists(&store->folder, incident) ||
           (fstatvfs(store->folder.fd, &status) == 0 &&
            (uint64_t)status.f_bavail * status.f_frsize >= ENOUGH_FREE);
}

static bool put_file(const struct spool_store *store, int day_folder, const char *name)
{
    const struct mb_text parts[2] = {{(const char *)store->text.bytes, store->text.size}};

    return spool_file_put(store->folder.fd, SPOOL_TEMPORARY_FILE, day_folder, name, parts);
}

/* Notes may be what fills the disk: the issue's own gives way. */
static bool try_to_put(struct spool_store *store, const struct spool_item *item, int day_folder,
                       const char *name)
{
    const enum mon_detail detail = (enum mon_detail)item->head.detail;

    if (day_folder < 0 || !is_worth_a_try(store, item->head.incident) ||
        !make_room(store, detail, store->text.size, &item->options)) {
        return false;
    }
    bool is_there = put_file(store, day_folder, name);
    bool is_full = !is_there && (errno == ENOSPC || errno == EDQUOT);
    if (is_full &&
        (free_some(store, detail, 1) || spool_note_remove(&store->folder, item->head.incident))) {
        is_there = put_file(store, day_folder, name);
    }
    store->full_day = is_full && !is_there ? store->quota.day : SPOOL_NO_DAY;
    return is_there;
}

static void write_issue(struct spool_store *store, const struct spool_item *item, int64_t wall_ns,
                        const struct spool_filing *filing, struct spool_result *result)
{
    const struct spool_file_name parts = {wall_ns, filing->detail, filing->key,
                                          item->head.incident};
    int folder = open_today(store);
    char name[SPOOL_NAME_SIZE];
    char date[SPOOL_DATE_SIZE];

    spool_file_name_put(name, &parts);
    if (compose_file(store, item, result) && try_to_put(store, item, folder, name)) {
        spool_put_date(date, filing->day);
        store->bytes += store->text.size;
        (void)snprintf(result->file, sizeof(result->file), "%s/%s/%s", store->folder.path, date,
                       name);
    } else {
        spool_quota_take_back(&store->quota, filing, &result->decision);
    }
    if (folder >= 0) {
        (void)close(folder);
    }
}

void spool_store_put(struct spool_store *store, const struct spool_item *item, int64_t wall_ns,
                     struct spool_result *result)
{
    const struct spool_filing filing = {.day = spool_day_of(wall_ns),
                                        .device = store->device,
                                        .detail = (enum mon_detail)item->head.detail,
                                        .key = (uint32_t)item->head.key,
                                        .size = item->text.size};

    memset(result, 0, sizeof(*result));
    start_day(store, &item->options, wall_ns);
    result->decision = spool_quota_decide(&store->quota, &item->options, &filing);
    if (result->decision.is_written) {
        write_issue(store, item, wall_ns, &filing, result);
    }
    if (!result->decision.is_written) {
        (void)compose_file(store, item, result);
    }
    if (result->issue.size > 0) { /* its lines become terminated strings */
        store->text.bytes[result->issue.size] = '\0';
        store->text.bytes[store->text.size - 1] = '\0';
    }
}
