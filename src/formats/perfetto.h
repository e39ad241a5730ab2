/* Inside Perfetto's format: its state, packets, and the parts that have files of their own. */

#ifndef FORMATS_PERFETTO_H
#define FORMATS_PERFETTO_H

#include "base/arena.h"
#include "base/vec.h"
#include "formats/ids.h"
#include "formats/perfetto.pb-c.h"
#include "formats/writer.h"

/* Tracks of a thread and, of number 0, of the process; each has a number of its own. */
enum format_perfetto_track {
    FORMAT_PERFETTO_PROCESS,
    FORMAT_PERFETTO_CALLS,
    FORMAT_PERFETTO_SLOW,
    FORMAT_PERFETTO_LOST,
    FORMAT_PERFETTO_ISSUES,
    FORMAT_PERFETTO_FRAMES,
    FORMAT_PERFETTO_FPS,
    FORMAT_PERFETTO_BLOCKED,
    FORMAT_PERFETTO_REQUESTS,
    FORMAT_PERFETTO_TRACK_COUNT,
};

struct format_perfetto {
    MB_VEC(const struct answer_thread *) threads; /* in the order of their sequences */
    MB_VEC(uint64_t)
    flows; /* [event of the monitors]: to the slow message that it is about; or 0 */
    struct format_ids names;
    uint64_t time_ns; /* of the last packet */
    size_t depth;     /* of open calls */
    struct mb_buf text;
    struct mb_arena arena; /* texts of the packet that is being made */
};

/* ---- Packets (perfetto_packet.c) ---- */

/* The same for the same trace, and another in another process: files can be put together. */
uint64_t format_perfetto_uuid(const struct answer_process *process, size_t thread,
                              enum format_perfetto_track track);

/* The string itself; the others last until the next packet was put. */
ProtobufCBinaryData format_perfetto_words(const char *string);
ProtobufCBinaryData format_perfetto_text(struct format_writer *writer, struct mb_text text);
ProtobufCBinaryData format_perfetto_name(struct format_writer *writer, uint32_t id);

/* The first packet of a sequence: time 0 on all clocks, and the track of events that name none.
 * With is_incremental times are what passed since the packet before. */
void format_perfetto_put_sequence(struct format_writer *writer, uint64_t track,
                                  bool is_incremental);

/* parent 0: none. */
void format_perfetto_put_track(struct format_writer *writer, FormatPerfetto__TrackDescriptor *track,
                               uint64_t uuid, uint64_t parent);
void format_perfetto_put_named_track(struct format_writer *writer, const char *name, uint64_t uuid,
                                     uint64_t parent);
void format_perfetto_put_event(struct format_writer *writer, uint64_t ns,
                               FormatPerfetto__TrackEvent *event,
                               FormatPerfetto__InternedData *interned);
void format_perfetto_put_attributes(struct format_writer *writer);

/* An event with a start and an end on a track of its own; event has its name and the like. */
struct format_perfetto_slice {
    uint64_t track;
    uint64_t start_ns;
    uint64_t end_ns;
    bool is_open;
};
void format_perfetto_put_slice(struct format_writer *writer,
                               const struct format_perfetto_slice *slice,
                               FormatPerfetto__TrackEvent *event);

/* What people see of an event when they choose it. */
#define FORMAT_PERFETTO_NOTES 8
struct format_perfetto_notes {
    FormatPerfetto__DebugAnnotation rows[FORMAT_PERFETTO_NOTES];
    FormatPerfetto__DebugAnnotation *pointers[FORMAT_PERFETTO_NOTES];
    size_t count;
};
void format_perfetto_note_number(struct format_perfetto_notes *notes, const char *name,
                                 uint64_t value);
void format_perfetto_note_text(struct format_perfetto_notes *notes, const char *name,
                               ProtobufCBinaryData value);
void format_perfetto_attach(FormatPerfetto__TrackEvent *event, struct format_perfetto_notes *notes);

/* ---- On a sequence of their own, at the end ---- */

/* Slow messages and what was overwritten, on tracks of each thread, and which events of the
 * monitors are about which of them (perfetto_slow.c). */
void format_perfetto_put_slow(struct format_writer *writer, size_t thread_count);

/* The slow requests that are known, on tracks of their threads, each with its cause
 * (perfetto_requests.c). */
void format_perfetto_put_requests(struct format_writer *writer, size_t thread_count);

/* Waits for locks, on tracks of the threads that wait, each with a flow from its owner
 * (perfetto_blocked.c). */
void format_perfetto_put_blocked(struct format_writer *writer, size_t thread_count);

/* What monitors told, on tracks of the process (perfetto_events.c). */
void format_perfetto_put_events(struct format_writer *writer);

#endif
