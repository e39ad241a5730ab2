#include "issues/issue.h"

#include "abi/identity.h"
#include "abi/issue.h"
#include "base/clock.h"
#include "issues/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_NS (INT64_C(1) << 56)            /* two years: sums of them fit */
#define MOST_TIME_MS INT64_C(253402300799999) /* the last of year 9999 */

/* One object at work. */
struct parsing {
    struct answer_issue *issue;
    struct mb_intern *texts;
    const struct mb_value *own; /* "methodbeat"; or NULL */
    bool has_memory;
};

static struct mb_text keep_text(struct parsing *p, struct mb_text text)
{
    text.size = text.size < ISSUES_MOST_TEXT ? text.size : ISSUES_MOST_TEXT;
    uint32_t name = text.size > 0 ? mb_intern_add(p->texts, text) : MB_INTERN_NONE;

    p->has_memory = p->has_memory && (name != MB_INTERN_NONE || text.size == 0);
    return mb_intern_get(p->texts, name);
}

static struct mb_text take_text(struct parsing *p, const struct mb_value *object, const char *key)
{
    return keep_text(p, mb_value_text(mb_value_get(object, key)));
}

/* In [least, most], else ANSWER_UNKNOWN. */
static int64_t take_number(const struct mb_value *object, const char *key, int64_t least,
                           int64_t most)
{
    const struct mb_value *value = mb_value_get(object, key);
    int64_t number = mb_value_integer(value);

    return mb_value_is(value, MB_JSON_INTEGER) && number >= least && number <= most
               ? number
               : ANSWER_UNKNOWN;
}

static uint32_t take_count(const struct mb_value *object, const char *key)
{
    int64_t number = take_number(object, key, 0, UINT32_MAX);

    return number != ANSWER_UNKNOWN ? (uint32_t)number : 0;
}

uint64_t issues_take_word(const struct mb_value *object, const char *member)
{
    static const char digits[] = "0123456789abcdef";
    struct mb_text text = mb_value_text(mb_value_get(object, member));
    uint64_t word = 0;

    for (size_t i = 0; i < text.size; i++) {
        const char *digit = text.data[i] != '\0' ? strchr(digits, text.data[i]) : NULL;
        if (digit == NULL || i == 16) {
            return 0;
        }
        word = word << 4 | (uint64_t)(digit - digits);
    }
    return word;
}

/* ---- Stacks ---- */

static bool take_field(struct mb_text *text, char separator, uint64_t limit, uint64_t *number)
{
    return mb_text_to_number(mb_text_split(text, separator), limit, number);
}

bool issues_take_item(struct mb_text *stack, struct issues_item *item)
{
    struct mb_text line = mb_text_split(stack, '\n');
    uint64_t ms;

    if (!take_field(&line, ',', UINT32_MAX, &item->depth) ||
        !take_field(&line, ',', UINT32_MAX, &item->id) ||
        !take_field(&line, ',', UINT32_MAX, &item->count)) {
        return false;
    }
    bool is_negative =
        line.size > 0 && line.data[0] == '-'; /* of a call that was open, in Matrix */
    line.data += is_negative;
    line.size -= is_negative;
    if (!mb_text_to_number(line, MOST_NS / MB_NS_PER_MS, &ms)) {
        return false;
    }
    item->ms = is_negative ? -(int64_t)ms : (int64_t)ms;
    return true;
}

/* The first of "171|" and, early, "171\n". */
static uint32_t key_of(struct mb_text text)
{
    size_t size = 0;
    uint64_t key;

    while (size < text.size && text.data[size] >= '0' && text.data[size] <= '9') {
        size++;
    }
    return mb_text_to_number((struct mb_text){text.data, size}, UINT32_MAX, &key) ? (uint32_t)key
                                                                                  : 0;
}

