/* An issue on its way to its file, and the hidden file that keeps it until then: written at each
 * stage of a stall, and before an issue of the program's own waits for others. What the process
 * leaves when it dies is published by the next one of its name (spool/left.h). */

#ifndef SPOOL_NOTE_H
#define SPOOL_NOTE_H

#include "spool/folder.h"

#define SPOOL_DETAIL_SIZE 32u /* of the program's own, with its end */

/* What is told of it beside its text; in a note in front of that, in this machine's order of bytes.
 */
struct spool_head {
    uint64_t magic;
    struct spool_incident incident;
    int64_t wall_ns; /* begin, since 1970 */
    int64_t cost_ns;
    uint64_t key;
    uint64_t issue_size;
    uint32_t pid;
    uint32_t loop;
    uint32_t detail;                    /* enum mon_detail */
    uint32_t ended;                     /* enum mon_ended; KILLED while it is open */
    char own_detail[SPOOL_DETAIL_SIZE]; /* of CUSTOM; else "" */
};

/* Text is the issue as JSON, without its verdict, and behind it the copy, if it has one. */
struct spool_item {
    struct spool_head head;
    struct mb_buf text;
    struct mon_options options;
};

struct mb_text spool_item_issue(const struct spool_item *item);
struct mb_text spool_item_copy(const struct spool_item *item);

/* Write it whole, in place of what was noted before; false, and nothing has changed, if it cannot
 * be. */
bool spool_note_write(const struct spool_folder *folder, const struct spool_item *item);

/* Whether there is one, or was. */
bool spool_note_exists(const struct spool_folder *folder, struct spool_incident incident);
bool spool_note_remove(const struct spool_folder *folder, struct spool_incident incident);

/* Options stay as they are. False if it cannot be read, or is damaged: then it is removed. */
bool spool_note_read(const struct spool_folder *folder, struct spool_incident incident,
                     struct spool_item *item);

/* Move it to the other folder, if it is there. */
void spool_note_move(const struct spool_folder *from, const struct spool_folder *to,
                     struct spool_incident incident);

typedef void spool_note_visit(void *context, struct spool_incident incident);
void spool_notes_visit(const struct spool_folder *folder, spool_note_visit *visit, void *context);

#endif
