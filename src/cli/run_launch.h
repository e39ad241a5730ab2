/* The words of a command that starts java, argument files among them. */

#ifndef CLI_RUN_LAUNCH_H
#define CLI_RUN_LAUNCH_H

#include "base/arena.h"
#include "base/buf.h"

/* Zeroed memory is a valid start; release with cli_run_launch_finish. */
struct cli_run_launch {
    struct mb_arena arena;
    struct mb_buf words; /* const char *, borrowed or of the arena */
};

/* One of a list of words; NULL behind the last. */
const char *cli_run_item(const struct mb_buf *list, size_t index);

/* Put the words of an argument file to launch->words, quoted ones as java takes them; without
 * memory some are missing. */
void cli_run_launch_split(struct cli_run_launch *launch, const char *text);

void cli_run_launch_finish(struct cli_run_launch *launch);

#endif
