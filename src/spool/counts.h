/* What was seen, written and refused on one day: counts.json, and back.
 *
 *   {"methodbeat_counts":1,"day":20261121,"last":"5f1c-17","reported":3,"other_keys":0,"details":{
 *   "ANR":{"seen":5,"written":3,"key_daily":0,"key_files":2,...},
 *   ...},"keys":[
 *   {"key":"9f3a","detail":"ANR","seen":4,"written":3},
 *   ...]}
 *
 * Only what is laid out like this is read again: it is ours. */

#ifndef SPOOL_COUNTS_H
#define SPOOL_COUNTS_H

#include "spool/incident.h"
#include "spool/quota.h"

#define SPOOL_COUNTS_NAME "counts.json"
#define SPOOL_COUNTS_SIZE ((size_t)96 * 1024) /* with all keys */

struct spool_counts {
    struct spool_quota quota;
    struct spool_incident last; /* counted last: its file, if it has one, is complete */
};

/* Nothing seen on that day. */
void spool_counts_start(struct spool_counts *counts, int64_t day);

/* Append. */
void spool_counts_put(struct mb_buf *out, const struct spool_counts *counts);

/* The same day's, by an earlier process. */
void spool_counts_add(struct spool_counts *counts, const struct spool_counts *more);

/* False if the text is no such file: counts are then undefined. */
bool spool_counts_read(struct spool_counts *counts, struct mb_text text);

#endif
