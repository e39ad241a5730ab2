/* What report reads: a trace, and the names of its methods. An error that names no file
 * is one of the trace. */

#ifndef ANSWER_INPUT_H
#define ANSWER_INPUT_H

#include "abi/tracefile.h"
#include "answer/map.h"

/* Zeroed memory can be finished. */
struct answer_trace {
    struct mb_buf bytes;
    struct abi_tracefile file;
    struct answer_map names;
    bool has_own_names;      /* it needs no map */
    struct mb_buf found_map; /* its path, if it was found by itself; else empty */
    struct mb_text path;     /* of the trace, and of the map; borrowed; empty: not known */
    struct mb_text map_path;
};

/* What the command line names; all borrowed. */
struct answer_source {
    const char *path;
    struct answer_map_place map; /* no file: no names, unless */
    bool finds_map;              /* it is to be found then */
    struct rule_builds *mapping; /* of ProGuard or R8, or NULL */
    bool force;                  /* use the map although the trace was recorded with another */
};

/* Read a trace and the names. MB_BAD_TRACE if the map is another one, unless forced. Finish also
 * after failure. */
MB_MUST_CHECK enum mb_status answer_trace_load(struct answer_trace *trace,
                                               const struct answer_source *source,
                                               struct mb_error *err);

/* The second half of that, for a trace whose file is open already: its names. */
MB_MUST_CHECK enum mb_status answer_trace_load_names(struct answer_trace *trace,
                                                     const struct answer_source *source,
                                                     struct mb_error *err);
/* The trace has the names of all its methods: those of a program that got its probes as it was
 * loaded. Else it may have those of sampled frames. */
bool answer_trace_has_all_names(const struct abi_tracefile *trace);
void answer_trace_finish(struct answer_trace *trace);

/* The time of a word in units, all 64 bits of it: near the latest time that the header knows. */
uint64_t answer_trace_time(const struct answer_trace *trace, uint64_t word);

/* The range of a mark: it ends with its ring, or at a mark of the same name and " end". */
struct answer_range {
    uint32_t ring;
    uint64_t position;
    uint64_t end; /* UINT64_MAX: with the ring */
    char name[ABI_TRACE_NAME_SIZE];
};

/* The mark that is called so or, where none is, has that number. MB_BAD_USAGE if there is none, or
 * several that are valid; MB_BAD_TRACE if it is not valid any more. */
MB_MUST_CHECK enum mb_status answer_trace_find_mark(const struct answer_trace *trace,
                                                    const char *wanted, struct answer_range *mark,
                                                    struct mb_error *err);

/* True if that thread is the wanted one, by name or id; NULL: any is. */
bool answer_is_thread(const char *name, uint32_t id, const char *wanted);

#endif
