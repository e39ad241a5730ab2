/* The manifest of a jar (JAR specification). */

#ifndef ARCHIVE_MANIFEST_H
#define ARCHIVE_MANIFEST_H

#include "base/buf.h"
#include "base/text.h"

/* MANIFEST.MF without the digests of its entries and its own (JAR specification, signed JAR file).
 * Other attributes stay byte for byte. */
void ar_manifest_strip(struct mb_text manifest, struct mb_buf *out);

/* Append the value of "Name:" in the main section, its lines joined. False if it is missing. */
bool ar_manifest_value(struct mb_text manifest, struct mb_text name, struct mb_buf *out);

#endif
