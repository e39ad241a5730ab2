/* Which issues are written, which of them are marked for report, and which files go: decisions only.
 * Every no is counted. */

#ifndef MONITOR_QUOTA_H
#define MONITOR_QUOTA_H

#include "monitor/monitor.h"

#define MON_KEY_COUNT 512u /* keys a day that are told apart */
#define MON_NO_DAY INT64_MIN

enum mon_refusal {
    MON_WRITTEN,
    MON_KEY_DAILY,    /* too many of its key: only counted */
    MON_KEY_FILES,    /* enough files of its key and detail */
    MON_DETAIL_FILES, /* enough files of its detail */
    MON_FILE_SIZE,    /* too large */
    MON_NO_ROOM,      /* the spool is full of what weighs more */
    MON_NO_DISK,      /* the system would not have it */
    MON_NO_QUEUE,     /* too many at a time */
    MON_REFUSAL_COUNT
};

const char *mon_refusal_name(enum mon_refusal refusal);

struct mon_key_count {
    uint64_t key;
    uint32_t detail; /* MON_NOTHING: the place is free */
    uint32_t seen;
    uint32_t written;
};

/* Of one day; zeroed memory has seen nothing, day is to be set to MON_NO_DAY. */
struct mon_quota {
    int64_t day; /* days since 1970, UTC */
    uint32_t reported;
    uint32_t seen[MON_DETAIL_COUNT];
    uint32_t results[MON_DETAIL_COUNT][MON_REFUSAL_COUNT];
    uint32_t other_keys; /* issues whose key found no place: without limits of keys */
    uint32_t key_count;
    struct mon_key_count keys[MON_KEY_COUNT];
};

/* An issue that is to be filed. */
struct mon_filing {
    int64_t day;     /* today */
    uint64_t device; /* what stays the same on it */
    enum mon_detail detail;
    uint64_t key;
    size_t size;
};

struct mon_decision {
    enum mon_refusal refusal; /* MON_WRITTEN: write it */
    bool is_reported;
    uint32_t same_key_today; /* of any detail, with this one */
};

/* Count an issue, and decide. A later day starts anew, an earlier one (the clock went back) does not. */
struct mon_decision mon_quota_decide(struct mon_quota *quota, const struct mon_options *options,
                                     const struct mon_filing *filing);

/* It was to be written, and could not be: for this reason. Whether it is reported stays: listeners hear of
 * it all the same. */
void mon_quota_take_back(struct mon_quota *quota, const struct mon_filing *filing,
                         struct mon_decision *decision, enum mon_refusal refusal);

/* The place of a key, taken if it has none; NULL if there is no room for another. */
struct mon_key_count *mon_quota_key(struct mon_quota *quota, enum mon_detail detail, uint64_t key);

/* The device's turn on that day: share of 10000, the same all day, another choice the next day. */
bool mon_is_sampled(uint64_t device, int64_t day, int64_t share);

/* A file of that day by its name and by its time of change is older than the days to keep. today is
 * the clock's; newest the latest day among all files: if the clock is behind it by more than a day
 * nothing is old. */
bool mon_is_expired(const struct mon_options *options, int64_t today, int64_t newest, int64_t named,
                    int64_t changed);

/* The order in which files make room: the least first. */
int mon_weight(enum mon_detail detail);

#endif
