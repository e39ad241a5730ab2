/* Ids of incidents, unique among all processes, as issues print them ("5f1c-17"); and the names of
 * issue files, which contain them, and days. */

#ifndef MONITOR_SPOOL_INCIDENT_H
#define MONITOR_SPOOL_INCIDENT_H

#include "base/text.h"
#include "monitor/monitor.h"

#include <stdint.h>

/* ---- Days of the calendar, in UTC ---- */

/* The system's functions would take locks and read files. */

#define SPOOL_DATE_SIZE 9u  /* "20261121" */
#define SPOOL_TIME_SIZE 11u /* "142233.517" */
#define SPOOL_NS_PER_DAY INT64_C(86400000000000)

/* The day of a time, in days since 1970; 0 for times before 1970. */
int64_t spool_day_of(int64_t wall_ns);

/* The date of a day, as 20261121; 99991231 for all later days. */
uint32_t spool_date(int64_t day);

/* The day of a date, in days since 1970; -1 if the calendar has no such date. */
int64_t spool_day(uint32_t date);

/* Write the date, or the time of day, as a terminated text. */
void spool_put_date(char text[SPOOL_DATE_SIZE], int64_t day);
void spool_put_time(char text[SPOOL_TIME_SIZE], int64_t wall_ns);

/* ---- Incidents and files ---- */

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
