/* What runs that were killed left behind: commits that were under way are taken back, staging
 * folders go. */

#ifndef PUBLISH_RECOVER_H
#define PUBLISH_RECOVER_H

#include "base/error.h"

/* Look for dead runs' staging folders in folder, absolute. A commit that had begun is taken back in
 * all folders that it went to, as far as they are there. Runs that live are let alone. Fails,
 * naming the staging folder, where what was there before cannot be put back. */
MB_MUST_CHECK enum mb_status pub_recover(const char *folder, struct mb_error *err);

#endif
