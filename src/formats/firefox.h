/* Inside Firefox Profiler's format: its state, and the parts of it that have files of their own. */

#ifndef FORMATS_FIREFOX_H
#define FORMATS_FIREFOX_H

#include "base/vec.h"
#include "formats/ids.h"
#include "formats/writer.h"

/* What began the last stretch. */
enum format_firefox_event { FORMAT_FIREFOX_START, FORMAT_FIREFOX_ENTRY, FORMAT_FIREFOX_EXIT };

struct format_firefox_stretch {
    uint64_t start_ns;
    uint32_t stack; /* a node, or TRACE_NO_NODE: no call */
};

struct format_firefox_thread {
    const struct answer_thread *thread;
    size_t first; /* stretch */
};

struct format_firefox {
    struct trace_profile tree; /* of stacks, those of all threads; costs are not in it */
    struct format_ids functions;
    MB_VEC(struct format_firefox_stretch) stretches; /* of one thread after the other */
    MB_VEC(struct format_firefox_thread) threads;
    uint32_t stack; /* of the thread, now */
    enum format_firefox_event last;
    bool is_cut; /* short calls are left out */
    size_t cut_threads;
    size_t cut_stretches;                    /* which that has been done with */
    MB_VEC(struct format_firefox_open) open; /* scratch of that */
    struct mb_buf marks;                     /* uint8_t of the functions by number: sets */
};

static inline struct format_firefox_stretch *format_firefox_at(const struct format_firefox *state,
                                                               size_t index)
{
    return &state->stretches.items[index];
}

/* ---- Not too much for a browser (firefox_cut.c) ---- */

#define FORMAT_FIREFOX_MOST 2000000u /* stretches */
#define FORMAT_FIREFOX_SHORTEST_NS 10000u

/* Between outermost calls. Once there are too many stretches, calls that are shorter are left out,
 * now and from then on: their time is their callers'. */
void format_firefox_limit(struct format_writer *writer);

/* ---- Beside the calls (firefox_meta.c) ---- */

/* Strings that have a number of their own, below those of methods. */
enum format_firefox_string {
    FORMAT_FIREFOX_SLOW,
    FORMAT_FIREFOX_ISSUE,
    FORMAT_FIREFOX_FRAMES,
    FORMAT_FIREFOX_STRING_COUNT,
};
extern const char *const format_firefox_strings[FORMAT_FIREFOX_STRING_COUNT];

/* Of functions; those whose times are uncertain have the set of their marks for a subcategory. */
enum format_firefox_category { FORMAT_FIREFOX_OTHER, FORMAT_FIREFOX_UNCERTAIN };

/* The members "meta" and "libs", with the brace before them. */
void format_firefox_put_meta(struct format_writer *writer);

/* The thread's member "markers". */
void format_firefox_put_markers(struct format_writer *writer, const struct answer_thread *thread);

#endif
