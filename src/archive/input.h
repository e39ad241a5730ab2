/* Inputs: jars, folders and single classes, all seen as lists of entries. Reading is our own walk
 * over the central directory (zipfile.c, APPNOTE 6.3.10). */

#ifndef ARCHIVE_INPUT_H
#define ARCHIVE_INPUT_H

#include "archive/codec.h"
#include "archive/entry.h"

/* Read-only once open: any number of threads may read entries. */
struct ar_input;

/* Open and list. MB_BAD_ARCHIVE, naming file, entry and offset, for a damaged directory, and for
 * dex code in place of classes. */
MB_MUST_CHECK enum mb_status ar_input_open(struct ar_input **input, const char *path,
                                           struct mb_error *err);

/* The same for an input inside a folder: links below it are passed over. */
MB_MUST_CHECK enum mb_status ar_input_open_without_links(struct ar_input **input, const char *path,
                                                         struct mb_error *err);

/* The jar at index: a file below a folder, or inside an archive, where its path is "outer!name". A
 * packed jar is unpacked into its own memory; a stored one is borrowed from outer, which must
 * outlive it. MB_BAD_ARCHIVE if it is damaged. */
MB_MUST_CHECK enum mb_status ar_input_open_inner(struct ar_input **input,
                                                 const struct ar_input *outer, size_t index,
                                                 struct mb_error *err);
void ar_input_close(struct ar_input *input);

enum ar_input_kind ar_input_kind(const struct ar_input *input);
const char *ar_input_path(const struct ar_input *input);
size_t ar_input_count(const struct ar_input *input);

/* In the order of the central directory. Of entries with equal names only the last, whose content
 * Java runs, is listed, at the place of the first. */
const struct ar_entry *ar_input_entry(const struct ar_input *input, size_t index);

/* Entries other than directories that a later one of the same name replaced. */
size_t ar_input_duplicate_count(const struct ar_input *input);

/* True if it is a file that its owner may run. */
bool ar_input_is_executable(const struct ar_input *input);

/* The bytes of the file itself, of a jar or class. */
struct mb_text ar_input_bytes(const struct ar_input *input);

/* The content of an entry, its CRC and size checked: a view of the input where it is stored, else
 * unpacked into scratch, whose old content is lost. The view lasts until scratch changes. Scratch
 * with room for the size that a jar states is not moved. */
MB_MUST_CHECK enum mb_status ar_entry_read(const struct ar_input *input, size_t index,
                                           struct ar_codec *codec, struct mb_buf *scratch,
                                           struct mb_text *content, struct mb_error *err);

/* The data of an entry of a jar as it is packed there, unchecked: a view of the input. */
MB_MUST_CHECK enum mb_status ar_entry_packed(const struct ar_input *input, size_t index,
                                             struct ar_packed *packed, struct mb_error *err);

/* Fails if the file was written to since it was opened; views of it may then show anything. That
 * another file took its place does not matter. Nor are folders looked at. */
MB_MUST_CHECK enum mb_status ar_input_check_unchanged(const struct ar_input *input,
                                                      struct mb_error *err);

/* The pages of a jar are not needed for now; reading again brings them back. */
void ar_input_drop_pages(const struct ar_input *input);

#endif
