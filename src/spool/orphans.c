#include "spool/orphans.h"

#include "spool/cleanup.h"
#include "spool/files.h"

#include <unistd.h>

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
