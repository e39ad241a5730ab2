#include "agent/crowds.h"

#include <stdlib.h>

#define MOST_LOADERS 10000 /* of one package: 16 MB if each has a class of four methods */

struct crowd {
    uint32_t last; /* loader, and of its classes the first counts */
    uint32_t count;
};

static struct crowd *find_crowd(struct agent_crowds *crowds, struct mb_text class_name)
{
    size_t size = class_name.size;

    while (size > 0 && class_name.data[size - 1] != '/') {
        size--;
    }
    void **slot = mb_strmap_slot(&crowds->by_package, class_name.data, size);
    if (slot != NULL && *slot == NULL) {
        *slot = calloc(1, sizeof(struct crowd));
    }
    return slot != NULL ? *slot : NULL;
}

bool agent_crowds_admit(struct agent_crowds *crowds, struct mb_text class_name, uint32_t loader)
{
    struct crowd *crowd = loader != 0 ? find_crowd(crowds, class_name) : NULL;

    if (crowd == NULL) {
        return true;
    }
    if (crowd->last != loader && crowd->count <= MOST_LOADERS) {
        crowd->last = loader;
        crowd->count++;
    }
    return crowd->count <= MOST_LOADERS;
}
