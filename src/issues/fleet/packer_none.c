#include "issues/fleet/packer.h"

#include <assert.h>

bool fleet_packer_exists(void)
{
    return false;
}

struct fleet_packer *fleet_packer_create(void)
{
    return NULL;
}

void fleet_packer_destroy(struct fleet_packer *packer)
{
    assert(packer == NULL);
    (void)packer;
}

enum mb_status fleet_pack(struct fleet_packer *packer, const struct mb_buf *text, bool is_end,
                          const struct format_sink *sink, struct mb_error *err)
{
    (void)packer;
    (void)text;
    (void)is_end;
    (void)sink;
    return mb_fail(err, MB_UNSUPPORTED, MB_NO_OFFSET, "built without libzstd");
}

void *fleet_zstd_open(void)
{
    return NULL;
}

void fleet_zstd_close(void *zstd)
{
    (void)zstd;
}

bool fleet_zstd_step(void *zstd, struct fleet_step *step)
{
    (void)zstd;
    (void)step;
    return false;
}
