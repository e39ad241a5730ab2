/* Ids of methods in the order in which their classes are loaded, by name: a class that a second
 * loader has, or that is redefined, has the same ones. */

#ifndef SAMPLER_IDS_H
#define SAMPLER_IDS_H

#include "abi/methodmap.h"
#include "base/error.h"
#include "base/strmap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Probes that instrument put into some of the program's classes have their own ids, from 1 on;
 * below this one. */
#define SAMP_FIRST_ID (ABI_MAX_ID / 2)

/* Zeroed memory plus lock is a valid start. Any thread, under the lock. */
struct samp_ids {
    pthread_mutex_t lock;
    struct mb_strmap by_name; /* "class name descriptor" -> its id */
    struct mb_strmap crowds;  /* package -> struct crowd, of classes with probes */
    struct mb_strmap sampled_crowds;
    struct mb_buf key;  /* scratch */
    struct mb_buf told; /* a bit for each id whose name the trace has */
    uint32_t last;      /* that was given out */
};

/* The one of the process. */
extern struct samp_ids samp_ids_all;

/* Those of a method map, of which new ones go on. Before the first class. */
MB_MUST_CHECK enum mb_status samp_ids_load(struct samp_ids *ids, const char *map_path,
                                           struct mb_error *err);

/* The id of a method, whose id is not read: beyond those of the map, or in the upper half of all,
 * where no probe that instrument put in has its own. 0 without memory, and where all ids are given
 * out. */
uint32_t samp_ids_get(struct samp_ids *ids, const struct abi_method *method);

/* May the class of this method have ids? Script and template engines make classes of new names for
 * as long as a program runs, each in a loader of its own that goes with it, while names and ids
 * stay: so of the loaders that bring new names into one package 10,000 count. loader is a number
 * that few others have, or 0 for one that stays. */
bool samp_ids_admit(struct samp_ids *ids, const struct abi_method *method, uint32_t loader);

/* The same for what samples name, by class, whatever its name: a JVM keeps what it makes for that
 * for good. Any thread, without the lock. */
bool samp_ids_admit_class(struct mb_text class_name, uint32_t loader);

/* One more of the classes that stacks do not name for that; how many there were. */
void samp_ids_leave_out_class(void);
uint64_t samp_ids_crowded(void);

/* Give a method the id that its probes have already, unless it has one: its name is told. False
 * without memory. */
bool samp_ids_keep(struct samp_ids *ids, const struct abi_method *method);

/* Must its name be told to the trace? True once for each id that get has given. */
bool samp_ids_tell(struct samp_ids *ids, uint32_t id);

/* The id of a method, whose id is not read, that a stack names: the one that its probes have, if it
 * has some. Its name is in the trace when this returns. 0 without memory, and where all ids are
 * given out. Any thread, without the lock. */
uint32_t samp_ids_name(const struct abi_method *method);

#endif
