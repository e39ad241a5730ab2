/* What recording has cost, and what to do where that is much. */

#include "export/text.h"

#include <inttypes.h>
#include <string.h>

#define MUCH_PERCENT 10

/* Time in calls with a processor, as far as it is known. */
static int64_t worked_ns(const struct export_report *report)
{
    int64_t sum_ns = 0;

    for (size_t i = 0; i < report->thread_count; i++) {
        const struct export_thread *thread = &report->threads[i];
        sum_ns =
            trace_add(sum_ns, trace_subtract(trace_subtract(thread->busy_ns, thread->waited_ns),
                                             thread->ready_ns));
    }
    return sum_ns;
}

/* Of the records of the time that the report has, in which a profile may lack some; what rings have
 * lost took its time outside of that. Of the time in calls they took no more than all. */
static int64_t shown_ns(const struct export_report *report)
{
    int64_t ns = export_shown_overhead_ns(report);
    int64_t all_ns = worked_ns(report);

    return ns < all_ns ? ns : all_ns > 0 ? all_ns : 0;
}

static bool is_much(const struct export_report *report)
{
    int64_t all_ns = worked_ns(report);

    return all_ns > 0 && shown_ns(report) > all_ns / 100 * MUCH_PERCENT;
}

/* By what that was reckoned. */
static void put_basis(const struct export_report *report, struct mb_buf *text)
{
    double probe_ns = export_probe_ns(report);
    bool is_usual = (uint64_t)(probe_ns + 0.5) == 2 * export_record_ns(report);

    if (is_usual) {
        mb_buf_printf(text, " %% of the time here (%" PRIu64 " ns a record)",
                      export_record_ns(report));
    } else {
        mb_buf_printf(text, " %% of the time here (%.0f ns a call, as the cheapest ones show)",
                      probe_ns);
    }
}

void export_tell_overhead(const struct export_report *report, export_item_put *put,
                          struct mb_buf *out)
{
    struct mb_buf text = {0};

    mb_buf_put_string(&text, "about ");
    export_put_time(&text, export_overhead_ns(report), 0);
    mb_buf_put_string(&text, " in all, ");
    export_put_percent(&text, shown_ns(report), worked_ns(report), 0);
    put_basis(report, &text);
    mb_buf_printf(&text,
                  ", in calls of probes; larger code takes a JVM %d to %d %% more CPU time "
                  "besides, as measured "
                  "of other programs",
                  EXPORT_CODE_LEAST_PERCENT, EXPORT_CODE_MOST_PERCENT);
    put(report, out, "overhead", &text);
    mb_buf_finish(&text);
}

void export_put_overhead(const struct export_report *report, struct mb_buf *out)
{
    export_tell_overhead(report, export_put_item, out);
}

/* For a shell: as it is, or in quotes. */
static void put_argument(struct mb_buf *out, struct mb_text text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./:=@%,";
    bool is_plain = text.size > 0;

    for (size_t i = 0; i < text.size; i++) {
        is_plain = is_plain && text.data[i] != '\0' && strchr(plain, text.data[i]) != NULL;
    }
    if (is_plain) {
        mb_buf_put(out, text.data, text.size);
        return;
    }
    mb_buf_put_u1(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        mb_buf_put(out, text.data[i] == '\'' ? "'\\''" : &text.data[i],
                   text.data[i] == '\'' ? 4 : 1);
    }
    mb_buf_put_u1(out, '\'');
}

void export_put_advice(const struct export_report *report, struct mb_buf *out)
{
    struct mb_buf command = {0};

    if (!is_much(report) || report->trace_path.size == 0) {
        return;
    }
    export_put_heading(report, out,
                       "Less overhead: list what costs most to record, for --blacklist");
    mb_buf_put_string(&command, "methodbeat tune ");
    put_argument(&command, report->trace_path);
    if (report->map_path.size > 0) {
        mb_buf_put_string(&command, " --method-map ");
        put_argument(&command, report->map_path);
    }
    mb_buf_put_string(out, "  ");
    mb_buf_put_printable(out, (struct mb_text){(char *)command.bytes, command.size});
    mb_buf_put_string(out, " > hot.txt\n");
    out->failed = out->failed || command.failed;
    mb_buf_finish(&command);
}
