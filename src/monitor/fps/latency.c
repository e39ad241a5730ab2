#include "monitor/fps/film.h"

#include "monitor/fps/text.h"

#include <string.h>

#define LONGEST_NS (INT64_C(1) << 57)
#define LONGEST_PERIOD_NS INT64_C(1000000000)
#define MOST_ROWS 1024u /* of a layer: eight times the known most */

/* The rows of one layer. */
struct block {
    uint32_t count;
    int64_t presented_ns[MOST_ROWS];
};

static bool is_moment(int64_t ns)
{
    return ns <= LONGEST_NS || ns == FPS_PENDING;
}

static enum mb_status read_period(struct fps_lines *lines, int64_t *period_ns)
{
    do {
        if (!fps_next_line(lines)) {
            return fps_refuse(lines, "no output of dumpsys SurfaceFlinger --latency: it is empty",
                              "");
        }
    } while (lines->line.size == 0);
    if (!fps_number(lines->line, period_ns) || *period_ns > LONGEST_PERIOD_NS || *period_ns == 0) {
        return fps_refuse(lines, "not the time between two vsyncs, in ns", "");
    }
    return MB_OK;
}

static enum mb_status read_row(const struct fps_lines *lines, struct block *block)
{
    struct mb_text line = lines->line;
    int64_t times[3];
    struct mb_text word;

    for (size_t i = 0; i < MB_COUNT(times); i++) {
        if (!fps_next_word(&line, &word) || !fps_number(word, &times[i]) || !is_moment(times[i])) {
            return fps_refuse(lines, "not three times in ns: wanted, presented, ready", "");
        }
    }
    if (fps_next_word(&line, &word)) {
        return fps_refuse(lines, "more than three times in ns", "");
    }
    if (times[1] == 0 || times[1] == FPS_PENDING) {
        return MB_OK;
    }
    if (block->count == MOST_ROWS) {
        return fps_refuse(lines, "more rows than a layer has", "");
    }
    block->presented_ns[block->count++] = times[1];
    return MB_OK;
}

static int64_t newest_of(const struct block *block)
{
    int64_t newest = 0;

    for (uint32_t i = 0; i < block->count; i++) {
        newest = block->presented_ns[i] > newest ? block->presented_ns[i] : newest;
    }
    return newest;
}

/* The best block so far, and the present block. */
static enum mb_status read_blocks(struct fps_lines *lines, struct block *best, struct block *next)
{
    best->count = next->count = 0;
    while (fps_next_line(lines)) {
        if (lines->line.size > 0) {
            MB_TRY(read_row(lines, next));
            continue;
        }
        if (newest_of(next) > newest_of(best)) {
            *best = *next;
        }
        next->count = 0;
    }
    if (newest_of(next) > newest_of(best)) {
        *best = *next;
    }
    return MB_OK;
}

/* Rows are in order, except on several displays that present a frame at different times. */
static void sort_rows(struct block *block)
{
    for (uint32_t i = 1; i < block->count; i++) {
        int64_t time = block->presented_ns[i];
        uint32_t j = i;
        for (; j > 0 && block->presented_ns[j - 1] > time; j--) {
            block->presented_ns[j] = block->presented_ns[j - 1];
        }
        block->presented_ns[j] = time;
    }
}

static void pass_presents(struct fps_latency *latency, const struct block *block,
                          const struct fps_presents *out)
{
    int64_t newest = newest_of(block);
    bool is_reboot = block->count > 0 && newest < latency->newest_ns;
    bool is_lost = !is_reboot && latency->newest_ns > 0 && block->count >= FPS_RING &&
                   block->presented_ns[0] > latency->newest_ns;
    bool is_break = latency->newest_ns == 0 || is_reboot || is_lost;

    latency->reboots += is_reboot;
    latency->lost += is_lost;
    latency->rows = block->count;
    for (uint32_t i = 0; i < block->count; i++) {
        if (!is_reboot && block->presented_ns[i] <= latency->newest_ns) {
            continue;
        }
        const struct fps_present present = {block->presented_ns[i], latency->period_ns, is_break};
        out->take(out->context, &present);
        latency->newest_ns = present.at_ns;
        is_break = false;
        is_reboot = false;
    }
}

enum mb_status fps_latency_parse(struct fps_latency *latency, struct mb_text text, const char *path,
                                 const struct fps_presents *out, struct mb_error *err)
{
    struct fps_lines lines = {.rest = text, .path = path, .err = err};
    struct block best;
    struct block next;
    int64_t period = 0;

    MB_TRY(read_period(&lines, &period));
    MB_TRY(read_blocks(&lines, &best, &next));
    latency->period_ns = period;
    sort_rows(&best);
    pass_presents(latency, &best, out);
    return MB_OK;
}