/* What explains it: the stack seen most; else the one of Matrix, or of the system's text. */
static struct mb_text find_frames(struct parsing *p, const struct mb_value *object,
                                  const struct mb_value *hottest)
{
    struct mb_buf lines = {0};

    for (MB_EACH_VALUE(item, mb_value_get(hottest, ABI_STACK_FRAMES))) {
        struct mb_text frame = mb_value_text(item);
        mb_buf_put(&lines, frame.data, frame.size);
        mb_buf_put_u1(&lines, '\n');
    }
    if (lines.size == 0) {
        issues_put_stack(&lines, mb_value_text(mb_value_get(object, ABI_ISSUE_THREAD_STACK)));
    }
    if (lines.size == 0) {
        issues_put_main_stack(&lines, p->issue->threads, p->issue->process,
                              mb_value_integer(mb_value_get(p->own, ABI_OWN_PID)));
    }
    p->has_memory = p->has_memory && !lines.failed;
    issues_cut_stack(&lines);
    struct mb_text name = keep_text(p, (struct mb_text){(const char *)lines.bytes, lines.size});
    mb_buf_finish(&lines);
    return name;
}

static void parse_stacks(struct parsing *p, const struct mb_value *object)
{
    const struct mb_value *hottest = mb_value_get(p->own, ABI_OWN_HOTTEST);
    const struct mb_value *repeats = mb_value_get(hottest, ABI_HOTTEST_REPEATS);
    int64_t first = mb_value_integer(mb_value_first(repeats));

    p->issue->key = key_of(mb_value_text(mb_value_get(object, ABI_ISSUE_STACK_KEY)));
    p->issue->stack = take_text(p, object, ABI_ISSUE_STACK);
    p->issue->threads = take_text(p, p->own, ABI_OWN_THREADS);
    p->issue->frames = find_frames(p, object, hottest);
    p->issue->samples = take_count(hottest, ABI_HOTTEST_SAMPLES);
    p->issue->repeats = first > 0 && first <= p->issue->samples ? (uint32_t)first : 0;
}

/* ---- Times ---- */

static bool is_detail(const struct parsing *p, const char *detail)
{
    return mb_text_is(p->issue->detail, detail);
}

/* "66.33%". */
static enum answer_load load_of(struct mb_text usage)
{
    uint64_t percent;

    if (!mb_text_to_number(mb_text_split(&usage, '.'), UINT32_MAX, &percent)) {
        return ANSWER_LOAD_UNKNOWN;
    }
    return percent >= 50 ? ANSWER_BUSY : ANSWER_BLOCKED;
}

/* OFTEN, FPS and EXIT_ANR have no duration; begin and length only place them in time. */
static void parse_times(struct parsing *p, const struct mb_value *object)
{
    struct answer_issue *issue = p->issue;
    int64_t ms = take_number(object, ABI_ISSUE_COST, 0, MOST_NS / MB_NS_PER_MS);
    const struct mb_value *busy = mb_value_get(p->own, ABI_OWN_BUSY);

    issue->when.until_ms = take_number(object, ABI_ISSUE_TIME, 1, MOST_TIME_MS);
    issue->cost_ns = take_number(p->own, ABI_OWN_WATCHED_NS, 0, MOST_NS);
    if (issue->cost_ns == ANSWER_UNKNOWN && ms != ANSWER_UNKNOWN) {
        issue->cost_ns = ms * MB_NS_PER_MS;
    }
    if (is_detail(p, ABI_DETAIL_OFTEN) || is_detail(p, ABI_DETAIL_FPS) ||
        is_detail(p, ABI_DETAIL_EXIT_ANR)) {
        issue->cost_ns = ANSWER_UNKNOWN;
    }
    issue->when.begin_ns = take_number(p->own, ABI_OWN_BEGIN_NS, INT64_MIN + 1, INT64_MAX);
    issue->when.lasted_ns = take_number(p->own, ABI_OWN_COST_NS, 0, MOST_NS);
    issue->load = load_of(mb_value_text(mb_value_get(object, ABI_ISSUE_USAGE)));
    if (mb_value_is_flag(busy)) {
        issue->load = mb_value_is(busy, MB_JSON_TRUE) ? ANSWER_BUSY : ANSWER_BLOCKED;
    }
}

