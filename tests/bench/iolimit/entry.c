/* The work on one entry, and on a batch of them. */

#include "iolimit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_SIZE = 64 << 10,
    PIECE = 60, /* bytes of a class ... */
    PROBE = 6,  /* ... after which this many are put in */
    STORED = 0,
    DEFLATED = 8,
};

static const uint8_t *packed_bytes(const struct input *input, const struct entry *entry)
{
    const uint8_t *header = input->map + entry->offset;
    size_t skip = IO_LOCAL_SIZE;

    if (input->map_size - entry->offset < IO_LOCAL_SIZE || io_get_u4(header) != 0x04034b50) {
        io_stop(input->path, "a local header is missing");
    }
    skip += io_get_u2(header + 26);
    skip += io_get_u2(header + 28);
    if (input->map_size - entry->offset < skip + entry->packed_size) {
        io_stop(input->path, "an entry is cut off");
    }
    return header + skip;
}

/* The plain bytes, in worker->plain or in the map. */
static const uint8_t *unpack(struct worker *worker, const struct input *input,
                             const struct entry *entry)
{
    const uint8_t *bytes = packed_bytes(input, entry);

    if (entry->method == DEFLATED) {
        uint8_t *plain;

        worker->plain.size = 0;
        plain = io_make_room(&worker->plain, entry->size + 1);

        if (libdeflate_deflate_decompress(worker->inflate, bytes, entry->packed_size, plain,
                                          entry->size, NULL) != LIBDEFLATE_SUCCESS) {
            io_stop(input->path, "an entry does not inflate");
        }
        bytes = plain;
    }
    if (libdeflate_crc32(0, bytes, entry->size) != entry->crc) {
        io_stop(input->path, "an entry has a wrong CRC");
    }
    return bytes;
}

static const uint8_t *read_file(struct worker *worker, const struct input *input,
                                const struct entry *entry, size_t *size)
{
    int fd = openat(input->folder, entry->name, O_RDONLY);
    ssize_t got;

    if (fd < 0) {
        io_stop(entry->name, strerror(errno));
    }
    worker->plain.size = 0;
    do { /* a read that leaves room behind it has met the end: no fstat, no second read */
        uint8_t *place = io_make_room(&worker->plain, READ_SIZE);

        got = read(fd, place, READ_SIZE);
        if (got < 0) {
            io_stop(entry->name, strerror(errno));
        }
        worker->plain.size += (size_t)got;
    } while (got == READ_SIZE);
    (void)close(fd);
    *size = worker->plain.size;
    return worker->plain.data;
}

static size_t grown_size(size_t size)
{
    return size + size / PIECE * PROBE;
}

/* What a probe looks like to the compressor: sipush, an id, invokestatic, the same reference. */
static void grow(uint8_t *out, const uint8_t *bytes, size_t size)
{
    unsigned id = 0;

    for (; size >= PIECE; size -= PIECE, bytes += PIECE, out += PIECE + PROBE) {
        uint8_t probe[PROBE] = {0x11, (uint8_t)(id >> 8), (uint8_t)id, 0xb8, 0x01, 0x23};

        memcpy(out, bytes, PIECE);
        memcpy(out + PIECE, probe, PROBE);
        id++;
    }
    memcpy(out, bytes, size);
}

void io_put_local_header(uint8_t *b, const struct entry *entry)
{
    b = io_put_u4(b, 0x04034b50);
    b = io_put_u2(b, entry->method == STORED ? 10 : 20);
    b = io_put_u2(b, entry->flags);
    b = io_put_u2(b, entry->method);
    b = io_put_u4(b, (size_t)0x21 << 16); /* 1980-01-01 00:00 */
    b = io_put_u4(b, entry->crc);
    b = io_put_u4(b, entry->packed_size);
    b = io_put_u4(b, entry->size);
    b = io_put_u2(b, entry->name_size);
    b = io_put_u2(b, 0);
    memcpy(b, entry->name, entry->name_size);
}

