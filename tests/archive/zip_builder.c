#include "zip_builder.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put2(struct mb_buf *out, unsigned value)
{
    mb_buf_put_u1(out, value & 0xff);
    mb_buf_put_u1(out, value >> 8 & 0xff);
}

static void put4(struct mb_buf *out, uint32_t value)
{
    put2(out, value & 0xffff);
    put2(out, value >> 16);
}

static void put8(struct mb_buf *out, uint64_t value)
{
    put4(out, (uint32_t)value);
    put4(out, (uint32_t)(value >> 32));
}

/* What local and central header share. */
static void put_facts(struct mb_buf *out, const struct zip_entry *entry)
{
    put2(out, 20);
    put2(out, entry->flags);
    put2(out, entry->method);
    put2(out, 0x6000);
    put2(out, 0x5000);
    put4(out, entry->crc32);
    put4(out, (uint32_t)entry->data_size);
    put4(out, entry->size);
}

static void put_local(struct mb_buf *out, const struct zip_entry *entry)
{
    const char *name = entry->local_name != NULL ? entry->local_name : entry->name;

    put4(out, 0x04034b50);
    put_facts(out, entry);
    put2(out, (unsigned)strlen(name));
    put2(out, 0);
    mb_buf_put_string(out, name);
    mb_buf_put(out, entry->data, entry->data_size);
}

static void put_central(struct mb_buf *out, const struct zip_entry *entry, uint32_t offset)
{
    put4(out, 0x02014b50);
    put2(out, 0x0314);
    put_facts(out, entry);
    put2(out, (unsigned)strlen(entry->name));
    put2(out, 0); /* extra */
    put2(out, 0); /* comment */
    put2(out, 0); /* disk */
    put2(out, 0);
    put4(out, 0100644U << 16);
    put4(out, entry->offset != 0 ? entry->offset : offset);
    mb_buf_put_string(out, entry->name);
}

static void put_end64(struct mb_buf *out, uint64_t count, uint64_t size, uint64_t offset)
{
    uint64_t at = out->size;

    put4(out, 0x06064b50);
    put8(out, 44);
    put4(out, 45 << 16 | 45);
    put8(out, 0); /* disks */
    put8(out, count);
    put8(out, count);
    put8(out, size);
    put8(out, offset);
    put4(out, 0x07064b50);
    put4(out, 0);
    put8(out, at);
    put4(out, 1);
}

static void put_end(struct mb_buf *out, const struct zip_options *options, size_t count,
                    uint32_t size, uint32_t offset)
{
    uint32_t told_size = options->directory_size_lie != 0 ? options->directory_size_lie : size;
    uint32_t told_offset =
        options->directory_offset_lie != 0 ? options->directory_offset_lie : offset;
    unsigned told_count =
        options->count_lie != 0 ? options->count_lie : (unsigned)count & UINT16_MAX;

    if (options->is_zip64) {
        put_end64(out, count, size, offset);
        told_size = UINT32_MAX;
        told_offset = UINT32_MAX;
        told_count = UINT16_MAX;
    }
    put4(out, 0x06054b50);
    put4(out, 0);
    put2(out, told_count);
    put2(out, told_count);
    put4(out, told_size);
    put4(out, told_offset);
    put2(out, options->comment != NULL ? (unsigned)strlen(options->comment) : 0);
    mb_buf_put_string(out, options->comment != NULL ? options->comment : "");
}

void zip_put(struct mb_buf *out, const struct zip_entry *entries, size_t count,
             const struct zip_options *options)
{
    uint32_t *offsets = calloc(count + 1, sizeof(*offsets));
    size_t start = options->has_shifted_offsets ? 0
                   : options->prefix != NULL    ? strlen(options->prefix)
                                                : 0;

    mb_buf_put_string(out, options->prefix != NULL ? options->prefix : "");
    for (size_t i = 0; i < count; i++) {
        if (entries[i].shares_data) {
            offsets[i] = i > 0 ? offsets[i - 1] : 0;
            continue;
        }
        offsets[i] = (uint32_t)(out->size - start);
        put_local(out, &entries[i]);
    }
    size_t directory = out->size;
    for (size_t i = 0; i < count; i++) {
        put_central(out, &entries[i], offsets[i]);
    }
    put_end(out, options, count, (uint32_t)(out->size - directory), (uint32_t)(directory - start));
    mb_buf_put_string(out, options->garbage != NULL ? options->garbage : "");
    free(offsets);
}

void zip_build(const struct zip_entry *entries, size_t count, const struct zip_options *options,
               char path[64])
{
    struct mb_buf out = {0};

    zip_put(&out, entries, count, options);
    (void)snprintf(path, 64, "/tmp/mb-zip-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || mb_file_write_all(fd, out.bytes, out.size, NULL) != MB_OK) {
        abort();
    }
    (void)close(fd);
    mb_buf_finish(&out);
}
