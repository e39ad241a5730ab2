#include "jvms/live/recent.h"

#include "abi/sampling.h"
#include "abi/section.h"
#include "answer/requests.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAUSE_NS 2000000L
#define MOST_PAUSES 60 /* a keeper with little to do looks ten times a second */
#define MOST_READINGS 2
#define READ_SIZE ((size_t)64 << 10) /* stays in the processor's cache */

/* ---- Copies of the file ---- */

static enum mb_status fail_short(struct mb_error *err, uint64_t offset)
{
    return mb_fail(err, MB_BAD_TRACE, (size_t)offset,
                   "the file is shorter than when it was opened");
}

/* Bytes of the file into to. */
static enum mb_status copy_range(const struct live_trace *live, void *to, uint64_t offset,
                                 uint64_t size, struct mb_error *err)
{
    uint8_t *place = to;
    uint64_t done = 0;

    while (done < size) {
        ssize_t got = pread(live->fd, place + done, (size_t)(size - done), (off_t)(offset + done));
        if (got == 0) {
            return fail_short(err, offset + done);
        }
        if (got < 0 && errno != EINTR) {
            return mb_fail_errno(err, "cannot read the trace");
        }
        done += got > 0 ? (uint64_t)got : 0;
    }
    return MB_OK;
}

/* Renew a range of the image, as much of it as the file had when it was opened. */
static enum mb_status renew(const struct live_trace *live, uint64_t offset, uint64_t size,
                            struct mb_error *err)
{
    if (offset >= live->size) {
        return MB_OK;
    }
    size = size < live->size - offset ? size : live->size - offset;
    return copy_range(live, live->image + offset, offset, size, err);
}

static enum mb_status renew_header(struct live_trace *live, struct mb_error *err)
{
    struct abi_tracefile *file = &live->trace.file;

    MB_TRY(renew(live, 0, ABI_TRACE_PAGE, err));
    MB_TRY(abi_tracefile_open(file, live->image, live->size, err));
    const struct abi_trace_header *header = &file->header;
    MB_TRY(renew(live, header->section_table_offset,
                 (uint64_t)header->section_count * header->section_size, err));
    return renew(live, header->ring_table_offset, (uint64_t)header->ring_count * header->ring_size,
                 err);
}

/* The records of a section; *view is of the image. */
static enum mb_status renew_section(struct live_trace *live, uint32_t kind, size_t least_size,
                                    struct abi_section_view *view, struct mb_error *err)
{
    if (!abi_tracefile_section(&live->trace.file, kind, 0, least_size, view)) {
        return MB_OK;
    }
    return renew(live, view->entry.offset, (uint64_t)view->count * view->entry.record_size, err);
}

static enum mb_status map_image(struct live_trace *live, struct mb_error *err)
{
    struct stat info;

    if (fstat(live->fd, &info) != 0) {
        return mb_fail_errno(err, "cannot read the trace");
    }
    if (!S_ISREG(info.st_mode)) {
        return mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET, "not a trace file");
    }
    if ((uint64_t)info.st_size < sizeof(struct abi_trace_header)) {
        return mb_fail(err, MB_BAD_TRACE, (size_t)info.st_size, "too short for a trace file");
    }
    /* Only what is written to takes memory. */
    void *image = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (image == MAP_FAILED) {
        return mb_fail_errno(err, "no room for the trace");
    }
    live->image = image;
    live->size = (size_t)info.st_size;
    return MB_OK;
}

/* ---- Names ---- */

enum mb_status live_trace_renew_names(struct live_trace *live, struct mb_error *err)
{
    struct abi_section_view view = {0};

    MB_TRY(renew_header(live, err));
    MB_TRY(renew_section(live, ABI_SECTION_NAMES, sizeof(uint64_t), &view, err));
    size_t size = view.records != NULL ? view.count * view.entry.record_size : 0;
    bool names_come = size == 0 && view.records != NULL && /* with the first class */
                      answer_trace_has_all_names(&live->trace.file);
    if (live->trace.names.texts != NULL && size == live->name_lines.size) {
        return MB_OK;
    }
    answer_map_finish(&live->trace.names);
    live->trace.names = (struct answer_map){0};
    mb_buf_reset(&live->name_lines);
    mb_buf_put(&live->name_lines, view.records, size);
    MB_TRY(mb_buf_check(&live->name_lines, err));
    return names_come ? MB_OK : answer_trace_load_names(&live->trace, &live->source, err);
}

enum mb_status live_trace_open(struct live_trace *live, const struct answer_source *source,
                               struct mb_error *err)
{
    *live = (struct live_trace){.source = *source};
    live->trace.path = mb_text_of(source->path);
    live->fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (live->fd < 0) {
        return mb_fail_errno(err, "cannot open the trace");
    }
    MB_TRY(map_image(live, err));
    return live_trace_renew_names(live, err);
}

bool live_trace_is_replaced(const struct live_trace *live)
{
    struct stat ours;
    struct stat there;

    return fstat(live->fd, &ours) == 0 && stat(live->source.path, &there) == 0 &&
           S_ISREG(there.st_mode) &&
           (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino ||
            (uint64_t)there.st_size > live->size);
}

