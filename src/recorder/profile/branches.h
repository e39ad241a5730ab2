/* Inside src/recorder/profile: where calls branch into several kinds of requests. */

#ifndef RECORDER_PROFILE_BRANCHES_H
#define RECORDER_PROFILE_BRANCHES_H

#include "recorder/profile/profile.h"

/* Of a method, once it has shown it anywhere. */
enum prof_role {
    PROF_LINK = 1,   /* each request goes through it for most of its time, to a branching */
    PROF_POINT = 2,  /* each call of it makes one of several */
    PROF_ALWAYS = 4, /* each call of a branching makes this one as well */
    PROF_CHOSEN = 8, /* a setting says that its calls are requests */
};

/* Of a node. */
enum prof_mark {
    PROF_IS_BODY = 1,
    PROF_HAS_POINT = 2, /* in it or below is a method that branches */
    PROF_IS_PASSED = 4, /* a request goes on below it to become one of a kind */
    PROF_HAS_KINDS = 8, /* messages whose kinds are known */
};

/* Give methods their roles, and mark nodes that have a point; marks know the bodies of threads.
 * Without memory nothing changes. */
void prof_find_branches(struct prof_tree *tree, const struct abi_profile_thread *rows,
                        uint8_t *marks, uint32_t count);

#endif
