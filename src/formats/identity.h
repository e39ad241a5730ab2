/* Whom a trace comes from (abi/identity.h), as reports say it. */

#ifndef FORMATS_IDENTITY_H
#define FORMATS_IDENTITY_H

#include "base/json.h"

/* The member "app"; nothing where it is not known. */
void format_put_identity(struct mb_json *json, struct mb_text app);

/* ", com.acme 5.2, Anvil 3, Android 33": what of it is known, by the function that puts texts. */
void format_say_identity(struct mb_buf *out, struct mb_text app,
                         void (*put)(struct mb_buf *out, struct mb_text text));

#endif
