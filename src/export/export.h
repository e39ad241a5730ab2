/* What a decoded trace tells, and the formats it can be written in: one file each behind one
 * table. Pure functions of their input. */

#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/buf.h"
#include "base/text.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* The name of a method; empty if unknown. The text must last as long as the report. */
struct export_names {
    struct mb_text (*find)(const void *context, uint32_t id);
    const void *context;
};

struct export_thread {
    struct mb_text name;
    uint32_t id;
    bool is_main;
    bool is_live;           /* had not ended when the recording did */
    uint64_t lapped_words;  /* overwritten by newer ones */
    uint64_t missing_words; /* that the file is too short for */
    uint64_t dropped_calls; /* shorter than min_ns */
    uint64_t calls;         /* decoded */
    struct trace_losses losses;
    uint64_t start_ns;                  /* of the first call */
    uint64_t end_ns;                    /* of the last word */
    int64_t busy_ns;                    /* inside calls */
    const struct trace_method *methods; /* in no order; times in units */
    size_t method_count;
};

/* A message, or an outermost call where no messages were recorded. */
struct export_slow {
    const struct export_thread *thread;
    uint64_t start_ns;
    int64_t duration_ns;
    uint32_t id;
    uint32_t key;
    bool is_open;
    const struct trace_item *items; /* trimmed; depths count from the message; times in units */
    size_t item_count;
};

/* Slow messages of one key. */
struct export_group {
    uint32_t key;
    uint64_t count;
    int64_t total_ns;
    int64_t longest_ns;
};

/* All borrowed. */
struct export_report {
    struct mb_text process_name;
    uint32_t process_id;
    bool is_closed; /* the recorder stopped in good order */
    bool is_coarse_clock;
    uint64_t ns_per_unit; /* abi/tracefile.h; for times inside items */
    uint64_t resolution_ns;
    uint64_t min_ns;
    int64_t wall_start_ns;
    uint64_t refused_words;
    uint64_t recycled_words;
    bool has_messages;
    int64_t threshold_ns;
    size_t top; /* rows of a table that people read */
    bool colour;

    const struct export_thread *threads; /* main first */
    size_t thread_count;
    const struct export_slow *slow; /* longest first */
    size_t slow_count;
    uint64_t root_count; /* messages, or outermost calls, slow or not */
    int64_t longest_root_ns;
    const struct export_group *groups; /* greatest total first */
    size_t group_count;
    const struct trace_method *methods; /* in no order; times in units */
    size_t method_count;
    const struct mb_text *notes; /* what could not be read, in words */
    size_t note_count;
    struct export_names names;
};

struct export_format {
    const char *name;
    /* Before the first thread and for each thread with its whole tree; NULL if the format does not
     * need it. report has no results yet, thread and stack last for the call. */
    void (*begin)(const struct export_report *report, struct mb_buf *out);
    void (*thread)(const struct export_report *report, const struct export_thread *thread,
                   const struct trace_stack *stack, struct mb_buf *out);
    void (*end)(const struct export_report *report, struct mb_buf *out);
};

extern const struct export_format export_text;
extern const struct export_format export_json;
extern const struct export_format export_matrix;
extern const struct export_format export_folded;
extern const struct export_format export_chrome;

/* NULL if there is no such format. */
const struct export_format *export_find(const char *name);

/* ---- For the formats ---- */

/* The method's name, or "#id". */
void export_put_name(struct mb_buf *out, const struct export_names *names, uint32_t id);
void export_put_json_name(struct mb_buf *out, const struct export_names *names, uint32_t id);

/* Units of the words as nanoseconds; negative ones too. */
int64_t export_ns(const struct export_report *report, int64_t units);

/* "1234.567", right-aligned in width; digits after the point are cut. */
void export_put_ms(struct mb_buf *out, int64_t ns, int width);

/* Method rows in the order of a table; NULL without memory. Free with free. */
enum export_order { EXPORT_BY_TOTAL, EXPORT_BY_SELF, EXPORT_BY_CALLS };
struct trace_method *export_sort_methods(const struct trace_method *methods, size_t count,
                                         enum export_order order);

/* What recording has cost, roughly: a record with the clock that was used, and all of them. */
uint64_t export_record_ns(const struct export_report *report);
int64_t export_overhead_ns(const struct export_report *report);

/* Sums over the threads. */
struct export_sums {
    uint64_t words;
    uint64_t lapped_words;
    uint64_t missing_words;
    uint64_t dropped_calls;
    uint64_t calls;
    uint64_t open_calls;
    uint64_t lost_entries;
    uint64_t lost_exits;
    uint64_t time_went_back;
    uint64_t start_ns; /* of the first call */
    uint64_t end_ns;
};
struct export_sums export_sum(const struct export_report *report);

#endif
