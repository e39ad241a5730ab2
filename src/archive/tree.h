/* An input and all the jars in it: a folder of jars, an AAR, a WAR, a fat jar, an EAR of WARs. */

#ifndef ARCHIVE_TREE_H
#define ARCHIVE_TREE_H

#include "archive/input.h"

#define AR_NO_NODE UINT32_MAX

/* Limits for jars that were made to be opened for ever. */
#define AR_MAX_DEPTH 8
#define AR_MAX_NODES 65536
#define AR_MAX_UNPACKED ((uint64_t)2 << 30) /* bytes of jars that were packed in others */

struct ar_node {
    struct ar_input *input; /* owned by the tree; a caller that takes it over puts NULL here */
    uint32_t outer;         /* the node it is in, or AR_NO_NODE */
    uint32_t outer_entry;   /* where in it */
    uint32_t inner_count;   /* nodes below this one, which follow it in the list */
};

/* A jar that stays an entry like others. */
struct ar_closed {
    uint32_t outer;
    uint32_t outer_entry;
    struct mb_error reason;
};

/* Zeroed memory is an empty tree. Nodes are in the order of their entries, each followed by those
 * in it. */
struct ar_tree {
    struct ar_node *nodes;
    uint32_t node_count;
    struct ar_closed *closed;
    uint32_t closed_count;
    uint64_t unpacked_size;
};

/* Open path and the jars in it. A nested jar that is damaged, or exceeds a limit, stays closed,
 * with the reason. More than AR_MAX_NODES jars are MB_BAD_ARCHIVE. Finish also after failure. */
MB_MUST_CHECK enum mb_status ar_tree_open(struct ar_tree *tree, const char *path,
                                          struct mb_error *err);
void ar_tree_finish(struct ar_tree *tree);

#endif