static struct mb_text describe_often(struct parsing *p, const struct mb_value *often)
{
    char text[96];

    if (!mb_value_is(often, MB_JSON_OBJECT)) {
        return MB_TEXT("");
    }
    (void)snprintf(text, sizeof(text), "%u of %u\xc2\xa0ms or more within %u\xc2\xa0ms",
                   (unsigned)take_count(often, ABI_OFTEN_COUNT),
                   (unsigned)take_count(often, ABI_OFTEN_MS),
                   (unsigned)take_count(often, ABI_OFTEN_WINDOW_MS));
    return keep_text(p, mb_text_of(text));
}

/* ---- What it is ---- */

/* Of the program's own issues. */
static void parse_told(struct parsing *p)
{
    const struct mb_value *told = mb_value_get(p->own, ABI_OWN_TOLD);
    const struct mb_value *value = mb_value_get(told, ABI_TOLD_VALUE);
    struct mb_buf text = {0};

    p->issue->told_key = take_text(p, told, ABI_TOLD_KEY);
    if (value != NULL) {
        mb_buf_put_value(&text, value);
        p->issue->told = keep_text(p, (struct mb_text){(const char *)text.bytes, text.size});
    }
    if (mb_value_is(told, MB_JSON_OBJECT)) {
        p->issue->cost_ns = ANSWER_UNKNOWN;
    }
    p->has_memory = p->has_memory && !text.failed;
    mb_buf_finish(&text);
}

static void parse_figures(struct parsing *p, const struct mb_value *object)
{
    struct mb_buf words = {0};

    p->issue->seen = take_count(mb_value_get(p->own, ABI_OWN_COUNTED), ABI_COUNTED_SAME_KEY);
    issues_drawn_parse(&p->issue->drawn, object, p->own);
    p->issue->drawn.has_fps = p->issue->drawn.has_fps && is_detail(p, ABI_DETAIL_FPS);
    issues_put_figures(&words, &p->issue->drawn, p->own);
    p->has_memory = p->has_memory && !words.failed;
    p->issue->figures = keep_text(p, (struct mb_text){(const char *)words.bytes, words.size});
    mb_buf_finish(&words);
}

/* The loop's name or, where it has none, its number. */
static struct mb_text take_loop(struct parsing *p)
{
    const struct mb_value *loop = mb_value_get(p->own, ABI_OWN_LOOP);
    char text[24];

    if (!mb_value_is(loop, MB_JSON_INTEGER)) {
        return keep_text(p, mb_value_text(loop));
    }
    (void)snprintf(text, sizeof(text), "%" PRId64, mb_value_integer(loop));
    return keep_text(p, mb_text_of(text));
}

static void parse_names(struct parsing *p, const struct mb_value *object)
{
    struct answer_issue *issue = p->issue;
    struct mb_text ended = mb_value_text(mb_value_get(p->own, ABI_OWN_ENDED));

    issue->detail = take_text(p, p->own, ABI_OWN_DETAIL);
    if (issue->detail.size == 0) {
        issue->detail = take_text(p, object, ABI_ISSUE_DETAIL);
    }
    issue->process = take_text(p, object, ABI_ISSUE_PROCESS);
    issue->scene = take_text(p, object, ABI_ISSUE_SCENE);
    issue->incident = take_text(p, p->own, ABI_OWN_INCIDENT);
    issue->message = take_text(p, p->own, ABI_OWN_MESSAGE);
    issue->app_key = take_text(p, p->own, ABI_OWN_APP_KEY);
    issue->platform = take_text(p, p->own, ABI_OWN_PLATFORM);
    issue->loop = take_loop(p);
    issue->ended = mb_text_is(ended, ABI_ENDED_NORMAL) ? MB_TEXT("") : keep_text(p, ended);
    issue->system = take_text(p, p->own, ABI_OWN_REASON);
    issue->often = describe_often(p, mb_value_get(p->own, ABI_OWN_OFTEN));
    issue->when.mapping = issues_take_word(p->own, ABI_OWN_MAPPING);
    issue->when.r8 = take_text(p, mb_value_get(p->own, ABI_IDENTITY_NAME), "r8");
}

