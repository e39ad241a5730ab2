#include "instrument/partfile.h"

#include "base/file.h"

void ins_partfile_init(struct ins_partfile *file, int fd)
{
    *file = (struct ins_partfile){.fd = fd};
    (void)pthread_mutex_init(&file->lock, NULL);
    (void)pthread_cond_init(&file->change, NULL);
}

void ins_partfile_finish(struct ins_partfile *file)
{
    (void)pthread_cond_destroy(&file->change);
    (void)pthread_mutex_destroy(&file->lock);
}

enum mb_status ins_partfile_put(struct ins_partfile *file, size_t part, const struct mb_buf *text,
                                struct mb_error *err)
{
    (void)pthread_mutex_lock(&file->lock);
    while (file->next_part != part && !file->is_failed) {
        (void)pthread_cond_wait(&file->change, &file->lock);
    }
    uint64_t offset = file->size;
    bool is_failed = file->is_failed;
    file->size += text->size;
    file->next_part++;
    (void)pthread_cond_broadcast(&file->change);
    (void)pthread_mutex_unlock(&file->lock);
    return is_failed || mb_file_write_at(file->fd, text->bytes, text->size, offset)
               ? MB_OK
               : mb_fail_errno(err, "cannot write");
}

void ins_partfile_fail(struct ins_partfile *file)
{
    (void)pthread_mutex_lock(&file->lock);
    file->is_failed = true;
    (void)pthread_cond_broadcast(&file->change);
    (void)pthread_mutex_unlock(&file->lock);
}