/* ---- Looking ---- */

/* The recorder locks its file for as long as the process has it. */
static bool is_held(const struct live_trace *live)
{
    if (flock(live->fd, LOCK_SH | LOCK_NB) == 0) {
        (void)flock(live->fd, LOCK_UN);
        return false;
    }
    return errno == EWOULDBLOCK;
}

static enum live_state state_of(const struct live_trace *live)
{
    static const enum live_state states[2][2] = {{LIVE_LEFT, LIVE_WRITTEN},
                                                 {LIVE_ENDED, LIVE_STOPPED}};

    return states[live->trace.file.header.state == ABI_TRACE_CLOSED][is_held(live)];
}

/* The present in units; of a trace that is written no longer, the last time that it knows. */
static uint64_t time_of(const struct live_trace *live, enum live_state state)
{
    const struct abi_trace_header *header = &live->trace.file.header;
    int64_t start_ns = header->monotonic_start_ns; /* any number, in a damaged file */
    int64_t now_ns = mb_clock_now_ns();

    return state == LIVE_WRITTEN && start_ns >= 0 && start_ns < now_ns
               ? abi_trace_units(header->ns_per_unit, (uint64_t)(now_ns - start_ns))
               : header->now;
}

static uint64_t last_time(const struct trace_tree_source *source)
{
    uint64_t last = 0;

    for (size_t i = 0; i < source->thread_count; i++) {
        uint64_t time = source->threads[i].last_time;
        last = time > last ? time : last;
    }
    return last;
}

/* Had the thread written words, when the ring table was read, that its row does not tell of? */
static bool is_late(const struct abi_tracefile *file, const struct abi_profile_thread *row)
{
    struct abi_trace_ring ring;

    if (row->ring == 0 || row->ring > file->header.ring_count) {
        return false;
    }
    memcpy(&ring,
           file->bytes + file->header.ring_table_offset + (row->ring - 1) * (uint64_t)sizeof(ring),
           sizeof(ring));
    return ring.claim == row->claim && ring.written > row->position;
}

static uint32_t count_late(const struct live_trace *live, const struct abi_section_view *rows)
{
    const uint8_t *bytes = rows->records;
    uint32_t late = 0;

    for (size_t i = 0; i < rows->count; i++) {
        late += is_late(&live->trace.file, (const void *)(bytes + i * rows->entry.record_size));
    }
    return late;
}

/* Read the rows of threads until they tell of all that was written before. */
static enum mb_status wait_for_keeper(struct live_trace *live, struct live_snapshot *snapshot,
                                      struct mb_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct abi_section_view rows = {0};

    for (int i = 0; i < MOST_PAUSES; i++) {
        MB_TRY(renew_section(live, ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread),
                             &rows, err));
        snapshot->late_threads = count_late(live, &rows);
        if (snapshot->late_threads == 0 || snapshot->state != LIVE_WRITTEN) {
            break;
        }
        (void)nanosleep(&pause, NULL);
    }
    return MB_OK;
}

/* Read the nodes into the image: what is before the first that has changed is there already. */
static enum mb_status read_nodes(struct live_trace *live, const struct abi_section_view *view,
                                 bool *has_changed, struct mb_error *err)
{
    uint64_t end = view->entry.offset + (uint64_t)view->count * view->entry.record_size;
    uint64_t at = view->entry.offset;

    *has_changed = false;
    while (at < end && !*has_changed) {
        size_t size = end - at < READ_SIZE ? (size_t)(end - at) : READ_SIZE;
        MB_TRY(copy_range(live, live->part.bytes, at, size, err));
        *has_changed = memcmp(live->image + at, live->part.bytes, size) != 0;
        at += *has_changed ? 0 : size;
    }
    return copy_range(live, live->image + at, at, end - at, err);
}

/* The nodes of a thread change together: what has changed is read again, to be the same. Where it
 * never rests, a third reading would not help. */
static enum mb_status renew_nodes(struct live_trace *live, const struct live_snapshot *snapshot,
                                  struct mb_error *err)
{
    struct abi_section_view view;
    bool moves = true;

    mb_buf_reset(&live->part);
    if (mb_buf_extend(&live->part, READ_SIZE) == NULL) {
        return mb_fail_memory(err);
    }
    if (!abi_tracefile_section(&live->trace.file, ABI_SECTION_PROFILE_NODES, 0,
                               sizeof(struct abi_profile_node), &view)) {
        return MB_OK;
    }
    for (int i = 0; moves && i < MOST_READINGS; i++) {
        MB_TRY(read_nodes(live, &view, &moves, err));
        moves = moves && snapshot->state == LIVE_WRITTEN;
    }
    return MB_OK;
}

