/* The trace file. It is also the recorder's memory: the live rings are a shared mapping of this
 * very layout, so a process killed at any moment leaves a file that reads back.
 *
 *   0        struct abi_trace_header                    one page of ABI_TRACE_PAGE bytes
 *   16 KiB   struct abi_trace_ring  [ring_count]        the ring table
 *   ...      struct abi_trace_mark  [mark_count]        pinned positions
 *   ...      the words of each ring, page-aligned, where its table entry says
 *   ...      what sections hold (abi/section.h), page-aligned, where their table says
 *
 * Integers have the byte order of the machine that wrote them; byte_order tells.
 *
 * Positions count the words written to a ring since it was claimed. The word of position p is in
 * slot (p - base) % capacity; positions from max(base, written - capacity) to written - 1 are
 * there. A writer stores the word first and written second, so a killed one can have touched
 * slot (written - base) % capacity: in a lapped ring that is the oldest word, which a reader
 * therefore leaves out. */

#ifndef ABI_TRACEFILE_H
#define ABI_TRACEFILE_H

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_TRACE_MAGIC "mbtrace\n"
#define ABI_TRACE_VERSION 3u
#define ABI_TRACE_BYTE_ORDER 0x01020304u
#define ABI_TRACE_PAGE 16384u /* the largest page of the machines we run on */
#define ABI_TRACE_LINE 128u   /* two cache lines: what neighbouring writers must not share */
#define ABI_TRACE_NAME_SIZE 64u
#define ABI_TRACE_MAX_RINGS 65536u
#define ABI_TRACE_MAX_MARKS 4096u
#define ABI_TRACE_MAX_SECTIONS 64u
#define ABI_TRACE_MAPPING_OFFSET 8192u /* in the header's page, after the section table */
#define ABI_TRACE_MAPPING_SIZE 4096u
/* Lane number n has the thread id ABI_TRACE_LANE_ID + n: no thread of the system has one like
 * it. */
#define ABI_TRACE_LANE_ID (1u << 22)

enum abi_trace_state {
    ABI_TRACE_OPEN = 1, /* being recorded, or its process died */
    ABI_TRACE_CLOSED,   /* stopped or dumped in good order */
};

enum abi_clock_kind {
    ABI_CLOCK_COUNTER = 1, /* the CPU's counter, shifted right: TSC, cntvct_el0 */
    ABI_CLOCK_COARSE,      /* a word that a thread refreshes */
};

/* What a message belongs to: an Android Handler, or any other loop. */
enum abi_platform {
    ABI_PLATFORM_ANDROID = 1,
    ABI_PLATFORM_OTHER,
};

enum abi_ring_state {
    ABI_RING_UNUSED,
    ABI_RING_LIVE,  /* its thread runs (or ran when the process died) */
    ABI_RING_ENDED, /* its thread has ended; the words are still there */
};

