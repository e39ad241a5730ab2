#include "spool/left.h"

#include "spool/counts.h"
#include "spool/files.h"
#include "spool/stock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PREFIX "left-"
#define NAME_SIZE 24u

/* ---- Files of notes ---- */

static void put_name(char name[NAME_SIZE], uint32_t file)
{
    (void)snprintf(name, NAME_SIZE, PREFIX "%u", file);
}

/* 0: not such a name. */
static uint32_t file_named(const char *name)
{
    struct mb_text text = mb_text_of(name);
    uint64_t number = 0;

    if (!mb_text_starts(text, MB_TEXT(PREFIX))) {
        return 0;
    }
    text.data += sizeof(PREFIX) - 1;
    text.size -= sizeof(PREFIX) - 1;
    return mb_text_to_number(text, UINT32_MAX - 1, &number) ? (uint32_t)number : 0;
}

/* Call visit for each file of notes left in the folder. */
static void for_each_file(int folder, void (*visit)(void *context, uint32_t file), void *context)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;

    if (entries == NULL) {
        (void)(again >= 0 && close(again));
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (file_named(entry->d_name) != 0) {
            visit(context, file_named(entry->d_name));
        }
    }
    (void)closedir(entries);
}

static void find_last(void *context, uint32_t file)
{
    uint32_t *last = context;

    *last = file > *last ? file : *last;
}

static uint32_t next_file(int folder)
{
    uint32_t last = 0;

    for_each_file(folder, find_last, &last);
    return last + 1;
}

