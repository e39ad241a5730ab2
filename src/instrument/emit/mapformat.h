/* The contents of the mapping files. Each is a sequence of items (ids, classes), whose lines can be
 * made in parts. */

#ifndef INSTRUMENT_EMIT_MAPFORMAT_H
#define INSTRUMENT_EMIT_MAPFORMAT_H

#include "instrument/plan/number.h"
#include "instrument/plan/sort.h"

/* The sources of their contents. */
struct emit_map_model {
    const struct plan_describer *describer;
    const struct plan_sources *sources;
    const struct plan_order *order;
    const struct plan_numbering *numbering; /* owners are known */
    const struct abi_methodmap *base;       /* ids that stay */
};

/* Part of a file while it is made. */
struct emit_map_part {
    const struct emit_map_model *model;
    struct mb_buf *out;      /* the part's text */
    struct mb_arena scratch; /* of the class being described; finish when done */
    struct plan_described_class cls;
};

struct emit_map_format {
    size_t (*count)(const struct emit_map_model *model);
    size_t part_size; /* items that are worth a task */
    /* Put the lines of items [first, end), with the head of the file before the first item, and its
     * end after the last. */
    enum mb_status (*put)(struct emit_map_part *part, size_t first, size_t end,
                          struct mb_error *err);
};

extern const struct emit_map_format emit_method_map_format;
extern const struct emit_map_format emit_ignore_map_format;
extern const struct emit_map_format emit_explain_format;

#endif
