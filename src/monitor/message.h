/* What a message that is over amounts to. */

#ifndef MONITOR_MESSAGE_H
#define MONITOR_MESSAGE_H

#include "monitor/gaps.h"
#include "monitor/monitor.h"

#define MON_OPEN_MESSAGES 8u

/* The gaps in the earlier stretches of the open messages of a loop. Zeroed memory: no message is
 * open. */
struct mon_messages {
    struct mon_message {
        int64_t begin_ns;
        int64_t gap_ns;
    } open[MON_OPEN_MESSAGES];
    uint32_t count;
};

/* Lengths as they are judged: without gaps. */
struct mon_lengths {
    int64_t stretch_ns; /* for which the loop stood still */
    int64_t own_ns;     /* of the whole message, without nested messages; 0 while it is open */
    int64_t gap_ns;     /* left out of own */
};

/* Of a stretch that ended at end_ns. */
struct mon_lengths mon_measure(struct mon_messages *messages, const struct mon_slow *slow,
                               int64_t end_ns, const struct mon_gaps *gaps);

/* How long a loop may stand still until it is called that; INT64_MAX: it never is. */
int64_t mon_threshold_ns(const struct mon_options *options, enum mon_detail detail,
                         bool is_foreground);

/* The worst that a stretch is: LAG, ANR, HANG or NOTHING. */
enum mon_detail mon_judge_stall(const struct mon_options *options, int64_t stretch_ns,
                                bool is_foreground);

/* The same, and NORMAL for a message that is slow as a whole. */
enum mon_detail mon_judge(const struct mon_options *options, const struct mon_lengths *lengths,
                          bool is_foreground);

#endif
