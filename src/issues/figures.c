#include "issues/issue.h"

#include "abi/issue.h"
#include "answer/words.h"
#include "base/clock.h"

#include <inttypes.h>

#define MOST_NS (INT64_C(1) << 56)
#define MOST_THREADS 5u
#define MOST_FPS 1e6

static const char *const level_words[ANSWER_LEVELS] = {ABI_LEVELS(ABI_LEVEL_WORD)};

static int64_t number_of(const struct mb_value *object, const char *key, int64_t most)
{
    int64_t number = mb_value_integer(mb_value_get(object, key));

    return number < 0 ? 0 : number > most ? most : number;
}

static int64_t ns_of(const struct mb_value *object, const char *key)
{
    return number_of(object, key, MOST_NS / MB_NS_PER_MS) * MB_NS_PER_MS;
}

/* scale of it, rounded. */
static int64_t scaled_of(const struct mb_value *object, const char *key, double scale)
{
    double number = mb_value_number(mb_value_get(object, key)) * scale;

    return number > 0 && number < 1e15 ? (int64_t)(number + 0.5) : 0;
}

/* Neither negative nor too large. */
static bool is_rate(const struct mb_value *value)
{
    return mb_value_is_number(value) && mb_value_number(value) >= 0 &&
           mb_value_number(value) <= MOST_FPS;
}

/* No line ends between number and unit. */
static void put_time(struct mb_buf *out, int64_t ns)
{
    struct mb_buf text = {0};

    answer_put_time(&text, ns, 0);
    struct mb_text unit = {(const char *)text.bytes, text.size};
    struct mb_text number = mb_text_split(&unit, ' ');
    mb_buf_put(out, number.data, number.size);
    mb_buf_put_string(out, "\xc2\xa0");
    mb_buf_put(out, unit.data, unit.size);
    mb_buf_finish_part(out, &text);
}

/* ---- Frames ---- */

void issues_drawn_parse(struct answer_drawn *drawn, const struct mb_value *object,
                        const struct mb_value *own)
{
    static const char *const keys[ANSWER_LEVELS] = {ABI_LEVELS(ABI_LEVEL_KEY)};
    const struct mb_value *frames = mb_value_get(own, ABI_OWN_FRAMES);
    const struct mb_value *levels = mb_value_get(object, ABI_ISSUE_DROP_LEVEL);

    *drawn = (struct answer_drawn){
        .has_fps = is_rate(mb_value_get(object, ABI_ISSUE_FPS)),
        .frames = (uint32_t)number_of(frames, ABI_FRAMES_COUNT, UINT32_MAX),
        .fps = scaled_of(object, ABI_ISSUE_FPS, 100),
        .refresh = scaled_of(frames, ABI_FRAMES_REFRESH, 100),
        .late_ns = ns_of(frames, ABI_FRAMES_LATE_MS),
        .longest_ns = ns_of(frames, ABI_FRAMES_LONGEST_MS),
        .hitch_us = scaled_of(frames, ABI_FRAMES_HITCH, 1000),
        .lacking = (uint32_t)number_of(frames, ABI_FRAMES_LACKING, UINT32_MAX),
    };
    for (size_t i = 0; i < ANSWER_LEVELS; i++) {
        drawn->levels[i] = (uint32_t)number_of(levels, keys[i], UINT32_MAX);
    }
}

static void put_drawn(struct mb_buf *out, const struct answer_drawn *drawn)
{
    mb_buf_printf(out, "%" PRIu32 " frames, %" PRId64 ".%" PRId64 " of %" PRId64 " a second, ",
                  drawn->frames, drawn->fps / 100, drawn->fps % 100 / 10,
                  (drawn->refresh + 50) / 100);
    put_time(out, drawn->late_ns);
    mb_buf_put_string(out, " late, the longest ");
    put_time(out, drawn->longest_ns);
    for (size_t i = 1; i < ANSWER_LEVELS; i++) {
        if (drawn->levels[i] > 0) {
            mb_buf_printf(out, ", %" PRIu32 " %s", drawn->levels[i], level_words[i]);
        }
    }
    if (drawn->lacking > 0) {
        mb_buf_printf(out, ", %" PRIu32 " lack a time that the device did not know",
                      drawn->lacking);
    }
}

/* ---- Starts ---- */

static void put_stage(struct mb_buf *out, const struct mb_value *start, const char *key,
                      const char *words)
{
    int64_t ns = ns_of(start, key);

    if (ns > 0) {
        mb_buf_put_string(out, words);
        put_time(out, ns);
    }
}

static void put_start(struct mb_buf *out, const struct mb_value *start)
{
    struct mb_text kind = mb_value_text(mb_value_get(start, ABI_START_KIND));

    mb_buf_put(out, kind.data, kind.size);
    mb_buf_put_string(out, " start");
    put_stage(out, start, ABI_START_DRAWN_MS, ", drawn after ");
    put_stage(out, start, ABI_START_FOCUSED_MS, ", with the focus after ");
    put_stage(out, start, ABI_START_FULLY_DRAWN_MS, ", fully drawn after ");
}

/* ---- The processor ---- */

static void put_busy_thread(struct mb_buf *out, const struct mb_value *thread)
{
    const struct mb_value *name = mb_value_get(thread, ABI_THREAD_NAME);

    mb_buf_put_string(out, ", ");
    if (mb_value_is(name, MB_JSON_STRING)) {
        mb_buf_put(out, name->text.data, name->text.size);
        mb_buf_put_u1(out, ' ');
    }
    put_time(out, number_of(thread, ABI_THREAD_CPU_NS, MOST_NS));
}

static void put_cpu(struct mb_buf *out, const struct mb_value *cpu)
{
    const struct mb_value *threads = mb_value_get(cpu, ABI_CPU_THREADS);
    unsigned count = 0;

    put_time(out, number_of(cpu, ABI_CPU_USED_NS, MOST_NS));
    mb_buf_put_string(out, " of a processor's time in ");
    put_time(out, number_of(cpu, ABI_CPU_OF_NS, MOST_NS));
    for (MB_EACH_VALUE(thread, threads)) {
        if (count++ < MOST_THREADS) {
            put_busy_thread(out, thread);
        }
    }
}

void issues_put_figures(struct mb_buf *out, const struct answer_drawn *drawn,
                        const struct mb_value *own)
{
    const struct mb_value *start = mb_value_get(own, ABI_OWN_START);
    const struct mb_value *cpu = mb_value_get(own, ABI_OWN_CPU);

    if (drawn->frames > 0) {
        put_drawn(out, drawn);
    } else if (mb_value_is(mb_value_get(start, ABI_START_KIND), MB_JSON_STRING)) {
        put_start(out, start);
    } else if (mb_value_is(cpu, MB_JSON_OBJECT)) {
        put_cpu(out, cpu);
    }
}
