/* The entries of an input; private to archive. */

#ifndef ARCHIVE_LISTING_H
#define ARCHIVE_LISTING_H

#include "archive/entry.h"
#include "base/arena.h"
#include "base/platform_folder.h"

struct ar_input {
    enum ar_input_kind kind;
    char *path; /* in the arena */
    struct mb_arena arena;
    struct mb_text file;         /* the bytes of a jar */
    struct mb_file_info *opened; /* what it was then, in the arena; NULL: a nested jar */
    struct mb_buf memory;        /* of an unpacked nested jar */
    bool is_mapped;              /* file is */
    bool is_mapped_view;         /* file is a part of a mapped one: a jar stored in a jar */
    bool passes_links;           /* links below a folder are passed over */
    struct mb_folder folder;     /* open, of a folder */
    struct ar_entry *entries;
    size_t count;
    size_t duplicate_count;
    size_t data_end;       /* where the central directory starts: entries end before it */
    size_t offset_shift;   /* added to offsets in the archive, which count from the end of prefix */
    struct mb_text prefix; /* the bytes before the first entry: a shell script */
    struct mb_text comment; /* of the archive */
};

/* ---- Folders ---- */

/* List the regular files below input->folder, sorted. Links are followed unless
 * input->passes_links, so a file may have several names, but no path passes the same folder twice.
 * Dangling links are passed over. More than 100,000 folders reached by links are MB_IO. */
MB_MUST_CHECK enum mb_status ar_folder_list(struct ar_input *input, struct mb_error *err);

MB_MUST_CHECK enum mb_status ar_folder_read(const struct ar_input *input,
                                            const struct ar_entry *entry, struct mb_buf *content,
                                            struct mb_error *err);

/* ---- Zip archives ---- */

/* List the central directory of input->file. */
MB_MUST_CHECK enum mb_status ar_zip_list(struct ar_input *input, struct mb_error *err);

/* The packed data of an entry, its local header checked. */
MB_MUST_CHECK enum mb_status ar_zip_locate(const struct ar_input *input,
                                           const struct ar_entry *entry, struct mb_text *packed,
                                           struct mb_error *err);

/* ---- Equal names ---- */

/* Of entries with equal names keep the first place and the last content. */
MB_MUST_CHECK enum mb_status ar_drop_duplicates(struct ar_input *input, struct mb_error *err);

#endif
