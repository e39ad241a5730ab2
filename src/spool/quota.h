/* Which issues are written, which of them are marked for report, and which files go: decisions
 * only. Every no is counted. */

#ifndef SPOOL_QUOTA_H
#define SPOOL_QUOTA_H

#include "monitor/monitor.h"

#define SPOOL_KEY_COUNT 512u /* keys a day that are told apart */
#define SPOOL_NO_DAY INT64_MIN

enum spool_refusal {
    SPOOL_WRITTEN,
    SPOOL_KEY_DAILY,    /* too many of its key: only counted */
    SPOOL_KEY_FILES,    /* enough files of its key and detail */
    SPOOL_DETAIL_FILES, /* enough files of its detail */
    SPOOL_FILE_SIZE,    /* too large */
    SPOOL_NO_ROOM,      /* the spool is full of what weighs more */
    SPOOL_NO_DISK,      /* the system would not have it */
    SPOOL_NO_QUEUE,     /* too many at a time */
    SPOOL_REFUSAL_COUNT
};

const char *spool_refusal_name(enum spool_refusal refusal);

struct spool_key_count {
    uint32_t key;    /* the low half, as names of files have it */
    uint32_t detail; /* MON_NOTHING: the place is free */
    uint32_t seen;
    uint32_t written;
};

/* Of one day; zeroed memory has seen nothing, day is to be set to SPOOL_NO_DAY. */
struct spool_quota {
    int64_t day; /* days since 1970, UTC */
    uint32_t reported;
    uint32_t results[MON_DETAIL_COUNT][SPOOL_REFUSAL_COUNT];
    struct spool_key_count keys[SPOOL_KEY_COUNT];
};

/* An issue that is to be filed. */
struct spool_filing {
    int64_t day;     /* today */
    uint64_t device; /* what stays the same on it */
    enum mon_detail detail;
    uint32_t key;
    size_t size;
};

struct spool_decision {
    enum spool_refusal refusal; /* SPOOL_WRITTEN: write it */
    bool is_reported;
    uint32_t same_key_today; /* of any detail, with this one */
};

/* Count an issue, and decide. A later day starts anew, an earlier one (the clock went back) does
 * not. */
struct spool_decision spool_quota_decide(struct spool_quota *quota,
                                         const struct mon_options *options,
                                         const struct spool_filing *filing);

/* It was to be written, and could not be: for this reason. Whether it is reported stays: listeners
 * hear of it all the same. */
void spool_quota_take_back(struct spool_quota *quota, const struct spool_filing *filing,
                           struct spool_decision *decision, enum spool_refusal refusal);

/* Count a file that is there. */
void spool_quota_add_file(struct spool_quota *quota, enum mon_detail detail, uint32_t key);

/* The device's turn on that day: share of 10000, the same all day, another choice the next day. */
bool spool_is_sampled(uint64_t device, int64_t day, int64_t share);

/* A file of that day by its name and by its time of change is older than the days to keep. today is
 * the clock's; newest the latest day among all files: if the clock is behind it by more than a day
 * nothing is old. */
bool spool_is_expired(const struct mon_options *options, int64_t today, int64_t newest,
                      int64_t named, int64_t changed);

/* The order in which files make room: the least first. */
int spool_weight(enum mon_detail detail);

#endif
