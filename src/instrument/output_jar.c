#include "instrument/output.h"

#include "base/file.h"

#include <stdlib.h>
#include <unistd.h>

/* A jar being written. */
struct jar {
    const struct ins_output *output;
    const struct ins_source *source;
    uint32_t lane;
    struct ar_output *archive;
    struct content *contents;
    struct mb_arena arena;
    uint32_t next_listed; /* the next class of the lane whose entry is not added */
    uint32_t next_work;   /* the next one that is not produced */
    bool is_changed;
};

/* New data of an entry that is no class, made before the jar is written. */
struct content {
    struct content *next;
    struct mb_buf bytes;
    struct ar_packed packed;
};

static enum mb_status produce_class(void *context, struct ar_packed *packed, struct mb_error *err)
{
    struct jar *jar = context;
    struct ins_rewritten rewritten;

    MB_TRY(ins_check_interrupt(err));
    MB_TRY(ins_conveyor_get(jar->output->conveyor, jar->output->worker, jar->lane, jar->next_work++,
                            &rewritten, err));
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
    return jar->output->run->options->compression == AR_COMPRESSION_STORE;
}

static enum mb_status add_class(struct jar *jar, size_t index, struct mb_error *err)
{
    struct ar_source source = {produce_class, NULL, jar, is_stored(jar)};

    return ar_output_add(jar->archive, ar_input_entry(jar->source->archive, index), &source, err);
}

/* text is packed at once, so it may go. */
static enum mb_status add_content(struct jar *jar, size_t index, struct mb_text text,
                                  struct mb_error *err)
{
    struct ar_codec *codec = jar->output->run->scratch[jar->output->worker].codec;
    struct content *content = MB_NEW(&jar->arena, struct content);
    struct ar_source source = {produce_bytes, NULL, content, is_stored(jar)};

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
    struct ins_scratch *scratch = &jar->output->run->scratch[jar->output->worker];
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

static const struct ins_lane *lane_of(const struct jar *jar)
{
    return &jar->output->lanes[jar->lane];
}

/* Whether the class comes from the conveyor. That was decided when the work was planned, and is not
 * asked again: who rewrites classes meanwhile may have found out something. */
static bool takes_work(struct jar *jar, const struct ins_class *cls)
{
    bool is_work =
        jar->next_listed < lane_of(jar)->end && jar->output->work[jar->next_listed] == cls;

    jar->next_listed += is_work;
    return is_work;
}

static enum mb_status write_archive(struct jar *jar, struct mb_error *err);

/* A jar inside an AAR, whose number follows from where it stands. */
static enum mb_status add_nested(struct jar *jar, size_t index, struct mb_error *err)
{
    const struct ins_sources *sources = &jar->output->run->sources;
    struct jar nested = {.output = jar->output, .lane = jar->lane + 1};

    while (sources->items[nested.lane].outer_entry != index) {
        nested.lane++;
    }
    nested.source = &sources->items[nested.lane];
    if (lane_of(&nested)->first == lane_of(&nested)->end) {
        return ar_output_add_copy(jar->archive, jar->source->archive, index, err);
    }
    enum mb_status status = ar_output_create(&nested.archive, -1, err);
    status = status == MB_OK ? write_archive(&nested, err) : status;
    if (status == MB_OK && nested.is_changed) {
        status = add_content(jar, index, ar_output_bytes(nested.archive), err);
        jar->is_changed = true;
    } else if (status == MB_OK) {
        status = ar_output_add_copy(jar->archive, jar->source->archive, index, err);
    }
    ar_output_destroy(nested.archive);
    return status;
}

static enum mb_status add_entry(struct jar *jar, size_t index, const struct ins_class **cls,
                                struct mb_error *err)
{
    const struct ins_class *own = NULL;

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
        return add_nested(jar, index, err);
    case AR_ENTRY_OTHER:
    case AR_ENTRY_DIRECTORY:
        break;
    }
    return ar_output_add_copy(jar->archive, jar->source->archive, index, err);
}

static enum mb_status add_entries(struct jar *jar, struct mb_error *err)
{
    size_t count = ar_input_count(jar->source->archive);
    const struct ins_class *cls = jar->source->classes;

    for (size_t i = 0; i < count; i++) {
        MB_TRY(add_entry(jar, i, &cls, err));
    }
    return ar_output_finish(jar->archive, err);
}

static enum mb_status write_archive(struct jar *jar, struct mb_error *err)
{
    struct ins_conveyor *conveyor = jar->output->conveyor;

    jar->next_listed = jar->next_work = lane_of(jar)->first;
    ins_conveyor_open(conveyor, jar->lane);
    enum mb_status status = add_entries(jar, err);
    ins_conveyor_close(conveyor, jar->lane);
    for (struct content *content = jar->contents; content != NULL; content = content->next) {
        mb_buf_finish(&content->bytes);
    }
    mb_arena_finish(&jar->arena);
    return status;
}

/* The input's bytes in place of what was written so far. */
static enum mb_status write_input(const struct ins_source *source, int fd, struct mb_error *err)
{
    struct mb_text bytes = ar_input_bytes(source->archive);

    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
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

enum mb_status ins_write_jar(const struct ins_output *output, struct mb_error *err)
{
    struct jar jar = {.output = output, .lane = output->source};
    int fd = -1;

    jar.source = &output->run->sources.items[output->source];
    MB_TRY(mb_publish_open(output->run->publish, output->path, &fd, err));
    enum mb_status status = write_file(&jar, fd, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot close");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, output->path);
    }
    return status;
}
