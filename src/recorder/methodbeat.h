/* The recorder that instrumented programs call. It records which methods ran, and when, in a ring
 * of 64-bit words per thread, which can be copied at any time and survives kill -9 if it is in a
 * file.
 *
 *     struct beat_options options;
 *     beat_options_init(&options);
 *     options.file = "app.mbtrace";
 *     beat_start(&options);
 *     ...  beat_i(id); work(); beat_o(id);  ...
 *     beat_stop();
 *
 * then: methodbeat report app.mbtrace --method-map methodMapping.txt
 *
 * Recording begins with the first beat_i, started or not; without beat_start within ten seconds
 * everything is released again. Any thread may call any function at any time. A signal handler may
 * call the probes once recording has begun; their records may be lost while the thread is inside
 * another function of this header, or holds a lock that such a function on another thread waits
 * for. A forked child does not record until it calls beat_start itself.
 *
 * Only its owner can read a trace. The process that writes it maps it: it may be deleted or renamed
 * at any time, but truncating it ends that process (SIGBUS), and overwriting it may.
 *
 * Messages go to options.log, or to stderr, as one line each; no function ends the program. */

#ifndef METHODBEAT_H
#define METHODBEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BEAT_API __attribute__((visibility("default")))
#else
#define BEAT_API
#endif

#define BEAT_MESSAGE_ID 0xFFFFEu /* one message of a loop; see beat_i */

enum beat_threads {
    BEAT_THREADS_MAIN, /* calls on other threads do nothing */
    BEAT_THREADS_ALL,
};

enum beat_clock {
    BEAT_CLOCK_AUTO,    /* the counter if it is usable, else coarse */
    BEAT_CLOCK_COUNTER, /* the CPU's counter: nanoseconds, a few ns per event */
    BEAT_CLOCK_COARSE,  /* a word refreshed every tick_ms, cheapest */
};

enum beat_switch {
    BEAT_OFF,
    BEAT_ON,
};

enum beat_sample {
    BEAT_SAMPLE_OFF,
    BEAT_SAMPLE_ONLY, /* no probes are put in */
    BEAT_SAMPLE_BOTH, /* beside probes */
    BEAT_SAMPLE_GAPS, /* from the first muted method on */
};

enum beat_engine {
    BEAT_ENGINE_AUTO,  /* the one that fits the JVM */
    BEAT_ENGINE_AGCT,  /* AsyncGetCallTrace in a signal handler of HotSpot, from 11 to 25 */
    BEAT_ENGINE_JVMTI, /* GetStackTrace of any JVM */
    BEAT_ENGINE_JAVA,  /* Thread.getStackTrace while the monitors wait for a late message */
};

/* beat_start copies the strings. The environment variable METHODBEAT_<NAME> sets the default of
 * each option (METHODBEAT_FILE, METHODBEAT_THREADS=main|all, ...); METHODBEAT_FILE also replaces
 * the call of beat_start. A setuid program ignores its environment. */
struct beat_options {
    const char *file;      /* the trace; "%p" becomes the process id, "%%" a percent sign; "auto":
                            * NAME-PID.mbtrace in the working directory, after the program's name;
                            * "FOLDER/": such a name in that folder, which keeps the last 4 of a
                            * name; NULL: in memory only */
    const char *mapping;   /* the methodMapping.txt of this program; a report with another map is
                            * refused; NULL: not checked */
    uint64_t mapping_hash; /* the hash of that file, which instrument prints as 16 hexadecimal
                            * digits, if the file is not at hand; 0 if unknown */
    const char *mapping_path; /* the path at which a report finds the file; NULL: that of mapping */
    const char *process_name; /* NULL: the system's name */
    const char *app; /* whose trace it is: "id=com.acme,version=5.2"; NULL: it does not say */
    enum beat_threads threads;
    enum beat_clock clock;
    uint32_t main_words;   /* ring of the main thread; 1,000,000 words = 8 MB */
    uint32_t thread_words; /* ring of any other thread; 0, the default: 500,000 for the first such
                            * thread, 333,333 for the second and so on, at least 65,536 */
    uint32_t max_threads;  /* rings besides the main one; 63. Further threads: counted loss */
    uint32_t max_virtual;  /* rings for Java's virtual threads, one for each that is inside calls at
                            * a time; 0, but 16,384 on a JVM with such threads */
    uint64_t max_bytes; /* for all rings; 256 MB. If they do not fit: equal rings for other threads
                         * unless thread_words is set, then fewer virtual ones, fewer others, and a
                         * shorter main ring */
    uint32_t tick_ms;   /* of the coarse clock; 5 */
    uint32_t start_within_ms; /* without a start in this time, recording ends; 10,000 */
    enum beat_switch profile; /* count all calls by chain of callers, however often the rings lap */
    uint32_t profile_nodes;   /* chains of callers that the profile can hold; 1,000,000 = 104 MB */
    /* With a profile: mute the probes of methods that are called often and briefly; on. A muted
     * method stays muted for the life of the process; later recordings say so. */
    enum beat_switch throttle;
    /* Percent of the process's CPU time that all probes together may take, unless throttle is off:
     * beyond, methods are muted, first those with the least own time for each call; 5; 0: any. */
    uint32_t budget;
    /* With a profile: requests of this many ms or more are slow; 0: the slowest 3 % of a kind, of
     * the slowest tenth those beyond three times the median, and frames that take longer than the
     * display shows one. */
    uint32_t slow;
    /* In a JVM with the agent: calls of methods like these are requests, "com.acme.Orders.get*",
     * with colons between several; NULL: they are found by what threads do. */
    const char *requests;
    int32_t main_thread; /* thread id (gettid) of the main thread; 0: the process's first thread */
    /* While there is a file, obey `methodbeat attach --dump` and `--stop`, and dump on SIGUSR2 if
     * that has its default action when recording begins; on, except on Android. */
    enum beat_switch control;
    /* In a JVM with the agent: record the stacks of its threads at intervals; gaps. Without it:
     * those that the monitors take while a message is late. */
    enum beat_sample sample;
    uint32_t sample_main_us;    /* interval for the main thread; 5,000; at least 500 */
    uint32_t sample_threads_us; /* for each other thread; 20,000; at least 500, or 0: none */
    enum beat_engine sample_engine;
    void (*log)(const char *line); /* NULL: stderr. Must not call back */
};

