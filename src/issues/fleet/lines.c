#include "issues/fleet/lines.h"

#include "issues/fleet/packer.h"

#include <stdlib.h>

#define MAGIC MB_TEXT("\x28\xb5\x2f\xfd")
#define PIECE ((size_t)256 << 10)

struct lines {
    const struct fleet_hearer *hearer;
    struct fleet_ending *ending;
    struct mb_buf start; /* of a line whose end is in the next piece */
    bool is_beyond;      /* the line that goes on is too long */
};

static enum mb_status end_line(struct lines *lines, struct mb_text end, struct mb_error *err)
{
    enum mb_status status = MB_OK;

    if (lines->is_beyond) {
        lines->ending->lines_beyond++;
    } else if (lines->start.size == 0) {
        status = lines->hearer->line(lines->hearer->context, end, err);
    } else {
        mb_buf_put(&lines->start, end.data, end.size);
        MB_TRY(mb_buf_check(&lines->start, err));
        struct mb_text line = {(const char *)lines->start.bytes, lines->start.size};
        status = lines->hearer->line(lines->hearer->context, line, err);
    }
    lines->is_beyond = false;
    mb_buf_reset(&lines->start);
    return status;
}

static enum mb_status take_piece(struct lines *lines, struct mb_text piece, struct mb_error *err)
{
    const char *end;

    while (piece.size > 0 && (end = memchr(piece.data, '\n', piece.size)) != NULL) {
        size_t size = (size_t)(end - piece.data);
        MB_TRY(end_line(lines, (struct mb_text){piece.data, size}, err));
        piece = mb_text_from(piece, size + 1);
    }
    if (lines->start.size + piece.size > FLEET_LINE_MOST) {
        lines->is_beyond = true;
        mb_buf_reset(&lines->start);
    }
    if (!lines->is_beyond) {
        mb_buf_put(&lines->start, piece.data, piece.size);
    }
    return mb_buf_check(&lines->start, err);
}

/* Nothing is read after damage: a frame does not say where the next one begins. */
static enum mb_status unpack_frames(struct lines *lines, struct mb_text bytes, void *zstd,
                                    uint8_t *piece, struct mb_error *err)
{
    struct fleet_step step = {.in = bytes, .out = piece, .out_size = PIECE};
    bool is_valid = true;
    uint64_t size = 0;

    while (is_valid && !lines->ending->is_too_large &&
           (step.in.size > 0 || step.out_used == PIECE)) {
        is_valid = fleet_zstd_step(zstd, &step);
        size += step.out_used;
        lines->ending->is_too_large = size > FLEET_UPLOAD_MOST;
        if (is_valid) {
            MB_TRY(take_piece(lines, (struct mb_text){(char *)piece, step.out_used}, err));
        }
    }
    lines->ending->is_cut = !is_valid || !step.is_end;
    return MB_OK;
}

static enum mb_status unpack_text(struct lines *lines, struct mb_text bytes, struct mb_error *err)
{
    if (!fleet_packer_exists()) {
        return mb_fail(err, MB_UNSUPPORTED, MB_NO_OFFSET, "packed by zstd, which this build lacks");
    }
    void *zstd = fleet_zstd_open();
    uint8_t *piece = malloc(PIECE);
    enum mb_status status = zstd != NULL && piece != NULL
                                ? unpack_frames(lines, bytes, zstd, piece, err)
                                : mb_fail_memory(err);

    free(piece);
    fleet_zstd_close(zstd);
    return status;
}

enum mb_status fleet_lines_each(struct mb_text bytes, const struct fleet_hearer *hearer,
                                struct fleet_ending *ending, struct mb_error *err)
{
    struct lines lines = {.hearer = hearer, .ending = ending};

    *ending = (struct fleet_ending){.is_cut = false};
    enum mb_status status = mb_text_starts(bytes, MAGIC) ? unpack_text(&lines, bytes, err)
                                                         : take_piece(&lines, bytes, err);
    ending->is_cut = ending->is_cut || lines.start.size > 0 || lines.is_beyond;
    mb_buf_finish(&lines.start);
    return status;
}
