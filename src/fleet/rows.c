#include "fleet/rows.h"

#include "abi/issue.h"
#include "fleet/names.h"
#include "fleet/sessions.h"
#include "fleet/who.h"
#include "issues/stacks.h"

#define MOST_FRAMES 128u /* of a row */

static void take_who(const struct fleet_columns *columns, const struct mb_value *object,
                     const struct mb_value *own)
{
    fleet_take_app(columns, mb_value_get(own, "app"));
    fleet_take_text(columns, "process", object, ABI_ISSUE_PROCESS);
    fleet_take_class(columns, mb_value_get(own, "app"), object);
    fleet_take_time(columns, "ts", object, ABI_ISSUE_TIME);
}

/* ---- Stacks ---- */

/* A line for the frame, or several for what was inlined there. */
static void add_frame(struct fleet_rows *rows, struct mb_text frame)
{
    if (frame.size == 0) {
        return;
    }
    if (rows->mapping != NULL) {
        rule_builds_put_frame(&rows->frames, rows->mapping, rows->r8, frame, &rows->outline);
    } else {
        mb_buf_put(&rows->frames, frame.data, frame.size);
        mb_buf_put_u1(&rows->frames, '\n');
    }
}

static void add_lines(struct fleet_rows *rows, struct mb_text stack)
{
    for (unsigned i = 0; stack.size > 0 && i < MOST_FRAMES; i++) {
        add_frame(rows, mb_text_split(&stack, '\n'));
    }
}

/* Of an issue without samples: Matrix's stack, or what the system says of the main thread. */
static void add_written(struct fleet_rows *rows, const struct mb_value *object,
                        const struct mb_value *own)
{
    struct mb_text process = mb_value_text(mb_value_get(object, ABI_ISSUE_PROCESS));

    mb_buf_reset(&rows->scratch);
    issues_put_stack(&rows->scratch, mb_value_text(mb_value_get(object, ABI_ISSUE_THREAD_STACK)));
    if (rows->scratch.size == 0) {
        issues_put_main_stack(&rows->scratch, mb_value_text(mb_value_get(own, ABI_OWN_THREADS)),
                              process, mb_value_integer(mb_value_get(own, ABI_OWN_PID)));
    }
    add_lines(rows, (struct mb_text){(const char *)rows->scratch.bytes, rows->scratch.size});
}

/* The method that stackKey names, where nothing else tells of the stack. */
static void add_method(struct fleet_rows *rows, const struct mb_value *object,
                       const struct mb_value *own)
{
    struct mb_text key = mb_value_text(mb_value_get(object, ABI_ISSUE_STACK_KEY));
    uint64_t id;

    if (mb_text_to_number(mb_text_split(&key, '|'), UINT32_MAX, &id)) {
        const struct answer_when when = {.mapping = issues_take_word(own, ABI_OWN_MAPPING),
                                         .r8 = rows->r8};
        struct mb_text name = issues_name(rows->names, &when, id);
        mb_buf_put(&rows->frames, name.data, name.size);
    }
}

/* Into rows->frames: a line each, innermost first. */
static void collect_frames(struct fleet_rows *rows, const struct mb_value *object,
                           const struct mb_value *own)
{
    const struct mb_value *hottest = mb_value_get(own, ABI_OWN_HOTTEST);
    const struct mb_value *frames = mb_value_get(hottest, ABI_STACK_FRAMES);
    unsigned count = 0;

    mb_buf_reset(&rows->frames);
    rows->outline = (struct rule_outline){0};
    rows->r8 = mb_value_text(mb_value_get(mb_value_get(own, "app"), "r8"));
    for (MB_EACH_VALUE(frame, frames)) {
        if (count++ < MOST_FRAMES) {
            add_frame(rows, mb_value_text(frame));
        }
    }
    if (rows->frames.size == 0) {
        add_written(rows, object, own);
    }
    if (rows->frames.size == 0) {
        add_method(rows, object, own);
    }
}

static void put_stack(struct fleet_rows *rows, const struct fleet_columns *columns,
                      const struct mb_value *own)
{
    struct mb_text frames = {(const char *)rows->frames.bytes, rows->frames.size};
    const struct fleet_cause cause = fleet_find_cause(
        frames, mb_value_text(mb_value_get(own, ABI_OWN_PLATFORM)), &rows->scratch);
    unsigned count = 0;

    if (cause.key == 0) {
        return;
    }
    mb_json_number(columns->row, "cause", cause.key);
    mb_json_number(columns->row, "cause4", cause.key4);
    fleet_take_cut(columns, "cause_name", cause.name);
    mb_json_open(columns->row, "frames", "[");
    while (frames.size > 0 && count++ < MOST_FRAMES) {
        mb_json_text(columns->row, NULL, mb_text_split(&frames, '\n'));
    }
    mb_json_close(columns->row, "]");
}

