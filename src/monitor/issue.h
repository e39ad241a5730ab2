/* An issue as JSON: the keys of Matrix's TraceCanary, with its units and forms, for its readers;
 * and an object "methodbeat" with further facts. */

#ifndef MONITOR_ISSUE_H
#define MONITOR_ISSUE_H

#include "monitor/monitor.h"

/* What became of it (monitor/spool/quota.h). */
struct mon_verdict {
    bool is_reported;
    uint32_t same_key_today;
};

/* Append one object on one line, without a line end. verdict may be NULL. Takes no memory if out
 * has MON_ISSUE_SIZE bytes to spare and names are not longer than MON_NAME_SIZE on average. */
#define MON_NAME_SIZE 128u
#define MON_ISSUE_SIZE ((size_t)256 * 1024)
void mon_issue_put(struct mb_buf *out, const struct mon_issue *issue, const struct mon_names *names,
                   const struct mon_options *options, const struct mon_verdict *verdict);

/* Put the verdict into the issue at the end of out, which was put without. */
void mon_issue_add_verdict(struct mb_buf *out, const struct mon_verdict *verdict);

/* Say in the issue at the end of out, which was put without a verdict, that the system, too, found
 * that the process did not respond; reason may be NULL. */
void mon_issue_confirm(struct mb_buf *out, const char *reason);

/* Append the copy of a stall: the slow message that Matrix reports beside it (preset matrix).
 * False, and nothing is appended, for other issues. */
bool mon_issue_put_copy(struct mb_buf *out, const struct mon_issue *issue,
                        const struct mon_names *names, const struct mon_options *options);

/* Its detail as people know it. */
struct mb_text mon_issue_detail(const struct mon_issue *issue, const struct mon_names *names);

/* The key of issues with one cause, for quotas and file names: the program's key if it reported the
 * issue, else the key of the trace, else of the stack; 0 if none. */
uint64_t mon_issue_key(const struct mon_issue *issue, const struct mon_names *names);

#endif
