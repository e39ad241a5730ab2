/* An issue on its way to its file, and its note: a hidden file that keeps the issue until then.
 * Notes are written at each stage of a stall, and before a custom issue waits in the queue. If the
 * process dies, the next process of the same name publishes them (monitor/spool/cleanup.h). */

#ifndef MONITOR_SPOOL_NOTE_H
#define MONITOR_SPOOL_NOTE_H

#include "monitor/spool/folder.h"

#define SPOOL_DETAIL_SIZE 32u /* of a custom issue, with its end */

/* The fields of an issue that its publication needs. A note begins with this struct, in the byte
 * order of the machine. */
struct spool_head {
    uint64_t magic;
    struct spool_incident incident;
    int64_t wall_ns; /* its begin, since 1970 */
    int64_t cost_ns;
    uint64_t key;
    uint64_t issue_size;
    uint32_t pid;
    uint32_t loop;
    uint32_t detail;                    /* enum mon_detail */
    uint32_t ended;                     /* enum mon_ended; KILLED while it is open */
    char own_detail[SPOOL_DETAIL_SIZE]; /* of CUSTOM; else "" */
};

/* The text is the issue as JSON, without its verdict, followed by the copy for Matrix, if any. */
struct spool_item {
    struct spool_head head;
    struct mb_buf text;
    struct mon_options options;
};

struct mb_text spool_item_issue(const struct spool_item *item);
struct mb_text spool_item_copy(const struct spool_item *item);

/* Write the whole note; it replaces an earlier one of the incident. False: nothing has changed. */
bool spool_note_write(const struct spool_folder *folder, const struct spool_item *item);

/* True if there is a note, or was one before the removal. */
bool spool_note_exists(const struct spool_folder *folder, struct spool_incident incident);
bool spool_note_remove(const struct spool_folder *folder, struct spool_incident incident);

/* Leaves the item's options alone. False if the note cannot be read; a damaged note is removed. */
bool spool_note_read(const struct spool_folder *folder, struct spool_incident incident,
                     struct spool_item *item);

/* Move the note, if it exists, to another folder. */
void spool_note_move(const struct spool_folder *from, const struct spool_folder *to,
                     struct spool_incident incident);

typedef void spool_note_visit(void *context, struct spool_incident incident);
void spool_notes_visit(const struct spool_folder *folder, spool_note_visit *visit, void *context);

#endif