/* Defaults, with the environment applied. */
BEAT_API void beat_options_init(struct beat_options *options);

/* Set one option by its name in the struct ("file", "threads", ...) from text, as the environment
 * does. Strings are borrowed. False if the option does not exist or the value is invalid. */
BEAT_API bool beat_options_set(struct beat_options *options, const char *name, const char *value);

/* Record from now on, keeping the records since the first beat_i if ring sizes and clock are
 * unchanged. NULL: the options of beat_options_init. True if recording as requested. If the file
 * cannot be created (read-only folder, full disk, another process records to it), one message says
 * so and the trace stays in memory: then false, while beat_is_recording is true, and the next start
 * may name another file. */
BEAT_API bool beat_start(const struct beat_options *options);

/* Stop recording. The records can be marked, copied and dumped until the next start. */
BEAT_API void beat_stop(void);

BEAT_API bool beat_is_recording(void);

/* The probes: entry to and exit from the method with this id (1 to 0xFFFFD). BEAT_MESSAGE_ID begins
 * and ends a message: the coarse clock rests while no thread is in one. Other ids are ignored. */
BEAT_API void beat_i(uint32_t id);
BEAT_API void beat_o(uint32_t id);

/* Catch: after an exception, control is back in the newest open call of this method, and all calls
 * above it have ended. Call it at the start of a handler, in programs whose methods record no exit
 * when an exception leaves them. Takes two records; not for BEAT_MESSAGE_ID. */
BEAT_API void beat_c(uint32_t id);

/* From now on, in each recording with a profile, what beat_i(id) begins and beat_o(id) ends is a
 * request of that name, "class.method", of which the report tells how long it took and why the slow
 * ones did. Before recording begins, or the trace does not have the name. False, and nothing is
 * changed, if id or name cannot be one, beyond 128 kinds, or without memory. */
BEAT_API bool beat_name_request(uint32_t id, const char *name);

/* Name the calling thread in traces (default: the system's name for it), in this and later
 * sessions. The first 63 bytes of UTF-8 are kept. */
BEAT_API void beat_name_thread(const char *name);

/* ---- Marks and copies ---- */

/* A pinned position in the order of one thread's records; a value, valid until the ring laps it. */
struct beat_mark {
    uint32_t session;
    uint32_t ring;
    uint32_t claim;
    uint32_t slot; /* in the trace file, so that a report can show the range; 0: none was free */
    uint64_t position;
};

enum beat_whose {
    BEAT_MAIN, /* the main thread's ring */
    BEAT_SELF, /* the calling thread's ring */
};

/* Pin the present end of a ring; a null mark if the ring does not exist. Reports show source as the
 * reason. */
BEAT_API struct beat_mark beat_mark(enum beat_whose whose, const char *source);

/* False once the ring has lapped the mark, another thread has taken over the ring of one that
 * ended, or the recorder was started again. */
BEAT_API bool beat_mark_is_valid(const struct beat_mark *mark);

/* Take the mark out of the trace file. */
BEAT_API void beat_unmark(struct beat_mark *mark);

/* Copy the records from the mark (a null mark: everything) to the present end, oldest first, while
 * the writer runs. *count is the room on entry and the number copied on return: the newest records
 * if there are more. False, with nothing copied, if the mark is invalid or the ring does not exist.
 */
BEAT_API bool beat_copy(const struct beat_mark *from, enum beat_whose whose, uint64_t *words,
                        size_t *count);

/* Write all records to a separate trace file, which appears by rename when it is complete. It may
 * replace a trace, but no other file. Starts and stops do not wait for the dump and do not change
 * the words that it writes. */
BEAT_API bool beat_dump(const char *path);

#ifdef __cplusplus
}
#endif

#endif
