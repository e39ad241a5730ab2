/* One thread begins and ends messages, others look at its cell: what they see is of one moment. The
 * positions that the cell keeps are counted here, so that each look can be checked against its
 * sequence.
 *
 * usage: stress [SECONDS] */

#include "monitor/watch/cell.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define READERS 2
#define CHECK_EACH 1024

static struct watch_cell cell;
static _Atomic(bool) is_over;
static uint64_t moves; /* the writer's */
static struct abi_trace_ring rings[64];

static struct beat_here next_place(void)
{
    moves++;
    return (struct beat_here){&rings[moves % 64], (uint32_t)(moves * 2654435761u), moves};
}

/* In place of the recorder's. */
struct beat_here beat_here(void)
{
    return next_place();
}

struct beat_here beat_here_enter(void)
{
    return next_place();
}

struct beat_here beat_here_leave(void)
{
    return next_place();
}

static void *look(void *result)
{
    struct watch_snapshot last = {0};
    uint64_t *looks = result;

    while (!atomic_load(&is_over)) {
        struct watch_snapshot snapshot;
        if (!watch_cell_read(&cell, &snapshot)) {
            continue;
        }
        uint64_t move = snapshot.sequence / WATCH_STEP;
        if (snapshot.here.position != move ||
            snapshot.here.claim != (uint32_t)(move * 2654435761u) ||
            (move > 0 && snapshot.here.ring != &rings[move % 64]) ||
            snapshot.sequence < last.sequence || snapshot.since_ns < last.since_ns) {
            (void)printf("torn: sequence %llu, position %llu, claim %u\n",
                         (unsigned long long)snapshot.sequence,
                         (unsigned long long)snapshot.here.position, snapshot.here.claim);
            exit(1);
        }
        last = snapshot;
        (*looks)++;
    }
    return NULL;
}

static void message(int depth)
{
    (void)watch_cell_begin(&cell, WATCH_NEVER_SLOW);
    if (depth > 0) {
        message(depth - 1);
    }
    (void)watch_cell_end(&cell, WATCH_NEVER_SLOW, NULL);
}

int main(int count, char **values)
{
    const time_t until = time(NULL) + (count > 1 ? strtol(values[1], NULL, 10) : 1);
    pthread_t readers[READERS];
    uint64_t looks[READERS][16] = {0}; /* a line each */

    for (int i = 0; i < READERS; i++) {
        if (pthread_create(&readers[i], NULL, look, looks[i]) != 0) {
            return 1;
        }
    }
    while (time(NULL) <= until) {
        for (int i = 0; i < CHECK_EACH; i++) {
            message(i % 4 == 0);
        }
    }
    atomic_store(&is_over, true);
    uint64_t sum = 0;
    for (int i = 0; i < READERS; i++) {
        (void)pthread_join(readers[i], NULL);
        sum += looks[i][0];
    }
    (void)printf("%llu moves, %llu looks\n", (unsigned long long)moves, (unsigned long long)sum);
    return 0;
}