/* ---- Issues ---- */

static void take_loop(const struct fleet_columns *columns, const struct mb_value *own)
{
    const struct mb_value *loop = mb_value_get(own, ABI_OWN_LOOP);

    if (mb_value_is(loop, MB_JSON_STRING)) {
        fleet_take_text(columns, "loop", own, ABI_OWN_LOOP);
    }
}

static void take_figures(const struct fleet_columns *columns, const struct mb_value *object,
                         const struct mb_value *own)
{
    static const char *const words[] = {ABI_LEVELS(ABI_LEVEL_WORD)};
    static const char *const keys[] = {ABI_LEVELS(ABI_LEVEL_KEY)};
    const struct mb_value *start = mb_value_get(own, ABI_OWN_START);
    const struct mb_value *frames = mb_value_get(own, ABI_OWN_FRAMES);
    const struct mb_value *levels = mb_value_get(object, ABI_ISSUE_DROP_LEVEL);

    fleet_take_text(columns, "start_kind", start, ABI_START_KIND);
    fleet_take_ms(columns, "start_ms", start, ABI_START_DRAWN_MS);
    fleet_take_number(columns, "frames_count", frames, ABI_FRAMES_COUNT);
    fleet_take_ms(columns, "late_ms", frames, ABI_FRAMES_LATE_MS);
    for (size_t i = 0; i < MB_COUNT(words); i++) {
        fleet_take_number(columns, words[i], levels, keys[i]);
    }
}

static void take_issue(struct fleet_rows *rows, const struct fleet_columns *columns,
                       const struct mb_value *object, const struct mb_value *own)
{
    bool has_detail = mb_value_is(mb_value_get(own, ABI_OWN_DETAIL), MB_JSON_STRING);

    take_who(columns, object, own);
    fleet_take_text(columns, "incident", own, ABI_OWN_INCIDENT);
    fleet_take_text(columns, "detail", has_detail ? own : object, ABI_OWN_DETAIL);
    fleet_take_text(columns, "scene", object, ABI_ISSUE_SCENE);
    take_loop(columns, own);
    if (mb_value_get(own, ABI_OWN_WATCHED_NS) != NULL) {
        fleet_take_ns(columns, "cost_ms", own, ABI_OWN_WATCHED_NS);
    } else {
        fleet_take_ms(columns, "cost_ms", object, ABI_ISSUE_COST);
    }
    fleet_take_ns(columns, "cpu_ms", own, ABI_OWN_CPU_NS);
    fleet_take_flag(columns, "busy", own, ABI_OWN_BUSY);
    fleet_take_flag(columns, "foreground", own, ABI_OWN_FOREGROUND);
    fleet_take_text(columns, "ended", own, ABI_OWN_ENDED);
    take_figures(columns, object, own);
    collect_frames(rows, object, own);
    put_stack(rows, columns, own);
}

enum issues_verdict fleet_take_object(struct fleet_rows *rows, const struct mb_value *object)
{
    const struct mb_value *own = mb_value_get(object, ABI_ISSUE_OWN);

    if (fleet_is_session(object)) {
        return fleet_take_session(rows, object);
    }
    enum issues_verdict verdict = issues_judge(object);
    if (verdict != ISSUES_ISSUE || !fleet_is_understood(own)) {
        rows->refused[verdict == ISSUES_ISSUE ? FLEET_OTHER_SCHEMA : FLEET_NO_ISSUE]++;
        return verdict;
    }
    const struct fleet_columns columns = {fleet_begin_row(rows->writer, FLEET_TABLE_issues),
                                          rows->refused, rows->latest_ms};
    take_issue(rows, &columns, object, mb_value_is(own, MB_JSON_OBJECT) ? own : NULL);
    fleet_end_row(rows->writer);
    return rows->frames.failed || rows->scratch.failed ? ISSUES_NO_MEMORY : verdict;
}

void fleet_rows_finish(struct fleet_rows *rows)
{
    mb_buf_finish(&rows->frames);
    mb_buf_finish(&rows->scratch);
}
