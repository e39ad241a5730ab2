#include "watch/identity.h"

#include "base/clock.h"
#include "watch/watcher.h"

#define KEPT_EACH_NS (60000 * MB_NS_PER_MS) /* what a killed process may lose */

static bool is_due(const struct watch_watcher *watcher, bool is_foreground)
{
    const struct watch_kept *kept = &watcher->kept;

    return kept->at_ns == 0 || watcher->now_ns - kept->at_ns >= KEPT_EACH_NS ||
           (kept->is_foreground && !is_foreground);
}

void watch_keep_session(struct watch_watcher *watcher, bool is_end)
{
    const bool is_foreground = mon_current_scene(watcher->mon)->is_foreground;
    const struct mon_options *options = mon_current_options(watcher->mon);
    int64_t start = mb_clock_now_ns();

    if (watcher->spool != NULL && options->app[0] != '\0' &&
        (is_end || is_due(watcher, is_foreground))) {
        spool_keep_session(watcher->spool, mon_current_process(watcher->mon),
                           mon_current_sums(watcher->mon), options);
        watcher->kept.at_ns = watcher->now_ns;
        watcher->blocked_ns += mb_clock_now_ns() - start;
    }
    watcher->kept.is_foreground = is_foreground;
}
