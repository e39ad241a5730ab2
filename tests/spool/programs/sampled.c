/* Which users' issues are marked for report, day by day, as a spool decides it: those that the
 * choice of the rules names, and no others. Prints what share that is.
 *
 * usage: sampled [DEVICES [DAYS]] */

#include "monitor/issue.h"
#include "monitor/spool/quota.h"
#include "monitor/spool/spool.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_DAY INT64_C(20778)
#define NS_PER_DAY INT64_C(86400000000000)
#define SHARE 500 /* of 10000 */

static struct mb_text find(const void *context, uint32_t name)
{
    (void)context;
    (void)name;
    return MB_TEXT("app.slow");
}

static const struct mon_names names = {find, NULL};
static struct mon_options options;
static _Atomic(int64_t) wall_ns;
static _Atomic(uint64_t) heard_count;
static _Atomic(bool) was_reported;

static int64_t tell_time(void)
{
    return atomic_load(&wall_ns);
}

static void hear(void *context, const struct spool_notice *issue)
{
    (void)context;
    atomic_store(&was_reported, issue->is_reported);
    atomic_fetch_add(&heard_count, 1);
}

static bool is_reported(struct spool *spool, int64_t day)
{
    const struct mon_issue issue = {.detail = MON_LAG, .start = 1, .span.number = 1, .cpu_ns = -1};
    const struct mon_action action = {.kind = MON_ISSUE, .issue = &issue};
    uint64_t before = atomic_load(&heard_count);

    atomic_store(&wall_ns, day * NS_PER_DAY + NS_PER_DAY / 2);
    spool_take(spool, &action, &options);
    while (atomic_load(&heard_count) == before) { /* by the writer's thread */
        (void)sched_yield();
    }
    return atomic_load(&was_reported);
}

/* How many of its days are chosen; -1: another choice than that of the rules. */
static int ask(uint64_t device, int days)
{
    const struct spool_setup setup = {.folder = "",
                                      .process = "com.x",
                                      .device = device,
                                      .options = &options,
                                      .names = &names,
                                      .notify = hear,
                                      .wall_ns = tell_time};
    struct mb_error err = {0};
    struct spool *spool = spool_open(&setup, &err);
    int count = spool != NULL ? 0 : -1;

    for (int i = 0; i < days && count >= 0; i++) {
        bool is_chosen = is_reported(spool, FIRST_DAY + i);
        bool is_right = is_chosen == spool_is_sampled(device, FIRST_DAY + i, SHARE);
        count = is_right ? count + is_chosen : -1;
    }
    if (spool != NULL) {
        spool_close(spool, 10000);
    }
    return count;
}

int main(int argument_count, char **values)
{
    long devices = argument_count > 1 ? strtol(values[1], NULL, 10) : 50;
    int days = argument_count > 2 ? (int)strtol(values[2], NULL, 10) : 30;
    long chosen = 0;

    mon_options_init(&options);
    if (!mon_options_set(&options, "preset", "production")) {
        return 1;
    }
    for (long i = 0; i < devices; i++) {
        int count = ask((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15), days);
        if (count < 0) {
            (void)printf("device %ld is not chosen as the rules have it\n", i);
            return 1;
        }
        chosen += count;
    }
    (void)printf("%ld devices, %d days: %ld of %ld reported, %.3f %%\n", devices, days, chosen,
                 devices * days, 100.0 * (double)chosen / (double)(devices * days));
    return 0;
}
