#include "archive/sink.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>

#define FLUSH_SIZE ((size_t)1 << 18)
#define KEPT_SIZE ((size_t)64 << 10) /* libzip may still patch the entry just written */

static bool write_at(struct ar_sink *sink, const uint8_t *bytes, size_t size, uint64_t offset)
{
    if (!mb_file_put_at(sink->fd, bytes, size, offset)) {
        sink->saved_errno = errno;
        return false;
    }
    return true;
}

static bool flush_buffer(struct ar_sink *sink, size_t kept)
{
    size_t size = sink->buf.size > kept ? sink->buf.size - kept : 0;

    if (sink->fd < 0 || size == 0) {
        return true;
    }
    if (!write_at(sink, sink->buf.bytes, size, sink->flushed)) {
        return false;
    }
    memmove(sink->buf.bytes, sink->buf.bytes + size, sink->buf.size - size);
    sink->buf.size -= size;
    sink->flushed += size;
    return true;
}

/* Bytes before the buffer go straight to the file, others into it. */
static bool put_bytes(struct ar_sink *sink, const uint8_t *bytes, size_t size)
{
    if (sink->position < sink->flushed) {
        uint64_t before = sink->flushed - sink->position;
        size_t part = size < before ? size : (size_t)before;
        if (!write_at(sink, bytes, part, sink->position)) {
            return false;
        }
        sink->position += part;
        bytes += part;
        size -= part;
    }
    if (size == 0) {
        return true; /* the position may still lie before the buffer */
    }
    size_t at = (size_t)(sink->position - sink->flushed);
    if (at + size > sink->buf.size &&
        mb_buf_extend(&sink->buf, at + size - sink->buf.size) == NULL) {
        sink->saved_errno = ENOMEM;
        return false;
    }
    memcpy(sink->buf.bytes + at, bytes, size);
    sink->position += size;
    return sink->buf.size < FLUSH_SIZE + KEPT_SIZE || flush_buffer(sink, KEPT_SIZE);
}

bool ar_sink_put(struct ar_sink *sink, struct mb_text bytes)
{
    return put_bytes(sink, (const uint8_t *)bytes.data, bytes.size);
}

/* The size of the comment is the end of an end record. */
bool ar_sink_finish(struct ar_sink *sink)
{
    const uint8_t size[2] = {(uint8_t)sink->comment.size, (uint8_t)(sink->comment.size >> 8)};

    if (sink->comment.size > 0) {
        sink->position = sink->flushed + sink->buf.size - sizeof(size);
        if (!put_bytes(sink, size, sizeof(size)) || !ar_sink_put(sink, sink->comment)) {
            return false;
        }
    }
    return flush_buffer(sink, 0);
}

static zip_int64_t write_failed(const struct ar_sink *sink, zip_error_t *error)
{
    zip_error_set(error, ZIP_ER_WRITE, sink->saved_errno);
    return -1;
}

static zip_int64_t seek_to(struct ar_sink *sink, void *data, zip_uint64_t size, zip_error_t *error)
{
    zip_int64_t position = zip_source_seek_compute_offset(
        sink->position, sink->flushed + sink->buf.size, data, size, error);

    if (position < 0) {
        return -1;
    }
    sink->position = (uint64_t)position;
    return 0;
}

static zip_int64_t answer_command(void *context, void *data, zip_uint64_t size,
                                  zip_source_cmd_t command)
{
    struct ar_sink *sink = context;
    zip_error_t *error = &sink->error;

    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_COMMIT_WRITE,
            ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_REMOVE, ZIP_SOURCE_SUPPORTS, -1);
    case ZIP_SOURCE_WRITE:
        return put_bytes(sink, data, (size_t)size) ? (zip_int64_t)size : write_failed(sink, error);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek_to(sink, data, size, error);
    case ZIP_SOURCE_TELL_WRITE:
        return (zip_int64_t)sink->position;
    case ZIP_SOURCE_COMMIT_WRITE:
        return ar_sink_finish(sink) ? 0 : write_failed(sink, error);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(error, data, size);
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default: /* empty so far: libzip takes this for a new archive */
        zip_error_set(error, ZIP_ER_READ, ENOENT);
        return -1;
    }
}

zip_source_t *ar_sink_source(struct ar_sink *sink, zip_error_t *error)
{
    return zip_source_function_create(answer_command, sink, error);
}
