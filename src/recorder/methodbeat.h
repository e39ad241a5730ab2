/* The recorder that instrumented programs call: which methods ran, when, in a ring of 64-bit words
 * per thread that can be copied at any time, and that survives kill -9 when a file holds it.
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
 * everything is released again. Every function may be called from any thread at any time; from a
 * signal handler the probes, once recording has begun, and what they would add may be lost while
 * their thread is inside another function of ours, or has what one of another thread waits for. A
 * forked child does not record until it calls beat_start itself.
 *
 * A trace is readable by its owner only. It is a mapping of the process that writes it: delete or
 * rename it at any time, but who cuts it short ends that process (SIGBUS), and who
 * writes into it may.
 *
 * Messages go to options.log, or to stderr, as one line each; no function ever ends the program. */

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

/* Strings are copied by beat_start. The environment variable METHODBEAT_<NAME> sets the default of
 * each (METHODBEAT_FILE, METHODBEAT_THREADS=main|all, METHODBEAT_CLOCK=auto|counter|coarse, ...);
 * METHODBEAT_FILE also stands for beat_start, so that nobody needs to call it. A setuid program
 * does not look at its environment. */
struct beat_options {
    const char *file;    /* the trace; "%p" becomes the process id; "auto": named after the program,
                          * NAME-PID.mbtrace in the working folder; "FOLDER/": so in that folder,
                          * where the last 4 of a name stay; NULL: in memory only */
    const char *mapping; /* the methodMapping.txt of this program, so that a report with another
                          * one is refused; NULL: not checked */
    uint64_t mapping_hash;    /* the same, where the file is not at hand: 16 hexadecimal digits, as
                               * instrument prints them; 0: none */
    const char *mapping_path; /* where a report finds that file; NULL: where mapping is */
    const char *process_name; /* NULL: as the system knows it */
    enum beat_threads threads;
    enum beat_clock clock;
    uint32_t main_words;   /* ring of the main thread; 1,000,000 words = 8 MB */
    uint32_t thread_words; /* ring of any other thread; 0: 65,536, but 500,000 of the first that has
                            * one, 333,333 of the second, and so on; 0 */
    uint32_t max_threads;  /* rings beside the main one; 63. More threads at a time: counted loss */
    uint32_t max_virtual;  /* rings for Java's virtual threads, one for each that is inside calls at
                            * a time; 0, but 16,384 where Java has such threads */
    uint64_t max_bytes; /* for all rings; all others as short as most are if nobody says more, then
                         * fewer virtual ones, then fewer others, then a shorter main one, if they
                         * do not fit; 256 MB */
    uint32_t min_ns;    /* forget calls shorter than this as they end (and count them); 0: none */
    uint32_t tick_ms;   /* of the coarse clock; 5 */
    uint32_t start_within_ms; /* else what the first beat_i began is released; 10,000 */
    enum beat_switch profile; /* count all calls by chain of callers, however often the rings lap */
    uint32_t profile_nodes;   /* chains of callers it tells apart; 1,000,000 = 96 MB */
    /* With a profile: probes of methods that are called often and briefly fall silent. "off", "on"
     * (limits of ours), or "CALLS:NS": more calls than that, shorter on average. For the life of
     * the process: they are not heard in later recordings either, which tell so. */
    const char *throttle;
    const char *never_mute; /* ids that never do: "12,100-199"; NULL: none */
    int32_t main_thread; /* thread id (gettid) of the main thread; 0: the process's first thread */
    /* While there is a file, do what `methodbeat control` asks for, and dump at a SIGUSR2 that was
     * nobody's as recording began; on, but on Android. */
    enum beat_switch control;
    void (*log)(const char *line); /* NULL: stderr. Must not call back */
};

/* Defaults, with the environment applied. */
BEAT_API void beat_options_init(struct beat_options *options);

/* Set one option by its name in the struct ("file", "threads", ...) from text, as the environment
 * does. Strings are borrowed. False if no such option exists or the text is not a value for it. */
BEAT_API bool beat_options_set(struct beat_options *options, const char *name, const char *value);

/* Record from now on, keeping what was recorded since the first beat_i if ring sizes and clock are
 * unchanged. NULL: beat_options_init's. True if recording as asked. A file that cannot be had
 * (read-only folder, full disk, another process records to it) costs one message and the trace
 * stays in memory: then false, while beat_is_recording is true, and the next start may name another
 * one. */
BEAT_API bool beat_start(const struct beat_options *options);

/* Stop recording. Marks, copies and dumps of what was recorded stay possible until the next
 * start. */
BEAT_API void beat_stop(void);

BEAT_API bool beat_is_recording(void);

/* The probes: method id (1 to 0xFFFFD) is entered, is left. Other ids are ignored, but for
 * BEAT_MESSAGE_ID, which brackets a message: while no thread is in one the coarse clock rests. */
BEAT_API void beat_i(uint32_t id);
BEAT_API void beat_o(uint32_t id);

/* Control is in the newest open call of this method again, after an exception: all calls above it
 * are over. At the start of a handler, for programs whose methods say nothing as they are thrown
 * out of. Two records; not for BEAT_MESSAGE_ID. */
BEAT_API void beat_c(uint32_t id);

/* Name the calling thread in traces (default: the system's name for it), in this session and those
 * to come. Of UTF-8, 63 bytes are kept. */
BEAT_API void beat_name_thread(const char *name);

/* ---- Scenes ---- */

/* A scene (an Activity) gained or lost the focus. Listeners hear of it if that is news. */
BEAT_API void beat_at(const char *scene, bool has_focus);

/* The scene focused last, or "" if none has the focus. Always terminated. */
BEAT_API void beat_scene(char *name, size_t size);

/* Be told on the thread that calls beat_at. False if there are 8 listeners already. */
BEAT_API bool beat_listen(void (*heard)(void *context, const char *scene, bool has_focus),
                          void *context);

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

/* Pin the present end of a ring; null if no such ring exists. source names the reason in
 * reports. */
BEAT_API struct beat_mark beat_mark(enum beat_whose whose, const char *source);

/* False once the ring has lapped the mark, its thread has ended and another has its ring, or the
 * recorder was started anew. */
BEAT_API bool beat_mark_is_valid(const struct beat_mark *mark);

/* Take the mark out of the trace file. */
BEAT_API void beat_unmark(struct beat_mark *mark);

/* Copy the records from the mark (a null mark: everything) to the present end, oldest first, while
 * the writer runs. *count is room on entry and the number copied on return; if there are more, the
 * newest. False, and nothing copied, if the mark is not valid or no such ring exists. */
BEAT_API bool beat_copy(const struct beat_mark *from, enum beat_whose whose, uint64_t *words,
                        size_t *count);

/* Write all there is to a trace file of its own; it appears by rename when complete, in place of a
 * trace or of nothing. Starts and stops do not wait for it, and leave it the words it began
 * with. */
BEAT_API bool beat_dump(const char *path);

#ifdef __cplusplus
}
#endif

#endif
