#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkostemp */
#endif

#include "jvms/process/compact.h"

#include "abi/section.h"
#include "abi/tracefile.h"
#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct packing {
    int from;
    int to;
    uint64_t size;        /* of from */
    uint64_t end;         /* of to so far */
    struct mb_buf tables; /* as from has them, then as to does: the header's page, rings, marks */
};

static struct abi_trace_header *header_of(const struct packing *packing)
{
    return (void *)packing->tables.bytes;
}

/* In the order that the recorder gives them. */
static bool has_known_tables(const struct abi_trace_header *header)
{
    return memcmp(header->magic, ABI_TRACE_MAGIC, sizeof(header->magic)) == 0 &&
           header->byte_order == ABI_TRACE_BYTE_ORDER && header->version == ABI_TRACE_VERSION &&
           (header->state == ABI_TRACE_OPEN || header->state == ABI_TRACE_CLOSED) &&
           header->ring_count > 0 && header->ring_count <= ABI_TRACE_MAX_RINGS &&
           header->ring_size == sizeof(struct abi_trace_ring) &&
           header->ring_table_offset == ABI_TRACE_PAGE &&
           header->mark_count <= ABI_TRACE_MAX_MARKS &&
           header->mark_size == sizeof(struct abi_trace_mark) &&
           header->mark_table_offset == abi_trace_marks_offset(header->ring_count) &&
           header->section_count <= ABI_TRACE_MAX_SECTIONS &&
           (header->section_count == 0 ||
            (header->section_size == sizeof(struct abi_trace_section) &&
             header->section_table_offset == sizeof(*header)));
}

