/* The names of files of sessions (spool/identity_session.h). */

#ifndef SPOOL_IDENTITY_NAME_H
#define SPOOL_IDENTITY_NAME_H

#include "abi/issue.h"
#include "base/text.h"

static inline bool spool_session_is(const char *name)
{
    const struct mb_text text = mb_text_of(name);

    return mb_text_starts(text, MB_TEXT(ABI_FILE_SESSION)) &&
           mb_text_ends(text, MB_TEXT(ABI_FILE_END));
}

#endif
