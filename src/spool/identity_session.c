#include "spool/identity_session.h"

#include "abi/issue.h"
#include "base/clock.h"
#include "base/file.h"
#include "spool/date.h"
#include "spool/files.h"

#include <stdio.h>
#include <unistd.h>

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