static bool read_tables(struct packing *packing)
{
    struct abi_trace_header header;

    if (pread(packing->from, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        !has_known_tables(&header)) {
        return false;
    }
    size_t size = (size_t)abi_trace_words_offset(header.ring_count, header.mark_count);
    uint8_t *bytes = mb_buf_extend(&packing->tables, size);
    bool is_read = bytes != NULL && pread(packing->from, bytes, size, 0) == (ssize_t)size;
    if (is_read) {
        memcpy(bytes, &header, sizeof(header)); /* as it was checked */
    }
    return is_read;
}

/* ---- Tables that are shorter ---- */

/* Up to the last one that is used: the first word of each says so. */
static uint32_t count_used(const uint8_t *table, uint32_t count, size_t size)
{
    uint32_t used;

    do {
        memcpy(&used, table + (count - 1) * size, sizeof(used));
    } while (used == 0 && --count > 0);
    return count;
}

static void shorten_tables(struct packing *packing)
{
    struct abi_trace_header *header = header_of(packing);
    uint8_t *rings = packing->tables.bytes + ABI_TRACE_PAGE;
    uint8_t *marks = packing->tables.bytes + header->mark_table_offset;
    uint32_t ring_count = count_used(rings, header->ring_count, header->ring_size);
    uint32_t mark_count =
        header->mark_count > 0 ? count_used(marks, header->mark_count, header->mark_size) : 0;

    header->ring_count = ring_count > 0 ? ring_count : 1;
    header->mark_count = mark_count;
    header->mark_table_offset = abi_trace_marks_offset(header->ring_count);
    uint8_t *moved = packing->tables.bytes + header->mark_table_offset;
    size_t size = mark_count * sizeof(struct abi_trace_mark);
    memmove(moved, marks, size);
    packing->end = abi_trace_words_offset(header->ring_count, mark_count);
    uint8_t *rest = moved + size;
    memset(rest, 0, (size_t)(packing->tables.bytes + packing->end - rest));
    packing->tables.size = (size_t)packing->end;
}

/* ---- What they say where ---- */

/* *offset is where it is in from, then where it is in to. */
static enum mb_status move_range(struct packing *packing, uint64_t *offset, uint64_t size,
                                 struct mb_error *err)
{
    struct proc_copy_range range = {*offset, *offset + size, packing->end};

    *offset = packing->end;
    packing->end = abi_trace_whole_pages(packing->end + size);
    return proc_copy_range(packing->from, packing->to, &range, err);
}

/* Room for the words that are there, and for the one that a killed writer may have begun. */
static void shorten_ring(struct abi_trace_ring *ring)
{
    uint64_t count = ring->written - ring->base;

    ring->capacity = count < ring->capacity ? count + 1 : ring->capacity;
}

static bool lies_in(const struct packing *packing, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset <= packing->size && count <= (packing->size - offset) / size;
}

static enum mb_status move_rings(struct packing *packing, struct mb_error *err)
{
    struct abi_trace_ring *rings = (void *)(packing->tables.bytes + ABI_TRACE_PAGE);

    for (uint32_t i = 0; i < header_of(packing)->ring_count; i++) {
        if (rings[i].state != ABI_RING_UNUSED) {
            shorten_ring(&rings[i]);
            MB_TRY(move_range(packing, &rings[i].words_offset, rings[i].capacity * sizeof(uint64_t),
                              err));
        }
    }
    return MB_OK;
}

static struct abi_trace_section *sections_of(const struct packing *packing)
{
    return (void *)(packing->tables.bytes + sizeof(struct abi_trace_header));
}

static enum mb_status move_sections(struct packing *packing, struct mb_error *err)
{
    struct abi_trace_section *sections = sections_of(packing);

    for (uint32_t i = 0; i < header_of(packing)->section_count; i++) {
        struct abi_trace_section *section = &sections[i];
        uint64_t written = section->written;
        section->capacity = written < section->capacity ? written : section->capacity;
        MB_TRY(
            move_range(packing, &section->offset, section->capacity * section->record_size, err));
    }
    return MB_OK;
}

/* All of it lies in the file. */
static bool makes_sense(const struct packing *packing)
{
    const struct abi_trace_ring *rings = (const void *)(packing->tables.bytes + ABI_TRACE_PAGE);
    const struct abi_trace_section *sections = sections_of(packing);
    bool is_right = true;

    for (uint32_t i = 0; i < header_of(packing)->ring_count; i++) {
        const struct abi_trace_ring *ring = &rings[i];
        is_right =
            is_right && (ring->state == ABI_RING_UNUSED ||
                         (ring->base <= ring->written && ring->capacity > 0 &&
                          ring->words_offset % sizeof(uint64_t) == 0 &&
                          lies_in(packing, ring->words_offset, ring->capacity, sizeof(uint64_t))));
    }
    for (uint32_t i = 0; i < header_of(packing)->section_count; i++) {
        const struct abi_trace_section *section = &sections[i];
        is_right = is_right && section->record_size > 0 &&
                   lies_in(packing, section->offset, section->capacity, section->record_size);
    }
    return is_right;
}

static enum mb_status pack_file(struct packing *packing, struct mb_error *err)
{
    shorten_tables(packing);
    MB_TRY(move_sections(packing, err));
    MB_TRY(move_rings(packing, err));
    return ftruncate(packing->to, (off_t)packing->end) == 0 &&
                   mb_file_put_at(packing->to, packing->tables.bytes, packing->tables.size, 0)
               ? MB_OK
               : mb_fail_errno(err, "cannot write");
}

enum mb_status proc_compact(int from, int to, bool *is_done, struct mb_error *err)
{
    struct packing packing = {.from = from, .to = to};
    struct stat info;

    if (fstat(from, &info) != 0) {
        return mb_fail_errno(err, "cannot read what is to be copied");
    }
    packing.size = (uint64_t)info.st_size;
    *is_done = read_tables(&packing) && makes_sense(&packing);
    enum mb_status status = *is_done ? pack_file(&packing, err) : MB_OK;
    mb_buf_finish(&packing.tables);
    return status;
}

enum mb_status proc_copy_trace(int from, int to, struct mb_error *err)
{
    char magic[sizeof(ABI_TRACE_MAGIC) - 1];
    bool is_done = false;
    ssize_t got = pread(from, magic, sizeof(magic), 0);

    if (got <= 0 || memcmp(magic, ABI_TRACE_MAGIC, (size_t)got) != 0) {
        return mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET, "its trace was replaced by another file");
    }
    MB_TRY(proc_compact(from, to, &is_done, err));
    return is_done ? MB_OK : proc_copy_open(from, to, err);
}

