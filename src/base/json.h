/* JSON (RFC 8259) of others that is passed on unread. */

#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/text.h"

/* The text is one value that every reader takes: in UTF-8, nested at most 64 deep, without the
 * character 0 and halves of pairs, its numbers such as 64 bits hold. */
bool mb_json_is_value(struct mb_text text);

/* Append a value on one line. */
void mb_buf_put_json_value(struct mb_buf *buf, struct mb_text value);

#endif
