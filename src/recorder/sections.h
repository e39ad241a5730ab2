/* Where a session's profile and samples lie: sections of its memory, after the rings. And what is
 * in the one of counts. */

#ifndef RECORDER_SECTIONS_H
#define RECORDER_SECTIONS_H

#include "abi/profile.h"
#include "abi/section.h"
#include "abi/weaving.h"
#include "recorder/core.h"
#include "recorder/memory.h"

#include <stdint.h>

#define BEAT_SECTION_COUNT 15u

/* Bytes for them; 0 if there is neither a profile nor a muted method. Raises a profile_nodes
 * that is too small. */
uint64_t beat_sections_plan(struct beat_options *options);

/* From now on traces have room for samples, and for the names in them, if they are asked for.
 * Before the first recording begins. */
void beat_sections_expect_samples(void);

/* True if samples may come, and the options do not turn them off. */
bool beat_sections_has_samples(const struct beat_options *options);

/* Is there room for waits for locks? With samples, and where classes get probes as they are loaded.
 */
bool beat_sections_has_waits(const struct beat_options *options);

/* Fill header and section table of a new session; the first section begins at offset. */
void beat_sections_init(struct beat_recorder *recorder, uint64_t offset);

/* The section of a kind and its records; NULL if absent. */
struct abi_trace_section *beat_sections_find(const struct beat_memory *memory, uint32_t kind);
void *beat_sections_records(const struct beat_memory *memory,
                            const struct abi_trace_section *section);

/* The used part of each section. Returns the number of sections. */
size_t beat_sections_used(const struct beat_memory *memory,
                          struct beat_extent extents[BEAT_SECTION_COUNT]);

/* ---- Counts of what became of classes as they got probes (abi/weaving.h) ---- */

/* Any thread. Counts are of the process: the present recording and each later one has them. */
void beat_weaving_add(enum abi_weaving what, uint64_t count);

void beat_weaving_read(uint64_t values[ABI_WEAVING_COUNT]);

/* All counts are 0 again, before probes are put in anew. */
void beat_weaving_reset(void);

/* Put the counts so far into the section of a new session. Under the lock. */
void beat_weaving_begin(const struct beat_recorder *recorder);

#endif
