/* Labels of a profile's samples: "thread=main app.version=5.2 mark=muted mark=inferred". */

#ifndef FORMATS_FLEET_LABELS_H
#define FORMATS_FLEET_LABELS_H

#include "base/text.h"
#include "formats/pprof.pb-c.h"

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

#endif
