/* Zip archives made byte by byte, so that each field can lie. */

#ifndef TESTS_ARCHIVE_ZIP_BUILDER_H
#define TESTS_ARCHIVE_ZIP_BUILDER_H

#include "base/buf.h"
#include "base/text.h"

struct zip_entry {
    const char *name;
    const char *data; /* as it stands in the archive */
    size_t data_size;
    uint32_t size; /* of the content */
    uint32_t crc32;
    uint16_t method;
    uint16_t flags;
    const char *local_name; /* NULL: name */
    uint32_t offset;        /* 0: where it is */
    bool shares_data;       /* in the directory only, for the data of the entry before */
};

struct zip_options {
    const char *prefix;            /* a shell stub, or NULL */
    const char *comment;           /* of the archive, or NULL */
    const char *garbage;           /* behind the end, or NULL */
    bool has_shifted_offsets;      /* they count from the start of the file, not of the archive */
    uint32_t directory_size_lie;   /* 0: the truth */
    uint32_t directory_offset_lie; /* 0: the truth */
    uint16_t count_lie;            /* 0: the truth */
    bool is_zip64;
};

/* Append the archive to out. */
void zip_put(struct mb_buf *out, const struct zip_entry *entries, size_t count,
             const struct zip_options *options);

/* Write the archive to a temporary file, whose path is put into path (of 64 bytes). */
void zip_build(const struct zip_entry *entries, size_t count, const struct zip_options *options,
               char path[64]);

#endif
