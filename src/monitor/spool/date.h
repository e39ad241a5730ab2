/* Days of the calendar, in UTC. The system's functions would take locks and read files. */

#ifndef MONITOR_SPOOL_DATE_H
#define MONITOR_SPOOL_DATE_H

#include <stdint.h>

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

#endif
