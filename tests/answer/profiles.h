/* Traces with a profile of the whole run, for the tests of src/report. */

#ifndef ANSWER_PROFILES_H
#define ANSWER_PROFILES_H

#include "abi/profile.h"
#include "abi/section.h"
#include "bench.h"

/* What is put behind the rings of a trace that bench_write_trace wrote. All borrowed. */
struct bench_profile {
    const struct abi_profile_thread *threads;
    size_t thread_count;
    const struct abi_profile_node *nodes;
    size_t node_count;
    const struct abi_profile_mute *mutes;
    size_t mute_count;
    uint32_t record_size; /* of nodes, for a section that makes no sense; 0: as it should be */
    uint64_t more;        /* records of each section that the file is too short for */
    uint64_t lost;        /* records of each section without room */
};

/* What is put there of requests; none unless a test sets it. Borrowed. */
extern struct bench_requests {
    const uint64_t *lengths;
    size_t length_count;
    const struct abi_profile_node *slow_nodes;
    size_t slow_node_count;
    const struct abi_profile_slow *slow;
    size_t slow_count;
    const struct abi_profile_pause *pauses;
    size_t pause_count;
} bench_requests;

/* Make the file a trace of version 2 with these sections. */
void bench_add_profile(const char *name, const struct bench_profile *profile);

#endif
