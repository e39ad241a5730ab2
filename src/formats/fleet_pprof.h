/* What a pprof file of many devices needs: labels, as "thread=main app.version=5.2 mark=muted", and
 * a limit of its call chains. */

#ifndef FORMATS_FLEET_PPROF_H
#define FORMATS_FLEET_PPROF_H

#include "answer/facts.h"
#include "base/text.h"
#include "base/vec.h"
#include "formats/pprof.pb-c.h"

/* ---- Labels of samples ---- */

#define FORMAT_MOST_LABELS 16

struct format_labels {
    FormatPprof__Label rows[FORMAT_MOST_LABELS];
    FormatPprof__Label *pointers[FORMAT_MOST_LABELS];
    size_t count;
};

/* Places in the table of strings. What has no room is left out. */
void format_labels_add(struct format_labels *labels, int64_t key, int64_t value);

/* What of the checked pairs (abi/identity.h) many devices have in common, hence nothing of one
 * device; put gives a string its place in the table. */
void format_labels_add_app(struct format_labels *labels, struct mb_text app,
                           int64_t (*put)(void *context, const void *data, size_t size),
                           void *context);

/* Add them all to the sample, which borrows them. */
void format_labels_put(struct format_labels *labels, FormatPprof__Sample *sample);

/* ---- The largest call chains ---- */

#define FORMAT_NO_STACK INT64_MIN

/* Limits a profile to its largest call chains, for servers that cap profile size. The time of the
 * others goes to their callers. Zeroed memory can be finished. */
struct format_stacks {
    MB_VEC(int64_t) own; /* in units: of each node, thread by thread, or FORMAT_NO_STACK */
    int64_t other;       /* of calls none of whose callers is kept */
    size_t left_out;     /* that would have a stack if there were no limit */
};

/* most: stacks, the one of others included; 0: all. Nodes from that depth on have none, and are in
 * the total of those above. False without memory. */
bool format_stacks_make(struct format_stacks *stacks, const struct answer_threads *threads,
                        size_t most, uint32_t depth);
void format_stacks_finish(struct format_stacks *stacks);

#endif