/* ---- In its place ---- */

static bool compact_into(int from, const struct stat *info, char *temporary)
{
    struct mb_error err;
    bool is_done = false;
    int to = mkostemp(temporary, O_CLOEXEC);

    if (to < 0) {
        temporary[0] = '\0';
        return false;
    }
    is_done = fchmod(to, info->st_mode & 0777) == 0 &&
              proc_compact(from, to, &is_done, &err) == MB_OK && is_done;
    return close(to) == 0 && is_done;
}

void proc_compact_file(const char *path)
{
    struct stat info;
    struct mb_buf temporary = {0};
    int from = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    mb_buf_printf(&temporary, "%s.XXXXXX", path);
    mb_buf_put_u1(&temporary, '\0');
    /* Its mapping keeps the lock of a process that records, or has recorded, into it. */
    if (from >= 0 && !temporary.failed && fstat(from, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_nlink == 1 && flock(from, LOCK_EX | LOCK_NB) == 0) {
        char *name = (char *)temporary.bytes;
        bool is_done = compact_into(from, &info, name) && rename(name, path) == 0;
        if (!is_done && name[0] != '\0') {
            (void)unlink(name);
        }
    }
    if (from >= 0) {
        (void)close(from);
    }
    mb_buf_finish(&temporary);
}

/* ---- Copies of files that may change meanwhile ---- */

#define PIECE_SIZE ((size_t)1 << 16)

static bool is_empty(const char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* The next data or hole at or after it, at most end. */
static uint64_t seek_next(int fd, int what, uint64_t at, uint64_t end)
{
    off_t found = lseek(fd, (off_t)at, what);
    uint64_t none = what == SEEK_DATA && errno != ENXIO ? at : end;
    uint64_t next = found >= 0 ? (uint64_t)found : none;

    return next < end ? next : end;
}

static enum mb_status copy_data(int from, int to, struct proc_copy_range range,
                                struct mb_error *err)
{
    char piece[PIECE_SIZE];

    while (range.from < range.end) {
        uint64_t left = range.end - range.from;
        ssize_t got =
            pread(from, piece, left < PIECE_SIZE ? (size_t)left : PIECE_SIZE, (off_t)range.from);
        if (got < 0) {
            return mb_fail_errno(err, "cannot read what is to be copied");
        }
        if (got == 0) {
            return MB_OK; /* it was cut short */
        }
        if (!is_empty(piece, (size_t)got) && !mb_file_put_at(to, piece, (size_t)got, range.to)) {
            return mb_fail_errno(err, "cannot write");
        }
        range.from += (uint64_t)got;
        range.to += (uint64_t)got;
    }
    return MB_OK;
}

enum mb_status proc_copy_range(int from, int to, const struct proc_copy_range *range,
                               struct mb_error *err)
{
    uint64_t end;

    for (uint64_t at = seek_next(from, SEEK_DATA, range->from, range->end); at < range->end;
         at = seek_next(from, SEEK_DATA, end, range->end)) {
        end = seek_next(from, SEEK_HOLE, at, range->end);
        const struct proc_copy_range data = {at, end, range->to + (at - range->from)};
        MB_TRY(copy_data(from, to, data, err));
    }
    return MB_OK;
}

enum mb_status proc_copy_open(int from, int to, struct mb_error *err)
{
    struct stat info;

    if (fstat(from, &info) != 0) {
        return mb_fail_errno(err, "cannot read what is to be copied");
    }
    const struct proc_copy_range whole = {.end = (uint64_t)info.st_size};
    MB_TRY(proc_copy_range(from, to, &whole, err));
    return ftruncate(to, info.st_size) == 0 ? MB_OK : mb_fail_errno(err, "cannot write");
}
