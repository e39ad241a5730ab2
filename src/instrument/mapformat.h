/* What the mapping files consist of. Each is a sequence of items (ids, classes), whose lines can be
 * made in parts. */

#ifndef INSTRUMENT_MAPFORMAT_H
#define INSTRUMENT_MAPFORMAT_H

#include "instrument/run.h"

/* Part of a file while it is made. */
struct ins_map_part {
    struct ins_run *run;
    struct mb_buf *out;      /* the part's text */
    struct mb_arena scratch; /* of the class being described; finish when done */
    struct ins_described_class cls;
};

struct ins_map_format {
    size_t (*count)(const struct ins_run *run);
    size_t part_size; /* items that are worth a task */
    /* Put the lines of items [first, end); what heads the file before the first item, what ends it
     * behind the last. */
    enum mb_status (*put)(struct ins_map_part *part, size_t first, size_t end,
                          struct mb_error *err);
};

extern const struct ins_map_format ins_method_map_format;
extern const struct ins_map_format ins_ignore_map_format;
extern const struct ins_map_format ins_explain_format;

#endif
