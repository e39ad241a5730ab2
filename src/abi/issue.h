/* The words of issue files that their writers (src/monitor) and readers
 * (src/issues) must agree on. An issue is a JSON object: Matrix's members and, below "methodbeat",
 * ours. A member is left out where it does not apply or is not known. Numbers are integers unless
 * said otherwise. The writers have more members, which nothing here reads. */

#ifndef ABI_ISSUE_H
#define ABI_ISSUE_H

/* ---- Files ---- */

#define ABI_FILE_END ".json"        /* of issue files */
#define ABI_FILE_SESSION "session-" /* names of sums of a day begin so: no issue */

/* ---- Names of details ---- */

#define ABI_DETAIL_NORMAL "NORMAL"     /* a slow message */
#define ABI_DETAIL_LAG "LAG"           /* a stall */
#define ABI_DETAIL_ANR "ANR"           /* a longer one */
#define ABI_DETAIL_HANG "HANG"         /* one longer still */
#define ABI_DETAIL_OFTEN "OFTEN"       /* many stalls in a window */
#define ABI_DETAIL_CPU "CPU"           /* the process used much of it */
#define ABI_DETAIL_FPS "FPS"           /* how a scene is drawn */
#define ABI_DETAIL_START "START"       /* how long a start took */
#define ABI_DETAIL_STARTUP "STARTUP"   /* the same with its trace */
#define ABI_DETAIL_EXIT_ANR "EXIT_ANR" /* the system ended a process that did not respond */
#define ABI_DETAIL_CUSTOM "CUSTOM"     /* reported by the program */

/* ---- Members of the issue ---- */

#define ABI_ISSUE_TAG "tag"         /* string: what Matrix calls the kind */
#define ABI_ISSUE_PROCESS "process" /* string: name */
#define ABI_ISSUE_TIME "time"       /* ms since 1970: its end */
#define ABI_ISSUE_MACHINE "machine" /* string: class of the device, BEST to BAD */
#define ABI_ISSUE_DETAIL "detail"   /* string: Matrix's detail, or the nearest */
#define ABI_ISSUE_COST "cost"       /* ms: as watched_ns */
#define ABI_ISSUE_USAGE "usage" /* string "66.33%": time of the processor in the thread's time */
#define ABI_ISSUE_SCENE "scene" /* string: screen */
#define ABI_ISSUE_STACK "stack" /* string: lines "depth,method id,calls,ms" */
#define ABI_ISSUE_STACK_KEY "stackKey"       /* string "171|": id of the method to blame */
#define ABI_ISSUE_THREAD_STACK "threadStack" /* string: lines, each with ABI_STACK_LEAD */

#define ABI_TAG_TRACE "Trace_" /* all tags but that of CUSTOM begin so */
#define ABI_STACK_LEAD "at "

/* Of FPS. */
#define ABI_ISSUE_DROP_LEVEL "dropLevel" /* object: frames, by keys of levels */
#define ABI_ISSUE_FPS "fps"              /* decimal: frames a second */

/* Levels of frames, the best first: name, word, key. */
#define ABI_LEVELS(LEVEL)                     \
    LEVEL(BEST, "best", "DROPPED_BEST")       \
    LEVEL(NORMAL, "normal", "DROPPED_NORMAL") \
    LEVEL(MIDDLE, "middle", "DROPPED_MIDDLE") \
    LEVEL(HIGH, "high", "DROPPED_HIGH")       \
    LEVEL(FROZEN, "frozen", "DROPPED_FROZEN")
#define ABI_LEVEL_WORD(NAME, word, key) word,
#define ABI_LEVEL_KEY(NAME, word, key) key,

/* ---- Members of "methodbeat" ---- */

