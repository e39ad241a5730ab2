#include "spool/notes.h"

#include "base/place.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x334554544e42544d) /* changes with the layout */
#define MESSAGE_SIZE 255u

/* ---- Pages ---- */

static uint64_t sum_of_page(const struct spool_note *note)
{
    const size_t from = offsetof(struct spool_note, incident);

    return mb_text_checksum(
        (struct mb_text){(const char *)note + from, offsetof(struct spool_note, length) - from});
}

static uint64_t sum_of_length(const struct spool_note_length *length)
{
    return mb_text_checksum(
        (struct mb_text){(const char *)length, offsetof(struct spool_note_length, sum)});
}

/* False if not all of it fits. */
static bool add_text(struct spool_note *note, uint32_t *used, struct spool_note_text *place,
                     struct mb_text text)
{
    uint32_t room = SPOOL_NOTE_TEXT - *used;

    if (text.size > room) {
        return false;
    }
    if (text.size > 0) {
        memcpy(note->texts + *used, text.data, text.size);
    }
    place->offset = (uint16_t)*used;
    place->size = (uint16_t)text.size;
    *used += (uint32_t)text.size;
    return true;
}

static struct mb_text cut(struct mb_text text)
{
    return (struct mb_text){text.data, text.size < MESSAGE_SIZE ? text.size : MESSAGE_SIZE};
}

static void fill_own(struct spool_note *note, const struct mon_own *own,
                     const struct mon_names *names, uint32_t *used)
{
    const struct mb_text value = mon_name(names, own->json);

    (void)add_text(note, used, &note->own_detail, cut(mon_name(names, own->detail)));
    (void)add_text(note, used, &note->own_key, cut(mon_name(names, own->key)));
    (void)add_text(note, used, &note->own_thread, cut(mon_name(names, own->thread)));
    if (value.size <= SPOOL_NOTE_VALUE_SIZE) {
        note->value_size = (uint32_t)value.size;
        note->value_sum = mb_text_checksum(value);
    }
}

/* The place of a frame behind its function, if it finds room in spare. */
static void add_place(struct spool_note *note, uint32_t *used, uint32_t frame, size_t *spare,
                      const struct mb_place *place)
{
    char text[MESSAGE_SIZE + 16];
    int size = snprintf(text, sizeof(text), "(%.*s:%" PRIu32 ")", (int)cut(place->file).size,
                        place->file.data, place->line);

    if (place->file.size > 0 && size > 0 && (size_t)size <= *spare) {
        struct spool_note_text behind;
        (void)add_text(note, used, &behind, (struct mb_text){text, (size_t)size});
        note->frames[frame].size = (uint16_t)(note->frames[frame].size + (size_t)size);
        *spare -= (size_t)size;
    }
}

/* Places have the room that functions leave. */
static void fill_frames(struct spool_note *note, const struct mon_frames *frames,
                        const struct mon_names *names, uint32_t *used)
{
    size_t spare = SPOOL_NOTE_TEXT - *used;

    for (uint32_t i = 0; i < frames->count; i++) {
        size_t size = mon_name(names, frames->names[i]).size;
        spare -= size < spare ? size : spare;
    }
    while (note->frame_count < frames->count) {
        uint32_t i = note->frame_count;
        const struct mb_place place = {mon_name(names, frames->files[i]), frames->lines[i]};
        if (!add_text(note, used, &note->frames[i], mon_name(names, frames->names[i]))) {
            break;
        }
        add_place(note, used, i, &spare, &place);
        note->frame_count++;
    }
}

static void fill_texts(struct spool_note *note, const struct mon_issue *issue,
                       const struct mon_names *names)
{
    const struct mon_frames *frames = issue->hottest != NULL ? issue->hottest->frames : NULL;
    uint32_t used = 0;

    (void)add_text(note, &used, &note->loop_name, cut(mon_name(names, issue->loop_name)));
    (void)add_text(note, &used, &note->message, cut(mon_name(names, issue->message)));
    (void)add_text(note, &used, &note->scene, cut(mon_name(names, issue->scene)));
    if (issue->own != NULL) {
        fill_own(note, issue->own, names, &used);
    }
    if (frames != NULL) {
        fill_frames(note, frames, names, &used);
    }
}

static void fill_items(struct spool_note *note, const struct mon_trace *trace)
{
    note->key = trace->key;
    note->is_lapped = trace->is_lapped;
    note->items.count = trace->items.count;
    for (uint32_t i = 0; i < trace->items.count; i++) { /* one by one: no padding */
        note->items.items[i].depth = trace->items.items[i].depth;
        note->items.items[i].id = trace->items.items[i].id;
        note->items.items[i].count = trace->items.items[i].count;
        note->items.items[i].ms = trace->items.items[i].ms;
    }
}

