#include "monitor/stall.h"

#include "base/clock.h"

#define MOST_GAP_NS (INT64_C(1) << 60)

static struct mon_message *find_open(struct mon_messages *messages, int64_t begin_ns)
{
    for (uint32_t i = 0; i < messages->count; i++) {
        if (messages->open[i].begin_ns == begin_ns) {
            return &messages->open[i];
        }
    }
    return NULL;
}

/* When the table is full the outermost is forgotten: its gaps then count as its time. */
static struct mon_message *add_open(struct mon_messages *messages, int64_t begin_ns)
{
    if (messages->count == MON_OPEN_MESSAGES) {
        for (uint32_t i = 1; i < MON_OPEN_MESSAGES; i++) {
            messages->open[i - 1] = messages->open[i];
        }
        messages->count--;
    }
    struct mon_message *message = &messages->open[messages->count++];
    *message = (struct mon_message){.begin_ns = begin_ns};
    return message;
}

/* Messages that began later have ended with this one. */
static void close_from(struct mon_messages *messages, int64_t begin_ns)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < messages->count; i++) {
        if (messages->open[i].begin_ns < begin_ns) {
            messages->open[kept++] = messages->open[i];
        }
    }
    messages->count = kept;
}

static int64_t not_negative(int64_t length_ns)
{
    return length_ns > 0 ? length_ns : 0;
}

struct mon_lengths mon_measure(struct mon_messages *messages, const struct mon_slow *slow,
                               int64_t end_ns, const struct mon_gaps *gaps)
{
    struct mon_lengths lengths = {
        .stretch_ns = mon_watched(gaps, slow->stretch_ns, end_ns),
        .gap_ns = mon_gaps_within(gaps, slow->stretch_ns, end_ns),
    };
    struct mon_message *message = find_open(messages, slow->begin_ns);

    if (slow->is_open) {
        message = message != NULL ? message : add_open(messages, slow->begin_ns);
        message->gap_ns += lengths.gap_ns;
        if (message->gap_ns > MOST_GAP_NS) { /* stretches that overlap: not a true story */
            message->gap_ns = MOST_GAP_NS;
        }
        return lengths;
    }
    lengths.gap_ns += message != NULL ? message->gap_ns : 0;
    lengths.own_ns = not_negative(end_ns - slow->begin_ns - slow->nested_ns - lengths.gap_ns);
    close_from(messages, slow->begin_ns);
    return lengths;
}

int64_t mon_threshold_ns(const struct mon_options *options, enum mon_detail detail,
                         bool is_foreground)
{
    int64_t ms = 0;

    switch (detail) {
    case MON_NORMAL:
        ms = options->evil_enable ? options->evil_ms : 0;
        break;
    case MON_LAG:
        ms = options->lag_ms;
        break;
    case MON_ANR:
        ms = is_foreground ? options->anr_ms : 2 * options->anr_ms;
        break;
    case MON_HANG:
        ms = options->hang_ms;
        break;
    case MON_NOTHING:
    case MON_OFTEN:
    case MON_BUSY:
    case MON_CUSTOM:
    case MON_FPS:
    case MON_START:
    case MON_SLOW_START:
    case MON_EXIT_ANR:
    case MON_DETAIL_COUNT:
        break;
    }
    if (ms == 0 || (detail != MON_NORMAL && !options->stall_enable)) {
        return INT64_MAX;
    }
    return ms * MB_NS_PER_MS;
}

enum mon_detail mon_judge_stall(const struct mon_options *options, int64_t stretch_ns,
                                bool is_foreground)
{
    static const enum mon_detail worst_first[] = {MON_HANG, MON_ANR, MON_LAG};

    for (size_t i = 0; i < MB_COUNT(worst_first); i++) {
        if (stretch_ns >= mon_threshold_ns(options, worst_first[i], is_foreground)) {
            return worst_first[i];
        }
    }
    return MON_NOTHING;
}

enum mon_detail mon_judge(const struct mon_options *options, const struct mon_lengths *lengths,
                          bool is_foreground)
{
    enum mon_detail detail = mon_judge_stall(options, lengths->stretch_ns, is_foreground);

    if (detail == MON_NOTHING &&
        lengths->own_ns >= mon_threshold_ns(options, MON_NORMAL, is_foreground)) {
        return MON_NORMAL;
    }
    return detail;
}
