#include "jvms/live/watch.h"

#include "answer/words.h"
#include "base/number.h"

#include <inttypes.h>

#define REVERSE "\x1b[7m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define LEAST_NAME 20   /* beside more columns than one */
#define NARROW_NAME 8   /* beside one */
#define WIDEST_NAME 200 /* where lines may have any length */
#define MOST_KINDS 4    /* of requests */
#define KIND_FIGURES 56
#define SMALL 10 /* rows of a screen without room for more than the table */

/* Lines on their way out. */
struct lines {
    struct mb_buf *out;
    struct mb_buf line;
    const struct live_facts *live;
    const struct live_layout *layout;
};

/* The bytes of the line's first columns characters. */
static size_t cut_size(const struct mb_buf *line, size_t columns)
{
    size_t size = 0;

    for (size_t column = 0; size < line->size && columns > 0; size++) {
        bool is_first = (line->bytes[size] & 0xc0) != 0x80;
        if (is_first && column == columns) {
            break;
        }
        column += is_first;
    }
    return columns > 0 ? size : line->size;
}

/* The line is whole. */
static void end_line(struct lines *lines, const char *style)
{
    struct mb_buf *line = &lines->line;
    bool has_style = style != NULL && lines->layout->colour;

    mb_buf_put_string(lines->out, has_style ? style : "");
    mb_buf_put(lines->out, line->bytes, cut_size(line, lines->layout->columns));
    mb_buf_put_string(lines->out, has_style ? PLAIN "\n" : "\n");
    mb_buf_fail_with(lines->out, line);
    mb_buf_reset(line);
}

/* ---- Figures ---- */

/* Of the interval, of one thread: several can pass 100. */
static void put_share(struct lines *lines, int64_t ns, int width)
{
    answer_put_percent(&lines->line, ns, lines->live->recent->interval_ns, width);
}

static void put_rate(struct lines *lines, uint64_t count, int width)
{
    double seconds = (double)lines->live->recent->interval_ns / 1e9;
    double rate = seconds > 0 ? (double)count / seconds : 0;

    if (rate > 0 && rate < 99.95) {
        mb_buf_printf(&lines->line, "%*.1f", width, rate);
    } else {
        answer_put_count(&lines->line, (uint64_t)(rate + 0.5), width);
    }
}

static void put_time(struct lines *lines, int64_t ns, int width)
{
    if (ns > 0) {
        answer_put_time(&lines->line, ns, width);
    } else {
        mb_buf_printf(&lines->line, "%*s", width, "-");
    }
}

/* ---- Columns of methods ---- */

typedef void put_fn(struct lines *lines, const struct live_method *row, int width);

static void put_own(struct lines *lines, const struct live_method *row, int width)
{
    put_share(lines, row->own_ns, width);
}

static void put_waited(struct lines *lines, const struct live_method *row, int width)
{
    put_share(lines, row->waited_ns, width);
}

static void put_total(struct lines *lines, const struct live_method *row, int width)
{
    put_share(lines, row->total_ns, width);
}

static void put_calls(struct lines *lines, const struct live_method *row, int width)
{
    put_rate(lines, row->calls, width);
}

static void put_mean(struct lines *lines, const struct live_method *row, int width)
{
    put_time(lines, live_method_mean(row), width);
}

static void put_threads(struct lines *lines, const struct live_method *row, int width)
{
    mb_buf_printf(&lines->line, "%*" PRIu32, width, row->threads);
}

static void put_running(struct lines *lines, const struct live_method *row, int width)
{
    put_time(lines, row->running_ns, width);
}

/* From left to right; a narrow screen has the first of them. */
static const struct column {
    const char *title;
    int width;
    put_fn *put;
} columns[] = {
    {"own%", 9, put_own},         {"waits%", 9, put_waited}, {"total%", 9, put_total},
    {"calls/s", 9, put_calls},    {"mean", 9, put_mean},     {"threads", 8, put_threads},
    {"runs for", 9, put_running},
};

/* How many columns a line has room for beside a name, and what they take. */
static size_t fitting_columns(const struct live_layout *layout, size_t *width)
{
    size_t count = 1;

    *width = (size_t)columns[0].width;
    while (count < MB_COUNT(columns) &&
           (layout->columns == 0 ||
            *width + (size_t)columns[count].width + 2 + LEAST_NAME <= layout->columns)) {
        *width += (size_t)columns[count++].width;
    }
    return count;
}

