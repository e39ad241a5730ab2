#include "spool/left.h"

#include "spool/files.h"
#include "spool/stock.h"

#include <unistd.h>

struct collecting {
    struct spool_left *left;
    const struct spool_heritage *heritage;
    const struct spool_folder *folder; /* at hand */
    const struct spool_folder *ours;
};

/* Its process was killed between the two. */
static void take_published(void *context, const struct spool_file *file)
{
    const struct collecting *c = context;

    if (!file->is_counts) {
        (void)spool_note_remove(c->folder, file->parts.incident);
        if (c->heritage->published != NULL) {
            c->heritage->published(c->heritage->context, file->parts.incident);
        }
    }
}

static void move(void *context, struct spool_incident incident)
{
    const struct collecting *c = context;

    spool_note_move(c->folder, c->ours, incident);
}

static void add(void *context, struct spool_incident incident)
{
    const struct collecting *c = context;

    if (c->left->count < SPOOL_LEFT_COUNT) {
        c->left->incidents[c->left->count++] = incident;
    }
}

/* What a process was writing when it was killed. */
static void remove_temporary(const struct spool_folder *folder)
{
    (void)unlinkat(folder->fd, SPOOL_TEMPORARY_FILE, 0);
    (void)unlinkat(folder->fd, SPOOL_TEMPORARY_NOTE, 0);
}

void spool_left_collect(struct spool_left *left, const struct spool_folder *folder,
                        const struct spool_heritage *heritage)
{
    struct collecting c = {left, heritage, folder, folder};

    remove_temporary(folder);
    (void)spool_files_visit(folder->fd, take_published, &c);
    for (uint32_t owner = 1; owner <= SPOOL_OWNER_COUNT; owner++) {
        struct spool_folder other;
        if (owner != folder->owner &&
            spool_folder_open_left(&other, heritage->spool, heritage->process, owner)) {
            c.folder = &other;
            remove_temporary(&other);
            (void)spool_files_visit(other.fd, take_published, &c);
            spool_notes_visit(&other, move, &c);
            (void)spool_stock_clean(other.fd, heritage->options, heritage->today, NULL);
            spool_folder_close(&other);
        }
    }
    spool_notes_visit(folder, add, &c);
}
