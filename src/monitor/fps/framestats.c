#include "monitor/fps/reader.h"

#include "base/vec.h"
#include "monitor/fps/film.h"
#include "monitor/fps/text.h"

#include <string.h>

#define MOST_COLUMNS 64u
#define MOST_TIME_NS (INT64_C(1) << 57)
#define LONGEST_INTERVAL_NS (MON_USUAL_INTERVAL_NS + MON_USUAL_INTERVAL_NS / 8)
#define LEAST_GAPS 8u /* to judge the interval by */

enum column {
    FLAGS,
    INTENDED,
    VSYNC,
    INPUT,
    ANIMATION,
    TRAVERSALS,
    DRAW,
    SYNC_QUEUED,
    SYNC,
    ISSUE,
    SWAP,
    COMPLETED,
    DEADLINE,
    INTERVAL,
    START,
    GPU,
    COLUMN_COUNT
};

static const struct {
    const char *name;
    bool is_needed;
} columns[COLUMN_COUNT] = {
    [FLAGS] = {"Flags", true},
    [INTENDED] = {"IntendedVsync", true},
    [VSYNC] = {"Vsync", true},
    [INPUT] = {"HandleInputStart", false},
    [ANIMATION] = {"AnimationStart", false},
    [TRAVERSALS] = {"PerformTraversalsStart", false},
    [DRAW] = {"DrawStart", false},
    [SYNC_QUEUED] = {"SyncQueued", false},
    [SYNC] = {"SyncStart", false},
    [ISSUE] = {"IssueDrawCommandsStart", false},
    [SWAP] = {"SwapBuffers", false},
    [COMPLETED] = {"FrameCompleted", true},
    [DEADLINE] = {"FrameDeadline", false},
    [INTERVAL] = {"FrameInterval", false},
    [START] = {"FrameStartTime", false},
    [GPU] = {"GpuCompleted", false},
};

struct reading {
    struct fps_lines lines;
    struct fps_framestats *stats;
    MB_VEC(struct mon_frame) frames; /* of this poll */
    MB_VEC(int64_t) gaps;            /* between them */
    int64_t newest_row_ns;           /* of this poll */
    uint32_t places[COLUMN_COUNT];   /* of the table; MOST_COLUMNS: absent */
};

static bool is_mark(const struct reading *r)
{
    return mb_text_is(r->lines.line, "---PROFILEDATA---");
}

static enum mb_status read_head(struct reading *r)
{
    struct mb_text rest = r->lines.line;

    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        r->places[i] = MOST_COLUMNS;
    }
    for (uint32_t place = 0; rest.size > 0 && place < MOST_COLUMNS; place++) {
        struct mb_text name = mb_text_trim(mb_text_split(&rest, ','));
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            if (mb_text_is(name, columns[i].name)) {
                r->places[i] = place;
            }
        }
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (columns[i].is_needed && r->places[i] == MOST_COLUMNS) {
            return fps_refuse(&r->lines, "the table of frames has no column ", columns[i].name);
        }
    }
    return MB_OK;
}

/* The time between two columns; 0 if one of them is unknown. */
static int64_t time_between(const int64_t *row, enum column from, enum column to)
{
    bool is_known = row[from] > 0 && row[to] >= row[from];

    return is_known ? row[to] - row[from] : 0;
}

static bool is_finished(const int64_t *row)
{
    return row[INTENDED] > 0 && row[INTENDED] <= MOST_TIME_NS && row[VSYNC] <= MOST_TIME_NS &&
           row[COMPLETED] >= row[INTENDED] && row[COMPLETED] <= MOST_TIME_NS;
}

/* A poll repeats rows of earlier polls. */
static void leave_out(struct reading *r, const int64_t *row)
{
    if (row[INTENDED] > r->stats->newest_row_ns) {
        r->stats->outliers += row[FLAGS] != 0;
        r->stats->unfinished += row[FLAGS] == 0;
    }
}

/* The interval of the display; 0 if the row does not say. Android 12 to 15 write the values of
 * these two columns the other way round than their labels: a start is a moment since boot, so the
 * interval is the smaller value. */
static int64_t interval_of(const int64_t *row)
{
    bool has_both = row[INTERVAL] > 0 && row[START] > 0;

    return has_both && row[START] < row[INTERVAL] ? row[START] : row[INTERVAL];
}

static struct mon_frame make_frame(const int64_t *row)
{
    return (struct mon_frame){
        .intended_ns = row[INTENDED],
        .vsync_ns = row[VSYNC],
        .deadline_ns = time_between(row, INTENDED, DEADLINE),
        .interval_ns = interval_of(row),
        .total_ns = row[COMPLETED] - row[INTENDED],
        .delay_ns = time_between(row, INTENDED, INPUT),
        .input_ns = time_between(row, INPUT, ANIMATION),
        .animation_ns = time_between(row, ANIMATION, TRAVERSALS),
        .layout_ns = time_between(row, TRAVERSALS, DRAW),
        .draw_ns = time_between(row, DRAW, SYNC_QUEUED),
        .sync_ns = time_between(row, SYNC_QUEUED, ISSUE),
        .issue_ns = time_between(row, ISSUE, SWAP),
        .swap_ns = time_between(row, SWAP, COMPLETED),
        .gpu_ns = row[GPU] > row[COMPLETED] ? 0 : time_between(row, SWAP, GPU),
    };
}

