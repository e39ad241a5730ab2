/* The story of a run: read everything once and decide, number what is to be traced, read again and
 * rewrite, then let all outputs appear. */

#include "instrument/merge.h"
#include "instrument/places.h"
#include "instrument/run.h"
#include "instrument/sort.h"

#include <stdlib.h>

/* The classes that go to outputs, in the order in which methods are numbered. */
static enum mb_status gather_classes(struct ins_run *run, struct mb_error *err)
{
    size_t count = 0;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        count += run->sources.items[i].class_count;
    }
    run->classes = calloc(count + 1, sizeof(*run->classes));
    if (run->classes == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            if (source->classes[k].is_readable && !source->classes[k].is_dropped) {
                run->classes[run->class_count++] = &source->classes[k];
            }
        }
    }
    return ins_sort_classes(run->classes, run->class_count, run->names, run->workers, err);
}

/* Outputs are checked as they are named; these are the files beside them. */
static enum mb_status check_side_files(const struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    const char *const paths[] = {options->method_map, options->ignore_map, options->explain,
                                 options->json};

    return ins_check_places(&run->sources, paths, MB_COUNT(paths), err);
}

/* Everything that needs no second look at the inputs. */
static enum mb_status decide(struct ins_run *run, struct mb_error *err)
{
    const struct abi_methodmap *base = run->options->base_map != NULL ? &run->base : NULL;

    MB_TRY(ins_sources_open(&run->sources, run->options->inputs.items, run->options->inputs.count,
                            run->workers, err));
    MB_TRY(check_side_files(run, err));
    MB_TRY(ins_collect(run, err));
    if (run->options->output_jar != NULL) {
        struct ins_member *members;
        MB_TRY(ins_merge(run, &members, &run->member_count, err));
        run->members = members;
    }
    MB_TRY(gather_classes(run, err));
    MB_TRY(ins_find_activities(run, err));
    return ins_number(&run->numbering, run->classes, run->class_count, &run->describer, base, err);
}

/* With --strict the first warning is why the run fails. */
static enum mb_status tell_warnings(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;

    MB_TRY(ins_warn_unused_rules(run, err));
    MB_TRY(ins_warn_duplicates(run, err));
    ins_warnings_sort(&run->warnings);
    if (options->strict && run->warnings.count > 0) {
        *err = run->warnings.items[0].error;
        return err->status;
    }
    for (size_t i = 0; options->warn != NULL && i < run->warnings.count; i++) {
        options->warn(options->context, &run->warnings.items[i].error);
    }
    return MB_OK;
}

static enum mb_status instrument(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(decide(run, err));
    MB_TRY(ins_write_outputs(run, err));
    MB_TRY(tell_warnings(run, err));
    ins_numbering_settle(&run->numbering, run->classes, run->class_count);
    MB_TRY(ins_write_maps(run, err));
    ins_count(run);
    MB_TRY(ins_write_json(run, err));
    return mb_publish_commit(run->publish, err);
}

enum mb_status ins_instrument(const struct ins_options *options, struct ins_counts *counts,
                              struct mb_error *err)
{
    struct ins_run run = {0};
    enum mb_status status = ins_run_init(&run, options, counts, err);

    status = status == MB_OK ? instrument(&run, err) : status;
    ins_run_finish(&run);
    return status;
}
