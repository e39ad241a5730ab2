/* A spool for tests: a folder, a clock that stands still, issues, and what became of them. */

#ifndef TESTS_WATCH_SPOOLS_H
#define TESTS_WATCH_SPOOLS_H

#include "../monitor/names.h"
#include "base/file.h"
#include "monitor/spool/incident.h"
#include "monitor/spool/quota.h"
#include "monitor/spool/spool.h"

#define SPOOLS_DAY INT64_C(20778) /* 2026-11-21 */

extern char spools_folder[64];
extern int64_t spools_wall_ns; /* what the clock says */
int64_t spools_tell_time(void);
extern struct mon_options spools_options;
extern struct mon_names spools_names;

void spools_make_folder(void);
void spools_remove_folder(void);

/* What the listener heard. */
extern uint32_t spools_heard;
extern void (*spools_on_heard)(const struct spool_notice *issue); /* NULL: nothing more */

/* Opens com.x; must succeed, but err may be set. */
struct spool *spools_open(struct mb_error *err);
void spools_close(struct spool *spool);

struct mon_issue spools_issue(uint64_t start, uint32_t number, enum mon_detail detail);

/* Issue with a key of its own. */
void spools_issue_with_key(struct mon_issue *issue, uint32_t key);

void spools_take(struct spool *spool, enum mon_action_kind kind, const struct mon_issue *issue);
/* ISSUE, and wait until it is written and heard. */
void spools_publish(struct spool *spool, const struct mon_issue *issue);

/* Files of issues in all folders; each must be whole JSON. */
uint32_t spools_count_files(void);
/* The same of one incident. */
uint32_t spools_count_incident(uint64_t start, uint32_t number);
/* Hidden files. */
uint32_t spools_count_notes(void);

/* Have what was left published; how many issues that were. */
uint32_t spools_recover(struct spool *spool);

#endif
