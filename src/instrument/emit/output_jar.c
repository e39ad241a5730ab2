#include "instrument/emit/output.h"

#include "archive/entry.h"
#include "archive/output.h"
#include "base/file.h"
#include "base/interrupt.h"

#include <stdlib.h>
#include <unistd.h>

/* A jar being written. */
struct jar {
    const struct emit_output *output;
    const struct plan_source *source;
    uint32_t lane;
    struct ar_output *archive;
    struct content *contents;
    struct mb_arena arena;
    struct ar_output *inner;    /* the last jar inside that was written anew */
    struct mb_buf inner_packed; /* the same, where it is packed */
    uint32_t next_inner;        /* source of the next jar inside */
    uint32_t next_listed;       /* the next class of the lane whose entry is not added */
    uint32_t next_work;         /* the next class that is not produced */
    bool is_changed;
};

/* A nested jar, written when its turn comes, so that only one is in memory at a time. */
struct inner {
    struct jar *outer;
    size_t entry;
    uint32_t source; /* its lane has the same number */
};

/* New data of an entry that is not a class, made before the jar is written. */
struct content {
    struct content *next;
    struct mb_buf bytes;
    struct ar_packed packed;
};

static enum mb_status produce_class(void *context, struct ar_packed *packed, struct mb_error *err)
{
    struct jar *jar = context;
    struct emit_rewritten rewritten;

    MB_TRY(mb_check_interrupt(err));
    MB_TRY(emit_conveyor_get(jar->output->conveyor, jar->output->worker, jar->lane,
                             jar->next_work++, &rewritten, err));
    jar->is_changed |= rewritten.is_changed;
    *packed = rewritten.packed;
    return MB_OK;
}

static enum mb_status produce_bytes(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct content *content = context;

    (void)err;
    *packed = content->packed;
    return MB_OK;
}

static bool is_stored(const struct jar *jar)
{
    return jar->output->request->transformer.crew->compression == AR_COMPRESSION_STORE;
}

static enum mb_status add_class(struct jar *jar, size_t index, struct mb_error *err)
{
    struct ar_source source = {produce_class, jar, is_stored(jar)};

    return ar_output_add(jar->archive, ar_input_entry(jar->source->archive, index), &source, err);
}

/* text is packed at once, so it may go. */
static enum mb_status add_content(struct jar *jar, size_t index, struct mb_text text,
                                  struct mb_error *err)
{
    struct ar_codec *codec = jar->output->scratch->codec;
    struct content *content = MB_NEW(&jar->arena, struct content);
    struct ar_source source = {produce_bytes, content, is_stored(jar)};

    if (content == NULL) {
        return mb_fail_memory(err);
    }
    content->next = jar->contents;
    jar->contents = content;
    mb_buf_put(&content->bytes, text.data, text.size);
    MB_TRY(mb_buf_check(&content->bytes, err));
    struct mb_text own = {(const char *)content->bytes.bytes, content->bytes.size};
    struct mb_buf bytes = {0};
    MB_TRY(ar_pack(codec, own, &bytes, &content->packed, err));
    if (content->packed.method != AR_METHOD_STORE) {
        mb_buf_finish(&content->bytes);
        content->bytes = bytes;
    }
    return ar_output_add(jar->archive, ar_input_entry(jar->source->archive, index), &source, err);
}

/* Digests go; a manifest without any is copied. */
static enum mb_status add_manifest(struct jar *jar, size_t index, struct mb_error *err)
{
    struct plan_scratch *scratch = jar->output->scratch;
    const struct ar_input *archive = jar->source->archive;
    struct mb_text manifest;
    struct mb_buf stripped = {0};

    MB_TRY(ar_entry_read(archive, index, scratch->codec, &scratch->content, &manifest, err));
    ar_manifest_strip(manifest, &stripped);
    struct mb_text text = {(const char *)stripped.bytes, stripped.size};
    enum mb_status status = mb_buf_check(&stripped, err);
    if (status == MB_OK) {
        status = mb_text_equal(text, manifest)
                     ? ar_output_add_copy(jar->archive, archive, index, err)
                     : add_content(jar, index, text, err);
    }
    mb_buf_finish(&stripped);
    return status;
}

static const struct emit_lane *lane_of(const struct jar *jar)
{
    return &jar->output->lanes[jar->lane];
}

/* True if the class comes from the conveyor. Decided when the work was planned, and not asked
 * again: threads that rewrite classes may have changed the facts since. */
static bool takes_work(struct jar *jar, const struct plan_class *cls)
{
    bool is_work =
        jar->next_listed < lane_of(jar)->end && jar->output->work[jar->next_listed] == cls;

    jar->next_listed += is_work;
    return is_work;
}

static enum mb_status write_archive(struct jar *jar, struct mb_error *err);

/* Spring Boot opens only jars that are stored in a fat jar, so stored ones stay stored. */
static bool is_inner_stored(const struct jar *jar, size_t entry)
{
    return is_stored(jar) || ar_input_entry(jar->source->archive, entry)->method == AR_METHOD_STORE;
}

static enum mb_status pack_inner(struct jar *jar, size_t entry, struct mb_text bytes,
                                 struct ar_packed *packed, struct mb_error *err)
{
    struct ar_codec *codec = jar->output->scratch->codec;

    if (is_inner_stored(jar, entry)) {
        *packed = ar_packed_store(bytes);
        return MB_OK;
    }
    mb_buf_reset(&jar->inner_packed);
    return ar_pack(codec, bytes, &jar->inner_packed, packed, err);
}

