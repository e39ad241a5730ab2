/* The tree of sampled stacks: nodes in the STACKS section, found by their parent, the place of the
 * call in it, and the method. Under the drain's lock. */

#ifndef SAMPLER_TREE_H
#define SAMPLER_TREE_H

#include "abi/sampling.h"
#include "abi/section.h"
#include "recorder/methodbeat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where samples go: the sections of the recorded session (abi/sampling.h), with disk blocks for
 * them. All under the drain's lock (recorder/drain.h), under which a session's memory stays what it
 * is. */

/* One section. */
struct samp_table {
    struct abi_trace_section *section;
    uint8_t *records;
    uint64_t room; /* records that have disk blocks */
};

struct beat_memory;

/* Zeroed memory is that of no session. */
struct samp_tables {
    struct beat_memory *memory; /* pinned and read; NULL: without a session */
    uint32_t session;
    int fd;           /* of the file in which blocks are reserved */
    int64_t start_ns; /* time 0 on CLOCK_MONOTONIC */
    struct beat_options options;
    struct abi_sampling *sampling; /* NULL: the disk is full */
    struct samp_table threads;
    struct samp_table nodes;
    struct samp_table samples;
    struct samp_table blocks;
    struct samp_table locks;
    struct samp_table profile; /* the recorder's rows of threads; without a section: none */
};

/* Be with the recorded session. False, and none, if it is over or has no room for them. *is_new:
 * it is another one than before. */
bool samp_tables_follow(struct samp_tables *tables, bool *is_new);

/* Let go of the session. */
void samp_tables_finish(struct samp_tables *tables);

/* The record of that index, with its disk blocks; NULL if the table or the disk is full. */
void *samp_table_at(struct samp_tables *tables, struct samp_table *table, uint64_t index);

/* The number of records that were written. */
uint64_t samp_table_count(const struct samp_table *table);

/* The next record of a table that only grows, zeroed, and its index; NULL, and a loss is counted,
 * without room. It counts once samp_table_publish is called. */
void *samp_table_next(struct samp_tables *tables, struct samp_table *table, uint32_t *index);

/* The same of a ring, whose oldest record it may take. */
void *samp_table_next_of_ring(struct samp_tables *tables, struct samp_table *table,
                              uint64_t *position);

/* One more record is whole. */
void samp_table_publish(struct samp_table *table);

/* Add to a count that only the sampler writes. */
static inline void samp_add(_Atomic(uint64_t) *count, uint64_t more)
{
    /* Relaxed: one writer, and readers take any value. */
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

/* What a method that is open may have. */
enum samp_takes {
    SAMP_TAKES_NONE,
    SAMP_TAKES_SOME, /* a lock: a monitor, or another one, in a class that is not the JVM's own */
    SAMP_TAKES_IT,   /* the lock that is asked about */
};

/* A frame by the names of the trace. */
struct samp_place {
    uint32_t id; /* of the method */
    uint16_t bci;
    bool is_ours;          /* a probe, or what it calls */
    enum samp_takes takes; /* of monitors, until it is asked about one */
    uint32_t line;         /* in its source file, or ABI_STACK_NO_LINE */
};

/* Zeroed memory is one of the nodes that there are. */
struct samp_tree {
    uint32_t *slots; /* node + 1; 0: free */
    uint32_t slot_mask;
};

void samp_tree_finish(struct samp_tree *tree);

struct samp_stack {
    uint32_t thread; /* row in SAMPLE_THREADS */
    const struct samp_place *places;
    size_t count; /* innermost first */
    bool is_cut;  /* outer frames are missing */
};

/* The node of the innermost frame; of the innermost one that there is room for, and *is_full; or
 * ABI_STACK_NO_NODE. */
uint32_t samp_tree_find(struct samp_tree *tree, struct samp_tables *tables,
                        const struct samp_stack *stack, bool *is_full);

/* A node that was found. */
struct abi_stack_node *samp_tree_at(const struct samp_tables *tables, uint32_t node);

#endif
