/* Decides which issues are written, which of them are marked for report, and which files are
 * removed. Touches no file. */

#ifndef MONITOR_SPOOL_QUOTA_H
#define MONITOR_SPOOL_QUOTA_H

#include "monitor/monitor.h"

#define SPOOL_KEY_COUNT 512u /* keys a day that are counted one by one */
#define SPOOL_NO_DAY INT64_MIN

struct spool_key_count {
    uint32_t key;    /* the low half, as in file names */
    uint32_t detail; /* MON_NOTHING: a free place */
    uint32_t seen;
    uint32_t written;
};

/* The counts of one day. Start with zeroed memory and day = SPOOL_NO_DAY. */
struct spool_quota {
    int64_t day; /* days since 1970, UTC */
    uint32_t reported;
    uint32_t written[MON_DETAIL_COUNT];
    struct spool_key_count keys[SPOOL_KEY_COUNT];
};

/* An issue to be filed. */
struct spool_filing {
    int64_t day;     /* today */
    uint64_t device; /* its stable id */
    enum mon_detail detail;
    uint32_t key;
    size_t size;
};

struct spool_decision {
    bool is_written;
    bool is_reported;
    uint32_t same_key_today; /* of any detail, including this issue */
};

/* Count an issue, and decide. A later day starts with zero counts; an earlier day, after the clock
 * was set back, goes on with the present ones. */
struct spool_decision spool_quota_decide(struct spool_quota *quota,
                                         const struct mon_options *options,
                                         const struct spool_filing *filing);

/* Writing failed. The mark for report stays: listeners receive the issue anyway. */
void spool_quota_take_back(struct spool_quota *quota, const struct spool_filing *filing,
                           struct spool_decision *decision);

/* Count an existing file of today. */
void spool_quota_add_file(struct spool_quota *quota, enum mon_detail detail, uint32_t key);

/* The device is sampled on that day: share of 10000 devices are, and others the next day. */
bool spool_is_sampled(uint64_t device, int64_t day, int64_t share);

/* The file is older than keep_days, by its name (named) and by its time of change. newest is the
 * latest day of all files: if the clock is over a day earlier, no file is expired. */
bool spool_is_expired(const struct mon_options *options, int64_t today, int64_t newest,
                      int64_t named, int64_t changed);

/* To make room, files of the least weight are removed first. */
int spool_weight(enum mon_detail detail);

#endif
