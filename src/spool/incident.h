/* Which incident of all processes, as issues call it: "5f1c-17"; and names of files that say it. */

#ifndef SPOOL_INCIDENT_H
#define SPOOL_INCIDENT_H

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

/* Reads "5f1c-17" as it is written; false otherwise. */
bool spool_incident_read(struct spool_incident *incident, struct mb_text text);

/* 142233.517-ANR-9f3a6c01-5f1c-17.json: time of day (UTC), detail, the key's low half, incident. */
#define SPOOL_NAME_SIZE 80u

struct spool_file_name {
    int64_t wall_ns; /* its time of day is written and not read */
    enum mon_detail detail;
    uint32_t key; /* the low half */
    struct spool_incident incident;
};

void spool_file_name_put(char text[SPOOL_NAME_SIZE], const struct spool_file_name *name);

/* False if it is not the name of an issue. */
bool spool_file_name_read(struct spool_file_name *name, struct mb_text text);

#endif