static void add_frame(struct reading *r, int64_t *row)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        row[i] = row[i] > MOST_TIME_NS ? 0 : row[i]; /* not signalled */
    }
    struct mon_frame frame = make_frame(row);
    r->stats->rows++;
    r->newest_row_ns = row[INTENDED] > r->newest_row_ns ? row[INTENDED] : r->newest_row_ns;
    if (row[FLAGS] != 0 || !is_finished(row) || !mon_frame_clear(&frame)) {
        leave_out(r, row);
    } else if (row[INTENDED] > r->stats->newest_ns) {
        MB_VEC_PUSH(&r->frames, frame);
    }
}

static enum mb_status read_row(struct reading *r)
{
    int64_t row[COLUMN_COUNT] = {0};
    struct mb_text rest = r->lines.line;
    uint32_t count = 0;

    for (; rest.size > 0 && count < MOST_COLUMNS; count++) {
        struct mb_text word = mb_text_trim(mb_text_split(&rest, ','));
        bool is_negative = word.size > 1 && word.data[0] == '-'; /* an impossible id */
        int64_t value = 0;
        if (!is_negative && !fps_number(word, &value)) {
            return fps_refuse(&r->lines, "not a number in the table of frames", "");
        }
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            if (r->places[i] == count) {
                row[i] = value;
            }
        }
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (r->places[i] != MOST_COLUMNS && r->places[i] >= count) {
            return fps_refuse(&r->lines, "the row ends before its column ", columns[i].name);
        }
    }
    add_frame(r, row);
    return MB_OK;
}

/* Read on from the first mark to the second, which a cut dump lacks. */
static enum mb_status read_table(struct reading *r)
{
    if (!fps_next_line(&r->lines) || is_mark(r)) {
        return MB_OK;
    }
    MB_TRY(read_head(r));
    while (fps_next_line(&r->lines) && !is_mark(r)) {
        if (r->lines.line.size > 0) {
            MB_TRY(read_row(r));
        }
    }
    return MB_OK;
}

/* "Total frames rendered: 120", "Janky frames: 5 (4.17%)", "No process found for: com.acme.app". */
static void read_summary(struct reading *r)
{
    static const struct mb_text total = MB_TEXT_ROW("Total frames rendered:");
    static const struct mb_text janky = MB_TEXT_ROW("Janky frames:");
    struct fps_framestats *stats = r->stats;
    struct mb_text word;

    if (mb_text_starts(r->lines.line, total)) {
        struct mb_text rest = {r->lines.line.data + total.size, r->lines.line.size - total.size};
        (void)(fps_next_word(&rest, &word) && fps_number(word, &stats->frames));
    } else if (mb_text_starts(r->lines.line, janky)) {
        struct mb_text rest = {r->lines.line.data + janky.size, r->lines.line.size - janky.size};
        (void)(fps_next_word(&rest, &word) && fps_number(word, &stats->janky));
    } else if (mb_text_starts(r->lines.line, MB_TEXT(FPS_NO_PROCESS))) {
        stats->is_absent = true;
    }
}

static enum mb_status read_all(struct reading *r)
{
    while (fps_next_line(&r->lines)) {
        if (is_mark(r)) {
            MB_TRY(read_table(r));
        } else {
            read_summary(r);
        }
    }
    return mb_buf_check(&r->frames.buf, r->lines.err);
}

static int compare_frames(const void *a, const void *b)
{
    const struct mon_frame *left = a;
    const struct mon_frame *right = b;

    return (left->intended_ns > right->intended_ns) - (left->intended_ns < right->intended_ns);
}

/* The median time between frames that followed each other at 60 Hz or faster. Later polls may know
 * no more than this one. */
static void learn_interval(struct reading *r)
{
    const struct mon_frame *frames = r->frames.items;

    for (size_t i = 1; i < MB_VEC_COUNT(&r->frames); i++) {
        int64_t gap = frames[i].intended_ns - frames[i - 1].intended_ns;
        if (gap >= MON_SHORTEST_INTERVAL_NS && gap <= LONGEST_INTERVAL_NS) {
            MB_VEC_PUSH(&r->gaps, gap);
        }
    }
    if (MB_VEC_COUNT(&r->gaps) >= LEAST_GAPS) {
        MB_VEC_SORT(&r->gaps, fps_compare_times);
        r->stats->interval_ns = r->gaps.items[MB_VEC_COUNT(&r->gaps) / 2];
    }
}

/* Merge the frames of all windows in order of time. */
static void pass_frames(struct reading *r, const struct fps_frames *out)
{
    struct mon_frame *frames = r->frames.items;

    MB_VEC_SORT(&r->frames, compare_frames);
    learn_interval(r);
    for (size_t i = 0; i < MB_VEC_COUNT(&r->frames); i++) {
        if (frames[i].intended_ns > r->stats->newest_ns) {
            r->stats->newest_ns = frames[i].intended_ns;
            if (frames[i].interval_ns == 0) {
                frames[i].interval_ns = r->stats->interval_ns;
            }
            out->take(out->context, &frames[i]);
        }
    }
}

enum mb_status fps_framestats_parse(struct fps_framestats *stats, struct mb_text text,
                                    const char *path, const struct fps_frames *out,
                                    struct mb_error *err)
{
    struct reading r = {.lines = {.rest = text, .path = path, .err = err}, .stats = stats};

    stats->rows = 0;
    stats->is_absent = false;
    stats->frames = stats->janky = -1;
    enum mb_status status = read_all(&r);
    if (status == MB_OK) {
        pass_frames(&r, out);
        stats->newest_row_ns =
            r.newest_row_ns > stats->newest_row_ns ? r.newest_row_ns : stats->newest_row_ns;
        status = mb_buf_check(&r.gaps.buf, err);
    }
    mb_buf_finish(&r.frames.buf);
    mb_buf_finish(&r.gaps.buf);
    return status;
}
