#include "issues/fleet/packer.h"

#include <zstd.h>

#define LEVEL 1 /* as small as at 3, since rows repeat so much, in half the time */
#define PIECE ((size_t)128 * 1024)

struct fleet_packer {
    ZSTD_CCtx *zstd;
    uint8_t piece[PIECE];
};

bool fleet_packer_exists(void)
{
    return true;
}

struct fleet_packer *fleet_packer_create(void)
{
    struct fleet_packer *packer = malloc(sizeof(*packer));

    if (packer == NULL) {
        return NULL;
    }
    packer->zstd = ZSTD_createCCtx();
    if (packer->zstd == NULL ||
        ZSTD_isError(ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1))) {
        fleet_packer_destroy(packer);
        return NULL;
    }
    return packer;
}

void fleet_packer_destroy(struct fleet_packer *packer)
{
    if (packer != NULL) {
        (void)ZSTD_freeCCtx(packer->zstd);
        free(packer);
    }
}

enum mb_status fleet_pack(struct fleet_packer *packer, const struct mb_buf *text, bool is_end,
                          const struct format_sink *sink, struct mb_error *err)
{
    ZSTD_inBuffer in = {.src = text->bytes, .size = text->size};
    bool is_done;

    do {
        ZSTD_outBuffer out = {.dst = packer->piece, .size = PIECE};
        size_t left =
            ZSTD_compressStream2(packer->zstd, &out, &in, is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            return mb_fail_memory(err); /* nothing else can fail with a level of its own */
        }
        if (out.pos > 0) {
            MB_TRY(sink->take(sink->context, packer->piece, out.pos, err));
        }
        is_done = is_end ? left == 0 : in.pos == in.size;
    } while (!is_done);
    return MB_OK;
}

void *fleet_zstd_open(void)
{
    return ZSTD_createDCtx();
}

void fleet_zstd_close(void *zstd)
{
    (void)ZSTD_freeDCtx(zstd);
}

bool fleet_zstd_step(void *zstd, struct fleet_step *step)
{
    ZSTD_inBuffer in = {.src = step->in.data, .size = step->in.size};
    ZSTD_outBuffer out = {.dst = step->out, .size = step->out_size};
    size_t left = ZSTD_decompressStream(zstd, &out, &in);

    step->in = mb_text_from(step->in, in.pos);
    step->out_used = out.pos;
    step->is_end = left == 0;
    return !ZSTD_isError(left);
}
