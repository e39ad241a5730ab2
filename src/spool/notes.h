/* Stalls that are open, and issues of the program's own that are not written yet, in a file: should
 * the process die the next one finds them. One page each, written at once, so that no kill leaves
 * half of one. Not mapped: a store to a mapped page of a file that was cut, or for which the disk
 * has no block, ends the process. */

#ifndef SPOOL_NOTES_H
#define SPOOL_NOTES_H

#include "base/file.h"
#include "spool/incident.h"

#define SPOOL_NOTES_NAME "notes"
#define SPOOL_NOTE_STALLS 32u /* the first places; more than there are incidents */
#define SPOOL_NOTE_COUNT 48u  /* with those of the program's own: as many as wait to be written */
#define SPOOL_NOTE_SIZE ((size_t)4096)
#define SPOOL_NOTE_TEXT 2960u                 /* bytes of all its texts */
#define SPOOL_NOTE_VALUE_SIZE ((size_t)65536) /* behind all pages, for each of the program's */

/* A page as it is in the file, in this machine's order of bytes. A length of its own is written
 * more often than the rest; it counts if it is of the same incident. */
struct spool_note_length {
    struct spool_incident incident;
    int64_t watched_ns;
    int64_t gap_ns;
    uint64_t sum;
};

struct spool_note_text {
    uint16_t offset; /* in texts */
    uint16_t size;
};

struct spool_note {
    uint64_t magic;
    uint64_t sum; /* of what follows, up to length */
    struct spool_incident incident;
    uint32_t detail;
    uint32_t ended;
    uint32_t loop;
    uint32_t is_foreground;
    int64_t wall_ns; /* begin, since 1970 */
    uint32_t key;    /* of the trace */
    uint32_t is_lapped;
    struct spool_note_text loop_name;
    struct spool_note_text message;
    struct spool_note_text scene;
    uint32_t pid;
    uint32_t frame_count;
    struct spool_note_text frames[MON_FRAME_COUNT];
    struct spool_note_text own_detail; /* CUSTOM: with what follows */
    struct spool_note_text own_key;
    struct spool_note_text own_thread;
    uint32_t value_size;
    uint64_t value_sum;
    struct mon_items items;
    char texts[SPOOL_NOTE_TEXT];
    struct spool_note_length length;
};
_Static_assert(sizeof(struct spool_note) == SPOOL_NOTE_SIZE, "a note is a page");

/* What is told of an open stall. Texts that find no room are cut, or left out with the outer
 * frames. */
void spool_note_fill(struct spool_note *note, const struct mon_issue *issue,
                     const struct mon_names *names, int64_t wall_ns);
void spool_note_set_length(struct spool_note_length *length, const struct mon_issue *issue);

/* Make its sums right. */
void spool_note_seal(struct spool_note *note);

/* The page is whole, and is of something that matters. */
bool spool_note_is_valid(const struct spool_note *note);

struct mb_text spool_note_text_of(const struct spool_note *note, struct spool_note_text text);

/* ---- The file ---- */

enum spool_note_state {
    SPOOL_NOTE_FREE,
    SPOOL_NOTE_OPEN,
    SPOOL_NOTE_QUEUED, /* its issue waits to be written: not closed before */
};

struct spool_notes {
    int fd; /* -1: none */
    struct mb_file_id id;
    struct {
        struct spool_incident incident;
        enum spool_note_state state;
    } places[SPOOL_NOTE_COUNT];
    struct spool_note page;            /* at work */
    char value[SPOOL_NOTE_VALUE_SIZE]; /* likewise */
};

/* If the file in that folder is the one that is open, it goes; what is in it stays. */
void spool_notes_withdraw(const struct spool_notes *notes, int folder);

/* Make a file in that folder, which has none; what was in the one that is open moves. Without it
 * notes are taken and lost. */
void spool_notes_open(struct spool_notes *notes, int folder);
void spool_notes_close(struct spool_notes *notes);

/* Write a note, or write it again. */
void spool_notes_put(struct spool_notes *notes, const struct mon_issue *issue,
                     const struct mon_names *names, int64_t wall_ns);
void spool_notes_put_length(struct spool_notes *notes, const struct mon_issue *issue);

/* Its issue is queued; false if there is no note of it. */
bool spool_notes_queue(struct spool_notes *notes, struct spool_incident incident);

/* It is over. A queued one stays. */
void spool_notes_end(struct spool_notes *notes, struct spool_incident incident);

/* Its issue is written. */
void spool_notes_finish(struct spool_notes *notes, struct spool_incident incident);

/* Read the page of a file of notes; false if there is no valid one. Clear it. */
bool spool_notes_read(int fd, uint32_t place, struct spool_note *note);
bool spool_notes_clear(int fd, uint32_t place);

/* The value that belongs to that page, in the room of value; empty if there is none that is
 * whole. */
struct mb_text spool_notes_read_value(int fd, uint32_t place, const struct spool_note *note,
                                      char value[SPOOL_NOTE_VALUE_SIZE]);

#endif
