/* Which staging folder an output goes through: that of the folder that was named for it, or of the
 * mount point below it that it lies under, since files are renamed within one mount only. */

#ifndef PUBLISH_ROUTE_H
#define PUBLISH_ROUTE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/strmap.h"
#include "publish/staging.h"

#include <sys/types.h>

/* A folder of outputs. */
struct pub_place {
    struct pub_place *next;
    dev_t device;
    ino_t inode;
    struct pub_staging staging;
    struct mb_buf moves; /* struct pub_move: what the commit does here, in this order */
    size_t done_count;   /* moves done */
};

/* Zeroed memory has none. */
struct pub_routes {
    struct mb_arena arena;
    struct mb_strmap ways;    /* folder as the caller spells it -> struct way */
    struct pub_place *places; /* with a staging folder each */
    struct mb_buf made;       /* const char *: folders that were made for places */
};

/* How much of the first size bytes of path names the folder above; 0: the working folder. */
size_t pub_parent_size(const char *path, size_t size);

/* Outputs will go to folder, size bytes, or below it. If it is there, what a killed run left in it
 * is put right. Nothing is made yet. */
MB_MUST_CHECK enum mb_status pub_routes_prepare(struct pub_routes *routes, const char *folder,
                                                size_t size, struct mb_error *err);

/* The place of an output, made if need be, and the output's name relative to it, a part of path.
 * Folders that the name leads through and that are not there become moves. A folder nobody prepared
 * is prepared now. path lives as long as routes. */
MB_MUST_CHECK enum mb_status pub_routes_find(struct pub_routes *routes, const char *path,
                                             struct pub_place **place, const char **name,
                                             struct mb_error *err);

/* Remove the folders that were made for places, as far as they are empty. */
void pub_routes_remove_made(struct pub_routes *routes);

/* Closes staging folders, and leaves them. */
void pub_routes_finish(struct pub_routes *routes);

#endif
