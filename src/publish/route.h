/* The staging folder of an output: that of the folder named for it, or of the mount point below it
 * that contains the output, since rename works within one mount only. */

#ifndef PUBLISH_ROUTE_H
#define PUBLISH_ROUTE_H

#include "base/strmap.h"
#include "publish/commit.h"

struct pub_made;

struct pub_routes {
    struct pub_commit *commit; /* gets places, and moves that make folders */
    struct mb_strmap roots;    /* folder as the caller spells it -> struct root */
    struct pub_made *made;     /* folders created for places, the last one first */
};

/* How much of the first size bytes of path names the folder above; 0: the working folder. */
size_t pub_parent_size(const char *path, size_t size);

/* Outputs will go to folder, size bytes, or below it. If the folder exists, the outputs of a killed
 * run in it are put right. Creates no folder yet. */
MB_MUST_CHECK enum mb_status pub_routes_prepare(struct pub_routes *routes, const char *folder,
                                                size_t size, struct mb_error *err);

/* Find the place of an output, move->path, which lives as long as the commit, creating it if
 * necessary: in move->place, and in move->name the output's name relative to it. Missing folders on
 * the way become moves. An unprepared folder is prepared now. */
MB_MUST_CHECK enum mb_status pub_routes_find(struct pub_routes *routes, struct pub_move *move,
                                             struct mb_error *err);

/* Remove the folders that were made for places, as far as they are empty. */
void pub_routes_remove_made(const struct pub_routes *routes);

void pub_routes_finish(struct pub_routes *routes);

#endif