static void keep_lengths(struct live_snapshot *snapshot)
{
    const struct answer_sections *sections = &snapshot->sections;

    mb_buf_reset(&snapshot->lengths.buf);
    for (size_t i = 0; i < sections->length_count; i++) {
        if (answer_length_is(sections->lengths[i], ANSWER_REQUESTS)) {
            MB_VEC_PUSH(&snapshot->lengths, sections->lengths[i]);
        }
    }
}

/* What of the image is to outlast the next snapshot. */
static enum mb_status keep_rows(struct live_snapshot *snapshot, struct mb_error *err)
{
    struct answer_sections *sections = &snapshot->sections;

    mb_buf_reset(&snapshot->threads.buf);
    mb_buf_reset(&snapshot->mutes.buf);
    mb_buf_put(&snapshot->threads.buf, sections->source.threads,
               sections->source.thread_count * sizeof(struct abi_profile_thread));
    mb_buf_put(&snapshot->mutes.buf, sections->mutes,
               sections->mute_count * sizeof(struct abi_profile_mute));
    MB_TRY(mb_buf_check(&snapshot->threads.buf, err));
    keep_lengths(snapshot);
    MB_TRY(mb_buf_check(&snapshot->mutes.buf, err));
    MB_TRY(mb_buf_check(&snapshot->lengths.buf, err));
    sections->lengths = NULL;
    sections->length_count = 0;
    sections->source.threads = snapshot->threads.items;
    sections->source.nodes = NULL;
    sections->mutes = snapshot->mutes.items;
    return MB_OK;
}

static enum mb_status make_trees(struct live_trace *live, struct live_snapshot *snapshot,
                                 struct mb_error *err)
{
    struct answer_sections *sections = &snapshot->sections;

    sections->missing = 0;
    MB_TRY(answer_sections_find(sections, &live->trace, err));
    if (!sections->are_there && sections->source.ns_per_unit == 0) {
        return MB_OK;
    }
    uint64_t last = last_time(&sections->source);
    snapshot->time =
        snapshot->state == LIVE_WRITTEN || snapshot->time > last ? snapshot->time : last;
    MB_TRY(answer_sections_make_trees(sections, snapshot->time, err));
    return keep_rows(snapshot, err);
}

static bool has_section(const struct live_trace *live, uint32_t kind, size_t size)
{
    struct abi_section_view view;

    return abi_tracefile_section(&live->trace.file, kind, 0, size, &view);
}

/* What top shows is of probes. */
static enum mb_status check_profile(const struct live_trace *live, struct mb_error *err)
{
    if (has_section(live, ABI_SECTION_PROFILE_NODES, sizeof(struct abi_profile_node))) {
        return MB_OK;
    }
    return mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET,
                   has_section(live, ABI_SECTION_STACKS, sizeof(struct abi_stack_node))
                       ? "samples alone are recorded, and top shows probes: see report, or record "
                         "with --sample=both"
                       : "the trace has no profile of the run: record with profile=on, or see "
                         "report");
}

enum mb_status live_trace_take(struct live_trace *live, struct live_snapshot *snapshot,
                               struct mb_error *err)
{
    struct abi_section_view view = {0};

    MB_TRY(renew_header(live, err));
    MB_TRY(check_profile(live, err));
    snapshot->state = state_of(live);
    snapshot->time = time_of(live, snapshot->state);
    snapshot->refused_words = live->trace.file.header.refused_words;
    MB_TRY(wait_for_keeper(live, snapshot, err));
    MB_TRY(renew_header(live, err)); /* the sections may have grown */
    MB_TRY(renew_section(live, ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread),
                         &view, err));
    MB_TRY(renew_section(live, ABI_SECTION_PROFILE_MUTES, sizeof(struct abi_profile_mute), &view,
                         err));
    MB_TRY(renew_section(live, ABI_SECTION_PROFILE_LENGTHS, sizeof(uint64_t), &view, err));
    MB_TRY(renew_section(live, ABI_SECTION_PROFILE_SLOW_NODES, sizeof(struct abi_profile_node),
                         &view, err));
    MB_TRY(renew_section(live, ABI_SECTION_PROFILE_SLOW, offsetof(struct abi_profile_slow, worked),
                         &view, err));
    MB_TRY(renew_section(live, ABI_SECTION_PROFILE_PAUSES, sizeof(struct abi_profile_pause), &view,
                         err));
    MB_TRY(renew_nodes(live, snapshot, err));
    return make_trees(live, snapshot, err);
}

void live_snapshot_finish(struct live_snapshot *snapshot)
{
    answer_sections_finish(&snapshot->sections);
    mb_buf_finish(&snapshot->threads.buf);
    mb_buf_finish(&snapshot->mutes.buf);
    mb_buf_finish(&snapshot->lengths.buf);
    *snapshot = (struct live_snapshot){0};
}

void live_trace_finish(struct live_trace *live)
{
    answer_trace_finish(&live->trace);
    mb_buf_finish(&live->name_lines);
    mb_buf_finish(&live->part);
    if (live->image != NULL) {
        (void)munmap(live->image, live->size);
    }
    if (live->fd >= 0) {
        (void)close(live->fd);
    }
    *live = (struct live_trace){.fd = -1};
}
