/* Stalls of known lengths on several loops, with busy neighbours: each one is told once and as what
 * it was, nothing else is told, and all stages are noticed in time. Lengths are measured here, too;
 * when a stage was noticed and how late the watcher may be is what it measured itself.
 *
 * usage: truth [STALLS] */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define LOOPS 4
#define MOST 1024
#define NEIGHBOURS 2
#define COARSE_NS (12 * MS) /* what the coarse clock may be behind */
#define IN_TIME_NS (100 * MS)

/* A stage: the detail, from what length on, and when and as what it is noticed. */
static const struct {
    const char *name;
    int64_t ns;
    int64_t noticed_ns;
    const char *key;
} details[] = {
    {"NOTHING", 0, 0, NULL},
    {"NORMAL", 80 * MS, 50 * MS, "\"late_ns\":"},
    {"LAG", 120 * MS, 120 * MS, "\"lag_ns\":"},
    {"ANR", 200 * MS, 200 * MS, "\"anr_ns\":"},
    {"HANG", 400 * MS, 400 * MS, "\"hang_ns\":"},
};

#define DETAILS (sizeof(details) / sizeof(details[0]))

struct stall {
    int64_t least_ns; /* it took so long at least, and at most */
    int64_t most_ns;
    _Atomic(int) told;
    int detail;
    int64_t noticed_ns[DETAILS]; /* after its begin; 0: not while it lasted */
};

struct loop {
    int first; /* of its stalls */
    int count;
};

static struct stall stalls[MOST];
static struct loop loops[LOOPS];
static _Atomic(int) strangers; /* issues of no stall of ours */

/* ---- What the monitors say ---- */

