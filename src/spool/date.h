/* Days of the calendar, UTC; the system's functions take locks and read files. */

#ifndef SPOOL_DATE_H
#define SPOOL_DATE_H

#include <stdint.h>

#define SPOOL_DATE_SIZE 9u  /* "20261121" */
#define SPOOL_TIME_SIZE 11u /* "142233.517" */
#define SPOOL_NS_PER_DAY INT64_C(86400000000000)

/* Days since 1970 of a time; before that 0. */
int64_t spool_day_of(int64_t wall_ns);

/* 20261121; days after 9999 are its last. */
uint32_t spool_date(int64_t day);

/* Days since 1970; -1: no such date. */
int64_t spool_day(uint32_t date);

/* Terminated: the date, and the time of day. */
void spool_put_date(char text[SPOOL_DATE_SIZE], int64_t day);
void spool_put_time(char text[SPOOL_TIME_SIZE], int64_t wall_ns);

#endif
