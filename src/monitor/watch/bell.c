#include "monitor/watch/bell.h"

#include "base/bell.h"

_Atomic(bool) watch_bell_rests;

static struct mb_bell bell;

void watch_bell_ring(void)
{
    atomic_store(&watch_bell_rests, false);
    mb_bell_ring(&bell);
}

void watch_bell_rest(void)
{
    atomic_store(&watch_bell_rests, true);
}

bool watch_bell_wait(int64_t until_ns)
{
    bool did_ring = mb_bell_wait(&bell, until_ns);

    atomic_store(&watch_bell_rests, false);
    return did_ring;
}
