/* Ids of incidents, unique among all processes, as issues print them ("5f1c-17"); and the names of
 * issue files, which contain them. */

#ifndef MONITOR_SPOOL_INCIDENT_H
#define MONITOR_SPOOL_INCIDENT_H

#include "base/text.h"
#include "monitor/monitor.h"

struct spool_incident {
    uint64_t start; /* of its process */
    uint32_t number;
};

static inline bool spool_incident_is(struct spool_incident a, struct spool_incident b)
{
    return a.start == b.start && a.number == b.number;
}

/* Parse "5f1c-17"; false for any other form. */
bool spool_incident_read(struct spool_incident *incident, struct mb_text text);

/* 142233.517-ANR-9f3a6c01-5f1c-17.json: time of day (UTC), detail, low half of the key, incident.
 */
#define SPOOL_NAME_SIZE 80u

struct spool_file_name {
    int64_t wall_ns; /* only its time of day is written; reading leaves 0 */
    enum mon_detail detail;
    uint32_t key; /* the low half */
    struct spool_incident incident;
};

void spool_file_name_put(char text[SPOOL_NAME_SIZE], const struct spool_file_name *name);

/* False if the text is not the name of an issue file. */
bool spool_file_name_read(struct spool_file_name *name, struct mb_text text);

#endif
