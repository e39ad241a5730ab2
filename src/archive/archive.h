/* Inputs and outputs: jars, folders, single classes and AARs, all seen as lists of entries. Reading
 * is our own walk over the central directory (zip.c, APPNOTE 6.3.10); writing goes through libzip
 * (jar.c). */

#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

enum ar_input_kind {
    AR_INPUT_JAR,    /* any zip file, AARs included */
    AR_INPUT_FOLDER, /* entries are regular files, sorted by name */
    AR_INPUT_CLASS,  /* one class file; its base name is the only entry */
};

enum ar_entry_kind {
    AR_ENTRY_OTHER,
    AR_ENTRY_CLASS,     /* the name ends in .class */
    AR_ENTRY_DIRECTORY, /* the name ends in / */
    AR_ENTRY_MANIFEST,  /* META-INF/MANIFEST.MF */
    AR_ENTRY_SIGNATURE, /* in META-INF: *.SF, *.RSA, *.DSA, *.EC */
    AR_ENTRY_JAR,       /* classes.jar or libs / *.jar of a file named *.aar: an input of its own */
};

enum ar_method { /* APPNOTE 4.4.5 */
                 AR_METHOD_STORE = 0,
                 AR_METHOD_DEFLATE = 8,
};

/* One entry, in the order of the central directory. Of entries with one name the last has the
 * content that Java runs: it stands at the place of the first, the others are gone. */
struct ar_entry {
    struct mb_text name; /* owned by the input; bytes as they are */
    enum ar_entry_kind kind;
    uint16_t method; /* enum ar_method, or another that can only be copied */
    uint16_t made_by;
    uint16_t dos_time; /* APPNOTE 4.4.6; 0 in folders */
    uint16_t dos_date;
    uint32_t attributes;  /* external file attributes */
    uint32_t crc32;       /* of the content; unknown (0) in folders */
    uint64_t packed_size; /* in the archive */
    uint64_t size;        /* of the content; in folders when it was listed */
    uint64_t offset;      /* of the local header */
    bool is_encrypted;
};

enum ar_compression {
    AR_COMPRESSION_FAST, /* libdeflate level 1 */
    AR_COMPRESSION_BEST, /* level 6: the size of zlib's 6 in a third of its time */
    AR_COMPRESSION_STORE,
};

/* A thread's inflater and deflater. */
struct ar_codec;
/* NULL when out of memory. */
struct ar_codec *ar_codec_create(enum ar_compression compression);
void ar_codec_destroy(struct ar_codec *codec);

/* --- reading --- */

/* Read-only once open: any number of threads may read entries. */
struct ar_input;

/* Open and list. A damaged directory is MB_BAD_ARCHIVE, naming file, entry and offset. */
MB_MUST_CHECK enum mb_status ar_input_open(struct ar_input **input, const char *path,
                                           struct mb_error *err);

/* The jar at index inside an AAR. Its path is "outer!name"; bytes of a packed one are unpacked into
 * memory of its own, of a stored one borrowed from outer, which must outlive it. */
MB_MUST_CHECK enum mb_status ar_input_open_nested(struct ar_input **input,
                                                  const struct ar_input *outer, size_t index,
                                                  struct mb_error *err);
void ar_input_close(struct ar_input *input);

enum ar_input_kind ar_input_kind(const struct ar_input *input);
const char *ar_input_path(const struct ar_input *input);
size_t ar_input_count(const struct ar_input *input);
const struct ar_entry *ar_input_entry(const struct ar_input *input, size_t index);

/* Entries other than directories that a later one of the same name replaced. */
size_t ar_input_duplicate_count(const struct ar_input *input);

/* The bytes of the file itself, of a jar or class. */
struct mb_text ar_input_bytes(const struct ar_input *input);

/* The content of an entry, its CRC and size checked: a view of the input where it is stored, else
 * unpacked into scratch, whose old content is lost. The view lasts until scratch changes. Scratch
 * with room for the size that a jar states is not moved. */
MB_MUST_CHECK enum mb_status ar_entry_read(const struct ar_input *input, size_t index,
                                           struct ar_codec *codec, struct mb_buf *scratch,
                                           struct mb_text *content, struct mb_error *err);

/* Fails if the file was written to since it was opened; views of it may then show anything. That
 * another file took its place does not matter. Nor are folders looked at. */
MB_MUST_CHECK enum mb_status ar_input_check_unchanged(const struct ar_input *input,
                                                      struct mb_error *err);

/* The pages of a jar are not needed for now; reading again brings them back. */
void ar_input_drop_pages(const struct ar_input *input);

/* --- writing --- */

/* An entry's data as an archive holds it. */
struct ar_packed {
    const uint8_t *bytes; /* borrowed */
    size_t packed_size;
    uint64_t size;
    uint32_t crc32;  /* of the content; unknown (0) where the method is STORE */
    uint16_t method; /* enum ar_method, or what an input entry had */
};

/* Pack content with the codec's compression, appending to out; a content that does not shrink is
 * kept as stored blocks. packed->bytes views out, or content itself where nothing is compressed. */
MB_MUST_CHECK enum mb_status ar_pack(struct ar_codec *codec, struct mb_text content,
                                     struct mb_buf *out, struct ar_packed *packed,
                                     struct mb_error *err);

/* Where an entry's data comes from. produce is called once, in the order of the entries, while
 * ar_output_finish writes; it may wait for another thread. What it gives must stay until release,
 * which follows each produce that gave MB_OK. */
struct ar_source {
    enum mb_status (*produce)(void *context, struct ar_packed *packed, struct mb_error *err);
    void (*release)(void *context); /* may be NULL */
    void *context;
    bool is_stored; /* what produce will give: method STORE, else another */
};

/* Name and metadata of an entry to be written: those of an input's entry, or these for a new one
 * (1980-01-01, host unix). */
struct ar_entry ar_entry_new(struct mb_text name);

struct ar_output;

/* fd: an empty file, borrowed until ar_output_finish; -1 to collect the archive in memory. */
MB_MUST_CHECK enum mb_status ar_output_create(struct ar_output **output, int fd,
                                              struct mb_error *err);

/* Names must be distinct; entry is only read. The source is copied. */
MB_MUST_CHECK enum mb_status ar_output_add(struct ar_output *output, const struct ar_entry *entry,
                                           const struct ar_source *source, struct mb_error *err);

/* The entry as it is in the input, compressed bytes untouched. The input must stay open.
 * Damaged data that is stored fails ar_output_finish; compressed data is not looked at. */
MB_MUST_CHECK enum mb_status ar_output_add_copy(struct ar_output *output,
                                                const struct ar_input *input, size_t index,
                                                struct mb_error *err);

/* Write all. After a failure the file's content is worthless. */
MB_MUST_CHECK enum mb_status ar_output_finish(struct ar_output *output, struct mb_error *err);

/* What ar_output_finish wrote to memory; borrowed until destroy. */
struct mb_text ar_output_bytes(const struct ar_output *output);
void ar_output_destroy(struct ar_output *output);

/* --- signed jars --- */

/* MANIFEST.MF without the digests of its entries and its own (JAR specification, signed JAR file).
 * Other attributes stay byte for byte. */
void ar_manifest_strip(struct mb_text manifest, struct mb_buf *out);

#endif