/* The columns that are left for a name after used ones. */
static size_t name_room(const struct lines *lines, size_t used)
{
    if (lines->layout->columns == 0) {
        return WIDEST_NAME;
    }
    return lines->layout->columns > used + NARROW_NAME ? lines->layout->columns - used
                                                       : NARROW_NAME;
}

static void put_name(struct lines *lines, uint32_t id, size_t used)
{
    answer_put_method(&lines->line, &lines->live->names, id, name_room(lines, used));
}

static void put_titles(struct lines *lines)
{
    size_t width;
    size_t count = fitting_columns(lines->layout, &width);

    for (size_t i = 0; i < count; i++) {
        mb_buf_printf(&lines->line, "%*s", columns[i].width, columns[i].title);
    }
    mb_buf_put_string(&lines->line, "  method");
    end_line(lines, BOLD);
}

static void put_method_line(struct lines *lines, const struct live_method *row)
{
    size_t width;
    size_t count = fitting_columns(lines->layout, &width);
    const char *mark = row->muted > 0 ? " (muted)" : "";

    for (size_t i = 0; i < count; i++) {
        columns[i].put(lines, row, columns[i].width);
    }
    mb_buf_put_string(&lines->line, "  ");
    put_name(lines, row->id, width + 2 + strlen(mark));
    mb_buf_put_string(&lines->line, mark);
}

/* ---- Tables ---- */

static const struct live_method *method_at(const struct lines *lines, size_t i)
{
    return &lines->live->recent->methods.items[i];
}

static void put_method_row(struct lines *lines, size_t i)
{
    put_method_line(lines, method_at(lines, i));
}

#define THREAD_FIGURES 35
#define THREAD_NAME 24

static void put_thread_titles(struct lines *lines)
{
    mb_buf_printf(&lines->line, "%8s%8s%9s%10s  %-*s  %s", "busy%", "waits%", "calls/s", "for",
                  THREAD_NAME, "thread", "is in");
    end_line(lines, BOLD);
}

static void put_thread_row(struct lines *lines, size_t i)
{
    const struct live_thread *row = &lines->live->recent->threads.items[i];
    size_t start;

    put_share(lines, row->busy_ns, 8);
    put_share(lines, row->waited_ns, 8);
    put_rate(lines, row->calls, 9);
    put_time(lines, row->running_ns, 10);
    mb_buf_put_string(&lines->line, "  ");
    start = lines->line.size;
    answer_put_fitting(&lines->line, row->name, THREAD_NAME);
    for (size_t used = lines->line.size - start; used < THREAD_NAME; used++) {
        mb_buf_put_u1(&lines->line, ' ');
    }
    mb_buf_put_string(&lines->line, "  ");
    if (row->innermost != LIVE_NO_METHOD) {
        put_name(lines, row->innermost, THREAD_FIGURES + 2 + THREAD_NAME + 2);
    } else {
        mb_buf_put_string(&lines->line, row->is_ended ? "(ended)" : "-");
    }
}

static void put_call_titles(struct lines *lines)
{
    const struct live_recent *recent = lines->live->recent;
    const struct live_method *rows = recent->methods.items;

    put_titles(lines);
    for (size_t i = 0; i < MB_VEC_COUNT(&recent->methods); i++) {
        if (rows[i].id == recent->focus) {
            put_method_line(lines, &rows[i]);
            end_line(lines, NULL);
            return;
        }
    }
    put_name(lines, recent->focus, 30);
    mb_buf_put_string(&lines->line, ": not called just now");
    end_line(lines, NULL);
}

static void put_call_row(struct lines *lines, size_t i)
{
    const struct live_recent *recent = lines->live->recent;
    const struct live_edge *edge = &recent->edges.items[i];
    bool is_caller = edge->callee == recent->focus;
    uint32_t other = is_caller ? edge->caller : edge->callee;

    put_share(lines, edge->total_ns, 8);
    put_rate(lines, edge->calls, 9);
    mb_buf_put_string(&lines->line, is_caller ? "  from " : "  to   ");
    if (other != LIVE_NO_METHOD) {
        put_name(lines, other, 24);
    } else {
        mb_buf_put_string(&lines->line, "code without probes");
    }
}