static void copy_entry(const struct input *input, struct entry *entry, struct bytes *out)
{
    const uint8_t *packed = packed_bytes(input, entry);
    const size_t head_size = IO_LOCAL_SIZE + (size_t)entry->name_size;
    uint8_t *head = io_make_room(out, head_size + entry->packed_size);

    memcpy(head + head_size, packed, entry->packed_size);
    entry->offset = out->size;
    io_put_local_header(head, entry);
    out->size += head_size + entry->packed_size;
}

static void pack_class(struct worker *worker, const struct input *input, struct entry *entry,
                       struct bytes *out)
{
    const uint8_t *plain = unpack(worker, input, entry);
    const size_t head_size = IO_LOCAL_SIZE + (size_t)entry->name_size;
    const size_t size = grown_size(entry->size);
    const size_t bound =
        worker->deflate ? libdeflate_deflate_compress_bound(worker->deflate, size) : size;
    uint8_t *head = io_make_room(out, head_size + bound);
    uint8_t *grown = worker->deflate ? io_make_room(&worker->grown, size) : head + head_size;

    grow(grown, plain, entry->size);
    entry->offset = out->size;
    entry->crc = libdeflate_crc32(0, grown, size);
    entry->size = (uint32_t)size;
    entry->packed_size = (uint32_t)size;
    entry->method = STORED;
    if (worker->deflate != NULL) {
        entry->method = DEFLATED;
        entry->packed_size = (uint32_t)libdeflate_deflate_compress(worker->deflate, grown, size,
                                                                   head + head_size, bound);
    }
    io_put_local_header(head, entry);
    out->size += head_size + entry->packed_size;
}

/* A file that holds these bytes already stays untouched; truncating first would make ext4 write it
 * back at once. */
static void write_file(struct worker *worker, int folder, const char *name, const uint8_t *bytes,
                       size_t size)
{
    int fd = openat(folder, name, O_RDWR | O_CREAT, 0666);
    uint8_t *old = io_make_room(&worker->old, size + 1);
    ssize_t old_size = fd >= 0 ? read(fd, old, size + 1) : -1;

    if (old_size < 0) {
        io_stop(name, strerror(errno));
    }
    if ((size_t)old_size != size || memcmp(old, bytes, size) != 0) {
        if (pwrite(fd, bytes, size, 0) != (ssize_t)size) {
            io_stop(name, strerror(errno));
        }
        if ((size_t)old_size > size && ftruncate(fd, (off_t)size) != 0) {
            io_stop(name, strerror(errno));
        }
    }
    (void)close(fd);
}

static void rewrite_file(struct worker *worker, struct input *input, const struct entry *entry)
{
    size_t size;
    const uint8_t *bytes = read_file(worker, input, entry, &size);

    if (entry->is_class) {
        size_t plain_size = size;
        uint8_t *grown;

        size = grown_size(plain_size);
        grown = io_make_room(&worker->grown, size);
        grow(grown, bytes, plain_size);
        bytes = grown;
    }
    write_file(worker, input->output, entry->name, bytes, size);
}

static uint64_t look_at(const uint8_t *bytes, size_t size)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < size; i++) {
        seen += bytes[i];
    }
    return seen;
}

void io_examine(struct worker *worker, const struct batch *batch)
{
    for (size_t i = batch->first; i < batch->first + batch->count; i++) {
        const struct entry *entry = &batch->input->entries[i];
        size_t size = entry->size;

        if (entry->is_class) {
            const uint8_t *bytes = batch->input->map != NULL
                                       ? unpack(worker, batch->input, entry)
                                       : read_file(worker, batch->input, entry, &size);

            worker->seen += look_at(bytes, size);
            worker->class_count++;
            worker->class_bytes += size;
        }
    }
}

void io_rewrite(struct worker *worker, const struct batch *batch, struct bytes *out)
{
    out->size = 0;
    for (size_t i = batch->first; i < batch->first + batch->count; i++) {
        struct entry *entry = &batch->input->entries[i];

        if (batch->input->map == NULL) {
            rewrite_file(worker, batch->input, entry);
        } else if (entry->is_class) {
            pack_class(worker, batch->input, entry, out);
        } else {
            copy_entry(batch->input, entry, out);
        }
    }
}
