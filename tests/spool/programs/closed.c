/* Spools that are closed by the thread that fills them or by their listener, each in the folder of
 * the last one: no thread waits for ever, no issue is lost, and none is heard after the end. */
#include "monitor/spool/spool.h"

#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LIVES 40u
#define STALLS 20u

static char folder[] = "/tmp/mb_closedXXXXXX";
static struct mon_options options;
static struct spool *spool;
static uint32_t life;
static _Atomic(uint32_t) heard;
static _Atomic(bool) is_closed;

static void fail(const char *what)
{
    (void)fprintf(stderr, "life %u: %s\n", life, what);
    exit(1);
}

static struct mb_text find_name(const void *context, uint32_t name)
{
    (void)context;
    (void)name;
    return mb_text_of("com.x");
}

static void hear(void *context, const struct spool_notice *issue)
{
    (void)context;
    if (atomic_load(&is_closed)) {
        fail("heard after the end");
    }
    if (issue->file == NULL || access(issue->file, F_OK) != 0) {
        fail("heard before the file was there");
    }
    if (atomic_fetch_add(&heard, 1) + 1 == STALLS && life % 2 == 0) {
        spool_close(spool, 60000);
        atomic_store(&is_closed, true);
    }
}

static void take(enum mon_action_kind kind, const struct mon_issue *issue)
{
    const struct mon_action action = {.kind = kind, .issue = issue};

    spool_take(spool, &action, &options);
}

static void pause_a_little(void)
{
    (void)nanosleep(&(const struct timespec){.tv_nsec = 20000}, NULL);
}

static void live(void)
{
    const struct mon_names names = {find_name, NULL};
    const struct spool_setup setup = {
        .folder = folder, .process = "com.x", .options = &options, .names = &names, .notify = hear};

    spool = spool_open(&setup, NULL);
    if (spool == NULL) {
        fail("no memory");
    }
    for (uint32_t i = 0; i < STALLS; i++) {
        const struct mon_issue issue = {
            .detail = MON_LAG, .start = life, .span.number = i + 1, .cpu_ns = -1};
        take(MON_NOTE, &issue);
        take(MON_ISSUE, &issue); /* the last: it may be closed from here on */
        while (i % 3 == 0 && atomic_load(&heard) <= i) {
            pause_a_little();
        }
    }
    if (life % 2 == 1) {
        spool_close(spool, 60000);
        atomic_store(&is_closed, true);
    }
    while (!atomic_load(&is_closed)) {
        pause_a_little();
    }
    if (atomic_load(&heard) != STALLS) {
        fail("not all were heard");
    }
}

static uint32_t folder_count;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    folder_count += type == FTW_DP && walk->level == 1;
    return remove(path);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        fail("no folder");
    }
    mon_options_init(&options);
    options.key_files = options.key_daily = options.detail_files = LIVES * STALLS;
    for (life = 1; life <= LIVES; life++) {
        atomic_store(&heard, 0);
        atomic_store(&is_closed, false);
        live();
    }
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (folder_count != 1) {
        fail("a life found the folder of the last one locked");
    }
    return 0;
}
