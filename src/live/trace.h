/* A trace that may still be written, read again and again. A snapshot copies what it needs out of
 * the file, and judges the copies: neither a recorder that goes on writing nor a file that is cut
 * short can pull away what is being read. The words of the rings stay where they are; all that a
 * snapshot tells comes from the profile. */

#ifndef LIVE_TRACE_H
#define LIVE_TRACE_H

#include "answer/input.h"
#include "answer/sections.h"
#include "base/vec.h"

enum live_state {
    LIVE_WRITTEN, /* by a process that runs */
    LIVE_STOPPED, /* in good order, by a process that still has it and may start anew */
    LIVE_ENDED,   /* in good order; no process has it any more */
    LIVE_LEFT,    /* by a process that ended without stopping it */
};

/* Zeroed memory but for fd -1 can be finished. */
struct live_trace {
    struct answer_source source; /* borrowed */
    int fd;
    uint8_t *image; /* as large as the file; holds what was read of it, zeroes elsewhere */
    size_t size;
    struct answer_trace trace; /* its file lies in image */
    struct mb_buf name_lines;  /* that the trace held when names were loaded */
    struct mb_buf part;        /* of the file, to be compared with the image */
};

/* What the trace said at one time. Zeroed memory is a snapshot of nothing, from the beginning. */
struct live_snapshot {
    uint64_t time; /* in units: all that the profile tells is of before, and open calls last until
                      then */
    enum live_state state;
    struct answer_sections sections; /* of which only trees, threads and counts are kept */
    MB_VEC(struct abi_profile_thread) threads;
    MB_VEC(struct abi_profile_mute) mutes;
    MB_VEC(uint64_t) lengths; /* of requests (abi/profile.h), in the order of the trace */
    uint64_t refused_words;   /* of threads that got no ring */
    uint32_t late_threads;    /* that had written more by that time than the profile told yet */
};

/* Open a trace, and find its names. MB_BAD_TRACE if it is not one, or has no profile; as
 * answer_trace_load else. Finish also after failure. */
MB_MUST_CHECK enum mb_status
live_trace_open(struct live_trace *live, const struct answer_source *source, struct mb_error *err);

/* Take a snapshot; waits for the recorder's keeper, a tenth of a second at most. MB_BAD_TRACE if
 * the file has become shorter or is a trace no longer. Finish it also after failure. */
MB_MUST_CHECK enum mb_status live_trace_take(struct live_trace *live,
                                             struct live_snapshot *snapshot, struct mb_error *err);

/* Names that the trace got since they were loaded. Views of names of before end here. */
MB_MUST_CHECK enum mb_status live_trace_renew_names(struct live_trace *live, struct mb_error *err);

/* True if its path leads to another file now, or to a longer one: a new recording. */
bool live_trace_is_replaced(const struct live_trace *live);

void live_snapshot_finish(struct live_snapshot *snapshot);
void live_trace_finish(struct live_trace *live);

#endif
