/* An entry of an archive, or a file of a folder; and the kinds of inputs. And the
 * manifest among the entries of a jar. */

#ifndef ARCHIVE_ENTRY_H
#define ARCHIVE_ENTRY_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum ar_input_kind {
    AR_INPUT_JAR,    /* any zip file */
    AR_INPUT_FOLDER, /* entries are regular files, sorted by name */
    AR_INPUT_CLASS,  /* a class file; its base name is the only entry */
};

enum ar_entry_kind {
    AR_ENTRY_OTHER,
    AR_ENTRY_CLASS,     /* the name ends in .class */
    AR_ENTRY_DIRECTORY, /* the name ends in / */
    AR_ENTRY_MANIFEST,  /* META-INF/MANIFEST.MF */
    AR_ENTRY_SIGNATURE, /* in META-INF: *.SF, *.RSA, *.DSA, *.EC, SIG-* */
    AR_ENTRY_JAR,       /* an archive that may hold classes: an input of its own */
    AR_ENTRY_DEX,       /* compiled from classes: *.dex, *.apk, *.aab */
    AR_ENTRY_KINDS,
};

/* Transparent: the facts of an entry from the archive's directory, or from its folder. */
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

/* Kind by name. Jars are *.jar, *.war, *.ear and *.aar; of an AAR only classes.jar and libs /
 * *.jar, since others serve the build that it goes into. */
enum ar_entry_kind ar_entry_classify(struct mb_text name, bool is_aar);

#define AR_FIRST_DATE 0x21 /* 1980-01-01, the first that fits (APPNOTE 4.4.6) */

/* Name and metadata of an entry to be written that no input has: 1980-01-01, host unix. */
struct ar_entry ar_entry_new(struct mb_text name);

/* ---- The manifest of a jar (JAR specification) ---- */

/* MANIFEST.MF without the digests of its entries and its own (JAR specification, signed JAR file).
 * Other attributes stay byte for byte. */
void ar_manifest_strip(struct mb_text manifest, struct mb_buf *out);

#endif
