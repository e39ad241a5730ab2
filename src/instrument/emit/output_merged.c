#include "instrument/emit/output.h"

#include "archive/entry.h"
#include "archive/output.h"
#include "base/interrupt.h"

#include <stdlib.h>
#include <unistd.h>

#define MERGED_LANE 0

/* The merged jar being written. */
struct merged {
    const struct emit_output *output;
    struct ar_output *archive;
    struct mb_buf resource; /* packed, until the next */
    struct mb_buf manifest;
};

struct part {
    struct merged *merged;
    const struct plan_member *member;
    uint32_t work; /* of a class */
};

static enum mb_status produce_class(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct part *part = context;
    const struct emit_output *output = part->merged->output;
    struct emit_rewritten rewritten;

    MB_TRY(mb_check_interrupt(err));
    MB_TRY(emit_conveyor_get(output->conveyor, output->worker, MERGED_LANE, part->work, &rewritten,
                             err));
    *packed = rewritten.packed;
    return MB_OK;
}

static enum mb_status pack_class(struct merged *merged, struct mb_text content,
                                 struct ar_packed *packed, struct mb_error *err)
{
    mb_buf_reset(&merged->resource);
    return ar_pack(merged->output->scratch->codec, content, &merged->resource, packed, err);
}

/* Without the digests of entries, which have changed. */
static enum mb_status pack_manifest(struct merged *merged, struct mb_text manifest,
                                    struct ar_packed *packed, struct mb_error *err)
{
    struct mb_buf *stripped = &merged->manifest;

    ar_manifest_strip(manifest, stripped);
    MB_TRY(mb_buf_check(stripped, err));
    return pack_class(merged, (struct mb_text){(const char *)stripped->bytes, stripped->size},
                      packed, err);
}

static enum mb_status produce_resource(void *context, struct ar_packed *packed,
                                       struct mb_error *err)
{
    const struct part *part = context;
    const struct plan_member *member = part->member;
    struct merged *merged = part->merged;
    struct plan_scratch *scratch = merged->output->scratch;
    const struct plan_sources *sources = merged->output->request->transformer.sources;
    struct mb_text content;

    MB_TRY(mb_check_interrupt(err));
    MB_TRY(ar_entry_read(sources->items[member->source].archive, member->entry, scratch->codec,
                         &scratch->content, &content, err));
    return member->is_manifest ? pack_manifest(merged, content, packed, err)
                               : pack_class(merged, content, packed, err);
}

static enum mb_status add_parts(struct merged *merged, struct part *parts, struct mb_error *err)
{
    const struct emit_request *request = merged->output->request;
    uint32_t next_work = 0;

    for (size_t i = 0; i < request->member_count; i++) {
        const struct plan_member *member = &request->members[i];
        struct ar_entry entry = ar_entry_new(member->name);
        bool is_class = member->cls != NULL;
        struct ar_source source = {
            .produce = is_class ? produce_class : produce_resource,
            .context = &parts[i],
            .is_stored = request->transformer.crew->compression == AR_COMPRESSION_STORE,
        };
        parts[i] = (struct part){merged, member, is_class ? next_work++ : 0};
        MB_TRY(ar_output_add(merged->archive, &entry, &source, err));
    }
    return ar_output_finish(merged->archive, err);
}

static enum mb_status write_file(struct merged *merged, int fd, struct mb_error *err)
{
    const struct emit_output *output = merged->output;
    struct part *parts = calloc(output->request->member_count + 1, sizeof(*parts));

    if (parts == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = ar_output_create(&merged->archive, fd, err);
    emit_conveyor_open(output->conveyor, MERGED_LANE);
    status = status == MB_OK ? add_parts(merged, parts, err) : status;
    emit_conveyor_close(output->conveyor, MERGED_LANE);
    ar_output_destroy(merged->archive);
    mb_buf_finish(&merged->resource);
    mb_buf_finish(&merged->manifest);
    free(parts);
    return status;
}

enum mb_status emit_write_merged(const struct emit_output *output, struct mb_error *err)
{
    struct merged merged = {.output = output};
    int fd = -1;

    MB_TRY(pub_open(output->request->publish, output->path, &fd, err));
    enum mb_status status = write_file(&merged, fd, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot close");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, output->path);
    }
    return status;
}
