#include "monitor/spool/cleanup.h"

#include "monitor/spool/files.h"
#include "monitor/spool/quota.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Expired files ---- */

struct cleaning {
    const struct mon_options *options;
    int64_t today;
    int64_t newest;
    uint64_t bytes;
};

static void find_newest(void *context, const struct spool_file *file)
{
    struct cleaning *cleaning = context;

    if (file->day > cleaning->newest) {
        cleaning->newest = file->day;
    }
}

static void keep_or_remove(void *context, const struct spool_file *file)
{
    struct cleaning *cleaning = context;
    bool is_old = spool_is_expired(cleaning->options, cleaning->today, cleaning->newest, file->day,
                                   file->changed);

    if (!is_old || !spool_file_remove(file)) {
        cleaning->bytes += file->size;
    }
}

bool spool_cleanup_remove_expired(int folder, const struct mon_options *options, int64_t today,
                                  uint64_t *bytes)
{
    struct cleaning cleaning = {.options = options, .today = today, .newest = today};

    if (!spool_files_visit(folder, find_newest, &cleaning)) {
        return false;
    }
    (void)spool_files_visit(folder, keep_or_remove, &cleaning);
    spool_files_tidy(folder);
    if (bytes != NULL) {
        *bytes = cleaning.bytes;
    }
    return true;
}

/* ---- Room ---- */

#define MOST_AT_A_TIME 256u

struct candidate {
    int weight;
    int64_t day;
    uint64_t size;
    char name[SPOOL_NAME_SIZE];
};

/* The first candidates among the files visited so far, and later ones while there is room. */
struct search {
    int weight;    /* at most */
    uint32_t most; /* wanted candidates; there is room for twice as many */
    uint32_t count;
    struct candidate *found;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;

    if (a->weight != b->weight) {
        return a->weight < b->weight ? -1 : 1;
    }
    if (a->day != b->day) {
        return a->day < b->day ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static void drop_last(struct search *search)
{
    qsort(search->found, search->count, sizeof(*search->found), compare_candidates);
    search->count = search->count < search->most ? search->count : search->most;
}

static void add_candidate(void *context, const struct spool_file *file)
{
    struct search *search = context;

    if (spool_weight(file->parts.detail) > search->weight) {
        return;
    }
    struct candidate *candidate = &search->found[search->count++];
    candidate->weight = spool_weight(file->parts.detail);
    candidate->day = file->day;
    candidate->size = file->size;
    (void)snprintf(candidate->name, sizeof(candidate->name), "%s", file->name);
    if (search->count == 2 * search->most) {
        drop_last(search);
    }
}

static uint64_t remove_until(int folder, const struct search *search, uint64_t wanted)
{
    uint64_t freed = 0;

    for (uint32_t i = 0; i < search->count && freed < wanted; i++) {
        int day_folder = spool_files_open_day(folder, search->found[i].day);
        if (day_folder >= 0) {
            bool is_free = unlinkat(day_folder, search->found[i].name, 0) == 0;
            freed += is_free ? search->found[i].size : 0;
            (void)close(day_folder);
        }
    }
    return freed;
}

uint64_t spool_cleanup_make_room(int folder, int weight, uint64_t wanted)
{
    struct candidate two[2];
    struct candidate *many = malloc(sizeof(*many) * 2 * MOST_AT_A_TIME);
    struct search search = {
        .weight = weight,
        .most = many != NULL ? MOST_AT_A_TIME : 1,
        .found = many != NULL ? many : two,
    };

    (void)spool_files_visit(folder, add_candidate, &search);
    drop_last(&search);
    uint64_t freed = remove_until(folder, &search, wanted);
    free(many);
    return freed;
}

/* ---- Orphans ---- */

struct collecting {
    struct spool_orphans *orphans;
    const struct spool_orphans_search *search;
    const struct spool_folder *folder; /* being searched */
    const struct spool_folder *ours;
};

/* A process may be killed after it published an issue and before it removed the note. */
static void take_published(void *context, const struct spool_file *file)
{
    const struct collecting *c = context;

    (void)spool_note_remove(c->folder, file->parts.incident);
    if (c->search->published != NULL) {
        c->search->published(c->search->context, file->parts.incident);
    }
}

static void take_over_note(void *context, struct spool_incident incident)
{
    const struct collecting *c = context;

    spool_note_move(c->folder, c->ours, incident);
}

static void add_orphan(void *context, struct spool_incident incident)
{
    const struct collecting *c = context;

    if (c->orphans->count < SPOOL_ORPHAN_COUNT) {
        c->orphans->incidents[c->orphans->count++] = incident;
    }
}

/* A killed process may have left them. */
static void remove_temporary(const struct spool_folder *folder)
{
    (void)unlinkat(folder->fd, SPOOL_TEMPORARY_FILE, 0);
    (void)unlinkat(folder->fd, SPOOL_TEMPORARY_NOTE, 0);
}

void spool_orphans_collect(struct spool_orphans *orphans, const struct spool_folder *folder,
                           const struct spool_orphans_search *search)
{
    struct collecting c = {orphans, search, folder, folder};

    remove_temporary(folder);
    (void)spool_files_visit(folder->fd, take_published, &c);
    for (uint32_t owner = 1; owner <= SPOOL_OWNER_COUNT; owner++) {
        struct spool_folder other;
        if (owner != folder->owner &&
            spool_folder_take_over(&other, search->spool, search->process, owner)) {
            c.folder = &other;
            remove_temporary(&other);
            (void)spool_files_visit(other.fd, take_published, &c);
            spool_notes_visit(&other, take_over_note, &c);
            (void)spool_cleanup_remove_expired(other.fd, search->options, search->today, NULL);
            spool_folder_close(&other);
        }
    }
    spool_notes_visit(folder, add_orphan, &c);
}
