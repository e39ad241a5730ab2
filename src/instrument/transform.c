#include "instrument/transform.h"

/* Limits that only showed while probes were put in. */
static enum mb_status note_skips(struct ins_run *run, struct ins_class *cls,
                                 const struct ins_result *result, struct mb_error *err)
{
    for (size_t i = 0; i < result->skip_count; i++) {
        const struct ins_skip *skip = &result->skips[i];
        uint32_t rule = ins_names_add(run->names, mb_text_of(skip->reason));
        if (rule == INS_NO_NAME) {
            return mb_fail_memory(err);
        }
        MB_TRY(ins_findings_add_limit(&run->findings, cls, skip->method, rule, err));
    }
    return MB_OK;
}

static enum mb_status give_up(struct ins_run *run, struct ins_class *cls, struct mb_error *err)
{
    MB_TRY(ins_warn_class(run, cls, err, err));
    return ins_findings_add_broken(&run->findings, cls, err);
}

static enum mb_status rewrite(struct ins_run *run, struct ins_scratch *scratch,
                              struct ins_class *cls, struct mb_text content, struct mb_buf *out,
                              struct mb_error *err)
{
    struct cf_class file;
    struct ins_result result;

    mb_arena_reset(&scratch->arena);
    MB_TRY(
        cf_class_parse(&file, &scratch->arena, (const uint8_t *)content.data, content.size, err));
    if (file.method_count != cls->method_count) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the input changed while it was read");
    }
    uint32_t *ids = MB_NEW_ARRAY(&scratch->arena, uint32_t, file.method_count);
    if (ids == NULL) {
        return mb_fail_memory(err);
    }
    for (uint16_t i = 0; i < file.method_count; i++) {
        ids[i] = cls->methods[i].verdict == RULE_TRACE ? cls->methods[i].id : 0;
    }
    struct ins_request request = {&file, ids, (enum ins_focus)cls->focus};
    MB_TRY(ins_rewrite(scratch->rewriter, &request, out, &result, err));
    cls->is_changed = result.is_changed;
    return note_skips(run, cls, &result, err);
}

enum mb_status ins_transform(struct ins_run *run, struct ins_scratch *scratch,
                             struct ins_class *cls, struct mb_buf *out, struct mb_text *content,
                             struct mb_error *err)
{
    struct ins_source *source = &run->sources.items[cls->source];
    const struct ar_entry *entry = ar_input_entry(source->archive, cls->entry);
    size_t start = out->size;

    *content = (struct mb_text){cls->content, cls->size};
    if (cls->content == NULL) {
        MB_TRY(ar_entry_read(source->archive, cls->entry, scratch->codec, &scratch->content,
                             content, err));
    }
    if (!ins_needs_rewrite(cls)) {
        return MB_OK;
    }
    enum mb_status status = rewrite(run, scratch, cls, *content, out, err);
    ins_source_touch(source, (size_t)entry->packed_size);
    if (status == MB_BAD_CLASS) {
        out->size = start;
        return give_up(run, cls, err);
    }
    if (status == MB_OK && cls->is_changed) {
        *content = (struct mb_text){(const char *)out->bytes + start, out->size - start};
    }
    return status;
}
