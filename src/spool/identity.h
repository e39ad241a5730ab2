/* Whom issues come from: where the setting app is given.
 *
 *   SPOOL/.device   the random id of this installation, and its day */

#ifndef SPOOL_IDENTITY_H
#define SPOOL_IDENTITY_H

#include "abi/identity.h"
#include "monitor/monitor.h"

#define SPOOL_DEVICE_DAYS 90 /* then it gets another id */

/* Start with zeroed memory. */
struct spool_identity {
    char pairs[ABI_IDENTITY_SIZE]; /* "": files say nothing of it */
};

/* Take the checked setting, and what the system tells, for traces too. spool: the folder of all
 * processes, which gets the id of the device if it has none or an old one; without a folder there
 * is no id. */
void spool_identity_init(struct spool_identity *identity, const char *app, const char *spool,
                         int64_t wall_ns);

/* Put the object: of the run of the monitors that began at start, with the hash of its method map,
 * or 0. */
void spool_identity_put(const struct spool_identity *identity, struct mb_json *json, uint64_t start,
                        uint64_t mapping, const struct mon_options *options);

/* Add it to the issue at the end of out, which has no verdict yet. */
void spool_identity_add(const struct spool_identity *identity, struct mb_buf *out, uint64_t start,
                        uint64_t mapping, const struct mon_options *options);

#endif
