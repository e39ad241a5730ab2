/* The manifest of a jar (JAR specification). */

#ifndef ARCHIVE_MANIFEST_H
#define ARCHIVE_MANIFEST_H

#include "base/buf.h"
#include "base/text.h"

/* MANIFEST.MF without the digests of its entries and its own (JAR specification, signed JAR file).
 * Other attributes stay byte for byte. */
void ar_manifest_strip(struct mb_text manifest, struct mb_buf *out);

#endif
