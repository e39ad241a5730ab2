/* Inside Perfetto's format: its state, packets, and the parts that have files of their own. */

#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include "base/arena.h"
#include "export/ids.h"
#include "export/perfetto.pb-c.h"
#include "export/writer.h"

/* Tracks of a thread and, of number 0, of the process; each has a number of its own. */
enum export_perfetto_track {
    EXPORT_PERFETTO_PROCESS,
    EXPORT_PERFETTO_CALLS,
    EXPORT_PERFETTO_SLOW,
    EXPORT_PERFETTO_LOST,
    EXPORT_PERFETTO_ISSUES,
    EXPORT_PERFETTO_FRAMES,
    EXPORT_PERFETTO_FPS,
    EXPORT_PERFETTO_TRACK_COUNT,
};

struct export_perfetto {
    struct mb_buf threads; /* const struct export_thread *, in the order of their sequences */
    struct export_ids names;
    uint64_t time_ns; /* of the last packet */
    struct mb_buf text;
    struct mb_arena arena; /* texts of the packet that is being made */
};

/* ---- Packets (perfetto_packet.c) ---- */

/* The same for the same trace, and another in another process: files can be put together. */
uint64_t export_perfetto_uuid(const struct export_report *report, size_t thread,
                              enum export_perfetto_track track);

/* The string itself; the others last until the next packet was put. */
ProtobufCBinaryData export_perfetto_words(const char *string);
ProtobufCBinaryData export_perfetto_text(struct export_writer *writer, struct mb_text text);
ProtobufCBinaryData export_perfetto_name(struct export_writer *writer, uint32_t id);

/* The first packet of a sequence: time 0 on all clocks, and the track of events that name none.
 * With is_incremental times are what passed since the packet before. */
void export_perfetto_put_sequence(struct export_writer *writer, uint64_t track,
                                  bool is_incremental);

/* parent 0: none. */
void export_perfetto_put_track(struct export_writer *writer, ExportPerfetto__TrackDescriptor *track,
                               uint64_t uuid, uint64_t parent);
void export_perfetto_put_named_track(struct export_writer *writer, const char *name, uint64_t uuid,
                                     uint64_t parent);
void export_perfetto_put_event(struct export_writer *writer, uint64_t ns,
                               ExportPerfetto__TrackEvent *event,
                               ExportPerfetto__InternedData *interned);
void export_perfetto_put_attributes(struct export_writer *writer);

/* An event with a start and an end on a track of its own; event has its name and the like. */
struct export_perfetto_slice {
    uint64_t track;
    uint64_t start_ns;
    uint64_t end_ns;
    bool is_open;
};
void export_perfetto_put_slice(struct export_writer *writer,
                               const struct export_perfetto_slice *slice,
                               ExportPerfetto__TrackEvent *event);

/* What people see of an event when they choose it. */
#define EXPORT_PERFETTO_NOTES 8
struct export_perfetto_notes {
    ExportPerfetto__DebugAnnotation rows[EXPORT_PERFETTO_NOTES];
    ExportPerfetto__DebugAnnotation *pointers[EXPORT_PERFETTO_NOTES];
    size_t count;
};
void export_perfetto_note_number(struct export_perfetto_notes *notes, const char *name,
                                 uint64_t value);
void export_perfetto_note_text(struct export_perfetto_notes *notes, const char *name,
                               ProtobufCBinaryData value);
void export_perfetto_attach(ExportPerfetto__TrackEvent *event, struct export_perfetto_notes *notes);

/* ---- On a sequence of their own, at the end ---- */

/* Slow messages and what was overwritten, on tracks of each thread (perfetto_slow.c). */
void export_perfetto_put_slow(struct export_writer *writer, size_t thread_count);

/* What monitors told, on tracks of the process (perfetto_events.c). */
void export_perfetto_put_events(struct export_writer *writer);

/* Leads from an event of the monitors to the slow message that it is about; 0: there is none. */
uint64_t export_perfetto_flow(const struct export_report *report, size_t event);

#endif