struct abi_trace_header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;
    uint64_t ring_table_offset;
    uint32_t ring_count; /* entries in the table, used or not */
    uint32_t ring_size;  /* sizeof(struct abi_trace_ring) */
    uint64_t mark_table_offset;
    uint32_t mark_count;
    uint32_t mark_size;

    _Atomic(uint32_t) state; /* enum abi_trace_state */
    uint32_t process_id;
    _Atomic(uint64_t) mapping_hash; /* abi/hash.h; 0 when the recorder was not told */
    char process_name[ABI_TRACE_NAME_SIZE];

    uint32_t clock_kind;        /* enum abi_clock_kind */
    uint32_t counter_shift;     /* time = (counter - counter_start) >> counter_shift */
    uint64_t counter_start;     /* 0 for the coarse clock */
    uint64_t resolution_ns;     /* how far a time may lie in the past: the coarse clock's tick */
    int64_t wall_start_ns;      /* time 0 as nanoseconds since 1970 */
    int64_t monotonic_start_ns; /* time 0 on CLOCK_MONOTONIC */
    /* Nanoseconds per unit of time as a fraction, numerator << 32 | denominator: one word, so that
     * it can be refined while the process may be killed. */
    _Atomic(uint64_t) ns_per_unit;
    _Atomic(uint64_t) now; /* latest known time, all 64 bits; 0 if never noted */

    _Atomic(uint64_t) refused_words;  /* of threads without a ring */
    _Atomic(uint64_t) recycled_words; /* of ended threads whose ring was given to another */
    _Atomic(uint64_t) virtual_words;  /* of Java's virtual threads without a ring */

    /* The coarse clock: now, already cut to the time field; never 0 while recording. Read by every
     * probe. */
    char line_end_[48];
    _Atomic(uint64_t) coarse_time;
    char line_rest_[ABI_TRACE_LINE - 8];

    uint64_t section_table_offset;
    uint32_t section_count;    /* entries in the table, used or not */
    uint32_t section_size;     /* sizeof(struct abi_trace_section) */
    int64_t boottime_start_ns; /* time 0 on CLOCK_BOOTTIME: joins traces of the system */
    /* What another process asks of this one, if its recorder listens: a number that grows << 8 and
     * a command; and the number of the last request that is done. */
    _Atomic(uint64_t) request;
    _Atomic(uint64_t) answered;
    /* Where the method map lay: offset in the file << 32 | bytes of an absolute path; 0: not
     * known. */
    _Atomic(uint64_t) mapping_path;
    uint32_t platform; /* enum abi_platform; 0 where the recorder did not say */
    /* What a record cost Java at its first one, ns, before anything was compiled; 0: not measured.
     */
    _Atomic(uint32_t) slow_record_ns;
    /* Words of all rings when it was last found to cost more than half of that, and when it first
     * was not; 0: it never was. */
    _Atomic(uint64_t) slow_words;
    _Atomic(uint64_t) quick_words;
    char rest_[ABI_TRACE_LINE - 72];
};

struct abi_trace_ring {
    _Atomic(uint32_t) state; /* enum abi_ring_state */
    uint32_t thread_id;
    char thread_name[ABI_TRACE_NAME_SIZE];
    uint64_t words_offset; /* in the file, a multiple of ABI_TRACE_PAGE; of a lane: of a word */
    uint64_t capacity;     /* words */
    uint64_t base;         /* position of the word in slot 0 before the first lap; live rings: 0 */
    uint16_t is_main;
    /* A lane: virtual threads wrote here one after the other, each from its outermost entry to the
     * exit of that call, so that the calls nest as if they were one thread's. */
    uint16_t is_virtual;
    _Atomic(uint32_t) claim; /* counts the threads that had this ring */

    _Atomic(uint64_t) drained; /* words below are in the profile, or lost; the keeper writes it */
    /* Records of a tick with exact times, where Java writes; else 0. The keeper shares them out. */
    _Atomic(uint64_t) exact_words;

    /* The writer's own line. Padding, not alignas: a reader keeps copies anywhere. */
    char line_end_[8];
    _Atomic(uint64_t) written;      /* words since the ring was claimed */
    _Atomic(uint64_t) coarse_ticks; /* with more records than exact_words; only grows */
    char line_rest_[ABI_TRACE_LINE - 16];
};

/* Follows the name of a mark that ends its range. */
#define ABI_MARK_END " end"

struct abi_trace_mark {
    _Atomic(uint32_t) in_use; /* index of its ring + 1; 0 when free */
    uint32_t claim;           /* of the ring, when marked */
    uint64_t position;        /* the range starts with this word */
    char source[ABI_TRACE_NAME_SIZE - 16];
};

_Static_assert(sizeof(_Atomic(uint64_t)) == 8, "atomics have the layout of the file");
_Static_assert(sizeof(struct abi_trace_header) == 512, "no padding that differs between ABIs");
_Static_assert(offsetof(struct abi_trace_header, coarse_time) == 256, "a line of its own");
_Static_assert(sizeof(struct abi_trace_ring) == 256, "entries share no line");
_Static_assert(offsetof(struct abi_trace_ring, written) == 128, "a line of its own");
_Static_assert(offsetof(struct abi_trace_ring, coarse_ticks) == 136 &&
                   offsetof(struct abi_trace_ring, exact_words) == 112,
               "Ring.java counts from written");