static int open_file(int folder, uint32_t file)
{
    char name[NAME_SIZE];

    put_name(name, file);
    return openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/* ---- The table ---- */

struct collecting {
    struct spool_left *left;
    const struct spool_heritage *heritage;
    int folder;
};

static bool is_of_use(const struct spool_left *left, uint32_t file)
{
    for (uint32_t i = 0; i < left->count; i++) {
        if (left->entries[i].file == file && left->entries[i].state != SPOOL_LEFT_WRITTEN) {
            return true;
        }
    }
    return false;
}

static void remove_file(int folder, uint32_t file)
{
    char name[NAME_SIZE];

    put_name(name, file);
    (void)unlinkat(folder, name, 0);
}

static void finish_entry(struct spool_left *left, int folder, uint32_t entry)
{
    uint32_t file = left->entries[entry].file;
    int fd;

    left->entries[entry].state = SPOOL_LEFT_WRITTEN;
    if (!is_of_use(left, file)) {
        remove_file(folder, file);
        return;
    }
    fd = open_file(folder, file);
    if (fd >= 0) {
        (void)spool_notes_clear(fd, left->entries[entry].place);
        (void)close(fd);
    }
}

static void load_file(void *context, uint32_t file)
{
    const struct collecting *c = context;
    struct spool_left *left = c->left;
    int fd;

    if (left->count + SPOOL_NOTE_COUNT > SPOOL_LEFT_COUNT) {
        return; /* the next start's */
    }
    fd = open_file(c->folder, file);
    for (uint32_t place = 0; fd >= 0 && place < SPOOL_NOTE_COUNT; place++) {
        if (spool_notes_read(fd, place, &left->page)) {
            left->entries[left->count].incident = left->page.incident;
            left->entries[left->count].state = SPOOL_LEFT_WAITS;
            left->entries[left->count].file = file;
            left->entries[left->count].place = place;
            left->count++;
        }
    }
    if (fd >= 0 && close(fd) == 0 && !is_of_use(left, file)) {
        remove_file(c->folder, file);
    }
}

static void load(struct collecting *c)
{
    c->left->count = 0;
    for_each_file(c->folder, load_file, c);
}

/* ---- What was being published ---- */

static void mark(const struct collecting *c, struct spool_incident incident)
{
    if (c->heritage->published != NULL) {
        c->heritage->published(c->heritage->context, incident);
    }
    for (uint32_t i = 0; i < c->left->count; i++) {
        if (c->left->entries[i].state == SPOOL_LEFT_WAITS &&
            spool_incident_is(c->left->entries[i].incident, incident)) {
            finish_entry(c->left, c->folder, i);
        }
    }
}

/* Which issue the day of that file has counted last. */
static bool read_last(struct spool_left *left, const struct spool_file *file,
                      struct spool_incident *last)
{
    const struct spool_file counts = {.folder = file->folder, .name = SPOOL_COUNTS_NAME};

    mb_buf_reset(&left->text);
    if (!spool_file_read(&counts, SPOOL_COUNTS_SIZE, &left->text) ||
        !spool_counts_read(&left->counts,
                           (struct mb_text){(const char *)left->text.bytes, left->text.size})) {
        return false;
    }
    *last = left->counts.last;
    return true;
}

/* counts.json names the issue that was counted last: if that is still hidden, it is whole. Other
 * hidden files were not counted, and may be cut. */
static void settle(void *context, const struct spool_file *file)
{
    const struct collecting *c = context;
    struct spool_incident last;
    bool has_last = (file->is_counts || file->is_hidden) && read_last(c->left, file, &last);

    if (!file->is_hidden && !file->is_counts) {
        mark(c, file->parts.incident);
    } else if (!file->is_hidden && has_last) {
        mark(c, last);
    } else if (file->is_hidden) {
        if (!file->is_counts && has_last && spool_incident_is(last, file->parts.incident)) {
            (void)spool_file_publish(file->folder, file->name, false);
        } else {
            (void)spool_file_remove(file);
        }
    }
}

/* Of a folder that is owned. Notes become files that are left, before there are new ones. */
static void settle_folder(struct spool_left *left, const struct spool_heritage *heritage,
                          int folder)
{
    struct collecting c = {left, heritage, folder};
    char name[NAME_SIZE];

    put_name(name, next_file(folder));
    (void)renameat(folder, SPOOL_NOTES_NAME, folder, name);
    load(&c);
    (void)spool_files_visit(folder, settle, &c);
}

/* ---- Taking over ---- */

struct moving {
    int from;
    int to;
};

static void move_file(void *context, uint32_t file)
{
    const struct moving *moving = context;
    char name[NAME_SIZE];
    char new_name[NAME_SIZE];

    put_name(name, file);
    put_name(new_name, next_file(moving->to));
    (void)renameat(moving->from, name, moving->to, new_name);
}

void spool_left_collect(struct spool_left *left, const struct spool_folder *folder,
                        const struct spool_heritage *heritage)
{
    for (uint32_t owner = 1; owner <= SPOOL_OWNER_COUNT; owner++) {
        struct spool_folder other;
        if (owner != folder->owner &&
            spool_folder_open_left(&other, heritage->spool, heritage->process, owner)) {
            struct moving moving = {other.fd, folder->fd};
            settle_folder(left, heritage, other.fd);
            for_each_file(other.fd, move_file, &moving);
            (void)spool_stock_clean(other.fd, heritage->options, heritage->today, NULL);
            spool_folder_close(&other);
        }
    }
    settle_folder(left, heritage, folder->fd);
}

/* ---- Telling ---- */

static bool read_page(struct spool_left *left, int folder, uint32_t entry)
{
    int fd = open_file(folder, left->entries[entry].file);
    uint32_t place = left->entries[entry].place;
    bool is_read = fd >= 0 && spool_notes_read(fd, place, &left->page);

    if (is_read) {
        left->page_value = spool_notes_read_value(fd, place, &left->page, left->value);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_read;
}

const struct spool_note *spool_left_next(struct spool_left *left, const struct spool_folder *folder)
{
    for (uint32_t i = 0; i < left->count; i++) {
        if (left->entries[i].state == SPOOL_LEFT_WAITS) {
            left->entries[i].state = SPOOL_LEFT_TOLD;
            if (read_page(left, folder->fd, i)) {
                return &left->page;
            }
        }
    }
    return NULL;
}

bool spool_left_waits(const struct spool_left *left)
{
    for (uint32_t i = 0; i < left->count; i++) {
        if (left->entries[i].state == SPOOL_LEFT_WAITS) {
            return true;
        }
    }
    return false;
}

bool spool_left_finish(struct spool_left *left, const struct spool_folder *folder,
                       struct spool_incident incident)
{
    for (uint32_t i = 0; i < left->count; i++) {
        if (left->entries[i].state == SPOOL_LEFT_TOLD &&
            spool_incident_is(left->entries[i].incident, incident)) {
            finish_entry(left, folder->fd, i);
            return true;
        }
    }
    return false;
}
