/* The sections of a trace file: what a recorder keeps beside the rings. Their
 * table lies where the header says, section_count entries of section_size bytes. A reader skips
 * kinds it does not know. Room is reserved at start (a sparse file); each section has one writer,
 * which stores a record first and `written` second, so that a process killed at any moment leaves
 * records that are whole: an index in one of them is below the `written` of the section it points
 * into.
 *
 * What a row says more than those of older recorders goes to its end, and record_size with it. */

#ifndef ABI_SECTION_H
#define ABI_SECTION_H

#include "base/buf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum abi_section_kind {
    /* Lines of a method map (abi/methodmap.h), padded by empty ones to words: a record is eight
     * bytes of text. In traces of programs that got their probes as they were loaded, and of
     * those with samples. */
    ABI_SECTION_NAMES = 1,
    ABI_SECTION_WEAVING = 2,         /* abi/weaving.h; in the former */
    ABI_SECTION_PROFILE_THREADS = 8, /* abi/profile.h */
    ABI_SECTION_PROFILE_NODES = 9,
    ABI_SECTION_PROFILE_MUTES = 10,
    ABI_SECTION_PROFILE_LENGTHS = 11,
    ABI_SECTION_PROFILE_SLOW_NODES = 12, /* of slow requests alone: struct abi_profile_node */
    ABI_SECTION_PROFILE_SLOW = 13,
    ABI_SECTION_PROFILE_PAUSES = 14,
    ABI_SECTION_SAMPLING = 16, /* abi/sampling.h */
    ABI_SECTION_SAMPLE_THREADS = 17,
    ABI_SECTION_STACKS = 18,
    ABI_SECTION_SAMPLES = 19,
    ABI_SECTION_BLOCKS = 20,
    ABI_SECTION_LOCKS = 21,
};

struct abi_trace_section {
    uint32_t kind; /* enum abi_section_kind; 0: the entry is not in use */
    uint32_t record_size;
    uint64_t offset;   /* in the file, a multiple of ABI_TRACE_PAGE */
    uint64_t capacity; /* records */
    uint32_t group;    /* which of several writers */
    uint32_t flags;
    uint64_t ns_per_unit;      /* of times in it, as in the header; 0: the header's */
    _Atomic(uint64_t) written; /* records; release, after the record */
    _Atomic(uint64_t) lost;    /* records that did not fit */
    uint64_t detail;           /* the kind's own */
};

_Static_assert(sizeof(struct abi_trace_section) == 64, "a line");

/* ---- Reading ---- */

/* The records of a section that the file holds whole. */
struct abi_section_view {
    struct abi_trace_section entry;
    const void *records; /* borrowed, 8-byte aligned, entry.record_size from one to the next */
    size_t count;        /* at most entry.written */
};

struct abi_tracefile; /* abi/tracefile.h */

/* The section of that kind and group. False if absent, or its records are shorter than
 * least_size or would lie out of line, or its place makes no sense. Indexes inside records are not
 * checked here. */
bool abi_tracefile_section(const struct abi_tracefile *trace, uint32_t kind, uint32_t group,
                           size_t least_size, struct abi_section_view *view);

/* The records with record_size bytes each: those of the file, or copies if it has another size,
 * with zeros after a shorter one. NULL when out of memory; finish copies also then. */
const void *abi_section_rows(const struct abi_section_view *view, size_t record_size,
                             struct mb_buf *copies);

#endif
