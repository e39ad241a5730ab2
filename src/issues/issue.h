/* An issue as it was written, by the monitors or by Matrix's TraceCanary: the JSON of
 * monitor/issue.h, of which Matrix has the outer part. */

#ifndef ISSUES_ISSUE_H
#define ISSUES_ISSUE_H

#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>

#define ISSUES_UNKNOWN INT64_MIN

enum issues_load {
    ISSUES_LOAD_UNKNOWN,
    ISSUES_BLOCKED, /* its thread had a processor for less than half of the time */
    ISSUES_BUSY,
};

#define ISSUES_LEVELS 5u /* from the best to frozen */

/* Frames of a scene, summed up; frames 0: there are none, or only their rate is told. */
struct issues_drawn {
    bool has_fps;
    uint32_t frames;
    uint32_t levels[ISSUES_LEVELS]; /* of these */
    int64_t fps;                    /* hundredths of frames a second, of the display likewise */
    int64_t refresh;
    int64_t late_ns; /* lost by all of them */
    int64_t longest_ns;
    int64_t hitch_us; /* lost in a second of drawing */
};

/* Texts are numbers in the collection's pool, 0 if it does not say. */
struct issues_issue {
    int64_t time_ms;   /* when it ended, since 1970; or ISSUES_UNKNOWN */
    int64_t cost_ns;   /* that the loop stood still; or ISSUES_UNKNOWN */
    int64_t begin_ns;  /* on CLOCK_MONOTONIC */
    int64_t length_ns; /* until it ended, whatever its kind */
    uint64_t mapping;  /* hash of the method map; 0: none */
    uint32_t key;      /* method id that stackKey names; 0: none */
    uint32_t detail;   /* our own where Matrix has none like it */
    uint32_t process;
    uint32_t scene;
    uint32_t incident;
    uint32_t loop;
    uint32_t message;
    uint32_t ended;  /* but "normal" */
    uint32_t system; /* what the system said of the process's end */
    uint32_t app_key;
    uint32_t frames;   /* of the stack that explains it, a line each, innermost first */
    uint32_t stack;    /* of the method trace: "depth,id,count,ms\n" */
    uint32_t told_key; /* of the program's own */
    uint32_t told;     /* its value, as JSON */
    uint32_t often;    /* "5 of 300 ms or more within 60000 ms" */
    uint32_t figures;  /* of drawing, of a start or of the processor, in words */
    uint32_t samples;
    uint32_t repeats; /* samples that have the innermost frame */
    uint32_t line;    /* in its file */
    uint32_t file;
    enum issues_load load;
    struct issues_drawn drawn;
};

/* An item of the method trace. */
struct issues_item {
    uint64_t depth;
    uint64_t id;
    uint64_t count;
    int64_t ms;
};

/* Cut the next item off; false at the end, and at what is none. */
bool issues_take_item(struct mb_text *stack, struct issues_item *item);

struct json_t;

enum issues_verdict {
    ISSUES_ISSUE,
    ISSUES_OTHER, /* of another kind: frame rates, start-up */
    ISSUES_NO_ISSUE,
    ISSUES_NO_MEMORY,
};

/* object is any JSON object. A member of another type than it should have counts as missing. */
enum issues_verdict issues_issue_parse(struct issues_issue *issue, struct mb_intern *texts,
                                       const struct json_t *object);

#endif
