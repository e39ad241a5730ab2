/* What the manifest of a jar says (JAR specification). */

#ifndef ARCHIVE_MANIFEST_H
#define ARCHIVE_MANIFEST_H

#include "base/buf.h"
#include "base/text.h"

/* MANIFEST.MF without the digests of its entries and its own (JAR specification, signed JAR file).
 * Other attributes stay byte for byte. */
void ar_manifest_strip(struct mb_text manifest, struct mb_buf *out);

/* Append what the main section says behind "Name:", its lines joined. False if it says nothing. */
bool ar_manifest_value(struct mb_text manifest, struct mb_text name, struct mb_buf *out);

#endif