void spool_note_set_length(struct spool_note_length *length, const struct mon_issue *issue)
{
    memset(length, 0, sizeof(*length));
    length->incident.start = issue->start;
    length->incident.number = issue->number;
    length->watched_ns = issue->watched_ns;
    length->gap_ns = issue->cost_ns - issue->watched_ns;
    length->sum = sum_of_length(length);
}

void spool_note_fill(struct spool_note *note, const struct mon_issue *issue,
                     const struct mon_names *names, int64_t wall_ns)
{
    memset(note, 0, sizeof(*note));
    note->incident.start = issue->start;
    note->incident.number = issue->number;
    note->detail = (uint32_t)issue->detail;
    note->ended = (uint32_t)issue->ended;
    note->loop = issue->loop;
    note->is_foreground = issue->is_foreground;
    note->wall_ns = wall_ns;
    note->pid = (uint32_t)getpid();
    note->key = UINT32_MAX;
    fill_texts(note, issue, names);
    if (issue->trace != NULL) {
        fill_items(note, issue->trace);
    }
    spool_note_set_length(&note->length, issue);
    spool_note_seal(note);
}

void spool_note_seal(struct spool_note *note)
{
    note->magic = MAGIC;
    note->sum = sum_of_page(note);
    note->length.incident = note->incident;
    note->length.sum = sum_of_length(&note->length);
}

static bool is_detail(uint32_t detail)
{
    return (detail >= MON_LAG && detail <= MON_HANG) || detail == MON_CUSTOM;
}

static bool is_inside(struct spool_note_text text)
{
    return text.offset + text.size <= (int)SPOOL_NOTE_TEXT;
}

bool spool_note_is_valid(const struct spool_note *note)
{
    if (note->magic != MAGIC || note->sum != sum_of_page(note) || !is_detail(note->detail) ||
        note->ended > MON_ENDED_OPEN || note->loop >= MON_LOOP_COUNT ||
        note->frame_count > MON_FRAME_COUNT || note->items.count > MON_ITEM_COUNT ||
        note->value_size > SPOOL_NOTE_VALUE_SIZE) {
        return false;
    }
    for (uint32_t i = 0; i < note->frame_count; i++) {
        if (!is_inside(note->frames[i])) {
            return false;
        }
    }
    return is_inside(note->loop_name) && is_inside(note->message) && is_inside(note->scene) &&
           is_inside(note->own_detail) && is_inside(note->own_key) && is_inside(note->own_thread) &&
           spool_incident_is(note->length.incident, note->incident) &&
           note->length.sum == sum_of_length(&note->length);
}

struct mb_text spool_note_text_of(const struct spool_note *note, struct spool_note_text text)
{
    return (struct mb_text){note->texts + text.offset, text.size};
}

/* ---- The file ---- */

static bool has_file(const struct spool_notes *notes)
{
    return mb_file_is(notes->fd, &notes->id);
}

static uint64_t offset_of(uint32_t place)
{
    return (uint64_t)place * SPOOL_NOTE_SIZE;
}

static uint64_t offset_of_value(uint32_t place)
{
    uint32_t among_own = place % (SPOOL_NOTE_COUNT - SPOOL_NOTE_STALLS);

    return offset_of(SPOOL_NOTE_COUNT) + (uint64_t)among_own * SPOOL_NOTE_VALUE_SIZE;
}

