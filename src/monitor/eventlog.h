/* The event log: the events of the monitors, one JSON object a line.
 *
 *   {"methodbeat_events":1,"options":{"evil_ms":"700",...}}   the first line of a file
 *   {"name":7,"text":"a.b.C.load"}                            before the first event with this name
 *   {"at":123,"kind":"LOOP","loop":0,"request":4,...}         loop and request are 0 if missing
 *
 * events.def lists the members of each event; members that are 0, false or empty may be missing.
 * Words are hexadecimal strings. */

#ifndef MONITOR_EVENTLOG_H
#define MONITOR_EVENTLOG_H

#include "monitor/monitor.h"

#define MON_LOG_VERSION 1
#define MON_LOG_NAME_COUNT 16384u /* names up to here are written once, others each time */

/* A file being written. Zeroed memory is before its first line. */
struct mon_log {
    bool has_head;
    uint64_t is_written[MON_LOG_NAME_COUNT / 64];
};

/* Append the event, preceded by the head of the file and by new names. Zero the log before the next
 * file. */
void mon_log_put(struct mb_buf *out, struct mon_log *log, const struct mon_event *event,
                 const struct mon_names *names, const struct mon_options *options);

/* ---- The members of events ---- */

enum mon_field_type {
    MON_FIELD_TIME,
    MON_FIELD_WALL,
    MON_FIELD_WORD,
    MON_FIELD_COUNT,
    MON_FIELD_FLAG,
    MON_FIELD_NAME,
    MON_FIELD_FRAMES,  /* [name, ...], where a place is known [name, file, line] */
    MON_FIELD_ITEMS,   /* [[depth, id, count, ms], ...] */
    MON_FIELD_THREADS, /* [[id, name, cpu_ns], ...] */
};

struct mon_field {
    const char *name;
    enum mon_field_type type;
    size_t offset; /* in struct mon_event */
};

/* The members of a kind; NULL names end them. */
const struct mon_field *mon_fields(enum mon_kind kind);

const char *mon_kind_name(enum mon_kind kind);

#endif
