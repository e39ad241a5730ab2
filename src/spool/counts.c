#include "spool/counts.h"

#include "spool/date.h"

#include <inttypes.h>

void spool_counts_start(struct spool_counts *counts, int64_t day)
{
    memset(counts, 0, sizeof(*counts));
    counts->quota.day = day;
}

static void add_keys(struct spool_quota *quota, const struct spool_quota *more)
{
    for (uint32_t i = 0; i < SPOOL_KEY_COUNT; i++) {
        const struct spool_key_count *key = &more->keys[i];
        struct spool_key_count *place =
            key->detail != MON_NOTHING
                ? spool_quota_key(quota, (enum mon_detail)key->detail, key->key)
                : NULL;
        if (place != NULL) {
            place->seen += key->seen;
            place->written += key->written;
        }
    }
}

void spool_counts_add(struct spool_counts *counts, const struct spool_counts *more)
{
    struct spool_quota *quota = &counts->quota;

    quota->reported += more->quota.reported;
    quota->other_keys += more->quota.other_keys;
    for (size_t detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        quota->seen[detail] += more->quota.seen[detail];
        for (size_t i = 0; i < SPOOL_REFUSAL_COUNT; i++) {
            quota->results[detail][i] += more->quota.results[detail][i];
        }
    }
    add_keys(quota, &more->quota);
}

/* ---- Writing ---- */

static void put_detail(struct mb_buf *out, const struct spool_quota *quota, enum mon_detail detail)
{
    mb_buf_printf(out, "%s\n\"%s\":{\"seen\":%" PRIu32, detail > MON_NORMAL ? "," : "",
                  mon_detail_name(detail), quota->seen[detail]);
    for (enum spool_refusal i = SPOOL_WRITTEN; i < SPOOL_REFUSAL_COUNT; i++) {
        mb_buf_printf(out, ",\"%s\":%" PRIu32, spool_refusal_name(i), quota->results[detail][i]);
    }
    mb_buf_put_string(out, "}");
}

void spool_counts_put(struct mb_buf *out, const struct spool_counts *counts)
{
    const struct spool_quota *quota = &counts->quota;
    const char *before = "";

    mb_buf_printf(out,
                  "{\"methodbeat_counts\":1,\"day\":%" PRIu32 ",\"last\":\"%" PRIx64 "-%" PRIu32
                  "\",\"reported\":%" PRIu32 ",\"other_keys\":%" PRIu32 ",\"details\":{",
                  spool_date(quota->day), counts->last.start, counts->last.number, quota->reported,
                  quota->other_keys);
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        put_detail(out, quota, detail);
    }
    mb_buf_put_string(out, "},\"keys\":[");
    for (uint32_t i = 0; i < SPOOL_KEY_COUNT; i++) {
        const struct spool_key_count *key = &quota->keys[i];
        if (key->detail != MON_NOTHING) {
            mb_buf_printf(out,
                          "%s\n{\"key\":\"%" PRIx64 "\",\"detail\":\"%s\",\"seen\":%" PRIu32
                          ",\"written\":%" PRIu32 "}",
                          before, key->key, mon_detail_name((enum mon_detail)key->detail),
                          key->seen, key->written);
            before = ",";
        }
    }
    mb_buf_put_string(out, "]}\n");
}

/* ---- Reading ---- */

struct reading {
    struct mb_text rest;
    bool failed; /* sticky */
};

static bool has_next(struct reading *in, const char *words)
{
    struct mb_text text = mb_text_of(words);

    if (in->failed || !mb_text_starts(in->rest, text)) {
        return false;
    }
    in->rest.data += text.size;
    in->rest.size -= text.size;
    return true;
}

static void expect(struct reading *in, const char *words)
{
    in->failed = !has_next(in, words);
}

/* Up to the character, which stays. */
static struct mb_text read_until(struct reading *in, const char *ends)
{
    struct mb_text text = {in->rest.data, 0};

    while (text.size < in->rest.size && strchr(ends, in->rest.data[text.size]) == NULL) {
        text.size++;
    }
    in->rest.data += text.size;
    in->rest.size -= text.size;
    return text;
}

/* words, then a number. */
static uint32_t read_number(struct reading *in, const char *words)
{
    uint64_t number = 0;

    expect(in, words);
    if (!in->failed && !mb_text_to_number(read_until(in, ",}"), UINT32_MAX, &number)) {
        in->failed = true;
    }
    return (uint32_t)number;
}

static struct spool_incident read_incident(struct reading *in, const char *words)
{
    struct spool_incident incident = {0};

    expect(in, words);
    if (!in->failed && !spool_incident_read(&incident, read_until(in, "\""))) {
        in->failed = true;
    }
    return incident;
}

static void read_detail(struct reading *in, struct spool_quota *quota, enum mon_detail detail)
{
    expect(in, detail > MON_NORMAL ? ",\n\"" : "\n\"");
    expect(in, mon_detail_name(detail));
    quota->seen[detail] = read_number(in, "\":{\"seen\":");
    for (enum spool_refusal i = SPOOL_WRITTEN; i < SPOOL_REFUSAL_COUNT; i++) {
        expect(in, ",\"");
        expect(in, spool_refusal_name(i));
        quota->results[detail][i] = read_number(in, "\":");
    }
    expect(in, "}");
}

static void read_key(struct reading *in, struct spool_quota *quota)
{
    struct spool_key_count *place = NULL;
    uint64_t key = 0;

    expect(in, "\n{\"key\":\"");
    in->failed = in->failed || !spool_hex_read(&key, read_until(in, "\""));
    expect(in, "\",\"detail\":\"");
    enum mon_detail detail = spool_detail_of(read_until(in, "\""));
    uint32_t seen = read_number(in, "\",\"seen\":");
    uint32_t written = read_number(in, ",\"written\":");
    expect(in, "}");
    if (!in->failed && detail != MON_NOTHING) {
        place = spool_quota_key(quota, detail, key);
    }
    if (place == NULL || place->seen != 0) {
        in->failed = true; /* twice, or too many */
        return;
    }
    place->seen = seen;
    place->written = written;
}

bool spool_counts_read(struct spool_counts *counts, struct mb_text text)
{
    struct reading in = {.rest = text};
    uint32_t date;

    expect(&in, "{\"methodbeat_counts\":1,");
    date = read_number(&in, "\"day\":");
    if (in.failed || spool_day(date) < 0) {
        return false;
    }
    spool_counts_start(counts, spool_day(date));
    counts->last = read_incident(&in, ",\"last\":\"");
    counts->quota.reported = read_number(&in, "\",\"reported\":");
    counts->quota.other_keys = read_number(&in, ",\"other_keys\":");
    expect(&in, ",\"details\":{");
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        if (detail > MON_BUSY && in.rest.size > 0 && in.rest.data[0] == '}') {
            break; /* of a version that knew fewer */
        }
        read_detail(&in, &counts->quota, detail);
    }
    expect(&in, "},\"keys\":[");
    for (bool has_more = !in.failed && !has_next(&in, "]}\n"); has_more && !in.failed;) {
        read_key(&in, &counts->quota);
        has_more = has_next(&in, ",");
        if (!has_more) {
            expect(&in, "]}\n");
        }
    }
    return !in.failed && in.rest.size == 0;
}
