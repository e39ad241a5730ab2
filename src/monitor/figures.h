/* Inside src/monitor: the members of issues that are figures, of frames and of starts. */

#ifndef MONITOR_FIGURES_H
#define MONITOR_FIGURES_H

#include "base/json.h"
#include "monitor/monitor.h"

/* Matrix's keys, after those of the device. */
void mon_figures_put_drawn(struct mb_json *json, const struct mon_issue *issue,
                           struct mb_text scene);
void mon_figures_put_start(struct mb_json *json, const struct mon_issue *issue);
void mon_figures_put_kind(struct mb_json *json,
                          const struct mon_issue *issue); /* of a slow start */

/* Ours. */
void mon_figures_put_own_drawn(struct mb_json *json, const struct mon_issue *issue);
void mon_figures_put_own_start(struct mb_json *json, const struct mon_issue *issue,
                               struct mb_text screen);

#endif