/* If all its classes stay unchanged after all, it is copied. */
static enum mb_status produce_inner(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct inner *inner = context;
    struct jar *outer = inner->outer;
    struct jar jar = {.output = outer->output, .lane = inner->source};

    ar_output_destroy(outer->inner);
    outer->inner = NULL;
    jar.source = &outer->output->request->transformer.sources->items[inner->source];
    enum mb_status status = ar_output_create(&jar.archive, -1, err);
    status = status == MB_OK ? write_archive(&jar, err) : status;
    if (status == MB_OK && jar.is_changed) {
        outer->is_changed = true;
        outer->inner = jar.archive;
        return pack_inner(outer, inner->entry, ar_output_bytes(jar.archive), packed, err);
    }
    ar_output_destroy(jar.archive);
    if (status == MB_OK && is_inner_stored(outer, inner->entry)) {
        *packed = ar_packed_store(ar_input_bytes(jar.source->archive));
        return MB_OK;
    }
    return status == MB_OK ? ar_entry_packed(outer->source->archive, inner->entry, packed, err)
                           : status;
}

static enum mb_status add_inner(struct jar *jar, size_t index, struct mb_error *err)
{
    const struct ar_input *archive = jar->source->archive;
    const struct plan_sources *sources = jar->output->request->transformer.sources;
    struct inner inner = {jar, index,
                          plan_source_take_inner(sources, jar->lane, &jar->next_inner, index)};

    if (inner.source == PLAN_NO_SOURCE || !emit_has_work(jar->output, inner.source)) {
        return ar_output_add_copy(jar->archive, archive, index, err);
    }
    struct inner *kept = MB_NEW(&jar->arena, struct inner);
    if (kept == NULL) {
        return mb_fail_memory(err);
    }
    *kept = inner;
    struct ar_source source = {produce_inner, kept, is_inner_stored(jar, index)};
    return ar_output_add(jar->archive, ar_input_entry(archive, index), &source, err);
}

static enum mb_status add_entry(struct jar *jar, size_t index, const struct plan_class **cls,
                                struct mb_error *err)
{
    const struct plan_class *own = NULL;

    switch (ar_input_entry(jar->source->archive, index)->kind) {
    case AR_ENTRY_CLASS:
        own = (*cls)++;
        if (takes_work(jar, own)) {
            return add_class(jar, index, err);
        }
        break;
    case AR_ENTRY_SIGNATURE:
        return MB_OK; /* it vouches for classes that are not there any more */
    case AR_ENTRY_MANIFEST:
        return add_manifest(jar, index, err);
    case AR_ENTRY_JAR:
        return add_inner(jar, index, err);
    case AR_ENTRY_DEX:
    case AR_ENTRY_OTHER:
    case AR_ENTRY_DIRECTORY:
    case AR_ENTRY_KINDS:
        break;
    }
    return ar_output_add_copy(jar->archive, jar->source->archive, index, err);
}

static enum mb_status add_entries(struct jar *jar, struct mb_error *err)
{
    size_t count = ar_input_count(jar->source->archive);
    const struct plan_class *cls = jar->source->classes;

    for (size_t i = 0; i < count; i++) {
        MB_TRY(add_entry(jar, i, &cls, err));
    }
    return ar_output_finish(jar->archive, err);
}

static enum mb_status write_archive(struct jar *jar, struct mb_error *err)
{
    struct emit_conveyor *conveyor = jar->output->conveyor;

    jar->is_changed = plan_source_loses_signature(jar->source);
    jar->next_inner = jar->lane + 1;
    jar->next_listed = jar->next_work = lane_of(jar)->first;
    emit_conveyor_open(conveyor, jar->lane);
    enum mb_status status = ar_output_add_frame(jar->archive, jar->source->archive, err);
    status = status == MB_OK ? add_entries(jar, err) : status;
    emit_conveyor_close(conveyor, jar->lane);
    for (struct content *content = jar->contents; content != NULL; content = content->next) {
        mb_buf_finish(&content->bytes);
    }
    ar_output_destroy(jar->inner);
    mb_buf_finish(&jar->inner_packed);
    mb_arena_finish(&jar->arena);
    return status;
}

/* Replace the written part by the input's bytes. */
static enum mb_status write_input(const struct plan_source *source, int fd, struct mb_error *err)
{
    struct mb_text bytes = ar_input_bytes(source->archive);

    if (!mb_file_cut(fd, 0) || !mb_file_seek(fd, 0)) {
        return mb_fail_errno(err, "cannot write");
    }
    return mb_file_write_all(fd, bytes.data, bytes.size, err);
}

static enum mb_status write_file(struct jar *jar, int fd, struct mb_error *err)
{
    enum mb_status status = ar_output_create(&jar->archive, fd, err);

    status = status == MB_OK ? write_archive(jar, err) : status;
    ar_output_destroy(jar->archive);
    if (status == MB_OK && !jar->is_changed) {
        status = write_input(jar->source, fd, err);
    }
    return status;
}

enum mb_status emit_write_jar(const struct emit_output *output, struct mb_error *err)
{
    struct jar jar = {.output = output, .lane = output->source};
    int fd = -1;

    jar.source = emit_source_of(output);
    MB_TRY(pub_open(output->request->publish, output->path, &fd, err));
    if (ar_input_is_executable(jar.source->archive)) {
        mb_file_let_run(fd);
    }
    enum mb_status status = emit_has_work(output, output->source)
                                ? write_file(&jar, fd, err)
                                : write_input(jar.source, fd, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot close");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, output->path);
    }
    return status;
}
