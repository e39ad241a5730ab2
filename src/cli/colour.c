#include "cli/colour.h"

#include "base/clock.h"
#include "base/platform_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LEAST_COLUMNS 80

static bool is_said(const char *value)
{
    return value != NULL && value[0] != '\0';
}

bool cli_wants_colour(bool is_file)
{
    if (is_said(getenv("NO_COLOR"))) {
        return false;
    }
    return is_said(getenv("CLICOLOR_FORCE")) ||
           (!is_file && mb_terminal_has_colours(STDOUT_FILENO));
}

size_t cli_columns(void)
{
    unsigned columns = mb_terminal_columns(STDOUT_FILENO);

    return columns > LEAST_COLUMNS ? columns : LEAST_COLUMNS;
}

/* ---- A progress bar ---- */

#define FIRST_MS 500
#define STEP_MS 100
#define BAR_WIDTH 40

void cli_progress_init(struct cli_progress *progress)
{
    *progress = (struct cli_progress){
        .next_ns = mb_clock_now_ns() + FIRST_MS * MB_NS_PER_MS,
        .is_terminal = isatty(STDERR_FILENO) == 1,
    };
}

void cli_progress_show(struct cli_progress *progress, uint64_t done, uint64_t total)
{
    static const char full[] = "########################################";

    if (!progress->is_terminal || total == 0) {
        return;
    }
    int64_t now_ns = mb_clock_now_ns();
    if (now_ns < progress->next_ns) {
        return;
    }
    int filled = (int)(done < total ? done * BAR_WIDTH / total : BAR_WIDTH);
    (void)fprintf(stderr, "\r[%.*s%*s] %3d%%", filled, full, BAR_WIDTH - filled, "",
                  (int)(done < total ? done * 100 / total : 100));
    (void)fflush(stderr);
    progress->next_ns = now_ns + STEP_MS * MB_NS_PER_MS;
    progress->is_shown = true;
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->is_shown) {
        (void)fprintf(stderr, "\r%*s\r", BAR_WIDTH + 8, "");
        progress->is_shown = false;
    }
}
