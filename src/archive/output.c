#include "archive/output.h"

#include "archive/listing.h"
#include "archive/sink.h"
#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A pending entry. Each entry has one, so it is small. */
struct pending {
    struct ar_output *output;
    struct ar_source source;
};

/* The entry being written: libzip's source asks for data that is compressed already. */
struct current {
    const struct pending *pending; /* NULL: without */
    struct ar_packed packed;
    size_t read;
};

/* An entry that goes from input to output as it is. */
struct copy {
    struct ar_output *output;
    const struct ar_input *input;
    size_t index;
};

struct ar_output {
    zip_t *archive;
    struct ar_sink sink;
    struct mb_arena arena; /* pending entries */
    struct mb_buf name;    /* of the entry being added */
    struct mb_buf damaged; /* data of the entry being written, once produced */
    struct current current;
    struct mb_error error; /* of a source: libzip only hands on that it failed */
    size_t count;
    uint32_t last_stamp; /* DOS date and time of the last entry; 0: before the first */
    time_t last_time;    /* the same for libzip */
};

static enum mb_status fail_zip(struct ar_output *output, zip_error_t *error, struct mb_error *err)
{
    if (output->error.status != MB_OK) {
        if (err != NULL) {
            *err = output->error;
        }
        return output->error.status;
    }
    if (output->sink.saved_errno != 0) {
        errno = output->sink.saved_errno;
        return mb_fail_errno(err, "cannot write");
    }
    int code = zip_error_code_zip(error);
    if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK) { /* some of its allocations leave no reason */
        return mb_fail_memory(err);
    }
    return mb_fail(err, MB_IO, MB_NO_OFFSET, "libzip: %s", zip_error_strerror(error));
}

/* libzip notes what it needs of a source when it opens the first one, in two words and without a
 * lock: one that is opened between these seems to be read-only. */
static zip_t *open_archive(zip_source_t *source, zip_error_t *error)
{
    static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

    (void)pthread_mutex_lock(&opening);
    zip_t *archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, error);
    (void)pthread_mutex_unlock(&opening);
    return archive;
}

enum mb_status ar_output_create(struct ar_output **output, int fd, struct mb_error *err)
{
    struct ar_output *created = calloc(1, sizeof(*created));
    zip_error_t error;

    *output = NULL;
    if (created == NULL) {
        return mb_fail_memory(err);
    }
    created->sink.fd = fd;
    zip_error_init(&error);
    zip_error_init(&created->sink.error);
    zip_source_t *source = ar_sink_source(&created->sink, &error);
    created->archive = source != NULL ? open_archive(source, &error) : NULL;
    if (created->archive == NULL) {
        enum mb_status status = fail_zip(created, &error, err);
        zip_source_free(source);
        zip_error_fini(&error);
        ar_output_destroy(created);
        return status;
    }
    zip_error_fini(&error);
    *output = created;
    return MB_OK;
}

void ar_output_destroy(struct ar_output *output)
{
    if (output != NULL) {
        if (output->archive != NULL) {
            zip_discard(output->archive);
        }
        zip_error_fini(&output->sink.error);
        mb_buf_finish(&output->sink.buf);
        mb_buf_finish(&output->name);
        mb_buf_finish(&output->damaged);
        mb_arena_finish(&output->arena);
        free(output);
    }
}

/* --- an entry's source --- */

static zip_int64_t open_source(const struct pending *pending)
{
    struct ar_output *output = pending->output;
    struct current *current = &output->current;

    if (current->pending != pending) {
        struct mb_error err = {0};
        enum mb_status status =
            pending->source.produce(pending->source.context, &current->packed, &err);
        if (status != MB_OK) {
            err.status = status;
            output->error = err;
            return -1;
        }
        current->pending = pending;
    }
    return 0;
}

/* All four facts together make libzip take the data as compressed; if one were missing, it would
 * compress again or fail. */
static zip_int64_t fill_stat(const struct pending *pending, zip_stat_t *stat)
{
    const struct ar_packed *packed = &pending->output->current.packed;

    if (open_source(pending) < 0) {
        return -1;
    }
    zip_stat_init(stat);
    stat->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD;
    stat->size = packed->size;
    stat->comp_size = packed->packed_size;
    stat->crc = packed->crc32;
    stat->comp_method = packed->method;
    return (zip_int64_t)sizeof(*stat);
}

static zip_int64_t read_packed(struct current *current, void *data, zip_uint64_t size)
{
    size_t left = current->packed.packed_size - current->read;
    size_t part = left < size ? left : (size_t)size;

    if (part > 0) {
        memcpy(data, current->packed.bytes + current->read, part);
    }
    current->read += part;
    return (zip_int64_t)part;
}

static zip_int64_t answer_command(void *context, void *data, zip_uint64_t size,
                                  zip_source_cmd_t command)
{
    struct pending *pending = context;
    struct current *current = &pending->output->current;
    static const int failure[2] = {ZIP_ER_READ, 0};

    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE;
    case ZIP_SOURCE_OPEN:
        current->read = 0;
        return open_source(pending);
    case ZIP_SOURCE_READ:
        return read_packed(current, data, size);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    case ZIP_SOURCE_STAT:
        return fill_stat(pending, data);
    case ZIP_SOURCE_ERROR:
        memcpy(data, failure, sizeof(failure));
        return (zip_int64_t)sizeof(failure);
    default:
        return -1;
    }
}

/* --- adding --- */

/* Like zip_file_set_dostime, but computed once for consecutive entries of equal time: mktime is
 * slow. */
