/* A child process that tidies up when its parent is gone, however it went, and ends what its parent
 * had begun. */

#ifndef BASE_JANITOR_H
#define BASE_JANITOR_H

#include "base/buf.h"

#include <stdbool.h>
#include <sys/types.h>

struct mb_janitor {
    pid_t pid;  /* 0: none */
    int socket; /* our end; -1: none, or it was dismissed */
};

/* Fork it, before there are threads. Without one (the system has no process or descriptor left) the
 * program works, and only kill -9 leaves a staging folder behind. */
void mb_janitor_start(struct mb_janitor *janitor);

/* From now on folder, which holds files only, goes if we vanish. */
void mb_janitor_watch(struct mb_janitor *janitor, const char *folder);

/* From now on, if we vanish, all of moves is done before the folders go. Each was put by
 * mb_janitor_put_move. Without memory for them it cannot help. */
void mb_janitor_promise(struct mb_janitor *janitor, const struct mb_buf *moves);

/* Append: rename from to to, or remove to if from is NULL. What was done before is no error. */
void mb_janitor_put_move(struct mb_buf *moves, const char *from, const char *to);

/* All is tidy: let it go. A second time nothing happens. */
void mb_janitor_dismiss(struct mb_janitor *janitor);

/* Wait until it has gone, having dismissed it. */
void mb_janitor_await(struct mb_janitor *janitor);

/* Remove a folder of files. */
void mb_remove_flat_folder(const char *folder);

#endif
