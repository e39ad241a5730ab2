/* Stalls of known lengths on several loops, with busy neighbours: each one is told once and as what it
 * was, nothing else is told, and stages are noticed in time. Lengths are measured here, too; how late
 * the watcher may be is what it measured itself.
 *
 * usage: truth [STALLS] */

#include "watch/methodbeat_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

static const struct {
    const char *name;
    int64_t ns;
} details[] = {
    {"NOTHING", 0}, {"NORMAL", 80 * MS}, {"LAG", 120 * MS}, {"ANR", 200 * MS}, {"HANG", 400 * MS}};

#define DETAILS (sizeof(details) / sizeof(details[0]))
#define LATE_NS (50 * MS)
#define ANR 3

struct stall {
    int64_t least_ns; /* it took so long at least, and at most */
    int64_t most_ns;
    _Atomic(int) told;
    int detail;
};

struct loop {
    int first; /* of its stalls */
    int count;
    _Atomic(int) current; /* -1: none is open */
    _Atomic(int64_t) begun_ns;
    int last_late; /* whose first stack was taken; the watcher's */
};

static struct stall stalls[MOST];
static struct loop loops[LOOPS];
static _Atomic(int) strangers; /* issues of no stall of ours */
/* The watcher's. */
static int64_t lateness[2 * MOST];
static int late_count;

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 * MS + now.tv_nsec;
}

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

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
    atomic_fetch_add(&stalls[number].told, 1);
}

/* The stage was noticed so long after the message reached it. Earlier: it was that of the message
 * before, which has ended meanwhile. */
static bool note(const struct loop *loop, int64_t stage_ns)
{
    int64_t late = now_ns() - atomic_load(&loop->begun_ns) - stage_ns;

    if (late >= -COARSE_NS && late_count < 2 * MOST) {
        lateness[late_count++] = late;
    }
    return late >= -COARSE_NS;
}

static void take_stack(void *context, struct watch_stack *stack)
{
    struct loop *loop = context;
    int current = atomic_load(&loop->current);

    watch_stack_add(stack, "truth.sleep");
    watch_stack_add(stack, "truth.main");
    if (current >= 0 && current != loop->last_late && note(loop, LATE_NS)) {
        loop->last_late = current;
    }
}

static const char *describe(void *context)
{
    return context;
}

/* ---- What happens ---- */

static void stall(struct loop *loop, int number, long ms)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "stall number %d", number);
    int64_t before = now_ns();
    atomic_store(&loop->begun_ns, before);
    watch_begin();
    int64_t begun = now_ns();
    atomic_store(&loop->current, number);
    sleep_ms(ms);
    atomic_store(&loop->current, -1);
    stalls[number].least_ns = now_ns() - begun;
    watch_end_as(describe, text);
    stalls[number].most_ns = now_ns() - before;
}

static void *run_loop(void *memory)
{
    static const long lengths[] = {5, 100, 160, 300, 20, 450, 160, 300, 0, 100};
    struct loop *loop = memory;
    const struct watch_loop who = {.stack = take_stack, .context = loop};

    (void)watch_describe_loop(&who);
    for (int i = 0; i < loop->count; i++) {
        int number = loop->first + i;
        stall(loop, number, lengths[number * 7 % 10]);
        if (i % 8 == 0) {
            sleep_ms(20);
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

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

int main(int argument_count, char **values)
{
    int count = argument_count > 1 ? (int)strtol(values[1], NULL, 10) : 250;
    pid_t neighbours[NEIGHBOURS];
    pthread_t threads[LOOPS];
    struct watch_counters counters;

    count = count < MOST ? count : MOST;
    start_neighbours(neighbours);
    (void)watch_set("sample_after_ms", "50");
    (void)watch_set("sample_ms", "20");
    (void)watch_set("evil_ms", "80");
    (void)watch_set("lag_ms", "120");
    (void)watch_set("anr_ms", "200");
    (void)watch_set("hang_ms", "400");
    (void)watch_set("often", "");
    (void)watch_set("cpu_enable", "off");
    (void)watch_listen(hear, NULL);
    if (!watch_start()) {
        return 1;
    }
    for (int i = 0; i < LOOPS; i++) {
        loops[i] = (struct loop){.first = count * i / LOOPS,
                                 .count = count * (i + 1) / LOOPS - count * i / LOOPS,
                                 .current = -1,
                                 .last_late = -1};
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
    qsort(lateness, (size_t)late_count, sizeof(lateness[0]), compare);
    int64_t most = late_count > 0 ? lateness[late_count * 95 / 100] : 0;
    int64_t allowed = IN_TIME_NS + 2 * counters.latest_ns + counters.gap_ns;
    (void)printf("%d wrong; stages noticed: %d, half within %lld us, 95 of 100 within %lld us of "
                 "%lld; the watcher was late by %lld us at most, gaps %lld us\n",
                 wrong, late_count, (long long)lateness[late_count / 2] / 1000,
                 (long long)most / 1000, (long long)allowed / 1000,
                 (long long)counters.latest_ns / 1000, (long long)counters.gap_ns / 1000);
    return wrong == 0 && late_count > 0 && most <= allowed ? 0 : 1;
}