static const struct table {
    void (*put_titles)(struct lines *lines);
    void (*put_row)(struct lines *lines, size_t i);
    size_t title_lines;
} tables[] = {
    [LIVE_METHODS] = {put_titles, put_method_row, 1},
    [LIVE_THREADS] = {put_thread_titles, put_thread_row, 1},
    [LIVE_CALLS] = {put_call_titles, put_call_row, 2},
};

size_t live_table_count(const struct live_facts *live, enum live_view view)
{
    const struct live_recent *recent = live->recent;

    return recent == NULL         ? 0
           : view == LIVE_METHODS ? MB_VEC_COUNT(&recent->methods)
           : view == LIVE_THREADS ? MB_VEC_COUNT(&recent->threads)
                                  : MB_VEC_COUNT(&recent->edges);
}

uint32_t live_table_method(const struct live_facts *live, enum live_view view, size_t row)
{
    const struct live_recent *recent = live->recent;

    if (row >= live_table_count(live, view)) {
        return LIVE_NO_METHOD;
    }
    switch (view) {
    case LIVE_METHODS:
        return recent->methods.items[row].id;
    case LIVE_THREADS:
        return recent->threads.items[row].innermost;
    case LIVE_CALLS:
        break;
    }
    const struct live_edge *edge = &recent->edges.items[row];
    return edge->callee == recent->focus ? edge->caller : edge->callee;
}

size_t live_table_find(const struct live_facts *live, uint32_t id)
{
    size_t count = id != LIVE_NO_METHOD ? live_table_count(live, LIVE_METHODS) : 0;
    size_t row = 0;

    while (row < count && live_table_method(live, LIVE_METHODS, row) != id) {
        row++;
    }
    return row < count ? row : SIZE_MAX;
}

/* ---- Above the table ---- */

static const char *const states[] = {
    [LIVE_WRITTEN] = "",
    [LIVE_STOPPED] = ", recording has stopped",
    [LIVE_ENDED] = ", recording has ended",
    [LIVE_LEFT] = ", its process was killed",
};

static void put_summary(struct lines *lines)
{
    const struct live_recent *recent = lines->live->recent;
    struct mb_buf *line = &lines->line;

    if (lines->live->process.size > 0) {
        answer_put_fitting(line, lines->live->process, 32);
        mb_buf_put_u1(line, ' ');
    }
    mb_buf_printf(line, "(%" PRIu32 ")%s, by %s: ", lines->live->process_id, states[recent->state],
                  lines->live->order);
    answer_put_time(line, recent->interval_ns, 0);
    mb_buf_put_string(line, " of ");
    answer_put_time(line, recent->run_ns, 0);
    mb_buf_printf(line, ", %zu %s, %zu in calls, ", recent->live_threads,
                  recent->live_threads == 1 ? "thread" : "threads", recent->busy_threads);
    put_rate(lines, recent->calls, 0);
    mb_buf_put_string(line, " calls/s");
    end_line(lines, NULL);
}

static void put_part(struct mb_buf *line, uint64_t count, const char *one, const char *more)
{
    if (count > 0) {
        mb_buf_put_string(line, "; ");
        answer_put_count(line, count, 0);
        mb_buf_put_string(line, count == 1 ? one : more);
    }
}

/* What the figures do not tell. */
static void put_unknown(struct lines *lines)
{
    const struct live_recent *recent = lines->live->recent;
    struct mb_buf *line = &lines->line;

    mb_buf_put_string(line, "in their callers' own time: methods without probes");
    if (recent->muted > 0) {
        mb_buf_printf(line, ", and %zu muted", recent->muted);
    }
    if (recent->newly_muted > 0) {
        mb_buf_printf(line, " (%zu just now)", recent->newly_muted);
    }
    put_part(line, recent->lost_words, " record lost", " records lost");
    put_part(line, recent->refused_words, " record of threads without room so far",
             " records of threads without room so far");
    put_part(line, recent->absorbed_calls, " call without room", " calls without room");
    put_part(line, recent->late_threads, " thread not read to its end",
             " threads not read to their ends");
    put_part(line, recent->damaged, " record makes no sense", " records make no sense");
    end_line(lines, NULL);
}

