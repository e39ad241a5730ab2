/* Stalls that are open, and issues of the program's own that are not written yet, in a file: should the
 * process die the next one finds them. One page each, written at once, so that no kill leaves half of
 * one. Not mapped: a store to a mapped page of a file that was cut, or for which the disk has no block,
 * ends the process. */

#ifndef WATCH_NOTES_H
#define WATCH_NOTES_H

#include "base/file.h"
#include "watch/incident.h"

#define WATCH_NOTES_NAME "notes"
#define WATCH_NOTE_STALLS 32u /* the first places; more than there are incidents */
#define WATCH_NOTE_COUNT 48u  /* with those of the program's own: as many as wait to be written */
#define WATCH_NOTE_SIZE ((size_t)4096)
#define WATCH_NOTE_TEXT 2960u                 /* bytes of all its texts */
#define WATCH_NOTE_VALUE_SIZE ((size_t)65536) /* behind all pages, for each of the program's own */

/* A page as it is in the file, in this machine's order of bytes. A length of its own is written more
 * often than the rest; it counts if it is of the same incident. */
struct watch_note_length {
    struct watch_incident incident;
    int64_t watched_ns;
    int64_t gap_ns;
    uint64_t sum;
};

struct watch_note_text {
    uint16_t offset; /* in texts */
    uint16_t size;
};

struct watch_note {
    uint64_t magic;
    uint64_t sum; /* of what follows, up to length */
    struct watch_incident incident;
    uint32_t detail;
    uint32_t ended;
    uint32_t loop;
    uint32_t is_foreground;
    int64_t wall_ns; /* begin, since 1970 */
    uint32_t key;    /* of the trace */
    uint32_t is_lapped;
    struct watch_note_text loop_name;
    struct watch_note_text message;
    struct watch_note_text scene;
    uint32_t pid;
    uint32_t frame_count;
    struct watch_note_text frames[MON_FRAME_COUNT];
    struct watch_note_text own_detail; /* CUSTOM: with what follows */
    struct watch_note_text own_key;
    struct watch_note_text own_thread;
    uint32_t value_size;
    uint64_t value_sum;
    struct mon_items items;
    char texts[WATCH_NOTE_TEXT];
    struct watch_note_length length;
};
_Static_assert(sizeof(struct watch_note) == WATCH_NOTE_SIZE, "a note is a page");

/* What is told of an open stall. Texts that find no room are cut, or left out with the outer frames. */
void watch_note_fill(struct watch_note *note, const struct mon_issue *issue,
                     const struct mon_names *names, int64_t wall_ns);
void watch_note_set_length(struct watch_note_length *length, const struct mon_issue *issue);

/* Make its sums right. */
void watch_note_seal(struct watch_note *note);

/* The page is whole, and is of something that matters. */
bool watch_note_is_valid(const struct watch_note *note);

struct mb_text watch_note_text_of(const struct watch_note *note, struct watch_note_text text);

/* ---- The file ---- */

enum watch_note_state {
    WATCH_NOTE_FREE,
    WATCH_NOTE_OPEN,
    WATCH_NOTE_QUEUED, /* its issue waits to be written: not closed before */
};

struct watch_notes {
    int fd; /* -1: none */
    struct mb_file_id id;
    struct {
        struct watch_incident incident;
        enum watch_note_state state;
    } places[WATCH_NOTE_COUNT];
    struct watch_note page;            /* at work */
    char value[WATCH_NOTE_VALUE_SIZE]; /* likewise */
};

/* If the file in that folder is the one that is open, it goes; what is in it stays. */
void watch_notes_withdraw(const struct watch_notes *notes, int folder);

/* Make a file in that folder, which has none; what was in the one that is open moves. Without it notes
 * are taken and lost. */
void watch_notes_open(struct watch_notes *notes, int folder);
void watch_notes_close(struct watch_notes *notes);

/* Write a note, or write it again. */
void watch_notes_put(struct watch_notes *notes, const struct mon_issue *issue,
                     const struct mon_names *names, int64_t wall_ns);
void watch_notes_put_length(struct watch_notes *notes, const struct mon_issue *issue);

/* Its issue is queued; false if there is no note of it. */
bool watch_notes_queue(struct watch_notes *notes, struct watch_incident incident);

/* It is over. A queued one stays. */
void watch_notes_end(struct watch_notes *notes, struct watch_incident incident);

/* Its issue is written. */
void watch_notes_finish(struct watch_notes *notes, struct watch_incident incident);

/* Read the page of a file of notes; false if there is no valid one. Clear it. */
bool watch_notes_read(int fd, uint32_t place, struct watch_note *note);
bool watch_notes_clear(int fd, uint32_t place);

/* The value that belongs to that page, in the room of value; empty if there is none that is whole. */
struct mb_text watch_notes_read_value(int fd, uint32_t place, const struct watch_note *note,
                                      char value[WATCH_NOTE_VALUE_SIZE]);

#endif