/* ---- Who it comes from ---- */

/* The level of a system is a text, or a number. */
static struct mb_text level_of(const struct mb_value *app)
{
    const struct mb_value *level = mb_value_get(app, "os_level");

    return mb_value_is(level, MB_JSON_INTEGER) ? level->text : mb_value_text(level);
}

/* "Pixel 6 (API 33)", "Linux 6.1", or what of it is known. */
static void put_device(struct mb_buf *out, const struct mb_value *app)
{
    struct mb_text model = mb_value_text(mb_value_get(app, "model"));
    struct mb_text os = mb_value_text(mb_value_get(app, "os"));
    struct mb_text level = level_of(app);
    bool is_inside = model.size > 0 && os.size + level.size > 0;

    os = mb_text_is(os, "Android") && level.size > 0 ? MB_TEXT("API") : os;
    mb_buf_put(out, model.data, model.size);
    mb_buf_put_string(out, is_inside ? " (" : "");
    mb_buf_put(out, os.data, os.size);
    mb_buf_put_string(out, os.size > 0 && level.size > 0 ? " " : "");
    mb_buf_put(out, level.data, level.size);
    mb_buf_put_string(out, is_inside ? ")" : "");
}

static void parse_origins(struct parsing *p)
{
    const struct mb_value *app = mb_value_get(p->own, ABI_IDENTITY_NAME);
    struct mb_buf device = {0};

    put_device(&device, app);
    p->has_memory = p->has_memory && !device.failed;
    p->issue->origins[ANSWER_VERSIONS] = take_text(p, app, "version");
    p->issue->origins[ANSWER_DEVICES] =
        keep_text(p, (struct mb_text){(const char *)device.bytes, device.size});
    mb_buf_finish(&device);
}

/* A word that loggers use too is not enough. */
enum issues_verdict issues_judge(const struct mb_value *object)
{
    bool is_traced =
        mb_text_starts(mb_value_text(mb_value_get(object, ABI_ISSUE_TAG)), MB_TEXT(ABI_TAG_TRACE));
    bool has_detail = mb_value_is(mb_value_get(object, ABI_ISSUE_DETAIL), MB_JSON_STRING);

    if (mb_value_is(mb_value_get(object, ABI_ISSUE_OWN), MB_JSON_OBJECT) ||
        (has_detail && (is_traced || mb_value_get(object, ABI_ISSUE_STACK_KEY) != NULL ||
                        mb_value_get(object, ABI_ISSUE_THREAD_STACK) != NULL))) {
        return ISSUES_ISSUE;
    }
    return is_traced ? ISSUES_OTHER : ISSUES_NO_ISSUE;
}

enum issues_verdict issues_issue_parse(struct answer_issue *issue, struct mb_intern *texts,
                                       const struct mb_value *object)
{
    const struct mb_value *member = mb_value_get(object, ABI_ISSUE_OWN);
    struct parsing p = {.issue = issue,
                        .texts = texts,
                        .own = mb_value_is(member, MB_JSON_OBJECT) ? member : NULL,
                        .has_memory = true};
    enum issues_verdict verdict = issues_judge(object);

    if (verdict == ISSUES_ISSUE) {
        *issue = (struct answer_issue){0};
        parse_names(&p, object);
        parse_times(&p, object);
        parse_stacks(&p, object);
        parse_told(&p);
        parse_figures(&p, object);
        parse_origins(&p);
    }
    return p.has_memory ? verdict : ISSUES_NO_MEMORY;
}
