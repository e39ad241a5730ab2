/* Which files of issues go: old ones, and those that weigh least where there is no room. */

#ifndef SPOOL_CLEANUP_H
#define SPOOL_CLEANUP_H

#include "monitor/options.h"

/* Remove what is older than the days to keep (spool/quota.h), in the folder of a process. bytes,
 * which may be NULL, gets the size of all issues that stay. False if not all files could be seen:
 * then all stay. */
bool spool_cleanup_remove_expired(int folder, const struct mon_options *options, int64_t today,
                                  uint64_t *bytes);

/* Delete oldest issues, least important details first, up to this weight, until the wanted bytes
 * are free or a few hundred issues are gone. Returns the bytes freed; 0: nothing was left to
 * delete. */
uint64_t spool_cleanup_make_room(int folder, int weight, uint64_t wanted);

#endif