static bool is_small(const struct live_layout *layout)
{
    return layout->rows > 0 && layout->rows < SMALL;
}

static size_t kind_lines(const struct live_facts *live, const struct live_layout *layout)
{
    size_t count = live->recent != NULL ? MB_VEC_COUNT(&live->recent->kinds) : 0;

    return is_small(layout) || layout->view != LIVE_METHODS ? 0 : mb_min_u64(count, MOST_KINDS);
}

static size_t cause_lines(const struct live_facts *live, const struct live_layout *layout)
{
    size_t count = 0;

    for (size_t i = 0; i < kind_lines(live, layout); i++) {
        count += live->recent->kinds.items[i].cause.count > 0;
    }
    return count;
}

/* "            3 of 4 slow ones, +72.4 ms each: waited in Shop.priceOf" */
static void put_cause(struct lines *lines, const struct live_kind *kind)
{
    const struct answer_excess *cause = &kind->cause;
    struct mb_buf *line = &lines->line;

    if (cause->count == 0) {
        return;
    }
    mb_buf_printf(line, "%11" PRIu64 " of %" PRIu64 " slow, +", cause->count, kind->slow);
    put_time(lines, cause->more_ns / (int64_t)cause->count, 0);
    mb_buf_printf(line, "%s: %s", cause->count > 1 ? " each" : "",
                  answer_state_words(cause->state, cause->id));
    if (cause->id != 0) {
        put_name(lines, cause->id, KIND_FIGURES);
    }
    end_line(lines, NULL);
}

/* "    120 requests/s, p50 40.8 ms, p99 129 ms: Shop.handle" */
static void put_kind(struct lines *lines, const struct live_kind *kind)
{
    put_rate(lines, kind->ended, 9);
    mb_buf_put_string(&lines->line, " requests/s, p50 ");
    put_time(lines, kind->p50_ns, 0);
    mb_buf_put_string(&lines->line, ", p99 ");
    put_time(lines, kind->p99_ns, 0);
    mb_buf_put_string(&lines->line, ": ");
    put_name(lines, kind->id, KIND_FIGURES);
    end_line(lines, NULL);
}

/* Lines that are not rows of the table. */
static size_t other_lines(const struct live_facts *live, const struct live_layout *layout)
{
    return 1 + kind_lines(live, layout) + cause_lines(live, layout) +
           tables[layout->view].title_lines +
           (is_small(layout)       ? 0u
            : layout->last != NULL ? 2u
                                   : 1u);
}

size_t live_table_page(const struct live_facts *live, const struct live_layout *layout)
{
    size_t count = live_table_count(live, layout->view);
    size_t others = other_lines(live, layout);

    if (layout->rows == 0) {
        return count < layout->top ? count : layout->top;
    }
    return layout->rows > others ? layout->rows - others : 0;
}

static void put_table(struct lines *lines)
{
    const struct live_layout *layout = lines->layout;
    const struct table *table = &tables[layout->view];
    size_t count = live_table_count(lines->live, layout->view);
    size_t page = live_table_page(lines->live, layout);

    table->put_titles(lines);
    for (size_t i = 0; i < page; i++) {
        size_t row = layout->first + i;
        if (row < count) {
            table->put_row(lines, row);
        }
        end_line(lines, row == layout->selected && row < count ? REVERSE : NULL);
    }
    if (layout->rows == 0 && count > page) {
        mb_buf_printf(&lines->line, "(%zu more)", count - page);
        end_line(lines, NULL);
    }
}

void live_put_table(struct mb_buf *out, const struct live_facts *live,
                    const struct live_layout *layout)
{
    struct lines lines = {.out = out, .live = live, .layout = layout};

    put_summary(&lines);
    if (!is_small(layout)) {
        put_unknown(&lines);
    }
    for (size_t i = 0; i < kind_lines(live, layout); i++) {
        put_kind(&lines, &live->recent->kinds.items[i]);
        put_cause(&lines, &live->recent->kinds.items[i]);
    }
    put_table(&lines);
    if (layout->last != NULL && !is_small(layout)) {
        mb_buf_put_printable(&lines.line, mb_text_of(layout->last));
        end_line(&lines, NULL);
    }
    mb_buf_finish(&lines.line);
}
