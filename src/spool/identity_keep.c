#include "spool/writer.h"

static void keep(struct spool *spool)
{
    const struct spool_counts *counts = &spool->counts;
    const struct spool_session session = {&spool->identity, spool->process,
                                          &counts->run,     spool->setup.names,
                                          counts->options,  spool_wall_ns(spool)};

    (void)spool_session_keep(&spool->counts, &spool->store.folder, &session, counts->sums,
                             &spool->noted.text);
}

void spool_keep_session(struct spool *spool, const struct mon_process *run, struct mon_sums *sums,
                        const struct mon_options *options)
{
    (void)pthread_mutex_lock(&spool->mutex);
    spool->counts.run = *run;
    spool->counts.sums = sums;
    spool->counts.options = options;
    keep(spool);
    (void)pthread_mutex_unlock(&spool->mutex);
}

void spool_session_end(struct spool *spool)
{
    if (spool->counts.sums != NULL) {
        keep(spool);
    }
}
