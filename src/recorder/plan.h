/* How long the rings and lanes of a session are: pure functions of its options. */

#ifndef RECORDER_PLAN_H
#define RECORDER_PLAN_H

#include "recorder/methodbeat.h"

#include <stdint.h>

#define BEAT_THREAD_WORDS 65536u /* of a ring of unset length; the first rings have more */

/* Make rings and lanes fit into max_bytes, and return the bytes that they take, tables included.
 * Raises lengths that are too short, then lowers thread_words if unset, max_virtual, max_threads
 * and main_words, in this order. */
uint64_t beat_plan_fit(struct beat_options *options);

/* Rings that threads of the system write to: they come first in the table. */
uint32_t beat_plan_thread_count(const struct beat_options *options);
uint32_t beat_plan_lane_count(const struct beat_options *options);
uint32_t beat_plan_ring_count(const struct beat_options *options); /* both */

/* Capacity of a thread's ring. */
uint32_t beat_plan_thread_words(const struct beat_options *options, uint32_t ring);

/* Lanes are of three kinds, few long ones and many short ones: the number of threads that will be
 * inside calls at a time is unknown beforehand, and a page costs memory only when it is written.
 * Kind 0, the first 64, is as long as the rings of threads, so that where few threads are inside
 * calls they keep as much as others do; the next 960 have a 16th of that and the rest a 256th. */
uint32_t beat_plan_lane_kind(uint32_t lane);

/* Capacity of a lane; the bytes of the first count lanes. */
uint32_t beat_plan_lane_words(uint32_t lane, uint32_t thread_words);
uint64_t beat_plan_lanes_size(uint32_t count, uint32_t thread_words);

#endif
