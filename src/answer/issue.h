/* An issue as it was written, by the monitors or by Matrix's TraceCanary, and what several of one
 * cause have in common. */

#ifndef ANSWER_ISSUE_H
#define ANSWER_ISSUE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_UNKNOWN INT64_MIN

/* When something was, by clocks that other programs have too. */
struct answer_when {
    int64_t begin_ns;  /* on CLOCK_MONOTONIC, or ANSWER_UNKNOWN */
    int64_t lasted_ns; /* or ANSWER_UNKNOWN */
    int64_t until_ms;  /* since 1970, or ANSWER_UNKNOWN */
    uint64_t mapping;  /* hash of the method map; 0 if unknown */
    struct mb_text r8; /* id of the build, in the mapping of R8 */
};

enum answer_load {
    ANSWER_LOAD_UNKNOWN,
    ANSWER_BLOCKED, /* its thread had a processor for less than half of the time */
    ANSWER_BUSY,
};

/* Frames of a scene, summed up; frames 0: at most their rate is known. */
#define ANSWER_LEVELS 5u /* from the best to frozen */
struct answer_drawn {
    bool has_fps;
    uint32_t frames;
    uint32_t levels[ANSWER_LEVELS]; /* of these */
    int64_t fps;                    /* hundredths of frames a second, and of the display: */
    int64_t refresh;
    int64_t late_ns; /* lost by all of them */
    int64_t longest_ns;
    int64_t hitch_us; /* lost in a second of drawing */
    uint32_t lacking; /* frames of which the device did not know a time */
};

/* What tells who an issue comes from. */
enum answer_origin {
    ANSWER_VERSIONS, /* "5.2.1" of the app */
    ANSWER_DEVICES,  /* "Pixel 6 (API 33)" */
    ANSWER_ORIGINS,
};

/* Texts are empty if the issue does not have them. The reader of the issue owns them. */
struct answer_issue {
    struct answer_when when;
    int64_t cost_ns;       /* that the loop stood still; or ANSWER_UNKNOWN */
    uint32_t key;          /* method id that stackKey names; 0 if none */
    struct mb_text detail; /* our own where Matrix has none like it */
    struct mb_text process;
    struct mb_text scene;
    struct mb_text incident;
    struct mb_text loop; /* the thread, by name */
    struct mb_text message;
    struct mb_text ended;    /* but "normal" */
    struct mb_text system;   /* why the system says that the process ended */
    struct mb_text app_key;  /* the function to blame */
    struct mb_text waits_in; /* what it called to wait */
    struct mb_text platform; /* prefixes of functions that are not the program's own */
    struct mb_text frames;   /* of the stack that explains it, a line each, innermost first */
    struct mb_text threads;  /* the text of all stacks */
    struct mb_text stack;    /* of the method trace: "depth,id,count,ms\n" */
    struct mb_text told_key; /* of the program's own */
    struct mb_text told;     /* its value, as JSON */
    struct mb_text often;    /* "5 of 300 ms or more within 60000 ms" */
    struct mb_text figures;  /* of drawing, of a start or of the processor; U+00A0 before units */
    struct mb_text origins[ANSWER_ORIGINS];
    uint32_t samples;
    uint32_t repeats; /* samples that have the innermost frame */
    uint32_t seen;    /* of its key on its device that day so far, written or not; 0: not known */
    uint32_t line;    /* in its file */
    struct mb_text file;
    enum answer_load load;
    struct answer_drawn drawn;
};

#define ANSWER_MOST_DETAILS 8u /* of a cause that are told apart */

struct answer_detail_count {
    struct mb_text detail; /* empty: others */
    size_t count;
};

/* How many issues of a cause come from a version, or from devices of one kind. */
struct answer_origin_count {
    struct mb_text name;
    size_t count;
    size_t cause; /* these two are set and used by the counting code */
    enum answer_origin origin;
};

struct answer_origins {
    const struct answer_origin_count *rows; /* greatest count first */
    size_t count;
};

/* Issues that have something in common. */
struct answer_cause {
    struct mb_text label; /* empty: they have nothing to group them by */
    size_t count;
    size_t seen; /* the most of a key on a device in a day; 0: not known */
    int64_t total_ns;
    int64_t first_ms; /* or ANSWER_UNKNOWN */
    int64_t last_ms;
    const struct answer_issue *worst; /* the longest */
    struct answer_detail_count details[ANSWER_MOST_DETAILS];
    struct answer_origins origins[ANSWER_ORIGINS]; /* of issues that say; borrowed */
};

/* "2026-09-21 14:13:35"; its first 10 bytes are the day. */
#define ANSWER_TIME_SIZE 32u
void answer_format_time(char text[ANSWER_TIME_SIZE], int64_t ms);

#endif
