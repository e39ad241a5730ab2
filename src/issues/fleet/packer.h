/* zstd (RFC 8878), as far as rows and uploads need it. */

#ifndef ISSUES_FLEET_PACKER_H
#define ISSUES_FLEET_PACKER_H

#include "formats/writer.h"

struct fleet_packer;

/* False in builds without libzstd. */
bool fleet_packer_exists(void);

/* NULL without memory, and without libzstd. Free with fleet_packer_destroy, which accepts NULL. */
struct fleet_packer *fleet_packer_create(void);
void fleet_packer_destroy(struct fleet_packer *packer);

/* Pack all of a text, and hand what comes out to the sink. is_end: the frame ends with it, and
 * with its checksum. Fails as the sink does, and without memory. */
MB_MUST_CHECK enum mb_status fleet_pack(struct fleet_packer *packer, const struct mb_buf *text,
                                        bool is_end, const struct format_sink *sink,
                                        struct mb_error *err);

/* A piece on its way out of a packed file. */
struct fleet_step {
    struct mb_text in; /* moves past the bytes that were taken */
    uint8_t *out;
    size_t out_size;
    size_t out_used;
    bool is_end; /* of a frame: another may follow */
};

/* NULL without memory, and without libzstd. */
void *fleet_zstd_open(void);
void fleet_zstd_close(void *zstd);

/* False if the input is damaged. */
bool fleet_zstd_step(void *zstd, struct fleet_step *step);

#endif