static time_t time_of(struct ar_output *output, const struct ar_entry *entry)
{
    unsigned date = entry->dos_date < AR_FIRST_DATE ? AR_FIRST_DATE : entry->dos_date;
    unsigned time = entry->dos_time;
    uint32_t stamp = date << 16 | time;

    if (stamp != output->last_stamp) {
        struct tm fields = {
            .tm_year = (int)(date >> 9) + 80,
            .tm_mon = (int)(date >> 5 & 15) - 1,
            .tm_mday = (int)(date & 31),
            .tm_hour = (int)(time >> 11),
            .tm_min = (int)(time >> 5 & 63),
            .tm_sec = (int)(time & 31) * 2,
            .tm_isdst = -1,
        };
        output->last_stamp = stamp;
        output->last_time = mktime(&fields);
    }
    return output->last_time;
}

static bool set_facts(struct ar_output *output, zip_uint64_t index, const struct ar_entry *entry,
                      bool is_stored)
{
    zip_t *archive = output->archive;

    return (!is_stored || zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0) &&
           zip_file_set_mtime(archive, index, time_of(output, entry), 0) == 0 &&
           zip_file_set_external_attributes(archive, index, 0, (zip_uint8_t)(entry->made_by >> 8),
                                            entry->attributes) == 0;
}

static enum mb_status add_entry(struct ar_output *output, const char *name,
                                const struct ar_entry *entry, struct pending *pending,
                                struct mb_error *err)
{
    zip_source_t *source = zip_source_function(output->archive, answer_command, pending);
    zip_int64_t index = source != NULL ? zip_file_add(output->archive, name, source, 0) : -1;

    if (index < 0) {
        zip_source_free(source);
        return fail_zip(output, zip_get_error(output->archive), err);
    }
    if (!set_facts(output, (zip_uint64_t)index, entry, pending->source.is_stored)) {
        return fail_zip(output, zip_get_error(output->archive), err);
    }
    output->count++;
    return MB_OK;
}

enum mb_status ar_output_add(struct ar_output *output, const struct ar_entry *entry,
                             const struct ar_source *source, struct mb_error *err)
{
    struct pending *pending = MB_NEW(&output->arena, struct pending);
    struct mb_buf *name = &output->name; /* libzip copies it */

    mb_buf_reset(name);
    mb_buf_put(name, entry->name.data, entry->name.size);
    mb_buf_put_u1(name, '\0');
    if (name->failed || pending == NULL) {
        return mb_fail_memory(err);
    }
    *pending = (struct pending){output, *source};
    enum mb_status status = add_entry(output, (const char *)name->bytes, entry, pending, err);
    if (status != MB_OK) {
        mb_error_in_input(err, (const char *)name->bytes);
    }
    return status;
}

static enum mb_status produce_copy(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct copy *copy = context;

    return ar_entry_packed(copy->input, copy->index, packed, err);
}

/* libzip would compute a new CRC for damaged stored data; it keeps the CRC of deflate data. */
static enum mb_status produce_damaged(void *context, struct ar_packed *packed, struct mb_error *err)
{
    const struct copy *copy = context;

    MB_TRY(produce_copy(context, packed, err));
    struct mb_text data = {(const char *)packed->bytes, packed->packed_size};
    struct mb_buf *room = &copy->output->damaged;
    mb_buf_reset(room);
    ar_pack_uncompressed(data, room);
    packed->bytes = room->bytes;
    packed->packed_size = room->size;
    packed->method = AR_METHOD_DEFLATE;
    return mb_buf_check(room, err);
}

enum mb_status ar_output_add_copy(struct ar_output *output, const struct ar_input *input,
                                  size_t index, struct mb_error *err)
{
    const struct ar_entry *entry = &input->entries[index];
    struct copy *copy = MB_NEW(&output->arena, struct copy);
    struct ar_source source = {
        .produce = produce_copy,
        .context = copy,
        .is_stored = entry->method == AR_METHOD_STORE,
    };

    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    *copy = (struct copy){output, input, index};
    if (source.is_stored) {
        struct ar_packed packed;
        MB_TRY(ar_entry_packed(input, index, &packed, err));
        struct mb_text data = {(const char *)packed.bytes, packed.packed_size};
        source.is_stored = ar_crc32(data) == entry->crc32;
        source.produce = source.is_stored ? produce_copy : produce_damaged;
    }
    return ar_output_add(output, entry, &source, err);
}

enum mb_status ar_output_add_frame(struct ar_output *output, const struct ar_input *input,
                                   struct mb_error *err)
{
    output->sink.comment = input->comment;
    if (!ar_sink_put(&output->sink, input->prefix)) {
        errno = output->sink.saved_errno;
        return mb_fail_errno(err, "cannot write");
    }
    return MB_OK;
}

/* --- finishing --- */

/* libzip writes no file at all for an archive without entries. */
static enum mb_status finish_empty(struct ar_output *output, struct mb_error *err)
{
    static const char empty_archive[22] = {'P', 'K', 5, 6};
    struct mb_text bytes = {empty_archive, sizeof(empty_archive)};

    if (!ar_sink_put(&output->sink, bytes) || !ar_sink_finish(&output->sink)) {
        errno = output->sink.saved_errno;
        return mb_fail_errno(err, "cannot write");
    }
    return MB_OK;
}

enum mb_status ar_output_finish(struct ar_output *output, struct mb_error *err)
{
    if (output->count == 0) {
        return finish_empty(output, err);
    }
    if (zip_close(output->archive) != 0) {
        return fail_zip(output, zip_get_error(output->archive), err);
    }
    output->archive = NULL;
    return MB_OK;
}

struct mb_text ar_output_bytes(const struct ar_output *output)
{
    return (struct mb_text){(const char *)output->sink.buf.bytes, output->sink.buf.size};
}
