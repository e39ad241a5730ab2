/* Inside Firefox Profiler's format: its state, and the parts of it that have files of their own. */

#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "export/ids.h"
#include "export/writer.h"

/* What began the last stretch. */
enum export_firefox_event { EXPORT_FIREFOX_START, EXPORT_FIREFOX_ENTRY, EXPORT_FIREFOX_EXIT };

struct export_firefox_stretch {
    uint64_t start_ns;
    uint32_t stack; /* a node, or TRACE_NO_NODE: no call */
};

struct export_firefox_thread {
    const struct export_thread *thread;
    size_t first; /* stretch */
};

struct export_firefox {
    struct trace_profile tree; /* of stacks, those of all threads; costs are not in it */
    struct export_ids functions;
    struct mb_buf stretches; /* struct export_firefox_stretch, of one thread after the other */
    struct mb_buf threads;   /* struct export_firefox_thread */
    uint32_t stack;          /* of the thread, now */
    enum export_firefox_event last;
    bool is_cut; /* short calls are left out */
    size_t cut_threads;
    size_t cut_stretches; /* which that has been done with */
    struct mb_buf open;   /* scratch of that */
    struct mb_buf marks;  /* uint8_t of the functions by number: sets */
};

static inline size_t export_firefox_count(const struct export_firefox *state)
{
    return state->stretches.size / sizeof(struct export_firefox_stretch);
}

static inline struct export_firefox_stretch *export_firefox_at(const struct export_firefox *state,
                                                               size_t index)
{
    return (struct export_firefox_stretch *)(void *)state->stretches.bytes + index;
}

/* ---- Not too much for a browser (firefox_cut.c) ---- */

#define EXPORT_FIREFOX_MOST 2000000u /* stretches */
#define EXPORT_FIREFOX_SHORTEST_NS 10000u

/* Between outermost calls. Once there are too many stretches, calls that are shorter are left out,
 * now and from then on: their time is their callers'. */
void export_firefox_limit(struct export_writer *writer);

/* ---- Beside the calls (firefox_meta.c) ---- */

/* Strings that have a number of their own, below those of methods. */
enum export_firefox_string {
    EXPORT_FIREFOX_SLOW,
    EXPORT_FIREFOX_ISSUE,
    EXPORT_FIREFOX_FRAMES,
    EXPORT_FIREFOX_STRING_COUNT,
};
extern const char *const export_firefox_strings[EXPORT_FIREFOX_STRING_COUNT];

/* Of functions; those whose times are uncertain have the set of their marks for a subcategory. */
enum export_firefox_category { EXPORT_FIREFOX_OTHER, EXPORT_FIREFOX_UNCERTAIN };

/* The members "meta" and "libs", with the brace before them. */
void export_firefox_put_meta(struct export_writer *writer);

/* The thread's member "markers". */
void export_firefox_put_markers(struct export_writer *writer, const struct export_thread *thread);

#endif
