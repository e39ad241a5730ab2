/* The tree of sampled stacks: nodes in the STACKS section, found by their parent, the place of the
 * call in it, and the method. Under the drain's lock. */

#ifndef SAMPLER_TREE_H
#define SAMPLER_TREE_H

#include "sampler/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame by the names of the trace. */
struct samp_place {
    uint32_t id; /* of the method */
    uint16_t bci;
    bool is_ours;    /* a probe, or what it calls */
    bool takes_lock; /* a monitor, in a class that is not the JVM's own */
    uint32_t line;   /* in its source file, or ABI_STACK_NO_LINE */
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
