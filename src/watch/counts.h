/* What was seen, written and refused on one day: counts.json, and back.
 *
 *   {"methodbeat_counts":1,"day":20261121,"last":"5f1c-17","reported":3,"other_keys":0,"details":{
 *   "ANR":{"seen":5,"written":3,"key_daily":0,"key_files":2,...},
 *   ...},"keys":[
 *   {"key":"9f3a","detail":"ANR","seen":4,"written":3},
 *   ...]}
 *
 * Only what is laid out like this is read again: it is ours. */

#ifndef WATCH_COUNTS_H
#define WATCH_COUNTS_H

#include "monitor/quota.h"
#include "watch/incident.h"

#define WATCH_COUNTS_NAME "counts.json"
#define WATCH_COUNTS_SIZE ((size_t)96 * 1024) /* with all keys */

struct watch_counts {
    struct mon_quota quota;
    struct watch_incident last; /* counted last: its file, if it has one, is complete */
};

/* Nothing seen on that day. */
void watch_counts_start(struct watch_counts *counts, int64_t day);

/* Append. */
void watch_counts_put(struct mb_buf *out, const struct watch_counts *counts);

/* The same day's, by an earlier process. */
void watch_counts_add(struct watch_counts *counts, const struct watch_counts *more);

/* False if the text is no such file: counts are then undefined. */
bool watch_counts_read(struct watch_counts *counts, struct mb_text text);

#endif
