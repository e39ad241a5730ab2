#include "monitor/spool/writer.h"

#include "abi/issue.h"
#include "base/clock.h"
#include "base/file.h"
#include "monitor/spool/files.h"
#include "monitor/spool/incident.h"
#include "recorder/layout.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEVICE_FILE ".device"
#define DEVICE_DIGITS 16
#define DEVICE_SIZE 40u

/* ---- The id of the device ---- */

/* "5f0c9a31e77b2d04 20778": the id and its day. False if absent, damaged, or old: from the future,
 * too, where the clock was wrong. */
static bool read_device(int folder, int64_t today, char device[DEVICE_SIZE])
{
    int fd = openat(folder, DEVICE_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd >= 0 ? read(fd, device, DEVICE_SIZE - 1) : -1;

    if (fd >= 0) {
        (void)close(fd);
    }
    device[size > 0 ? size : 0] = '\0';
    if (size <= DEVICE_DIGITS || strspn(device, "0123456789abcdef") != DEVICE_DIGITS ||
        device[DEVICE_DIGITS] != ' ') {
        return false;
    }
    int64_t day = strtoll(device + DEVICE_DIGITS, NULL, 10);
    device[DEVICE_DIGITS] = '\0';
    return day <= today && today - day < SPOOL_DEVICE_DAYS;
}

/* Android has getrandom from 9 on. */
static bool draw_number(uint64_t *number)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, number, sizeof(*number)) : -1;

    if (fd >= 0) {
        (void)close(fd);
    }
    return got == (ssize_t)sizeof(*number);
}

/* Several processes may: each goes on with the one that lasts. */
static void write_device(int folder, int64_t today)
{
    char temporary[64];
    char text[DEVICE_SIZE];
    uint64_t number;

    if (!draw_number(&number)) {
        return;
    }
    (void)snprintf(temporary, sizeof(temporary), DEVICE_FILE "-%ld", (long)getpid());
    (void)snprintf(text, sizeof(text), "%016" PRIx64 " %" PRId64 "\n", number, today);
    const struct mb_text parts[2] = {mb_text_of(text)};
    (void)spool_file_put(folder, temporary, folder, DEVICE_FILE, parts);
}

static void add_device(struct spool_identity *identity, const char *spool, int64_t today)
{
    int folder = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char device[DEVICE_SIZE];

    if (folder < 0) {
        return;
    }
    if (!read_device(folder, today, device)) {
        write_device(folder, today);
    }
    if (read_device(folder, today, device)) {
        abi_identity_add(identity->pairs, "device", device);
    }
    (void)close(folder);
}

void spool_identity_init(struct spool_identity *identity, const char *app, const char *spool,
                         int64_t wall_ns)
{
    abi_identity_complete(identity->pairs, mb_text_of(app));
    if (identity->pairs[0] != '\0' && spool[0] != '\0' &&
        abi_identity_find(mb_text_of(identity->pairs), "device").size == 0) {
        add_device(identity, spool, spool_day_of(wall_ns));
    }
    if (identity->pairs[0] != '\0') {
        beat_identity_tell(identity->pairs);
    }
}

/* ---- The object ---- */

void spool_identity_put(const struct spool_identity *identity, struct mb_json *json, uint64_t start,
                        uint64_t mapping, const struct mon_options *options)
{
    const struct mb_text pairs = mb_text_of(identity->pairs);

    mb_json_open(json, ABI_IDENTITY_NAME, "{");
    abi_identity_put(json, pairs);
    if (mapping != 0 && abi_identity_find(pairs, "build").size == 0) {
        mb_json_key(json, "build");
        mb_buf_printf(json->out, "\"%016" PRIx64 "\"", mapping);
    }
    mb_json_number(json, "share", options->report_share);
    mb_json_word(json, "session", start);
    mb_json_close(json, "}");
}

void spool_identity_add(const struct spool_identity *identity, struct mb_buf *out, uint64_t start,
                        uint64_t mapping, const struct mon_options *options)
{
    struct mb_json json = {.out = out, .has_member = true};

    if (identity->pairs[0] == '\0' || out->failed) {
        return;
    }
    out->size -= strlen("}}");
    spool_identity_put(identity, &json, start, mapping, options);
    mb_buf_put_string(out, "}}");
}

/* ---- The session ---- */

static void put_counts(struct mb_json *json, const struct spool_count *counts)
{
    mb_json_open(json, "issues", "[");
    for (enum mon_detail i = MON_NORMAL; i < MON_DETAIL_COUNT; i++) {
        if (counts[i].seen > 0) {
            mb_json_open(json, NULL, "{");
            mb_json_string(json, "detail", mon_detail_name(i));
            mb_json_count(json, "seen", counts[i].seen);
            mb_json_count(json, "written", counts[i].written);
            mb_json_count(json, "reported", counts[i].reported);
            mb_json_close(json, "}");
        }
    }
    mb_json_close(json, "]");
}

static void put_session(const struct spool_counts *counts, const struct spool_session *session,
                        const struct mon_sums *sums, struct mb_buf *text)
{
    struct mb_json json = {.out = text};

    mb_json_open(&json, NULL, "{");
    mb_json_number(&json, "schema", 1);
    spool_identity_put(session->identity, &json, session->run->start, session->run->mapping,
                       session->options);
    mb_json_string(&json, "process", session->process);
    mb_json_count(&json, "day", spool_date(counts->day));
    mb_json_number(&json, "from_ms", counts->from_ns / MB_NS_PER_MS);
    mb_json_number(&json, "until_ms", session->wall_ns / MB_NS_PER_MS);
    mon_sums_put(sums, &json, session->names);
    put_counts(&json, counts->counts);
    mb_json_end(&json);
}

static bool write_session(const struct spool_counts *counts, const struct spool_folder *folder,
                          uint64_t start, const struct mb_buf *text)
{
    const struct mb_text parts[2] = {{(const char *)text->bytes, text->size}};
    char name[64];
    int day = !text->failed && mb_file_is(folder->fd, &folder->id)
                  ? spool_files_make_day(folder->fd, counts->day)
                  : -1;

    (void)snprintf(name, sizeof(name), ABI_FILE_SESSION "%" PRIx64 ABI_FILE_END, start);
    bool is_there = day >= 0 && spool_file_put(folder->fd, SPOOL_TEMPORARY_NOTE, day, name, parts);
    if (day >= 0) {
        (void)close(day);
    }
    return is_there;
}

bool spool_session_keep(struct spool_counts *counts, const struct spool_folder *folder,
                        const struct spool_session *session, struct mon_sums *sums,
                        struct mb_buf *text)
{
    const int64_t today = spool_day_of(session->wall_ns);

    if (session->identity->pairs[0] == '\0') {
        return false;
    }
    if (counts->day == 0) {
        counts->day = today;
        counts->from_ns = session->wall_ns;
    }
    mb_buf_reset(text);
    put_session(counts, session, sums, text);
    bool is_kept = write_session(counts, folder, session->run->start, text);
    if (today > counts->day) {
        memset(sums, 0, sizeof(*sums));
        memset(counts->counts, 0, sizeof(counts->counts));
        counts->day = 0;
    }
    return is_kept;
}