static int find_detail(const char *name)
{
    for (size_t i = 0; i < DETAILS; i++) {
        if (strcmp(details[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void hear(void *context, const struct watch_issue *issue)
{
    const char *text = strstr(issue->json, "stall number ");
    long number = text != NULL ? strtol(text + strlen("stall number "), NULL, 10) : -1;

    (void)context;
    if (number < 0 || number >= MOST) {
        (void)printf("a stranger: %s\n", issue->json);
        atomic_fetch_add(&strangers, 1);
        return;
    }
    stalls[number].detail = find_detail(issue->detail);
    for (size_t i = 1; i < DETAILS; i++) {
        text = strstr(issue->json, details[i].key);
        stalls[number].noticed_ns[i] =
            text != NULL ? strtoll(text + strlen(details[i].key), NULL, 10) : 0;
    }
    atomic_fetch_add(&stalls[number].told, 1);
}

static void take_stack(void *context, struct watch_stack *stack)
{
    (void)context;
    watch_stack_add(stack, "truth.sleep");
    watch_stack_add(stack, "truth.main");
}

static const char *describe(void *context)
{
    return context;
}

/* ---- What happens ---- */

static void stall(int number, long ms)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "stall number %d", number);
    int64_t before = lives_now_ns();
    watch_begin();
    int64_t begun = lives_now_ns();
    lives_sleep_ms(ms);
    stalls[number].least_ns = lives_now_ns() - begun;
    watch_end_as(describe, text);
    stalls[number].most_ns = lives_now_ns() - before;
}

static void *run_loop(void *memory)
{
    static const long lengths[] = {5, 100, 160, 300, 20, 450, 160, 300, 0, 100};
    struct loop *loop = memory;
    const struct watch_loop who = {.stack = take_stack};

    (void)watch_describe_loop(&who);
    for (int i = 0; i < loop->count; i++) {
        int number = loop->first + i;
        stall(number, lengths[number * 7 % 10]);
        if (i % 8 == 0) {
            lives_sleep_ms(20);
        }
    }
    return NULL;
}

static void start_neighbours(pid_t neighbours[NEIGHBOURS])
{
    for (int i = 0; i < NEIGHBOURS; i++) {
        neighbours[i] = fork();
        if (neighbours[i] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (volatile unsigned long n = 0;; n++) {
            }
        }
    }
}

/* ---- Judgement ---- */

static int worst_within(int64_t ns)
{
    int worst = 0;

    for (size_t i = 0; i < DETAILS; i++) {
        worst = ns >= details[i].ns ? (int)i : worst;
    }
    return worst;
}

static int judge(int count, int64_t gap_ns)
{
    int wrong = atomic_load(&strangers);
    int sums[DETAILS] = {0};

    for (int i = 0; i < count; i++) {
        const struct stall *s = &stalls[i];
        int least = worst_within(s->least_ns - gap_ns);
        int most = worst_within(s->most_ns + COARSE_NS);
        int told = atomic_load(&s->told);
        int detail = told > 0 ? s->detail : 0;
        if (told > 1 || detail < least || detail > most) {
            (void)printf("stall %d of %lld to %lld us: told %d times, %s\n", i,
                         (long long)s->least_ns / 1000, (long long)s->most_ns / 1000, told,
                         details[detail >= 0 ? detail : 0].name);
            wrong++;
        }
        sums[detail >= 0 ? detail : 0]++;
    }
    for (size_t i = 0; i < DETAILS; i++) {
        (void)printf("%s %d, ", details[i].name, sums[i]);
    }
    return wrong;
}

/* Of each stage that a stall reached: so long after it was noticed, at its end if not before. */
struct lateness {
    int count;
    int64_t ns[MOST];
};

static void measure(struct lateness *late, int count, size_t stage)
{
    for (int i = 0; i < count; i++) {
        const struct stall *s = &stalls[i];
        int64_t noticed = s->noticed_ns[stage] != 0 ? s->noticed_ns[stage] : s->most_ns;
        if (atomic_load(&s->told) > 0 && s->detail >= (int)stage) {
            late->ns[late->count++] = noticed - details[stage].noticed_ns;
        }
    }
}

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* False unless 95 of 100 were noticed in time. */
static bool judge_stage(int count, size_t stage, int64_t allowed_ns)
{
    static struct lateness late;

    late.count = 0;
    measure(&late, count, stage);
    qsort(late.ns, (size_t)late.count, sizeof(late.ns[0]), compare);
    int64_t most = late.count > 0 ? late.ns[late.count * 95 / 100] : 0;
    (void)printf("%s %d, half within %lld us, 95 of 100 within %lld us of %lld\n",
                 details[stage].key, late.count,
                 late.count > 0 ? (long long)late.ns[late.count / 2] / 1000 : 0,
                 (long long)most / 1000, (long long)allowed_ns / 1000);
    return late.count > 0 && most <= allowed_ns;
}

int main(int argument_count, char **values)
{
    int count = argument_count > 1 ? (int)strtol(values[1], NULL, 10) : 250;
    pid_t neighbours[NEIGHBOURS];
    pthread_t threads[LOOPS];
    struct watch_counters counters;

    count = count < MOST ? count : MOST;
    start_neighbours(neighbours);
    (void)watch_set("evil_ms", "80");
    (void)watch_set("stall_ms", "50:120:200:400");
    (void)watch_set("often", "");
    (void)watch_set("cpu_enable", "off");
    (void)watch_listen(hear, NULL);
    if (!watch_start()) {
        return 1;
    }
    for (int i = 0; i < LOOPS; i++) {
        loops[i] = (struct loop){.first = count * i / LOOPS,
                                 .count = count * (i + 1) / LOOPS - count * i / LOOPS};
        if (pthread_create(&threads[i], NULL, run_loop, &loops[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < LOOPS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    watch_stop();
    for (int i = 0; i < NEIGHBOURS; i++) {
        (void)kill(neighbours[i], SIGKILL);
        (void)waitpid(neighbours[i], NULL, 0);
    }
    watch_read_counters(&counters);
    int wrong = judge(count, counters.gap_ns);
    int64_t allowed = IN_TIME_NS + COARSE_NS + 2 * counters.latest_ns + counters.gap_ns;
    (void)printf("%d wrong; the watcher was late by %lld us at most, gaps %lld us; noticed\n",
                 wrong, (long long)counters.latest_ns / 1000, (long long)counters.gap_ns / 1000);
    bool is_in_time = true;
    for (size_t stage = 1; stage < DETAILS; stage++) {
        is_in_time = judge_stage(count, stage, allowed) && is_in_time;
    }
    return wrong == 0 && is_in_time ? 0 : 1;
}
