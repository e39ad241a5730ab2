#include "instrument/output.h"

#include <stdlib.h>
#include <unistd.h>

#define MERGED_LANE 0

/* The merged jar being written. */
struct merged {
    const struct ins_output *output;
    struct ar_output *archive;
    struct mb_buf resource; /* packed, until the next */
};

struct part {
    struct merged *merged;
    const struct ins_member *member;
    uint32_t work; /* of a class */
};

static enum mb_status produce_class(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct part *part = context;
    const struct ins_output *output = part->merged->output;
    struct ins_rewritten rewritten;

    MB_TRY(ins_check_interrupt(err));
    MB_TRY(ins_conveyor_get(output->conveyor, output->worker, MERGED_LANE, part->work, &rewritten,
                            err));
    *packed = rewritten.packed;
    return MB_OK;
}

static enum mb_status produce_resource(void *context, struct ar_packed *packed,
                                       struct mb_error *err)
{
    const struct part *part = context;
    const struct ins_run *run = part->merged->output->run;
    struct ins_scratch *scratch = &run->scratch[part->merged->output->worker];
    const struct ar_input *archive = run->sources.items[part->member->source].archive;
    struct mb_text content;

    MB_TRY(ins_check_interrupt(err));
    MB_TRY(ar_entry_read(archive, part->member->entry, scratch->codec, &scratch->content, &content,
                         err));
    mb_buf_reset(&part->merged->resource);
    return ar_pack(scratch->codec, content, &part->merged->resource, packed, err);
}

static enum mb_status add_parts(struct merged *merged, struct part *parts, struct mb_error *err)
{
    const struct ins_output *output = merged->output;
    uint32_t next_work = 0;

    for (size_t i = 0; i < output->member_count; i++) {
        const struct ins_member *member = &output->members[i];
        struct ar_entry entry = ar_entry_new(member->name);
        bool is_class = member->cls != NULL;
        struct ar_source source = {
            .produce = is_class ? produce_class : produce_resource,
            .context = &parts[i],
            .is_stored = output->run->options->compression == AR_COMPRESSION_STORE,
        };
        parts[i] = (struct part){merged, member, is_class ? next_work++ : 0};
        MB_TRY(ar_output_add(merged->archive, &entry, &source, err));
    }
    return ar_output_finish(merged->archive, err);
}

static enum mb_status write_file(struct merged *merged, int fd, struct mb_error *err)
{
    const struct ins_output *output = merged->output;
    struct part *parts = calloc(output->member_count + 1, sizeof(*parts));

    if (parts == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = ar_output_create(&merged->archive, fd, err);
    ins_conveyor_open(output->conveyor, MERGED_LANE);
    status = status == MB_OK ? add_parts(merged, parts, err) : status;
    ins_conveyor_close(output->conveyor, MERGED_LANE);
    ar_output_destroy(merged->archive);
    mb_buf_finish(&merged->resource);
    free(parts);
    return status;
}

enum mb_status ins_write_merged(const struct ins_output *output, struct mb_error *err)
{
    struct merged merged = {.output = output};
    int fd = -1;

    MB_TRY(ins_scratch_prepare(output->run, output->worker, err));
    MB_TRY(mb_publish_open(output->run->publish, output->path, &fd, err));
    enum mb_status status = write_file(&merged, fd, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot close");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, output->path);
    }
    return status;
}
