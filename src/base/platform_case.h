/* Names that the file systems of other systems take for one. */

#ifndef BASE_PLATFORM_CASE_H
#define BASE_PLATFORM_CASE_H

#include "base/buf.h"
#include "base/text.h"

/* Append a key that names have in common if they differ in case alone, in letters of any script: by
 * simple case folding (Unicode 14, section 3.13). Bytes that are not UTF-8 stand for themselves. */
void mb_put_case_key(struct mb_buf *key, struct mb_text name);

#endif
