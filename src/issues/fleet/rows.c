#include "issues/fleet/rows.h"

#include "abi/issue.h"
#include "issues/fleet/names.h"
#include "issues/fleet/unpacker.h"
#include "issues/fleet/who.h"
#include "issues/stacks.h"

#define MOST_FRAMES 128u /* of a row */

/* ---- Sessions ---- */

#define MOST_BUCKET 1023 /* 6 days: sums end before */

static bool is_session(const struct mb_value *object)
{
    return mb_value_is(mb_value_get(object, "app"), MB_JSON_OBJECT) &&
           mb_value_is(mb_value_get(object, "until_ms"), MB_JSON_INTEGER) &&
           mb_value_is(mb_value_get(object, "day"), MB_JSON_INTEGER);
}

static void take_session_who(const struct fleet_columns *columns, const struct mb_value *object)
{
    fleet_take_app(columns, mb_value_get(object, "app"));
    fleet_take_text(columns, "process", object, "process");
    fleet_take_class(columns, mb_value_get(object, "app"), object);
    fleet_take_time(columns, "ts", object, "until_ms");
    fleet_take_number(columns, "date", object, "day");
}

static int64_t sum_of(const struct mb_value *list, const char *member)
{
    int64_t sum = 0;

    for (MB_EACH_VALUE(item, list)) {
        int64_t number = mb_value_integer(mb_value_get(item, member));
        sum += number > 0 && number <= UINT32_MAX ? number : 0;
    }
    return sum < FLEET_RANGE ? sum : FLEET_RANGE;
}

/* [bucket, n] */
static bool read_pair(const struct mb_value *pair, int64_t *bucket, int64_t *count)
{
    bool is_pair = mb_value_is(pair, MB_JSON_LIST) && mb_value_count(pair) == 2;
    const struct mb_value *first = is_pair ? mb_value_first(pair) : NULL;

    *bucket = mb_value_integer(first);
    *count = is_pair ? mb_value_integer(mb_value_next(pair, first)) : 0;
    return is_pair && *bucket >= 0 && *bucket <= MOST_BUCKET && *count >= 1 && *count <= UINT32_MAX;
}

static void put_list(const struct fleet_columns *columns, const char *column,
                     const struct mb_value *buckets, bool is_count)
{
    unsigned left = MOST_BUCKET + 1;

    mb_json_open(columns->row, column, "[");
    for (MB_EACH_VALUE(pair, buckets)) {
        int64_t bucket;
        int64_t count;
        bool is_one = left > 0 && read_pair(pair, &bucket, &count);
        if (is_one) {
            mb_json_number(columns->row, NULL, is_count ? count : bucket);
        }
        columns->refused[FLEET_OUT_OF_RANGE] += !is_one && !is_count;
        left -= left > 0;
    }
    mb_json_close(columns->row, "]");
}

/* One item for each of a list of the session's, whose objects have a name and buckets. */
static void put_sums(const struct fleet_columns *columns, const struct mb_value *sums,
                     const char *kind, const char *named)
{
    for (MB_EACH_VALUE(sum, sums)) {
        const struct mb_value *buckets = mb_value_get(sum, "buckets");
        if (mb_value_count(buckets) > 0) {
            mb_json_open(columns->row, NULL, "{");
            mb_json_string(columns->row, "kind", kind);
            fleet_take_cut(columns, "name", mb_value_text(mb_value_get(sum, named)));
            put_list(columns, "bucket_list", buckets, false);
            put_list(columns, "n_list", buckets, true);
            mb_json_close(columns->row, "}");
        }
    }
}

static void put_counts(const struct fleet_columns *columns, const struct mb_value *details)
{
    mb_json_open(columns->row, "count_list", "[");
    for (MB_EACH_VALUE(detail, details)) {
        mb_json_open(columns->row, NULL, "{");
        fleet_take_text(columns, "detail", detail, "detail");
        fleet_take_number(columns, "seen", detail, "seen");
        fleet_take_number(columns, "written", detail, "written");
        fleet_take_number(columns, "reported", detail, "reported");
        mb_json_close(columns->row, "}");
    }
    mb_json_close(columns->row, "]");
}

static void put_session(const struct fleet_columns *columns, const struct mb_value *object)
{
    const struct mb_value *frames = mb_value_get(object, "frames");
    const struct mb_value *starts = mb_value_get(object, "starts");
    int64_t from_ms = mb_value_integer(mb_value_get(object, "from_ms"));
    int64_t until_ms = mb_value_integer(mb_value_get(object, "until_ms"));

    if (from_ms > 0 && from_ms <= until_ms && until_ms <= columns->latest_ms) {
        mb_json_number(columns->row, "lasted_ms", until_ms - from_ms);
    }
    mb_json_number(columns->row, "starts", sum_of(starts, "n"));
    mb_json_number(columns->row, "frames", sum_of(frames, "n"));
    mb_json_number(columns->row, "late_ms", sum_of(frames, "late_ms"));
    mb_json_open(columns->row, "sum_list", "[");
    put_sums(columns, frames, "frame", "scene");
    put_sums(columns, starts, "start", "kind");
    mb_json_close(columns->row, "]");
    put_counts(columns, mb_value_get(object, "issues"));
}

static enum issues_verdict take_session(struct fleet_rows *rows, const struct mb_value *object)
{
    if (!fleet_is_understood(object)) {
        rows->refused[FLEET_OTHER_SCHEMA]++;
        return ISSUES_OTHER;
    }
    const struct fleet_columns columns = {fleet_begin_row(rows->writer, FLEET_TABLE_sessions),
                                          rows->refused, rows->latest_ms};
    take_session_who(&columns, object);
    put_session(&columns, object);
    fleet_end_row(rows->writer);
    return ISSUES_OTHER;
}

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

enum issues_verdict fleet_take_object(void *context, const struct mb_value *object)
{
    struct fleet_rows *rows = context;
    const struct mb_value *own = mb_value_get(object, ABI_ISSUE_OWN);

    if (is_session(object)) {
        return take_session(rows, object);
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

bool fleet_rows_collect(struct fleet_rows *rows, struct issues_collection *all)
{
    bool is_ready = issues_collection_init(all);

    all->unpacker = &fleet_unpacker;
    all->take = fleet_take_object;
    all->context = rows;
    return is_ready;
}

void fleet_rows_finish(struct fleet_rows *rows)
{
    mb_buf_finish(&rows->frames);
    mb_buf_finish(&rows->scratch);
}