void spool_notes_withdraw(const struct spool_notes *notes, int folder)
{
    struct stat there;

    if (notes->fd >= 0 && fstatat(folder, SPOOL_NOTES_NAME, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        notes->id.device == (uint64_t)there.st_dev && notes->id.number == (uint64_t)there.st_ino) {
        (void)unlinkat(folder, SPOOL_NOTES_NAME, 0);
    }
}

/* The value first: a page that is there has its value. */
static bool write_note(int fd, uint32_t place, const struct spool_note *note, const char *value)
{
    return (note->value_size == 0 ||
            mb_file_write_at(fd, value, note->value_size, offset_of_value(place))) &&
           mb_file_write_at(fd, note, sizeof(*note), offset_of(place));
}

void spool_notes_open(struct spool_notes *notes, int folder)
{
    int fd =
        openat(folder, SPOOL_NOTES_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd >= 0) { /* so that blocks are there when the disk is full; of values they may not be */
        (void)posix_fallocate(fd, 0, (off_t)offset_of(SPOOL_NOTE_COUNT));
    }
    for (uint32_t i = 0; i < SPOOL_NOTE_COUNT; i++) {
        if (notes->places[i].state != SPOOL_NOTE_FREE && fd >= 0 && has_file(notes) &&
            spool_notes_read(notes->fd, i, &notes->page)) {
            (void)spool_notes_read_value(notes->fd, i, &notes->page, notes->value);
            (void)write_note(fd, i, &notes->page, notes->value);
        }
    }
    spool_notes_close(notes);
    notes->fd = fd;
    notes->id = mb_file_identify(fd);
}

void spool_notes_close(struct spool_notes *notes)
{
    mb_file_close(notes->fd, &notes->id);
    notes->fd = -1;
}

static uint32_t find(const struct spool_notes *notes, struct spool_incident incident)
{
    for (uint32_t i = 0; i < SPOOL_NOTE_COUNT; i++) {
        if (notes->places[i].state != SPOOL_NOTE_FREE &&
            spool_incident_is(notes->places[i].incident, incident)) {
            return i;
        }
    }
    return SPOOL_NOTE_COUNT;
}

/* SPOOL_NOTE_COUNT: there is none. */
static uint32_t find_free(const struct spool_notes *notes, bool is_own)
{
    uint32_t end = is_own ? SPOOL_NOTE_COUNT : SPOOL_NOTE_STALLS;
    uint32_t place = is_own ? SPOOL_NOTE_STALLS : 0;

    while (place < end && notes->places[place].state != SPOOL_NOTE_FREE) {
        place++;
    }
    return place < end ? place : SPOOL_NOTE_COUNT;
}

static struct spool_incident incident_of(const struct mon_issue *issue)
{
    return (struct spool_incident){issue->start, issue->number};
}

void spool_notes_put(struct spool_notes *notes, const struct mon_issue *issue,
                     const struct mon_names *names, int64_t wall_ns)
{
    uint32_t place = find(notes, incident_of(issue));
    const struct mb_text value = mon_name(names, issue->own != NULL ? issue->own->json : 0);

    if (place == SPOOL_NOTE_COUNT) {
        place = find_free(notes, issue->own != NULL);
    }
    if (!has_file(notes) || place == SPOOL_NOTE_COUNT) {
        return;
    }
    spool_note_fill(&notes->page, issue, names, wall_ns);
    if (write_note(notes->fd, place, &notes->page, value.data)) {
        notes->places[place].incident = incident_of(issue);
        notes->places[place].state = SPOOL_NOTE_OPEN;
    }
}

void spool_notes_put_length(struct spool_notes *notes, const struct mon_issue *issue)
{
    uint32_t place = find(notes, incident_of(issue));
    struct spool_note_length length;

    if (place < SPOOL_NOTE_COUNT && has_file(notes)) {
        spool_note_set_length(&length, issue);
        (void)mb_file_write_at(notes->fd, &length, sizeof(length),
                               offset_of(place) + offsetof(struct spool_note, length));
    }
}

bool spool_notes_queue(struct spool_notes *notes, struct spool_incident incident)
{
    uint32_t place = find(notes, incident);

    if (place == SPOOL_NOTE_COUNT) {
        return false;
    }
    notes->places[place].state = SPOOL_NOTE_QUEUED;
    return true;
}

void spool_notes_finish(struct spool_notes *notes, struct spool_incident incident)
{
    uint32_t place = find(notes, incident);

    if (place < SPOOL_NOTE_COUNT) {
        (void)(has_file(notes) && spool_notes_clear(notes->fd, place));
        notes->places[place].state = SPOOL_NOTE_FREE;
    }
}

void spool_notes_end(struct spool_notes *notes, struct spool_incident incident)
{
    uint32_t place = find(notes, incident);

    if (place < SPOOL_NOTE_COUNT && notes->places[place].state == SPOOL_NOTE_OPEN) {
        spool_notes_finish(notes, incident);
    }
}

bool spool_notes_read(int fd, uint32_t place, struct spool_note *note)
{
    ssize_t size = pread(fd, note, sizeof(*note), (off_t)offset_of(place));

    return size == (ssize_t)sizeof(*note) && spool_note_is_valid(note);
}

bool spool_notes_clear(int fd, uint32_t place)
{
    static const char nothing[offsetof(struct spool_note, incident)];

    return mb_file_write_at(fd, nothing, sizeof(nothing), offset_of(place));
}

struct mb_text spool_notes_read_value(int fd, uint32_t place, const struct spool_note *note,
                                      char value[SPOOL_NOTE_VALUE_SIZE])
{
    ssize_t size = pread(fd, value, note->value_size, (off_t)offset_of_value(place));
    struct mb_text text = {value, note->value_size};

    if (size != (ssize_t)note->value_size || note->value_sum != mb_text_checksum(text)) {
        text.size = 0;
    }
    return text;
}
