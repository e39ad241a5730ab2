#include "monitor/spool/quota.h"

#include "abi/hash.h"

#include <string.h>

static void start_day(struct spool_quota *quota, int64_t day)
{
    if (day > quota->day) {
        memset(quota, 0, sizeof(*quota));
        quota->day = day;
    }
}

/* The place of a key, new if need be; NULL if all are taken: such a key has no limits. */
static struct spool_key_count *find_key(struct spool_quota *quota, enum mon_detail detail,
                                        uint32_t key)
{
    uint64_t hash = abi_hash(abi_hash(ABI_HASH_START, &key, sizeof(key)), &detail, sizeof(detail));

    for (uint32_t i = 0; i < SPOOL_KEY_COUNT; i++) {
        struct spool_key_count *place = &quota->keys[(hash + i) % SPOOL_KEY_COUNT];
        if (place->detail == MON_NOTHING) {
            *place = (struct spool_key_count){.key = key, .detail = (uint32_t)detail};
            return place;
        }
        if (place->key == key && place->detail == (uint32_t)detail) {
            return place;
        }
    }
    return NULL;
}

static uint32_t count_key(const struct spool_quota *quota, uint32_t key)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < SPOOL_KEY_COUNT; i++) {
        if (quota->keys[i].detail != MON_NOTHING && quota->keys[i].key == key) {
            seen += quota->keys[i].seen;
        }
    }
    return seen;
}

/* key_files raises the other limits if it is greater. */
static int64_t most_of_detail(const struct mon_options *options, int64_t fixed)
{
    return options->key_files > fixed ? options->key_files : fixed;
}

static bool has_room(const struct spool_quota *quota, const struct mon_options *options,
                     enum mon_detail detail, const struct spool_key_count *count, uint32_t same_key)
{
    return (count == NULL || (same_key <= most_of_detail(options, options->key_daily) &&
                              count->written < options->key_files)) &&
           quota->written[detail] < most_of_detail(options, options->detail_files);
}

bool spool_is_sampled(uint64_t device, int64_t day, int64_t share)
{
    uint64_t hash = abi_hash(abi_hash(ABI_HASH_START, &device, sizeof(device)), &day, sizeof(day));

    hash ^= hash >> 32; /* the low bits of FNV depend on few bits of its input */
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)((hash >> 32) * 10000 >> 32) < share;
}

static bool is_reported(const struct spool_quota *quota, const struct mon_options *options,
                        uint64_t device)
{
    if (options->report_share == MON_ALL_DEVICES) {
        return true;
    }
    return quota->reported < options->report_daily &&
           spool_is_sampled(device, quota->day, options->report_share);
}

struct spool_decision spool_quota_decide(struct spool_quota *quota,
                                         const struct mon_options *options,
                                         const struct spool_filing *filing)
{
    struct spool_decision decision = {0};

    start_day(quota, filing->day);
    struct spool_key_count *count = find_key(quota, filing->detail, filing->key);
    if (count != NULL) {
        count->seen++;
        decision.same_key_today = count_key(quota, filing->key);
    }
    decision.is_written = filing->size <= (size_t)options->file_kb * 1024 &&
                          has_room(quota, options, filing->detail, count, decision.same_key_today);
    if (decision.is_written) {
        quota->written[filing->detail]++;
        decision.is_reported = is_reported(quota, options, filing->device);
        quota->reported += decision.is_reported;
        if (count != NULL) {
            count->written++;
        }
    }
    return decision;
}

void spool_quota_add_file(struct spool_quota *quota, enum mon_detail detail, uint32_t key)
{
    struct spool_key_count *count = find_key(quota, detail, key);

    quota->written[detail]++;
    quota->reported++; /* on a sampled day each was marked */
    if (count != NULL) {
        count->seen++;
        count->written++;
    }
}

void spool_quota_take_back(struct spool_quota *quota, const struct spool_filing *filing,
                           struct spool_decision *decision)
{
    struct spool_key_count *count = find_key(quota, filing->detail, filing->key);

    quota->written[filing->detail]--;
    if (count != NULL && count->written > 0) {
        count->written--;
    }
    decision->is_written = false;
}

bool spool_is_expired(const struct mon_options *options, int64_t today, int64_t newest,
                      int64_t named, int64_t changed)
{
    int64_t age = today - (named > changed ? named : changed);

    return today >= newest - 1 && age > options->keep_days;
}

int spool_weight(enum mon_detail detail)
{
    switch (detail) {
    case MON_NOTHING:
    case MON_DETAIL_COUNT:
        return 0;
    case MON_BUSY:
    case MON_OFTEN:
    case MON_FPS:
    case MON_START:
        return 1;
    case MON_NORMAL:
    case MON_LAG:
    case MON_CUSTOM:
        return 2;
    case MON_ANR:
    case MON_HANG:
    case MON_SLOW_START:
    case MON_EXIT_ANR:
        return 3;
    }
    return 0;
}