_Static_assert(sizeof(struct abi_trace_mark) == 64, "whole lines");

static inline uint64_t abi_ns_per_unit(uint32_t numerator, uint32_t denominator)
{
    return (uint64_t)numerator << 32 | denominator;
}

/* Units of time to nanoseconds; exact to a nanosecond. 0 if the fraction is not known. */
uint64_t abi_trace_ns(uint64_t ns_per_unit, uint64_t time);

/* Nanoseconds to units of time, rounded down; 0 if the fraction is not known. */
uint64_t abi_trace_units(uint64_t ns_per_unit, uint64_t ns);

/* What a writer needs to lay a file out: size rounded up to a multiple of ABI_TRACE_PAGE; the
 * offset of the mark table and of the words of the first ring; the bytes that capacity
 * words take. */
uint64_t abi_trace_whole_pages(uint64_t size);
uint64_t abi_trace_marks_offset(uint32_t ring_count);
uint64_t abi_trace_words_offset(uint32_t ring_count, uint32_t mark_count);
uint64_t abi_trace_words_size(uint64_t capacity);

/* ---- Reading ---- */

/* A trace that was read: the header by value, the rest as views of bytes. */
struct abi_tracefile {
    struct abi_trace_header header; /* names are terminated, state and clock are checked */
    const uint8_t *bytes;           /* borrowed */
    size_t size;
};

/* Where the method map lay when recording began, an absolute path; empty if the trace does not
 * say. */
struct mb_text abi_tracefile_mapping_path(const struct abi_tracefile *trace);

/* The words of one ring, oldest first, in at most two runs. */
struct abi_ring_view {
    struct abi_trace_ring entry; /* names are terminated */
    const uint64_t *runs[2];     /* borrowed */
    size_t run_counts[2];
    uint64_t run_positions[2]; /* of their first words */
    uint64_t first_position;   /* of runs[0][0] */
    uint64_t lapped_words;     /* written before that, and overwritten since */
    uint64_t missing_words;    /* that the file is too short for: the end of a run */
};

/* bytes must be 8-byte aligned (a mapping or malloc) and outlive trace. MB_BAD_TRACE when it is not
 * a trace, has another version or byte order, or its tables do not fit in it; words that do not fit
 * are accepted here: abi_tracefile_ring says so. */
MB_MUST_CHECK enum mb_status abi_tracefile_open(struct abi_tracefile *trace, const void *bytes,
                                                size_t size, struct mb_error *err);

/* Ring number index, below header.ring_count. *used is false for a slot that no thread had, or
 * whose entry makes no sense: then err (MB_BAD_TRACE) is returned and the other rings may still be
 * fine. */
MB_MUST_CHECK enum mb_status abi_tracefile_ring(const struct abi_tracefile *trace, uint32_t index,
                                                struct abi_ring_view *view, bool *used,
                                                struct mb_error *err);

/* Cut the view to the words from position (at most entry.written) on. What came before is not
 * lapped then: it was not asked for. */
void abi_ring_view_cut(struct abi_ring_view *view, uint64_t position);

/* Cut it to the words before that position: as if no more had been written. */
void abi_ring_view_cut_end(struct abi_ring_view *view, uint64_t end);

enum abi_mark_state {
    ABI_MARK_FREE,
    ABI_MARK_VALID,
    ABI_MARK_LAPPED, /* the ring has overwritten where it points */
    ABI_MARK_LOST,   /* its ring is another thread's now, or makes no sense */
};

/* Mark number index, below header.mark_count. *mark is read unless it is free, *ring_index is that
 * of its ring unless it is free or lost. */
enum abi_mark_state abi_tracefile_mark(const struct abi_tracefile *trace, uint32_t index,
                                       uint32_t *ring_index, struct abi_trace_mark *mark);

#endif
