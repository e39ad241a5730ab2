/* What programs share that live, stall and die under the monitors: time, settings, what is left in
 * a folder. */

#ifndef TESTS_WATCH_PROGRAMS_LIVES_H
#define TESTS_WATCH_PROGRAMS_LIVES_H

#include "monitor/watch/methodbeat_watch.h"

#include <ftw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* A setting of watch_set, and its value; NULL and NULL end a list. */
struct lives_setting {
    const char *name;
    const char *value;
};

/* Of CLOCK_MONOTONIC. */
static inline int64_t lives_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* As long as it says, whatever signals come. */
static inline void lives_sleep_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

/* One of so long. */
static inline void lives_message(long ms)
{
    watch_begin();
    lives_sleep_ms(ms);
    watch_end();
}

/* False if one of them cannot be; all are tried. */
static inline bool lives_set(const struct lives_setting *settings)
{
    bool are_set = true;

    for (; settings->name != NULL; settings++) {
        are_set = watch_set(settings->name, settings->value) && are_set;
    }
    return are_set;
}

/* Files without number are kept. */
static inline void lives_keep_all(void)
{
    static const struct lives_setting all[] = {{"keep", "7:1000000:100000"}, {NULL, NULL}};

    (void)lives_set(all);
}

static void (*lives_take_file)(const char *file);

static inline int lives_remove_entry(const char *path, const struct stat *status, int type,
                                     struct FTW *walk)
{
    (void)status;
    if (type == FTW_F && lives_take_file != NULL) {
        lives_take_file(path + walk->base);
    }
    return remove(path);
}

/* With all that is in it; take_file is shown the name of each file. NULL: nobody looks. */
static inline void lives_remove_folder(const char *folder, void (*take_file)(const char *file))
{
    lives_take_file = take_file;
    (void)nftw(folder, lives_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
