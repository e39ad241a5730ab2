/* Which staging folder an output goes through: that of the folder that was named for it, or of the
 * mount point below it that it lies under, since files are renamed within one mount only. */

#ifndef PUBLISH_ROUTE_H
#define PUBLISH_ROUTE_H

#include "base/strmap.h"
#include "publish/commit.h"

struct pub_made;

struct pub_routes {
    struct pub_commit *commit; /* gets places, and moves that make folders */
    struct mb_strmap roots;    /* folder as the caller spells it -> struct root */
    struct pub_made *made;     /* folders that were made for places, the last one first */
};

/* How much of the first size bytes of path names the folder above; 0: the working folder. */
size_t pub_parent_size(const char *path, size_t size);

/* Outputs will go to folder, size bytes, or below it. If it is there, what a killed run left in it
 * is put right. Nothing is made yet. */
MB_MUST_CHECK enum mb_status pub_routes_prepare(struct pub_routes *routes, const char *folder,
                                                size_t size, struct mb_error *err);

/* The place of an output, move->path, which lives as long as the commit: made if need be, it goes
 * to move->place, and to move->name the output's name relative to it. Folders that the name leads
 * through and that are not there become moves. A folder nobody prepared is prepared now. */
MB_MUST_CHECK enum mb_status pub_routes_find(struct pub_routes *routes, struct pub_move *move,
                                             struct mb_error *err);

/* Remove the folders that were made for places, as far as they are empty. */
void pub_routes_remove_made(const struct pub_routes *routes);

void pub_routes_finish(struct pub_routes *routes);

#endif
