/* Uploads: files of issues that are packed by gzip (RFC 1952), or by zstd (RFC 8878) in builds with
 * libzstd. */

#ifndef ISSUES_FLEET_UNPACKER_H
#define ISSUES_FLEET_UNPACKER_H

#include "issues/collection.h"

/* Takes files named *.gz and *.zst; memory is bounded. */
extern const struct issues_unpacker fleet_unpacker;

#endif