#define ABI_ISSUE_OWN "methodbeat"      /* object: */
#define ABI_OWN_SCHEMA "schema"         /* 1 */
#define ABI_OWN_CPU_NS "cpu_ns"         /* ns: of the thread */
#define ABI_OWN_FOREGROUND "foreground" /* true or false: the process */
#define ABI_OWN_INCIDENT "incident"     /* string "5f1c-17": unique among all processes */
#define ABI_OWN_DETAIL "detail"         /* string: a detail, or the program's own */
#define ABI_OWN_LOOP "loop"             /* string: name; or number */
#define ABI_OWN_MESSAGE "message"       /* string: what the loop was at */
#define ABI_OWN_BEGIN_NS "begin_ns"     /* ns of the monotonic clock */
#define ABI_OWN_COST_NS "cost_ns"       /* ns: by the clock, without messages nested in it */
#define ABI_OWN_WATCHED_NS "watched_ns" /* ns: the judged time, without gaps */
#define ABI_OWN_BUSY "busy"         /* true: the thread used more than half; else it was blocked */
#define ABI_OWN_ENDED "ended"       /* string: ABI_ENDED_NORMAL, or how else */
#define ABI_OWN_REASON "reason"     /* string: of an end, from the system */
#define ABI_OWN_HOTTEST "hottest"   /* object: the stack seen most */
#define ABI_OWN_APP_KEY "app_key"   /* string: the program's function to blame */
#define ABI_OWN_PLATFORM "platform" /* string: prefixes of what is not the program's own */
#define ABI_OWN_MAPPING "mapping"   /* string, hexadecimal: hash of the method map */
#define ABI_OWN_TOLD "told"         /* object: of CUSTOM */
#define ABI_OWN_PID "pid"           /* of a process that the system ended */
#define ABI_OWN_THREADS "threads"   /* string: all stacks, as the system or Java writes them */
#define ABI_OWN_OFTEN "often"       /* object: of OFTEN */
#define ABI_OWN_CPU "cpu"           /* object: of CPU */
#define ABI_OWN_FRAMES "frames"     /* object: of FPS */
#define ABI_OWN_START "start"       /* object: of START */
#define ABI_OWN_COUNTED "counted"   /* object: */

#define ABI_ENDED_NORMAL "normal"

/* Of "hottest". */
#define ABI_HOTTEST_SAMPLES "samples"
#define ABI_HOTTEST_REPEATS "repeats" /* list of numbers: samples that hold each frame */
#define ABI_STACK_FRAMES "frames"     /* list of strings, innermost first; also of "dumps" */

/* Of "told". */
#define ABI_TOLD_KEY "key"     /* string: equal for equal issues */
#define ABI_TOLD_VALUE "value" /* any value */

/* Of "often": count stalls of ms or more within the window. */
#define ABI_OFTEN_MS "ms"
#define ABI_OFTEN_COUNT "count"
#define ABI_OFTEN_WINDOW_MS "window_ms"

/* Of "cpu". */
#define ABI_CPU_USED_NS "used_ns"  /* ns of all processors */
#define ABI_CPU_OF_NS "of_ns"      /* ns by the clock */
#define ABI_CPU_THREADS "threads"  /* list of objects: the busiest, each with */
#define ABI_THREAD_NAME "name"     /* string */
#define ABI_THREAD_CPU_NS "cpu_ns" /* ns */

/* Of "frames". */
#define ABI_FRAMES_COUNT "count"
#define ABI_FRAMES_LACKING "lacking"       /* frames of which the device did not know a time */
#define ABI_FRAMES_LATE_MS "late_ms"       /* ms: of these, lost */
#define ABI_FRAMES_LONGEST_MS "longest_ms" /* ms: of one frame */
#define ABI_FRAMES_HITCH "hitch_ms_per_s"  /* decimal: ms lost for each second of drawing */
#define ABI_FRAMES_REFRESH "refresh"       /* decimal, Hz: the display's */

/* Of "counted". */
#define ABI_COUNTED_SAME_KEY "same_key_today" /* with those that the spool's limits left out */

/* Of "start". */
#define ABI_START_KIND "kind"                     /* string: cold, warm, hot */
#define ABI_START_DRAWN_MS "drawn_ms"             /* ms from the begin */
#define ABI_START_FOCUSED_MS "focused_ms"         /* ms from the begin */
#define ABI_START_FULLY_DRAWN_MS "fully_drawn_ms" /* ms from the begin */

#endif
