/* Whom issues come from: where the setting app is given.
 *
 *   SPOOL/.device                            the random id of this installation, and its day
 *   SPOOL/com.x/20261121/session-5f1c.json   the session of a process */

#ifndef SPOOL_IDENTITY_H
#define SPOOL_IDENTITY_H

#include "abi/identity.h"
#include "monitor/identity_sums.h"
#include "monitor/monitor.h"
#include "spool/folder.h"
#include "spool/quota.h"

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

/* ---- The session: sums of a day's frames and starts, and counts of issues ---- */

struct spool_count {
    uint32_t seen;     /* issues of the rules */
    uint32_t written;  /* files */
    uint32_t reported; /* of these, marked for report */
};

/* Start with zeroed memory. */
struct spool_counts {
    int64_t day;     /* since 1970; 0: none yet */
    int64_t from_ns; /* since 1970 */
    struct spool_count counts[MON_DETAIL_COUNT];
    /* Of spool_keep_session, which borrows the last two until the spool is closed. */
    struct mon_process run;
    struct mon_sums *sums; /* NULL: it was not called */
    const struct mon_options *options;
};

/* Count what became of an issue. */
static inline void spool_session_count(struct spool_counts *counts, uint32_t detail,
                                       const struct spool_decision *decision)
{
    counts->counts[detail].written += decision->is_written;
    counts->counts[detail].reported += decision->is_reported;
}

/* What a session's file has of others. */
struct spool_session {
    const struct spool_identity *identity;
    const char *process;
    const struct mon_process *run; /* its start and the map of its methods */
    const struct mon_names *names;
    const struct mon_options *options;
    int64_t wall_ns;
};

/* Write the file of the session's day, by way of text, whole or not at all; after midnight the sums
 * and counts begin anew. False: the file is as it was. Does nothing without app. */
bool spool_session_keep(struct spool_counts *counts, const struct spool_folder *folder,
                        const struct spool_session *session, struct mon_sums *sums,
                        struct mb_buf *text);

#endif
