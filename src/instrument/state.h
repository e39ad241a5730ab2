/* What a run leaves behind for the next one (--state): the model of pass 1 and 2 as it is in
 * memory, and marks by which inputs and outputs are known again. One file for one machine and one
 * build; any other is as good as none. */

#ifndef INSTRUMENT_STATE_H
#define INSTRUMENT_STATE_H

#include "base/text.h"
#include "instrument/marks.h"
#include "instrument/model.h"
#include "instrument/warnings.h"

struct ins_run;

/* One input, or jar inside an AAR. */
struct ins_source_mark {
    uint64_t path;    /* a hash */
    uint64_t content; /* a hash of the directory of a jar; 0: always read again */
    uint32_t first_class;
    uint32_t class_count;
    uint32_t nested_count;
    uint32_t unused;
    struct ins_file_mark output;
};

/* Zeroed memory is none. Everything views the image. */
struct ins_state {
    uint8_t *image;
    size_t image_size;
    uint64_t fingerprint; /* of all options that outputs depend on */
    uint32_t end_id;
    struct ins_names *names; /* until somebody takes them over */
    const struct ins_source_mark *sources;
    size_t source_count;
    struct ins_class *classes; /* by source, then entry; methods are set */
    size_t class_count;
    const uint32_t *order; /* canonical, of those that count */
    size_t order_count;
    struct mb_text gone; /* lines of the method map whose methods are not in the code any more */
    const struct ins_warning *warnings;
    size_t warning_count;
    struct mb_text method_map_path;
    struct ins_file_mark method_map;
    struct ins_file_mark ignore_map;
    struct ins_file_mark merged; /* the merged jar */
};

/* A missing, foreign or damaged file leaves the state zeroed. */
void ins_state_load(struct ins_state *state, const char *path);
void ins_state_finish(struct ins_state *state);

/* Write the run's state once its outputs are in place. */
MB_MUST_CHECK enum mb_status ins_state_save(const struct ins_run *run, struct mb_error *err);

#endif
