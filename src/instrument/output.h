/* One output of the run, in the kind of its input. Each call runs on the thread that writes the
 * output; classes come from the conveyor. */

#ifndef INSTRUMENT_OUTPUT_H
#define INSTRUMENT_OUTPUT_H

#include "instrument/conveyor.h"
#include "instrument/merge.h"

struct ins_output {
    struct ins_run *run;
    struct ins_conveyor *conveyor;
    struct ins_class **work; /* of the conveyor */
    const struct ins_lane *lanes;
    uint32_t source; /* what is written; its lane has the same number */
    const char *path;
    unsigned worker;
    const struct ins_member *members; /* of a merged jar, which has lane 0 */
    size_t member_count;
};

/* A jar or AAR with planned classes; the entries in their order, all others copied packed. If no
 * class changes after all, the input's bytes. */
MB_MUST_CHECK enum mb_status ins_write_jar(const struct ins_output *output, struct mb_error *err);

/* What the conveyor calls for each class of a folder or of a class given by itself: writes the file
 * unless it is there with the same bytes. context is the struct ins_output. */
enum mb_status ins_deliver_file(void *context, const struct ins_class *cls, struct mb_text content,
                                bool is_changed, struct mb_error *err);

/* All files of a folder: the conveyor delivers classes, the others are copied. */
MB_MUST_CHECK enum mb_status ins_write_folder(const struct ins_output *output,
                                              struct mb_error *err);

/* The members in one jar; the work is those that are classes. */
MB_MUST_CHECK enum mb_status ins_write_merged(const struct ins_output *output,
                                              struct mb_error *err);

#endif
