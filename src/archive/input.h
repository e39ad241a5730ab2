/* What the readers of zip.c and folder.c fill in; private to archive. */

#ifndef ARCHIVE_INPUT_H
#define ARCHIVE_INPUT_H

#include "archive/archive.h"
#include "base/arena.h"

#include <sys/stat.h>

struct ar_input {
    enum ar_input_kind kind;
    char *path; /* in the arena */
    struct mb_arena arena;
    struct mb_text file;  /* the bytes of a jar */
    struct stat opened;   /* what the file was when it was opened; zero for a nested jar */
    struct mb_buf memory; /* of an unpacked nested jar */
    bool is_mapped;       /* file is */
    int folder;           /* descriptor of a folder or of a class's folder, else -1 */
    struct ar_entry *entries;
    size_t count;
    size_t duplicate_count;
    size_t data_end;    /* where the central directory starts: entries end before it */
    size_t prefix_size; /* bytes before the archive proper: a shell stub */
};

/* Kind by name. is_aar says whether jars inside are inputs. */
enum ar_entry_kind ar_classify(struct mb_text name, bool is_aar);

/* List the central directory of input->file. */
MB_MUST_CHECK enum mb_status ar_zip_list(struct ar_input *input, struct mb_error *err);

/* The packed data of an entry, its local header checked. */
MB_MUST_CHECK enum mb_status ar_zip_locate(const struct ar_input *input,
                                           const struct ar_entry *entry, struct mb_text *packed,
                                           struct mb_error *err);

/* List the regular files below input->folder, sorted. */
MB_MUST_CHECK enum mb_status ar_folder_list(struct ar_input *input, struct mb_error *err);

MB_MUST_CHECK enum mb_status ar_folder_read(const struct ar_input *input,
                                            const struct ar_entry *entry, struct mb_buf *content,
                                            struct mb_error *err);

/* Unpack deflated data of exactly size bytes to place. False if it is anything else. */
bool ar_inflate(struct ar_codec *codec, struct mb_text packed, void *place, size_t size);
uint32_t ar_crc32(struct mb_text content);

/* Whether content is what the directory's CRC says. */
MB_MUST_CHECK enum mb_status ar_check_crc32(const struct ar_entry *entry, struct mb_text content,
                                            struct mb_error *err);

#endif
