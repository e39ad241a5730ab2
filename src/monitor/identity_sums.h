/* All frames and starts of a day, not only bad ones, in buckets of 2 %: percentiles of fleets, and
 * what their rates are of. Buckets of many devices add up. */

#ifndef MONITOR_IDENTITY_SUMS_H
#define MONITOR_IDENTITY_SUMS_H

#include "base/json.h"
#include "monitor/pace.h"

#define MON_BUCKET_COUNT 768 /* the last one: 3.9 million ms and more */
#define MON_SUM_SCENES 16u
#define MON_START_COUNT 3u

struct mon_sum {
    uint32_t scene; /* name; 0 if none, or all that had no room */
    uint64_t count;
    int64_t late_ns;                    /* of frames, lost */
    uint32_t buckets[MON_BUCKET_COUNT]; /* [mon_bucket_of(ms)] */
};

/* Start with zeroed memory. */
struct mon_sums {
    uint32_t scene_count;
    struct mon_sum scenes[MON_SUM_SCENES]; /* the last one has what had no room */
    struct mon_sum starts[MON_START_COUNT];
};

/* floor(log(ms) / log(1.02)), from 0 to the last bucket. */
uint32_t mon_bucket_of(int64_t ns);

void mon_sums_add_frame(struct mon_sums *sums, uint32_t scene, const struct mon_paced *paced);
/* kind: enum mon_start_kind. */
void mon_sums_add_start(struct mon_sums *sums, uint32_t kind, int64_t ns);

/* Put the members "frames" and "starts". */
void mon_sums_put(const struct mon_sums *sums, struct mb_json *json, const struct mon_names *names);

#endif
