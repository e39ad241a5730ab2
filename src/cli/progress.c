#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#define FIRST_MS 500
#define STEP_MS 100
#define BAR_WIDTH 40

static struct timespec later_by(struct timespec time, int ms)
{
    time.tv_nsec += (long)ms * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static struct timespec time_now(void)
{
    struct timespec time = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

void cli_progress_init(struct cli_progress *progress)
{
    *progress = (struct cli_progress){
        .next = later_by(time_now(), FIRST_MS),
        .is_terminal = isatty(STDERR_FILENO) == 1,
    };
}

void cli_progress_show(struct cli_progress *progress, uint64_t done, uint64_t total)
{
    static const char full[] = "########################################";
    struct timespec time;

    if (!progress->is_terminal || total == 0) {
        return;
    }
    time = time_now();
    if (time.tv_sec < progress->next.tv_sec ||
        (time.tv_sec == progress->next.tv_sec && time.tv_nsec < progress->next.tv_nsec)) {
        return;
    }
    int filled = (int)(done < total ? done * BAR_WIDTH / total : BAR_WIDTH);
    (void)fprintf(stderr, "\r[%.*s%*s] %3d%%", filled, full, BAR_WIDTH - filled, "",
                  (int)(done < total ? done * 100 / total : 100));
    (void)fflush(stderr);
    progress->next = later_by(time, STEP_MS);
    progress->is_shown = true;
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->is_shown) {
        (void)fprintf(stderr, "\r%*s\r", BAR_WIDTH + 8, "");
        progress->is_shown = false;
    }
}
